/**
 * The rounds of a run: encodes a request, asks the model with retries, decodes the answer, runs tools and asks again.
 *
 * @module
 */

import { type AssembleOptions, assemble, stop } from '../assemble/assemble.ts'
import { responseUnlessAborted, unlessAborted } from '../core/abort.ts'
import type {
  AnswerDecoder,
  Ask,
  Asked,
  ClientCodec,
  DecodeStreamOptions,
  EncodedRequest,
  Fragment,
  Frame,
  Model,
} from '../core/codec.ts'
import { callIdsOf, callsOf, canRunTools, isCall, isEmptyAnswer, textOf, withAskedModel } from '../core/content.ts'
import { ApiError, IsoglotError, LimitError, TimeoutError } from '../core/errors.ts'
import { compact, unlessEmpty } from '../core/json.ts'
import type { AssistantMessage, ContextTool, Loss, Message, MessageEvent, Usage } from '../core/model.ts'
import { usageOf } from '../core/usage.ts'
import { hash, nextNumber } from '../kit/ids.ts'
import { checkLoss, withPlaces } from '../kit/losses.ts'
import { legalToolChoice, legalToolName, prepare } from '../prepare/prepare.ts'
import { hasRunner } from '../tools/definition.ts'
import type { Ending, ToolHost } from '../tools/model.ts'
import type { Observed, Observer, Report, ReportEnd, RoundChange } from './hooks.ts'
import { type AnyTool, type Around, beginningOf, checkChange, optionsOf, type RunRequest } from './request.ts'
import type { RunOutcome, RunResponse, RunResult, StreamEvent } from './result.ts'
import {
  addressOf,
  chunksOf,
  errorFor,
  isStream,
  keyOf,
  readBody,
  retryDelayMs,
  sendText,
  sleep,
  startDeadline,
  titleOf,
} from './transport.ts'

/** How often a model is asked again after an empty answer. */
const mostEmptyAnswers = 2

type Batches<T> = AsyncGenerator<readonly StreamEvent[], T>

/** The step after an answer: `outcome` is `undefined` if the model is asked again. */
interface Next extends Omit<Ending, 'outcome'> {
  readonly outcome?: RunOutcome | undefined
}

/** The changes of one round. */
interface Change extends Pick<RoundChange, 'model' | 'tools' | 'end'> {
  readonly options?: ReturnType<typeof optionsOf>
}

/** The loop of one run. */
export interface Loop extends ToolHost, Asker {
  readonly request: RunRequest
  readonly report: Report
  history: readonly Message[]
  readonly responses: RunResponse[]
  tools: ReadonlyMap<string, object>
  isLast: boolean
  /** Set when the run has ended. */
  result: RunResult | undefined
  /** The run from its beginning to its end, in batches of events. */
  events(): Batches<void>
}

/**
 * Begins the loop of a run.
 *
 * @param isOnlyWhole whether a request has no stream. Set for `generate`, whose caller gets only whole answers.
 * @param added the new messages of the run, the prompt first.
 */
