/**
 * OpenAI Chat Completions: decodes chunks and complete bodies to fragments.
 *
 * @module
 */
import type { CallFragment, Fragment } from '../../core/codec.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  numberOr,
  otherFields,
  setOwn,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/lookup.ts'
import type { CitationBlock, Json, JsonObject } from '../../core/model.ts'
import type { ChatDialect } from './dialect.ts'
import { isFilled, ownData, readPart } from './read-part.ts'
import { type ReasoningReader, reasoningReader } from './read-reasoning.ts'
import {
  answerFields,
  audioFields,
  bodyFields,
  callFields,
  choiceFields,
  citationFields,
  deltaBookkeeping,
  format,
  functionFields,
  proofNames,
  stopReasons,
} from './tables.ts'
import { readUsage } from './usage.ts'

/** A call fragment with writable fields. Setting the fields one by one is ten times as fast as spreading optional fields. */
type CallPiece = { -readonly [Key in keyof CallFragment]: CallFragment[Key] }

/**
 * Reads the chunks of one answer, or its complete body like one large chunk. It stores text only of proofs, since a proof must be sent back
 * complete.
 */
export class AnswerReader {
  isEnded = false
  readonly #dialect: ChatDialect
  readonly #isWhole: boolean
  readonly #reasoning: ReasoningReader
  /** The model's name in the answer. Proofs belong to it. */
  model = ''
  #isStarted = false
  /** The last finish reason that was sent. */
  #finish: string | undefined
  /** Whether generated audio is complete. Such an answer ends without a finish reason. */
  #isAudioDone = false
  #hasRefusal = false
  #hasAudio = false
  /** Whether the last part read was text. Annotations belong to this text. */
  #isText = false
  /** The keys of custom calls whose text is not complete yet. */
  readonly #openCustom = new Set<CallPiece['key']>()
  #hasOtherChoices = false
  readonly #otherChoices: JsonObject[] = []
  /** Unknown fields of the answer. */
  readonly #extra: JsonObject = Object.create(null)
  /** Unknown fields of the choice, and its log probabilities. */
  readonly #choice: JsonObject = Object.create(null)

  /** `isWhole`: the body is complete, and not a chunk. */
  constructor(dialect: ChatDialect, isWhole: boolean) {
    this.#dialect = dialect
    this.#isWhole = isWhole
    this.#reasoning = reasoningReader(dialect.reasoningFields)
  }

  /** Reads a chunk or a complete body. */
  read(body: JsonObject, out: Fragment[]): void {
    const choices = arrayOf(body.choices)
    // Azure and Copilot send a first chunk without choices and without an id.
    if (!this.#isStarted && (choices.length > 0 || body.id)) {
      const model = textOr(body.model, undefined)
      this.#isStarted = true
      this.model = model ?? ''
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
    if (isObject(said)) this.readMessage(said, out)
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
    this.#choice.logprobs ??= {}
    const kept = this.#choice.logprobs as JsonObject
    for (const [name, added] of Object.entries(logprobs)) {
      const before = kept[name]
      if (Array.isArray(before) && Array.isArray(added)) for (const one of added) before.push(one)
      else if (added !== null || before === undefined) kept[name] = Array.isArray(added) ? [...added] : added
    }
  }

  // ---- the message ----------------------------------------------------------------------------

  /** Reads a delta or a complete message. The order is: reasoning, text with its citations, refusal, media, calls. */
  readMessage(delta: JsonObject, out: Fragment[]): void {
    for (const name in delta) {
      if (answerFields.has(name) || !Object.hasOwn(delta, name)) continue
      const value = delta[name] as Json
      if (name === deltaBookkeeping) this.#choice[name] = value
      else keepOnMessage(name, value, out)
    }
    const reasoning = this.#reasoning.read(delta)
    if (reasoning !== undefined) {
      this.#isText = false
      out.push(reasoning)
    }
    this.#readContent(delta.content, out)
    if (delta.annotations) this.#readAnnotations(delta.annotations, out)
    const refusal = textOr(delta.refusal, undefined)
    if (refusal !== undefined) this.#push({ type: 'text', text: refusal, refusal: true }, out)
    this.#isAudioDone = isFilled(delta.audio) && delta.audio.expires_at !== undefined
    if (isFilled(delta.audio)) this.#readAudio(delta.audio, out)
    for (const image of arrayOf(delta.images)) this.#pushPart(image, 'images', out)
    if (isFilled(delta.function_call)) {
      const providerData = { [format]: { type: 'function_call' } }
      this.#pushCall({ type: 'call', key: 'function_call', providerData }, delta.function_call, out)
    }
    const calls = arrayOf(delta.tool_calls)
    for (let at = 0; at < calls.length; at++) {
      const call = calls[at] ?? null
      if (isObject(call)) this.#readCall(call, at, out)
      else if (call !== null) this.#pushPart(call, 'tool_calls', out)
    }
  }

  /** Appends the fragments that are complete only at the end of the message. */
  endMessage(out: Fragment[]): void {
    this.#endReasoning(out)
    for (const key of this.#openCustom) out.push(compact({ type: 'call', key, arguments: '"}' }))
  }

  /** Ends the reasoning block. Any other piece ends it, so that formats with one open block at a time can write at once. */
  #endReasoning(out: Fragment[]): void {
    this.#reasoning.end(this.#dialect.provider, this.model, out)
  }

  // ---- text -----------------------------------------------------------------------------------

  /** Appends a fragment that is not reasoning. */
  #push(fragment: Fragment, out: Fragment[]): void {
    this.#endReasoning(out)
    const piece = fragment.type === 'block' ? fragment.block : fragment
    this.#isText = piece.type === 'text'
    if (piece.type === 'text' && piece.refusal) this.#hasRefusal = true
    out.push(fragment)
  }

