/** Asks, runs the tools, asks again: until the model is done. @module */
import { canRunTools, toolCallsOf } from '../content.ts'
import { prepare } from '../messages/prepare.ts'
import type {
  AssistantMessage,
  ChatResponse,
  Context,
  Loss,
  Message,
  MessageEvent,
  ProviderState,
  StopReason,
  Usage,
} from '../model.ts'
import { toToolMessage } from '../tools/invoke.ts'
import { isRunnable } from '../tools/tool.ts'
import type { Answer, Question } from './answer.ts'
import { contextOf, optionsOf, promptOf, type RunRequest, toolsByName } from './request.ts'
import { type AnyCall, runTools, type ToolEvent } from './tools.ts'

/** What `stream` hands out. */
export type StreamEvent = MessageEvent | ToolEvent | { readonly type: 'done'; readonly result: RunResult }

/** How a run ended. */
export interface RunResult {
  /** The last answer. */
  readonly message: AssistantMessage
  /** The prompt and everything that was said since, in order: append it to the history. */
  readonly messages: readonly Message[]
  /** Why the run ended: the last answer's reason, or `max_rounds`. */
  readonly stopReason: StopReason
  /** Of all rounds together; each message has its own. */
  readonly usage?: Usage
  /** How often the model was asked. */
  readonly rounds: number
  /** For the next request's `providerState`. */
  readonly providerState?: ProviderState
  /** The answers one by one. */
  readonly responses: readonly ChatResponse[]
}

/** How the model is asked: for a stream, or for a whole answer. */
export interface Asking {
  readonly stream: boolean
  readonly ask: (question: Question) => Answer
}

export interface RunState {
  readonly signal: AbortSignal
  /** Grows with what is said, the prompt first. */
  readonly messages: Message[]
  /** Told what there is of an answer that did not end properly. */
  readonly onPartial: (partial: AssistantMessage) => void
}

/** One run, in batches of events. */
export async function* runLoop(
  request: RunRequest,
  asking: Asking,
  state: RunState,
): AsyncGenerator<StreamEvent[], RunResult> {
  const start = contextOf(request)
  const produced = state.messages
  produced.push(...promptOf(request))
  const responses: ChatResponse[] = []
  const tellOnce = newLosses()
  let context = start
  for (;;) {
    const { question, losses } = prepareQuestion(request, context, asking, state)
    const news = tellOnce(losses)
    if (news.length > 0) yield news
    const response = yield* asking.ask(question)
    responses.push(response)
    produced.push(response.message)
    context = { ...context, messages: [...context.messages, response.message] }
    if (response.providerState) context = { ...context, providerState: response.providerState }

    const calls = callsToRun(request, response.message)
    const isLast = calls.length === 0 || responses.length >= (request.maxRounds ?? 10)
    if (isLast) {
      const result = toResult(responses, [...produced], calls.length > 0 ? 'max_rounds' : response.stopReason)
      yield [{ type: 'done', result }]
      return result
    }
    const results = yield* runTools({ request, calls, messages: context.messages, signal: state.signal })
    state.signal.throwIfAborted()
    const answers = results.map(toToolMessage)
    produced.push(...answers)
    context = { ...context, messages: [...context.messages, ...answers] }
  }
}

function prepareQuestion(
  request: RunRequest,
  context: Context,
  asking: Asking,
  { signal, onPartial }: RunState,
): { question: Question; losses: readonly Loss[] } {
  const { model } = request
  const prepared = prepare(context, model.codec.rules, { model: model.model })
  const encoded = model.codec.encodeRequest(prepared.context, optionsOf(request, asking.stream))
  const callsBefore = context.messages.reduce((sum, message) => sum + toolCallsOf(message).length, 0)
  return {
    question: { model, encoded, request, signal, callsBefore, onPartial },
    losses: [...prepared.losses, ...encoded.losses],
  }
}

/**
 * The calls that this run is to run: none if it is not to, if the message did not end properly, or if one of them is for a tool that
 * only the caller can run.
 */
function callsToRun(request: RunRequest, message: AssistantMessage): readonly AnyCall[] {
  const tools = toolsByName(request)
  const isAuto = request.autoTools ?? [...tools.values()].some(isRunnable)
  if (!isAuto || !canRunTools(message)) return []
  const calls = [...toolCallsOf(message), ...(message.invalidToolCalls ?? [])].sort((a, b) => a.index - b.index)
  const isForCaller = calls.some((call) => {
    const tool = call.name === undefined ? undefined : tools.get(call.name)
    return tool !== undefined && !isRunnable(tool)
  })
  return isForCaller ? [] : calls
}

function toResult(responses: readonly ChatResponse[], messages: readonly Message[], stopReason: StopReason): RunResult {
  const last = responses[responses.length - 1] as ChatResponse
  const usage = sumUsage(responses)
  return {
    message: last.message,
    messages,
    stopReason,
    ...(usage && { usage }),
    rounds: responses.length,
    ...(last.providerState && { providerState: last.providerState }),
    responses,
  }
}

const counts = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const

/** Sums what is known; a figure that no answer tells stays unknown. */
function sumUsage(responses: readonly ChatResponse[]): Usage | undefined {
  const sum: { -readonly [K in (typeof counts)[number]]?: number } = {}
  for (const { usage } of responses) {
    for (const count of counts) {
      const figure = usage?.[count]
      if (figure !== undefined) sum[count] = (sum[count] ?? 0) + figure
    }
  }
  return Object.keys(sum).length > 0 ? sum : undefined
}

/** Each loss is told in the round it first comes up, and not again. */
function newLosses(): (losses: readonly Loss[]) => StreamEvent[] {
  const told = new Set<string>()
  return (losses) =>
    losses.flatMap((warning) => {
      const key = `${warning.path}\n${warning.reason}`
      if (told.has(key)) return []
      told.add(key)
      return [{ type: 'warning', warning }]
    })
}