export function newLoop(
  request: RunRequest,
  isOnlyWhole: ((body: object) => boolean) | undefined,
  signal: AbortSignal,
  added: Message[],
): Loop {
  const { approvals, beforeRound, idempotencyKey, maxRounds = 10, observers = [], onRound, resume } = request
  const beginning = beginningOf(request)
  const { given } = beginning
  const options = optionsOf(request)
  const responses: RunResponse[] = []
  /** Each loss of the run once, in order. */
  const warnings: Loss[] = []
  const startedAt = Date.now()
  let { context } = beginning
  /** From 1. */
  let round = 0
  /** The model that answers in this round. */
  let { model } = request
  /** Losses of this round's request and answer. */
  let losses: Loss[] = []
  let answerMs = 0
  let emptyAnswers = 0
  added.push(...beginning.prompt)

  const run = { model, signal: request.signal }
  const report = createReport([...observers, compact({ onAttempt: request.onRequest })], () => ({ run, round, model }))
  const loop: Loop = {
    request,
    signal,
    history: context.messages,
    responses,
    tools: offerTools(given, model).tools,
    isLast: false,
    streamId: undefined,
    headersArrived: undefined,
    partial: undefined,
    attempts: 0,
    result: undefined,
    report,
    addMessages,
    async *events() {
      loop.result = yield* rounds()
      yield [{ type: 'done', result: loop.result }]
    },
  }
  // Every tool has the same class, which runs all of them.
  const runner = [...loop.tools.values()].find(hasRunner)
  if (runner === undefined && approvals !== undefined && approvals.length > 0) {
    throw new TypeError('Cannot ask: "approvals" decide about calls, and no tool can run; make tools with tool({ … })')
  }
  const toolRun = runner && new runner.run(loop)
  const isKept = resume !== undefined && !isOnlyWhole && model.codec.stored === undefined
  /** The idempotency key of the first request, and the stem of the others. */
  const firstKey = idempotencyKey ?? (isKept ? crypto.randomUUID() : undefined)
  return loop

  async function* rounds(): Batches<RunResult> {
    if (approvals !== undefined && toolRun !== undefined) {
      const ending = yield* toolRun.goOn(approvals)
      if (ending?.outcome !== undefined) return resultOf(ending.outcome, ending.message, ending.pending)
    }
    for (;;) {
      round++
      const change = await changeRound()
      if (change.end !== undefined) {
        const { message = { role: 'assistant', content: [] } } = responses.at(-1) ?? {}
        return resultOf('stop_condition', message, [], change.end)
      }
      const answer = yield* askModel(change)
      const { message } = answer
      const { outcome, pending, results = [] } = yield* nextAfter(message)
      if (onRound !== undefined) {
        const { usage, warnings: losses } = answer
        const about = { round, model, answer, calls: callsOf(message), results, usage, losses }
        await unlessAborted(onRound({ ...about, ms: answerMs, attempts: loop.attempts }), signal)
      }
      if (outcome !== undefined) return resultOf(outcome, message, pending)
    }
  }

  async function* nextAfter(message: AssistantMessage): Batches<Next> {
    const calls = callsOf(message)
    const isEmpty = isEmptyAnswer(message)
    if (isEmpty) emptyAnswers++
    const isPaused = message.stopReason === 'pause' && calls.length === 0
    const waits = isPaused && model.codec.rules.pausesForConsent === true
    // The provider's own tools took long, and it asks for the turn back to go on with it.
    if ((isEmpty ? emptyAnswers <= mostEmptyAnswers : isPaused && !waits) && !loop.isLast) return {}
    if (isEmpty) return { outcome: 'empty' }
    if (isPaused) return { outcome: waits ? 'manual' : 'max_rounds' }
    if (!canRunTools(message)) return { outcome: 'cut' }
    if (calls.length === 0) return { outcome: 'answered' }
    if (toolRun === undefined) return { outcome: 'manual', pending: calls.filter(isCall) }
    return yield* toolRun.runCallsOf(message)
  }

  function addMessages(messages: readonly Message[], at?: number): void {
    const withThem = (list: readonly Message[]) => {
      return [...list.slice(0, at), ...messages, ...list.slice(at ?? list.length)]
    }
    // The messages of the run are the last of the conversation.
    const earlier = loop.history.length - added.length
    added.splice(Math.max(0, (at ?? loop.history.length) - earlier), 0, ...messages)
    loop.history = withThem(loop.history)
    context = { ...context, messages: withThem(context.messages) }
  }

  /** The changes that `beforeRound` returned. Those for all later rounds are in the conversation already. */
  async function changeRound(): Promise<Change> {
    if (beforeRound === undefined) return {}
    const about = {
      round,
      isLast: responses.length + 1 >= maxRounds,
      model: request.model,
      signal,
      tools: given,
      system: context.system,
      messages: context.messages,
      last: responses.at(-1),
      usage: usageOf(responses),
      toolCalls: toolRun?.toolCalls ?? 0,
      elapsedMs: Date.now() - startedAt,
    }
    const change = await unlessAborted(beforeRound(about), signal)
    if (change === undefined) return {}
    checkChange(change, request, given)
    const { system = context.system, messages = context.messages } = change
    // A state of the provider stands for the messages as they were.
    const providerState = messages === context.messages ? context.providerState : undefined
    context = beginningOf(compact({ system, messages, providerState })).context
    return { ...change, options: optionsOf(change) }
  }

  /** Asks the model once. An answer that adds nothing is not kept in the conversation. */
  async function* askModel({ tools: names, ...change }: Change): Batches<RunResponse> {
    model = change.model ?? request.model
    losses = []
    loop.attempts = 0
    const tools = given.filter((tool) => !names || !('name' in tool) || names.includes(tool.name))
    const asked = {
      model,
      context: compact({ ...context, tools: unlessEmpty(tools) }),
      options: { ...options, ...change.options, model: model.model },
      signal,
    }
    const reportEnd = report('onRound', { context: asked.context, options: asked.options })
    let response: RunResponse | undefined
    let end = {}
    try {
      for await (const batch of askThroughWraps(asked, askWithoutWraps)) {
        const marked = (await toolRun?.mark(batch)) ?? batch
        let events = marked.map((event) => {
          if (event.type === 'warning') warn([event.warning])
          if (event.type !== 'message_end') return event
          const message = withAskedModel(event.message, model.model)
          const answered = { ...event.response, message }
          response = { ...answered, warnings: losses }
          return { ...event, message, response: answered }
        })
        if (isOnlyWhole) events = events.filter(({ type }) => type === 'message_end' || type === 'warning')
        if (events.length > 0) yield events
      }
      if (response === undefined) throw new TypeError('Cannot finish the answer: it ended without a "message_end"')
      loop.partial = undefined
      end = { answer: response }
    } catch (error) {
      end = { error }
      throw error
    } finally {
      if (loop.partial !== undefined) {
        loop.partial = response?.message ?? loop.partial
        added.push(loop.partial)
      }
      answerMs = reportEnd(end)
    }
    responses.push(response)
    loop.isLast = responses.length >= maxRounds
    if (isEmptyAnswer(response.message)) return response
    addMessages([response.message])
    const isOwn = model.codec.provider === request.model.codec.provider
    const providerState = isOwn ? (response.providerState ?? context.providerState) : undefined
    context = compact({ ...context, providerState })
    return response
  }

  /** Asks the model of a wrap, or of the round. Losses are reported before anything is sent. */
  function askWithoutWraps(asked: Asked): AsyncGenerator<readonly MessageEvent[]> {
    model = asked.model
    losses = []
    loop.partial = undefined
    const question = encodeAsked(asked, request, isOnlyWhole)
    loop.tools = question.tools
    const isFirst = responses.length === 0
    // A key stands for one request, and so for one answer. Where another process runs this again, a tool or a callback may give another one.
    const tail = idempotencyKey === undefined ? '' : `-${hash(JSON.stringify(question.encoded.body))}`
    return requestAnswer(loop, {
      ...question,
      news: warn(question.losses).map((warning) => ({ type: 'warning', warning })),
      idempotencyKey: firstKey && !isFirst ? `${firstKey}-${responses.length}${tail}` : firstKey,
      callsBefore: () => nextNumber(model.codec.idPrefix, callIdsOf([...loop.history, ...asked.context.messages])),
      streamId: isFirst ? resume?.streamId : undefined,
    })
  }

  /** Reports each loss once in a run, in the round where it first appears. Returns the new ones. */
  function warn(found: readonly Loss[]): readonly Loss[] {
    const news: Loss[] = []
    for (const loss of found) {
      if (!losses.includes(loss)) losses.push(loss)
      if (warnings.some(({ path, reason }) => path === loss.path && reason === loss.reason)) continue
      warnings.push(loss)
      news.push(loss)
      request.onWarning?.(loss, { round, model })
    }
    return news
  }

  function resultOf(
    outcome: RunOutcome,
    message: AssistantMessage,
    pending: RunResult['pending'] = [],
    reason?: string,
  ): RunResult {
    return compact({
      message,
      text: textOf(message),
      messages: [...added],
      context,
      outcome,
      stopReason: outcome === 'max_rounds' ? outcome : (message.stopReason ?? 'other'),
      usage: usageOf(responses),
      rounds: responses.length,
      pending,
      reason,
      providerState: context.providerState,
      warnings,
      responses,
    })
  }
}

