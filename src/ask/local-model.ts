/** Makes a model of a function instead of a server: a mock, or an engine on the device. @module */
import { assemble, stop } from '../assemble/assemble.ts'
import { unlessAborted } from '../core/abort.ts'
import type { ClientCodec, EncodedRequest, Fragment, Offered } from '../core/codec.ts'
import { ApiError, IsoglotError, tooLarge } from '../core/errors.ts'
import { compact } from '../core/json.ts'
import type { Context, RequestOptions } from '../core/messages.ts'
import type { Call, Deadline, Model, Question } from '../core/question.ts'
import type { Target } from '../core/target.ts'
import { byteLength } from '../formats/shared/utf8.ts'
import { prepare } from '../prepare/prepare.ts'
import { type Attempt, answerOf, callsBefore } from './transport.ts'

/** The request of a local model, unless its codec writes another body. It is a copy, as JSON. */
export interface LocalRequest {
  readonly context: Context
  readonly options: RequestOptions
}

/**
 * Answers a request in pieces. An empty batch means that the answer continues: it restarts the time limit `timeouts.idleMs`. The answer
 * ends when the function returns. An `end` fragment sets another stop reason than `stop`.
 *
 * @param signal Fires when the run is cancelled, and at a time limit.
 */
export type LocalAnswer<Body = LocalRequest> = (
  request: Body,
  signal: AbortSignal,
) => AsyncIterable<readonly Fragment[]>

/**
 * A model that a function of this program answers for. Loop, tools, clocks, retries, limits and losses are those of every model.
 *
 * Exceptions of the function reach the caller: errors of isoglot as they are, any other as an `ApiError` of kind `server`.
 *
 * @param model The model's name.
 * @param differences the differences from a model that takes all that a request can have: `target`, `encodeRequest`, `idPrefix`
 * @example
 * ```ts
 * const echo = localModel('echo', async function* ({ context }) {
 *   yield [{ type: 'text', text: `You sent ${context.messages.length} message` }]
 * })
 * const { text } = await generate({ model: echo, prompt: 'Hello' }) // 'You sent 1 message'
 * ```
 */
export function localModel<Body = LocalRequest>(
  model: string,
  answer: LocalAnswer<Body>,
  differences: Partial<LocalFormat> = {},
): Model {
  const format: LocalFormat = { target: { ...anyTarget, title: model }, idPrefix: 'call_', ...differences }
  const { provider } = format.target
  const { encodeRequest = (context, options) => encodeLocal(context, options, format.target) } = format
  return {
    provider,
    model,
    answer(question, call) {
      call.onModel?.(this)
      const { context, options } = question
      const asked = compact({ ...options, model: this.model, stream: true })
      const { body, losses, offered = {} } = encodeRequest(context, asked)
      const request = JSON.stringify(body)
      const parts = {
        ask: (signal: AbortSignal) => answer(JSON.parse(request), signal),
        format,
        question,
        offered,
        call,
      }
      return answerOf(
        { url: '', begin: () => attempt(parts), ...compact({ idempotencyKey: call.idempotencyKey }) },
        call,
        losses,
      )
    },
  }
}

/** The differences from a model that takes all that a request can have. */
export interface LocalFormat extends Pick<ClientCodec, 'idPrefix'> {
  /** What it takes of a request, and its names. */
  readonly target: Target
  /** Writes the request, for a model that does not take isoglot's own. */
  readonly encodeRequest?: ClientCodec['encodeRequest']
}

const localName = 'local'
const anyName: Target['toolName'] = { pattern: /^[\s\S]+$/, maxLength: 256 }

const anyTarget: Omit<Target, 'title'> = {
  format: localName,
  provider: localName,
  callId: anyName,
  toolName: anyName,
  resultMedia: /* @__PURE__ */ new Set(['image', 'audio', 'video', 'file']),
  foreignReasoning: 'keep',
  lateInstructions: 'keep',
  userFirst: false,
  refusesEmpty: false,
}

function encodeLocal(given: Context, asked: RequestOptions, target: Target): EncodedRequest {
  const { context, options, report: losses, offered } = prepare(given, target, asked)
  return { path: '', headers: {}, body: { context, options }, losses: losses.list, offered }
}

/** The parts of a local model's answer. */
interface AttemptParts {
  ask(signal: AbortSignal): AsyncIterable<readonly Fragment[]>
  readonly format: LocalFormat
  readonly question: Question
  readonly offered: Offered
  readonly call: Call
}

function attempt({ ask, format, question, offered, call }: AttemptParts): Attempt<readonly Fragment[]> {
  const { target, idPrefix } = format
  const { provider, title } = target
  const { liveArguments, maxEventBytes = 8 * 1024 * 1024 } = call
  const before = callsBefore(idPrefix, question, call)
  const assembly = assemble.start({
    ...offered,
    provider,
    idPrefix,
    callsBefore: before,
    ...compact({ liveArguments }),
  })
  let hasAnswer = false
  const self: Attempt<readonly Fragment[]> = {
    isEnded: false,
    async open(deadline) {
      deadline.enter('first_byte')
      return batchesOf(ask, deadline)
    },
    take(fragments, out) {
      hasAnswer = true
      try {
        if (fragments.some((one) => byteLength(JSON.stringify(one)) > maxEventBytes)) throw tooLarge(maxEventBytes)
        for (const fragment of fragments) assemble.step(assembly, fragment, out)
      } catch (error) {
        if (error instanceof IsoglotError) error.partial ??= stop(assembly, 'error', out)
        throw error
      } finally {
        self.isEnded = assembly.isEnded
      }
    },
    end: (out) => self.take([{ type: 'end', stopReason: 'stop' }], out),
    stop: (reason, out) => (hasAnswer ? stop(assembly, reason, out) : undefined),
    explain(cause) {
      if (cause instanceof IsoglotError) return cause
      const message = `Cannot finish the answer of ${title}: ${cause instanceof Error ? cause.message : cause}`
      return new ApiError(message, { kind: 'server', retryable: false, provider, cause })
    },
  }
  return self
}

/** What the function yields, until the signal fires. It may not know signals. */
async function* batchesOf(ask: AttemptParts['ask'], deadline: Deadline): AsyncGenerator<readonly Fragment[]> {
  const { signal } = deadline
  const batches = ask(signal)[Symbol.asyncIterator]()
  let isOver = false
  try {
    for (;;) {
      const { done, value } = await unlessAborted(batches.next(), signal)
      deadline.pause()
      isOver = done === true
      if (done) return
      yield value
      deadline.enter('idle')
    }
  } catch (error) {
    isOver = !signal.aborted
    throw error
  } finally {
    deadline.pause()
    if (!isOver) batches.return?.()?.catch(() => {})
  }
}
