/** The official client of a format, which does the same things as the others in its own way. */
import { weatherIn } from '../gateway/dialogue.ts'

/** Values of the clients where their own types are too narrow. */
export type Loose = ReturnType<typeof JSON.parse>

/** The outcome of one turn of a conversation, as the client reports it. */
export interface Turn {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: unknown }[]
  readonly thought: string
  readonly usage: { readonly input: number | undefined; readonly output: number | undefined }
}

/** A running conversation. */
export interface Conversation {
  say(prompt: string): Promise<Turn>
  /** Runs the calls of the last turn, each with its own result, and hands them back. */
  answerCalls(): Promise<Turn>
}

export interface Wish {
  readonly model: string
  readonly stream: boolean
  readonly tools?: boolean
  readonly think?: boolean
  readonly schema?: boolean
}

/** Where to ask, and what to show there. */
export interface Place {
  readonly url: string
  /** Default: any. */
  readonly token?: string
}

export interface Client {
  converse(at: Place, wish: Wish): Conversation
  /** Begins a stream, reads one piece of text, and leaves. */
  leave(at: Place, model: string, prompt: string): Promise<void>
}

/** How a client holds a conversation, in items of its own. */
interface Ways extends Pick<Client, 'leave'> {
  prompt(text: string): Loose
  /** Asks with all that was said. */
  ask(at: Place, said: Loose[], wish: Wish): Promise<Turn & { readonly answered: readonly Loose[] }>
  /** The results of the calls in an answer. */
  results(answered: readonly Loose[]): Loose[]
}

export const clientOf = ({ prompt, ask, results, leave }: Ways): Client => ({
  converse(at, wish) {
    const said: Loose[] = []
    let last: readonly Loose[] = []
    async function go(...items: Loose[]): Promise<Turn> {
      said.push(...items)
      const { answered, ...turn } = await ask(at, said, wish)
      said.push(...answered)
      last = answered
      return turn
    }
    return { say: (text) => go(prompt(text)), answerCalls: () => go(...results(last)) }
  },
  leave,
})

export const anyToken = 'a-client-token'

const parameters = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] }
export const weather = { name: 'get_weather', description: 'The weather in a city', parameters }
export const schema = { ...parameters, additionalProperties: false }
export const run = (args: Loose): string => weatherIn(args.city)