// ---- wrapped models -----------------------------------------------------------------------------

/** Asks through the wraps of the model, and of another model that a wrap asks instead. */
function askThroughWraps(asked: Asked, next: Ask, outer?: Around): ReturnType<Ask> {
  const { around } = asked.model
  if (around === undefined || around === outer) return next(asked)
  return around(asked, (inner) => askThroughWraps(inner, next, around))
}

// ---- one round ----------------------------------------------------------------------------------

/** The parts of a run that {@link requestAnswer} reads and sets. */
interface Asker {
  readonly request: RunRequest
  readonly signal: AbortSignal
  /** The server's name for the current answer, if it stores it. */
  streamId: string | undefined
  /** Settles when the server has named the requested answer, or has not stored it. */
  headersArrived: Promise<unknown> | undefined
  /** The part of an incomplete answer that arrived. */
  partial: AssistantMessage | undefined
  /** How many requests were sent in this round. */
  attempts: number
  readonly report: Report
}

/** The encoded request for one answer, with its model. */
interface Question {
  readonly model: Model
  readonly encoded: EncodedRequest
  /** Events before those of the answer: losses that were not reported yet. */
  readonly news: MessageEvent[]
  /** `true` if the request asks for a whole answer. */
  readonly isWhole: true | undefined
  readonly idempotencyKey: string | undefined
  /** Returns the number of the first id that isoglot makes. */
  callsBefore(): number
  /** The name of an earlier answer that the server stores. */
  readonly streamId: string | undefined
}

