/** What a component draws compiles as it is written: parts on their way, errors, and transports with their tools. Checked by the compiler. */
import { useChat } from '../../src/bindings/react.ts'
import {
  type ChatEnd,
  type ChatSnapshot,
  type ChatTransport,
  createChatStore,
  fetchTransport,
  runTransport,
  type ViewPart,
} from '../../src/chat/index.ts'
import { modelTransport, workerTransport } from '../../src/chat/model-transport.ts'
import { type Approval, liveArguments, type Model, stream, t, tool } from '../../src/index.ts'
import type { SessionToken } from '../../src/remote/index.ts'

type Equal<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false
function same<One, Other>(..._: Equal<One, Other> extends true ? [] : ['these types differ', One, Other]): void {}

const trip = tool({
  name: 'plan_trip',
  parameters: t.object({ city: t.string(), stops: t.array(t.object({ at: t.string(), days: t.integer() })) }),
  execute: () => ({ id: 1 }),
})
const theme = tool({ name: 'set_theme', parameters: t.object({ dark: t.boolean() }) })
const list = [trip, theme]
const tuple = [trip, theme] as const

// ---- a call whose arguments are on their way -----------------------------------------------------

export function draw(part: ViewPart<typeof list>): string {
  if (part.type !== 'tool') return ''
  if (part.name !== 'plan_trip') return ''
  if (part.state === 'arguments') {
    const { arguments: arriving } = part
    same<NonNullable<typeof arriving>['city'], string | undefined>()
    // @ts-expect-error: the list may not have begun
    arriving?.stops.length
    // @ts-expect-error: there is no such argument
    arriving?.town
    return `${arriving?.city ?? '…'}: ${arriving?.stops?.map((stop) => `${stop?.at} ${stop?.days?.toFixed()}`).join()}`
  }
  if (part.state === 'done')
    return `${part.arguments.city} ${part.arguments.stops[0]?.days.toFixed()} ${part.value?.id}`
  return part.argumentsText
}
/** Of tools that a program does not name, arguments are any JSON. */
export const drawAny = (part: ViewPart): unknown => part.type === 'tool' && part.arguments?.city

// ---- errors -------------------------------------------------------------------------------------

same<ChatSnapshot['error'], Error | undefined>()
same<ChatEnd['error'], Error | undefined>()
export const drawError = ({ error }: ChatSnapshot): string | undefined => error && `${error.name}: ${error.message}`
const transport = fetchTransport()
createChatStore({ transport, onError: (error) => error.message, onFinish: ({ error }) => error?.message })
export const drawn = (): string | undefined => useChat({ transport }).error?.message

// ---- transports and their tools ------------------------------------------------------------------

declare const model: Model
const inline = modelTransport({ model, tools: [trip, theme] })

export const transports: readonly ChatTransport<typeof list>[] = [
  inline,
  modelTransport({ model, tools: [trip, theme] }),
  modelTransport({ model, tools: list, liveArguments: liveArguments() }),
  modelTransport({ model, tools: tuple }),
  workerTransport({ url: '/', model: 'openai:gpt-5-mini', tools: [trip, theme] }),
  runTransport(({ messages }) => stream({ model, messages, tools: [trip, theme] })),
  fetchTransport(),
]
export const ofTuple: readonly ChatTransport<typeof tuple>[] = [inline, modelTransport({ model, tools: list })]
createChatStore<typeof list>({ transport: inline })
createChatStore<typeof tuple>({ transport: modelTransport({ model, tools: list }) })
useChat<typeof list>({ transport: inline })
// @ts-expect-error: another tool
export const other: ChatTransport<[typeof theme]> = modelTransport({ model, tools: [trip] })

/** The tools of a transport reach the parts without being named again. */
export function inferred(): void {
  for (const { parts } of useChat({ transport: inline }).messages)
    for (const part of parts)
      if (part.type === 'tool' && part.name === 'set_theme' && part.state === 'done')
        same<typeof part.arguments.dark, boolean>()
}

// ---- headers ------------------------------------------------------------------------------------

declare const token: string | undefined
const authorization = () => (token ? { authorization: `Bearer ${token}` } : new Headers())
fetchTransport({ headers: () => ({}) })
fetchTransport({ headers: async () => ({}) })
fetchTransport({ headers: () => (token ? { authorization: `Bearer ${token}` } : {}) })
fetchTransport({ headers: authorization })

// ---- times --------------------------------------------------------------------------------------

same<NonNullable<Approval['expiresAt']>, SessionToken['expiresAt']>()
same<SessionToken['expiresAt'], string>()
