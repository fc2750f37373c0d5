/** The calls and results of a run, and of a chat in a page, narrow by the name of their tool. Checked by the compiler. */
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { useChatValue, useChat as useReactChat } from '../../src/bindings/react.ts'
import { useChat as useSolidChat } from '../../src/bindings/solid.ts'
import { toReadable, useChat as useSvelteChat } from '../../src/bindings/svelte.ts'
import { useChat as useVueChat } from '../../src/bindings/vue.ts'
import { createChatStore, fetchTransport, runTransport, type ToolPart } from '../../src/chat/index.ts'
import { modelTransport, workerTransport } from '../../src/chat/model-transport.ts'
import type { AnyTools, CallOf, ResultOf } from '../../src/codec.ts'
import {
  applyEvent,
  createChat,
  generate,
  type Message,
  type Model,
  type Run,
  type RunRequest,
  type RunResult,
  type StreamEvent,
  signApproval,
  stream,
  type Tool,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
  t,
  tool,
  toToolMessage,
} from '../../src/index.ts'
import type { JsonObject } from '../../src/messages/index.ts'
import { readEvents } from '../../src/page/read.ts'
import { toResponse } from '../../src/page/to-response.ts'

type Equal<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false
type Flat<T> = { [Key in keyof T]: T[Key] }
function same<One, Other>(
  ..._: Equal<Flat<One>, Flat<Other>> extends true ? [] : ['these types differ', One, Other]
): void {}

interface Place {
  city: string
  near?: Near | undefined
  tags?: readonly string[]
  extra?: Record<string, unknown>
}
interface Near {
  lat: number
}

const byT = tool({
  name: 'by_t',
  parameters: t.object({ city: t.string(), days: t.optional(t.integer()) }),
  execute: ({ city }) => ({ degrees: city.length }),
})
const byZod = tool({
  name: 'by_zod',
  parameters: z.object({ city: z.string(), days: z.string().default('3').transform(Number) }),
  execute: async ({ days }) => days,
})
const byArk = tool({
  name: 'by_arktype',
  parameters: type({ city: 'string', 'days?': 'string.numeric.parse' }),
  execute: ({ days }) => days,
})
const byValibot = tool({
  name: 'by_valibot',
  parameters: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) })),
  execute: () => {},
})
const byInterface = tool({ name: 'by_interface', parameters: t.schema<Place>({ type: 'object' }), execute: () => true })
const byJson = tool({ name: 'by_json', parameters: { type: 'object' }, execute: () => 'x' })
const bare = tool({ name: 'bare', execute: () => null })
const definition = tool({ name: 'definition', parameters: t.object({ dark: t.boolean() }) })
const plain = { name: 'plain', parameters: { type: 'object' } } as const
const search = { type: 'provider_tool', format: 'anthropic', value: {} } as const
const tools = [byT, byZod, byArk, byValibot, byInterface, byJson, bare, definition, plain, search] as const
type Tools = typeof tools

// ---- a tool knows its name, what its schema takes, and what it returns --------------------------

byT satisfies Tool<'by_t', { city: string; days?: number }, { degrees: number }>
definition satisfies ToolDefinition<'definition', { dark: boolean }>
bare satisfies Tool<'bare', unknown, null>
// @ts-expect-error: it returns an object
byT satisfies Tool<'by_t', { city: string; days?: number }, string>

// ---- calls and results --------------------------------------------------------------------------

