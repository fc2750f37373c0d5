/**
 * OpenAI Chat Completions: decodes chunks to fragments. `encode-stream.ts` encodes them.
 *
 * @module
 */
import type { DecodeStreamOptions, Fragment, Frame } from '../../core/codec.ts'
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, compact, field, isObject, lookup, numberOr, textOr, unlessEmpty } from '../../core/lookup.ts'
import type { Json, JsonObject } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { MessageReader } from './delta.ts'
import type { ChatDialect } from './dialect.ts'
import { openai } from './dialects.ts'
import { errorOf, isError } from './errors.ts'
import { isFilled } from './read-part.ts'
import { bodyFields, choiceFields, format, stopReasons } from './tables.ts'
import { readUsage } from './usage.ts'

/**
 * Decodes one answer.
 *
 * The answer ends at `[DONE]`. If `[DONE]` is missing, it ends at the end of the stream if there was a finish reason.
 *
 * @throws {ApiError} if a chunk is an error. This can happen after status 200 and a part of the answer.
 * @throws {DecodeError} if a chunk is not a JSON object.
 */
export function decodeStream({
  parse = JSON.parse,
  dialect = openai,
}: DecodeStreamOptions<ChatDialect> = {}): Machine<Frame, Fragment> {
  const reader = new AnswerReader(dialect, false)
  return {
    push(frame, out) {
      const data = frame.data.trim()
      if (reader.isEnded || data === '') return
      if (data === '[DONE]') return reader.end(out, true)
      let chunk: unknown
      try {
        chunk = parse(data)
      } catch (cause) {
        throw new DecodeError(`Cannot decode ${dialect.title} stream: a chunk is not valid JSON`, { cause })
      }
      if (frame.event === 'error') throw errorOf(chunk, dialect)
      reader.read(objectOf(chunk, dialect, 'stream: a chunk is'), out)
    },
    end: (out) => reader.end(out, false),
  }
}

/**
 * Returns a chunk or body as an object.
 *
 * @throws {ApiError} if it is an error.
 * @throws {DecodeError} if it is not an object.
 */
export function objectOf(body: unknown, dialect: ChatDialect, what: string): JsonObject {
  if (isError(body)) throw errorOf(body, dialect)
  if (!isObject(body)) throw new DecodeError(`Cannot decode ${dialect.title} ${what} not an object`)
  return body
}

/** Reads the chunks of one answer, or its complete body like one large chunk. */
export class AnswerReader {
  isEnded = false
  readonly #dialect: ChatDialect
  readonly #isWhole: boolean
  readonly #message: MessageReader
  #isStarted = false
  /** The last finish reason that was sent. */
  #finish: string | undefined
  /** Whether generated audio is complete. Such an answer ends without a finish reason. */
  #isAudioDone = false
  #hasOtherChoices = false
  readonly #otherChoices: JsonObject[] = []
  #logprobs: JsonObject | undefined
  /** Unknown fields of the answer. */
  readonly #extra: JsonObject = Object.create(null)
  /** Unknown fields of the choice. */
  readonly #choice: JsonObject = Object.create(null)

  /** `isWhole`: the body is complete, and not a chunk. */
  constructor(dialect: ChatDialect, isWhole: boolean) {
    this.#dialect = dialect
    this.#isWhole = isWhole
    this.#message = new MessageReader(dialect, isWhole)
  }