/** Yields the events of an answer, one batch for each chunk. Retries only before the first event. */
async function* requestAnswer(asker: Asker, question: Question): AsyncGenerator<MessageEvent[], void> {
  const { timeouts, liveArguments, maxEventBytes, maxBodyBytes, retries, resume } = asker.request
  const { encoded, news, callsBefore, idempotencyKey, streamId } = question
  if (news.length > 0) yield news
  const keys = new Set<string>()
  const apiKey = async () => {
    const key = await keyOf(question.model)
    keys.add(key)
    return key
  }
  const model: Model = { ...question.model, apiKey }
  const { codec } = model
  const address = addressOf(model, encoded)
  const body = { ...(encoded.body as object), ...model.body }
  const request = { ...encoded, text: JSON.stringify(body) }
  const deadline = startDeadline(timeouts, asker.signal)
  const { signal } = deadline
  try {
    for (let attempt = 0; ; attempt++) {
      let decoder: AnswerDecoder | undefined
      let response: Response | undefined
      let batch: MessageEvent[] = []
      let hasBegun = false
      let isRead = false
      let isLeft = true
      let waitMs: number | undefined
      let reportEnd: ReportEnd<'onAttempt'> | undefined
      let usage: Usage | undefined
      let failure: unknown
      try {
        if (streamId === undefined) {
          reportEnd = asker.report('onAttempt', { url: address, attempt: ++asker.attempts })
          deadline.enter('first_byte')
          const sent = responseUnlessAborted(sendText(model, request, signal, compact({ idempotencyKey })), signal)
          if (resume) asker.headersArrived = sent.catch(() => {})
          response = await sent
        }
        const limits = { callsBefore: callsBefore(), liveArguments, maxEventBytes }
        decoder = decodeAnswer(codec, compact({ ...limits, request: body }))
        const whole = response && !isStream(response) ? collectWhole(codec, question.isWhole, maxBodyBytes) : undefined
        const kept = resume?.chunks(asker, { model, id: streamId, response, decoder }, deadline)
        for await (const chunk of kept ?? chunksOf(response as Response, deadline, () => decoder?.hasStopped)) {
          if (whole?.keeps(chunk)) continue
          decoder.push(chunk, batch)
          if (batch.length > 0) {
            if (!hasBegun) asker.report('onFirstChunk', {})
            hasBegun = true
            yield batch
          }
          if (decoder.isEnded) break
          batch = []
        }
        isRead = true
        const text = whole?.text()
        if (text !== undefined || !decoder.isEnded) {
          if (text === undefined) decoder.end(batch)
          else {
            const options = { callsBefore: callsBefore(), events: batch, request: body }
            const response = codec.decodeResponse(readBody(text, model), options)
            const end = { type: 'message_end', message: response.message, response } as const
            // The codec may have changed the response after its events were made. A codec of an application may make none.
            batch = [...batch.filter(({ type }) => type !== 'message_end'), end]
          }
          yield batch
        }
        isLeft = false
        const last = batch.at(-1)
        if (last?.type === 'message_end') usage = last.response.usage
        return
      } catch (error) {
        isLeft = false
        const isSilent = !hasBegun && batch.length === 0
        const source = { model, address, keys, isRead, response: isSilent ? response : undefined }
        failure = signal.aborted ? signal.reason : errorFor(error, source)
        if (isSilent && !signal.aborted) {
          waitMs = retryDelayMs(failure, attempt, retries, idempotencyKey !== undefined)
        }
        if (waitMs === undefined) {
          const hasArrived = !isSilent || response !== undefined
          if (hasArrived && decoder !== undefined) asker.partial = keepPartial(failure, decoder, batch)
          if (batch.length > 0) yield batch
          throw failure
        }
      } finally {
        if (isLeft) asker.partial = decoder?.stop('aborted', [])
        const status = (failure instanceof ApiError ? failure.status : undefined) ?? response?.status
        reportEnd?.(compact({ status, usage, error: failure, retryMs: waitMs }))
      }
      deadline.pause()
      await sleep(waitMs, signal)
    }
  } finally {
    deadline.clear()
  }
}