export async function events(model: Model): Promise<void> {
  const run = stream({ model, prompt: 'x', tools })
  for await (const event of run) {
    if (event.type === 'tool_call') check(event.call)
    if (event.type === 'tool_start' && event.call.type === 'tool_call') check(event.call)
    if (event.type === 'approval_request') check(event.call)
    if (event.type === 'tool_result') checkResult(event.result)
    if (event.type === 'done') event.result.pending.map(check)
    if (event.type === 'tool_call' && event.call.name === 'by_t') event.call.arguments.days?.toFixed()
    // @ts-expect-error: no tool has this name
    if (event.type === 'tool_call' && event.call.name === 'by_t_') event.call.arguments
    // @ts-expect-error: the tool has no such argument
    if (event.type === 'tool_call' && event.call.name === 'by_t') event.call.arguments.town
    // @ts-expect-error: what is optional may be absent
    if (event.type === 'tool_call' && event.call.name === 'by_t') event.call.arguments.days.toFixed()
    // @ts-expect-error: a call that was not run has no value
    if (event.type === 'tool_result' && event.result.name === 'by_t') event.result.value.degrees
  }
  const { pending } = await run.response
  pending.map(check)
  const result = await generate({ model, prompt: 'x', tools, onToolResult: checkResult, onToolRequest: () => {} })
  result.pending.map(check)
  await generate({
    model,
    prompt: 'x',
    tools: [byT, byJson],
    onToolRequest(call) {
      if (call.type === 'tool_call') same<{ it: typeof call.name }, { it: 'by_t' | 'by_json' }>()
    },
    onToolResult(result) {
      if (result.name === 'by_t') same<{ it: typeof result.value }, { it: { degrees: number } | undefined }>()
    },
  })
}

function check(call: CallOf<Tools>): void {
  if (call.name === 'by_t') same<typeof call.arguments, { city: string; days?: number }>()
  // The schema's input, before it converts.
  else if (call.name === 'by_zod') same<typeof call.arguments, { city: string; days?: string }>()
  else if (call.name === 'by_arktype') same<typeof call.arguments, { city: string; days?: string }>()
  // JSON has no undefined.
  else if (call.name === 'by_valibot') same<typeof call.arguments, { city: string; days?: number }>()
  else if (call.name === 'by_interface') {
    same<{ near: typeof call.arguments.near }, { near: { lat: number } | undefined }>()
    same<{ tags: typeof call.arguments.tags }, { tags: string[] | undefined }>()
    call.arguments satisfies JsonObject
  } else if (call.name === 'definition') same<typeof call.arguments, { dark: boolean }>()
  else if (call.name === 'by_json' || call.name === 'bare') same<typeof call.arguments, JsonObject>()
  else {
    same<{ it: typeof call.name }, { it: 'plain' }>()
    same<typeof call.arguments, JsonObject>()
  }
}

function checkResult(result: ResultOf<Tools>): void {
  if (result.name === 'by_t') same<{ it: typeof result.value }, { it: { degrees: number } | undefined }>()
  if (result.name === 'by_zod') same<{ it: typeof result.value }, { it: number | undefined }>()
  if (result.name === 'by_arktype') same<{ it: typeof result.value }, { it: number | undefined }>()
  if (result.name === 'by_interface') same<{ it: typeof result.value }, { it: boolean | undefined }>()
  if (result.name === 'by_json') same<{ it: typeof result.value }, { it: string | undefined }>()
  if (result.name === 'definition') same<{ it: typeof result.value }, { it: unknown }>()
}

// ---- a chat, and one in a page ------------------------------------------------------------------

export async function chats(model: Model, response: Response): Promise<void> {
  const chat = createChat({ model, tools })
  for await (const event of chat.stream('x')) if (event.type === 'tool_call') check(event.call)
  for (const call of (await chat.send('x')).pending) check(call)
  for await (const event of readEvents<Tools>(response)) if (event.type === 'tool_call') check(event.call)

  const stores = [
    createChatStore({
      transport: modelTransport({ model, tools }),
      onEvent: (event) => event satisfies StreamEvent<Tools>,
    }),
    createChatStore({ transport: workerTransport({ url: '/', model: 'openai:gpt-5-mini', tools }) }),
    createChatStore({ transport: runTransport(() => stream({ model, prompt: 'x', tools })) }),
    createChatStore({ transport: fetchTransport<Tools>() }),
    createChatStore<Tools>({ transport: fetchTransport() }),
  ]
  for (const store of stores) {
    store.getSnapshot().pending.map(check)
    for (const { parts } of store.getSnapshot().messages) {
      for (const part of parts) if (part.type === 'tool') checkPart(part)
    }
    await store.addToolResult({ toolCallId: '1', name: 'by_t', value: { degrees: 20 } })
    await store.addToolResult({ toolCallId: '1', error: 'no' })
    // @ts-expect-error: the tool returns a number
    await store.addToolResult({ toolCallId: '1', name: 'by_zod', value: 'twenty' })
    // @ts-expect-error: no tool has this name
    await store.addToolResult({ toolCallId: '1', name: 'by_nobody', value: 20 })
    toReadable(store).subscribe((snapshot) => snapshot.pending.map(check))
  }
}