  /** Reads a chunk or a complete body. */
  read(body: JsonObject, out: Fragment[]): void {
    const choices = arrayOf(body.choices)
    // Azure and Copilot send a first chunk without choices and without an id.
    if (!this.#isStarted && (choices.length > 0 || body.id)) {
      const model = textOr(body.model, undefined)
      this.#isStarted = true
      this.#message.model = model ?? ''
      const createdAt = numberOr(body.created, undefined)
      out.push(compact({ type: 'start', id: textOr(body.id, undefined), model, createdAt }))
    }
    keepOthers(this.#extra, body, bodyFields)
    let own: JsonObject | undefined
    for (const choice of choices) {
      if (!isObject(choice)) continue
      if (numberOr(choice.index, 0) === 0) {
        own = choice
        this.#readChoice(choice, out)
      } else this.#readOtherChoice(choice, out)
    }
    const usage = readUsage(body, own, this.#dialect)
    if (usage !== undefined) out.push({ type: 'usage', usage })
  }

  #readChoice(choice: JsonObject, out: Fragment[]): void {
    const { finish_reason: finish, delta, message, logprobs } = choice
    keepOthers(this.#choice, choice, choiceFields)
    if (isObject(logprobs)) this.#addLogprobs(logprobs)
    // Perplexity sends both fields: a complete body also has an empty `delta`, and a chunk also has a `message` with all text so far.
    const said = this.#isWhole ? (message ?? delta) : (delta ?? message)
    if (isObject(said)) {
      this.#isAudioDone = isFilled(said.audio) && field(said.audio, 'expires_at') !== undefined
      this.#message.read(said, out)
    }
    this.#finish = textOr(finish, this.#finish)
  }

  #readOtherChoice(choice: JsonObject, out: Fragment[]): void {
    if (this.#isWhole) this.#otherChoices.push(choice)
    if (this.#hasOtherChoices) return
    this.#hasOtherChoices = true
    const reason = `only the first of several choices is read${this.#isWhole ? '; the others are kept' : ''}`
    const warning = { path: 'choices[1]', action: 'dropped', reason, severity: 'minor' } as const
    out.push({ type: 'warning', warning })
  }

  /** Appends log probabilities. All are kept, since they are sent only if the request asks for them. */
  #addLogprobs(logprobs: JsonObject): void {
    this.#logprobs ??= {}
    for (const [name, added] of Object.entries(logprobs)) {
      const before = this.#logprobs[name]
      if (Array.isArray(before) && Array.isArray(added)) for (const one of added) before.push(one)
      else if (Array.isArray(added)) this.#logprobs[name] = [...added]
      else if (added !== null || before === undefined) this.#logprobs[name] = added
    }
  }

  /**
   * Appends the end of the answer. Without a finish reason the answer is incomplete, except generated audio, and except for hosts that are
   * known to omit it. `isDone`: the body is complete, or `[DONE]` came.
   */
  end(out: Fragment[], isDone: boolean): void {
    if (this.isEnded) return
    this.isEnded = true
    const { stopReasons: own = {}, endsWithoutReason } = this.#dialect
    const finish = this.#finish
    const isComplete =
      finish !== undefined || this.#isAudioDone || (isDone && endsWithoutReason === true && this.#isStarted)
    if (isComplete) this.#message.end(out)
    this.#keepUnknown(out)
    if (!isComplete) return
    const word = finish ?? 'stop'
    const reason = lookup(own, word) ?? lookup(stopReasons, word) ?? 'other'
    const isRefusal = finish !== undefined && this.#message.hasRefusal && reason === 'stop'
    out.push(compact({ type: 'end', stopReason: isRefusal ? 'refusal' : reason, rawStopReason: finish }))
  }

  /** Appends the unknown fields of the answer. `choices` stores the fields of each choice, except its message. */
  #keepUnknown(out: Fragment[]): void {
    const choice = { ...this.#choice, ...this.#message.bookkeeping, ...compact({ logprobs: this.#logprobs }) }
    const choices = [choice, ...this.#otherChoices]
    const isSaid = choices.length > 1 || unlessEmpty(choice)
    const fields = unlessEmpty({ ...this.#extra, ...(isSaid && { choices }) })
    if (fields) out.push({ type: 'extra', providerData: { [format]: fields } })
  }
}

/** Keeps unknown fields. A later null does not replace an earlier value. */
function keepOthers(kept: JsonObject, from: JsonObject, known: ReadonlySet<string>): void {
  for (const name in from) {
    if (known.has(name) || !Object.hasOwn(from, name)) continue
    const value = from[name] as Json
    if (value !== null || !(name in kept)) kept[name] = value
  }
}
