/** A transport that a test plays by hand, and the events of an answer. */
import type { ChatTransport, ChatTurn } from '../../src/chat/index.ts'
import type { AssistantMessage, RunOutcome, RunResult, StreamEvent, ToolCall } from '../../src/index.ts'

export interface Script {
  readonly transport: ChatTransport
  /** The turns that were asked for, in order. */
  readonly turns: readonly ChatTurn[]
  /** The calls of `stop` of the transport. */
  readonly stops: readonly string[]
  /** Delivers a batch to the last turn, and waits until it was read. */
  push(...events: readonly StreamEvent[]): Promise<void>
  end(): Promise<void>
  fail(cause: unknown): Promise<void>
}

type Step = { readonly events: readonly StreamEvent[] } | { readonly error: unknown } | 'end'

export function scripted(): Script {
  const turns: ChatTurn[] = []
  const stops: string[] = []
  let channel = queue()
  const step = async (next: Step) => {
    channel.push(next)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    turns,
    stops,
    transport: {
      async *send(turn) {
        turns.push(turn)
        const mine = queue()
        channel = mine
        turn.signal.addEventListener('abort', () => mine.push({ error: turn.signal.reason }))
        for (;;) {
          const next = await mine.next()
          if (next === 'end') return
          if ('error' in next) throw next.error
          yield next.events
        }
      },
      async stop(chatId) {
        stops.push(chatId)
      },
    },
    push: (...events) => step({ events }),
    end: () => step('end'),
    fail: (error) => step({ error }),
  }
}

function queue() {
  const steps: Step[] = []
  let wake = () => {}
  return {
    push(step: Step) {
      steps.push(step)
      wake()
    },
    async next(): Promise<Step> {
      while (steps.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return steps.shift() as Step
    },
  }
}

/** The last events of a run: the whole answer, and `done`. */
export function answer(
  content: AssistantMessage['content'],
  end: {
    readonly outcome?: RunOutcome
    readonly pending?: readonly ToolCall[]
    readonly usage?: AssistantMessage['usage']
  } = {},
): StreamEvent[] {
  const { outcome = 'answered', pending = [], usage } = end
  const stopReason = pending.length > 0 ? 'tool_calls' : 'stop'
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const message: AssistantMessage = { role: 'assistant', content: blocks, stopReason, ...(usage && { usage }) }
  return [{ type: 'message_end', message, response: { message, stopReason } }, done([message], outcome, pending)]
}

export function done(
  messages: RunResult['messages'],
  outcome: RunOutcome = 'answered',
  pending: readonly ToolCall[] = [],
): StreamEvent {
  const message = messages.findLast(({ role }) => role === 'assistant') as AssistantMessage
  const result = {
    message,
    messages,
    outcome,
    pending,
    stopReason: 'stop',
    rounds: 1,
    text: '',
    warnings: [],
    responses: [],
    context: { messages },
  } as const
  return { type: 'done', result }
}