export function useBindings(): void {
  const transport = fetchTransport<Tools>()
  const store = createChatStore({ transport })
  useChatValue(store, (snapshot) => snapshot.pending.map(check))
  useReactChat({ transport }).pending.map(check)
  useSolidChat({ transport }).pending.map(check)
  useSvelteChat({ transport }).pending.map(check)
  useVueChat({ transport }).pending.value.map(check)
  useReactChat(store).pending.map(check)
}

function checkPart(part: ToolPart<Tools>): void {
  if (part.state === 'waiting') part.toolCallId.trim()
  // @ts-expect-error: it may be unknown while the arguments arrive
  if (part.state === 'arguments') part.toolCallId.trim()
  if (part.name !== 'by_t') return
  same<{ it: typeof part.value }, { it: { degrees: number } | undefined }>()
  if (part.state === 'arguments')
    same<{ it: typeof part.arguments }, { it: { city?: string; days?: number } | undefined }>()
  if (part.state === 'invalid') same<{ it: typeof part.arguments }, { it: JsonObject | undefined }>()
  if (part.state === 'done') same<typeof part.arguments, { city: string; days?: number }>()
  // @ts-expect-error: they may be on their way
  part.arguments.city
}

// ---- what has no types is as it was -------------------------------------------------------------

same<CallOf<AnyTools>, ToolCall>()
same<ResultOf<AnyTools>, ToolResult>()
same<CallOf<readonly Tool[]>, ToolCall>()
same<Extract<StreamEvent, { type: 'tool_call' }>['call'], ToolCall>()
same<RunResult['pending'], readonly ToolCall[]>()

export async function untyped(model: Model, some: readonly Tool[]): Promise<void> {
  for await (const event of stream({ model, prompt: 'x' }))
    if (event.type === 'tool_call') same<typeof event.call, ToolCall>()
  for await (const event of stream({ model, prompt: 'x', tools: some })) {
    if (event.type === 'tool_call') same<typeof event.call, ToolCall>()
  }
  const empty = createChat({ model, tools: [] })
  empty.addTool(byT)
  same<Awaited<ReturnType<typeof empty.send>>['pending'], readonly ToolCall[]>()
  // some of the tools are known by name only at run time: nothing is promised of any call
  const { pending } = await generate({ model, prompt: 'x', tools: [byT, ...some] })
  for (const call of pending) if (call.name === 'by_t') call.arguments satisfies object
}

// ---- what is typed goes wherever the untyped goes -----------------------------------------------

export async function passed(model: Model, request: RunRequest<Tools>, messages: readonly Message[]): Promise<void> {
  const run: Run = stream({ model, prompt: 'x', tools })
  const result: RunResult = await stream(request).response
  const plainRequest: RunRequest = request
  await generate(plainRequest)
  await toResponse(stream(request))
  for await (const event of stream(request)) {
    applyEvent(messages, event)
    if (event.type === 'tool_result') toToolMessage(event.result)
    if (event.type === 'approval_request') await signApproval(event.call, { approved: true }, 'secret')
  }
  const store = createChatStore({ transport: runTransport(() => run), messages: result.messages })
  await store.addToolResult({ toolCallId: '1', value: 20 })
}

/** A function of any tools. */
export async function namesIn<const Given extends AnyTools>(run: Run<Given>): Promise<readonly string[]> {
  const { pending } = await run.response
  return pending.map(({ name }) => name)
}