/**
 * Collects a body that is one JSON value: the request asked for a whole answer, or the server sends one where a stream was requested.
 *
 * @param isWhole Undefined if the first character is to decide.
 */
function collectWhole({ framing }: ClientCodec, isWhole: boolean | undefined, maxBytes: number = 32 * 1024 * 1024) {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  return {
    /** Whether the chunk belongs to such a body, or may. */
    keeps(chunk: Uint8Array): boolean {
      if (isWhole === false) return false
      bytes += chunk.byteLength
      if (bytes > maxBytes) {
        throw new LimitError(`Cannot read the answer: it is longer than ${maxBytes} bytes`, 'maxBodyBytes', maxBytes)
      }
      text += decoder.decode(chunk, { stream: true })
      if (isWhole === undefined) {
        text = text.trimStart() // a server may send white space for as long as it has nothing to say
        // In NDJSON each line is an object, so only an object that continues after its first line is a whole body.
        if (text !== '') isWhole = framing === 'ndjson' ? /^\{[ \t\r]*\n/.test(text) : text.startsWith('{')
      }
      return isWhole !== false
    },
    /** The text of such a body. */
    text: () => (isWhole ? text : undefined),
  }
}

/** Closes open blocks, and puts the part of the answer that arrived into the error. */
function keepPartial(failure: unknown, decoder: AnswerDecoder, out: MessageEvent[]): AssistantMessage {
  if (!(failure instanceof IsoglotError)) return decoder.stop('aborted', out)
  failure.partial ??= decoder.stop(failure instanceof TimeoutError ? 'aborted' : 'interrupted', out)
  return failure.partial
}

// ---- its request --------------------------------------------------------------------------------

/** The tools, under names that the format allows. */
interface OfferedTools {
  /** The tools that the model receives. */
  readonly definitions: readonly ContextTool[] | undefined
  /** Our tools by the names that the model calls them by. */
  readonly tools: ReadonlyMap<string, object>
}

/**
 * The tools for a model; `given` are those of the request. If two tools have the same name, the later one is used.
 *
 * @throws {TypeError} for two tools of one name where one needs approval or comes from an MCP server, and one of them can run.
 */
function offerTools(tools: readonly AnyTool[], { codec }: Model, given: readonly AnyTool[] = tools): OfferedTools {
  const byName = new Map<string, AnyTool>()
  for (const tool of tools) {
    const name = 'name' in tool ? legalToolName(tool.name, codec.rules) : JSON.stringify(tool)
    const earlier = byName.get(name)
    if (earlier !== undefined) [earlier, tool].find(hasRunner)?.run.checkReplacing(earlier, tool, name)
    byName.set(name, tool)
  }
  // One order whatever the order given, so that a provider's prompt cache finds what it has seen.
  const sorted = [...byName].sort(([one], [other]) => (one < other ? -1 : 1))
  const definitions = withPlaces(
    sorted.map(([name, tool]) => {
      return 'name' in tool ? { ...(hasRunner(tool) ? tool.run.definitionOf(tool) : tool), name } : tool
    }),
    sorted.map(([, tool]) => `tools[${(given.includes(tool) ? given : tools).indexOf(tool)}]`),
  )
  return {
    definitions: unlessEmpty(definitions),
    tools: new Map([...byName].filter(([, tool]) => 'name' in tool)),
  }
}

/** A request that can be sent. */
interface EncodedQuestion extends Pick<OfferedTools, 'tools'> {
  readonly model: Model
  readonly encoded: EncodedRequest
  /** `true` if it asks for a whole answer. */
  readonly isWhole: true | undefined
  readonly losses: readonly Loss[]
}

/** Encodes a request of a run: for a stream, unless `isOnlyWhole` returns true for its body. */
function encodeAsked(
  { model, context, options }: Asked,
  run: RunRequest,
  isOnlyWhole: ((body: object) => boolean) | undefined,
): EncodedQuestion {
  const { codec } = model
  const { definitions, tools } = offerTools(context.tools ?? [], model, run.tools)
  // Only the provider of the run's own model keeps a state of the conversation.
  const providerState = codec.provider === run.model.codec.provider ? context.providerState : undefined
  const prepared = prepare(
    compact({ ...context, tools: definitions, providerState }),
    codec.rules,
    compact({ model: model.model, split: run.split }),
  )
  for (const loss of prepared.losses) checkLoss(loss, titleOf(model), options.strict)
  const toolChoice = legalToolChoice(options.toolChoice, codec.rules)
  const encode = (stream: boolean) =>
    codec.encodeRequest(prepared.context, compact({ ...options, model: model.model, stream, toolChoice }))
  const streamed = encode(true)
  const isWhole = (run.wholeAnswer ?? isOnlyWhole?.({ ...(streamed.body as object), ...model.body })) || undefined
  const encoded = isWhole ? encode(false) : streamed
  return { model, tools, encoded, isWhole, losses: [...prepared.losses, ...encoded.losses] }
}

// ---- its answer ---------------------------------------------------------------------------------

/** The limits of one answer, and the data of its conversation. */
export interface DecodeOptions
  extends Omit<AssembleOptions, 'provider' | 'idPrefix'>,
    Pick<DecodeStreamOptions, 'parse' | 'request'> {
  /** Largest single event or line, in bytes. Default 8 MiB. */
  readonly maxEventBytes?: number
}

/**
 * Decodes one answer. Errors of `push` and `end` (`ApiError` for an error in mid-stream, `DecodeError`, `LimitError`, `InterruptedError`)
 * have the part that arrived in `partial`; `out` holds its events.
 */
export function decodeAnswer(codec: ClientCodec, options: DecodeOptions = {}): AnswerDecoder {
  const { maxEventBytes, parse, request, ...limits } = options
  const { provider, idPrefix } = codec
  const connect = () => codec.decodeFrames(compact({ maxEventBytes }))
  let framing = connect()
  const format = codec.decodeStream(compact({ parse, request }))
  const assembly = assemble.start({ ...limits, provider, idPrefix })

  function assembleAll(fragments: readonly Fragment[], out: MessageEvent[]): void {
    for (const fragment of fragments) assemble.step(assembly, fragment, out)
  }

  function decodeFrames(frames: readonly Frame[], out: MessageEvent[]): void {
    const fragments: Fragment[] = []
    try {
      for (const frame of frames) {
        decoder.taken++
        format.push(frame, fragments)
        if (fragments.at(-1)?.type === 'end') return
      }
    } finally {
      assembleAll(fragments, out)
    }
  }

  function endFormat(out: MessageEvent[]): void {
    const fragments: Fragment[] = []
    try {
      format.end(fragments)
    } finally {
      assembleAll(fragments, out)
    }
    assemble.end(assembly, out)
  }

  /** Takes a chunk, or the end. Frames and fragments that were found before an error are read too. */
  function take(chunk: Uint8Array | undefined, out: MessageEvent[]): void {
    if (assembly.isEnded) return
    const frames: Frame[] = []
    try {
      try {
        if (chunk === undefined) framing.end(frames)
        else framing.push(chunk, frames)
      } finally {
        decodeFrames(frames, out)
      }
      if (chunk === undefined && !assembly.isEnded) endFormat(out)
    } catch (error) {
      if (error instanceof IsoglotError) error.partial ??= decoder.stop('error', out)
      throw error
    } finally {
      decoder.isEnded = assembly.isEnded
      decoder.hasStopped = assembly.hasStopped === true
    }
  }

  // No getters: V8 keeps each one of an object literal, and so all of this stream, until it collects its oldest objects.
  const decoder = {
    isEnded: false,
    hasStopped: false,
    taken: 0,
    reconnect() {
      framing = connect()
    },
    push: (chunk: Uint8Array, out: MessageEvent[]) => take(chunk, out),
    end: (out: MessageEvent[]) => take(undefined, out),
    stop(stopReason: 'interrupted' | 'error' | 'aborted', out: MessageEvent[]) {
      const fragments: Fragment[] = []
      try {
        // The codec may still keep parts of a block, such as citations.
        if (!assembly.isEnded) format.end(fragments)
        for (const fragment of fragments) if (fragment.type !== 'end') assemble.step(assembly, fragment, out)
      } catch {} // the error that ended it, such as a limit, is reported
      decoder.isEnded = true
      return stop(assembly, stopReason, out)
    },
  }
  return decoder
}

// ---- observers ----------------------------------------------------------------------------------

/** `now` returns the current run and round. Observers are not awaited, and their exceptions and rejections are dropped. */
function createReport(observers: readonly Observer[], now: () => Observed): Report {
  return (name, about) => {
    const startedAt = Date.now()
    const notify = (end?: object) => {
      const details = { ...now(), ...about, ...end }
      for (const observer of observers) {
        const call = async () => (observer[name] as ((about: object) => unknown) | undefined)?.(details)
        call().catch(() => {})
      }
    }
    notify()
    return (end) => {
      const ms = Date.now() - startedAt
      notify({ end: { ms, ...end } })
      return ms
    }
  }
}