  /** Reads content: a string, a part or an array of these. */
  #readContent(content: Json | undefined, out: Fragment[]): void {
    if (typeof content === 'string') {
      if (content !== '') this.#push({ type: 'text', text: content }, out)
      return
    }
    for (const part of isObject(content) ? [content] : arrayOf(content)) {
      const isPlain = isObject(part) && part.type === 'text' && Object.keys(part).length === 2
      const text = isPlain ? part.text : part
      if (typeof text === 'string') this.#readContent(text, out)
      else this.#pushPart(part, 'content', out)
    }
  }

  /** Reads a part with the dialect's `readPart`, then with the common one. A value that is not an object is kept under its field's name. */
  #pushPart(value: Json, name: string, out: Fragment[]): void {
    const part = isObject(value) ? value : { type: name, value }
    const read = this.#dialect.readPart?.(part) ?? [{ type: 'block' as const, block: readPart(part) }]
    for (const fragment of read) this.#push(fragment, out)
  }

  /** Reads OpenAI's citations, which belong to the text before them. Keeps other annotations, such as OpenRouter's file annotations. */
  #readAnnotations(annotations: Json, out: Fragment[]): void {
    const citations: CitationBlock[] = []
    const others: Json[] = []
    for (const annotation of arrayOf(annotations)) {
      const wire = field(annotation, 'url_citation')
      if (!isObject(wire)) others.push(annotation)
      else if (isFilled(wire)) citations.push(readCitation(wire))
    }
    if (others.length > 0) keepOnMessage('annotations', others, out)
    if (citations.length === 0) return
    if (this.#isText) out.push({ type: 'patch', citations })
    else for (const block of citations) out.push({ type: 'block', block })
  }

  /** Reads generated audio. Only its id is sent back in later requests. `expires_at` comes in the last chunk. */
  #readAudio(audio: JsonObject, out: Fragment[]): void {
    const added = compact({
      id: textOr(audio.id, undefined),
      data: textOr(audio.data, undefined),
      transcript: textOr(audio.transcript, undefined),
      providerData: ownData(otherFields(audio, audioFields)),
    })
    if (this.#hasAudio) out.push({ type: 'patch', key: 'audio', ...added })
    else out.push({ type: 'block', key: 'audio', open: true, block: { type: 'audio', ...added } })
    this.#hasAudio = true
  }

  // ---- calls ----------------------------------------------------------------------------------

  #readCall(call: JsonObject, at: number, out: Fragment[]): void {
    const { custom, function: body } = call
    const type = textOr(call.type, 'function')
    const isCustom = isObject(custom) && isCustomCall(call, custom)
    if (!isCustom && type !== 'function' && body === undefined) {
      out.push({ type: 'block', block: { type: 'unknown', format, providerType: `tool_calls:${type}`, value: call } })
      return
    }
    const position = numberOr(call.index, undefined)
    const found = otherFields(call, callFields)
    const proofs = found && otherFields(found, { has: (name) => !proofNames.has(name) || found[name] === null })
    const others = found && otherFields(found, proofNames)
    const inFunction = isObject(body) ? otherFields(body, functionFields) : undefined
    const piece: CallPiece = { type: 'call' }
    if (this.#isWhole) piece.key = `call:${at}`
    else if (isCustom) piece.key = `custom:${position}`
    else if (position !== undefined) piece.position = position
    if (typeof call.id === 'string') piece.id = call.id
    if (proofs) piece.opaque = { provider: this.#dialect.provider, model: this.model, format, data: proofs }
    if (others || inFunction || isCustom) {
      const own = isCustom ? { type: 'custom' } : compact({ function: inFunction })
      piece.providerData = { [format]: { ...others, ...own } }
    }
    if (isCustom) piece.arguments = this.#customInput(stringOr(custom.input, ''), piece.key)
    this.#pushCall(piece, isCustom ? compact({ name: custom.name }) : body, out)
  }

  /** Free text becomes the argument `input`. In a stream, `endMessage` adds the closing `"}`. */
  #customInput(input: string, key: CallPiece['key']): string | JsonObject {
    if (this.#isWhole) return { input }
    const text = JSON.stringify(input).slice(1, -1)
    if (this.#openCustom.has(key)) return text
    this.#openCustom.add(key)
    return `{"input":"${text}`
  }

  /** Adds the fields of a function to a call. Some hosts send the arguments as an object. Skips a piece that has no values. */
  #pushCall(piece: CallPiece, body: unknown, out: Fragment[]): void {
    const name = field(body, 'name')
    const args = field(body, 'arguments')
    if (typeof name === 'string') piece.name = name
    if (typeof args === 'string' || isObject(args)) piece.arguments = args
    else if (args !== undefined && args !== null) piece.arguments = JSON.stringify(args)
    const { id, opaque, providerData } = piece
    if (id || piece.name || piece.arguments || opaque || providerData) this.#push(piece, out)
  }

  // ---- the end --------------------------------------------------------------------------------

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
    if (isComplete) this.endMessage(out)
    this.#keepUnknown(out)
    if (!isComplete) return
    const word = finish ?? 'stop'
    const reason = lookup(own, word) ?? lookup(stopReasons, word) ?? 'other'
    const isRefusal = finish !== undefined && this.#hasRefusal && reason === 'stop'
    out.push(compact({ type: 'end', stopReason: isRefusal ? 'refusal' : reason, rawStopReason: finish }))
  }

  /** Appends the unknown fields of the answer. `choices` stores the fields of each choice, except its message. */
  #keepUnknown(out: Fragment[]): void {
    const choices = [{ ...this.#choice }, ...this.#otherChoices]
    const isSaid = choices.length > 1 || unlessEmpty(this.#choice)
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

function keepOnMessage(name: string, value: Json, out: Fragment[]): void {
  if (value === null) return
  const fields: JsonObject = {}
  setOwn(fields, name, value)
  out.push({ type: 'extra', on: 'message', providerData: { [format]: fields } })
}

function readCitation(wire: JsonObject): CitationBlock {
  return compact({
    type: 'citation',
    url: textOr(wire.url, undefined),
    title: stringOr(wire.title, undefined),
    startIndex: numberOr(wire.start_index, undefined),
    endIndex: numberOr(wire.end_index, undefined),
    providerData: ownData(otherFields(wire, citationFields)),
  })
}

/** Whether a call is of a custom tool. Later pieces of a call have no type: if both fields are set, the non-empty one decides. */
function isCustomCall({ type, function: body }: JsonObject, custom: JsonObject): boolean {
  if (type === 'custom' || !isObject(body)) return true
  return type !== 'function' && !isFilled(body) && isFilled(custom)
}
