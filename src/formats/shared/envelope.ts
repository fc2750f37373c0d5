/**
 * Proof envelopes: a provider's proof inside the opaque field of another wire.
 *
 * A gateway that answers in one wire with what another provider signed has nowhere to keep that proof but with the client, who sends
 * the history again. So it travels in the field that the client's wire has for its own proofs, which every client echoes: Anthropic's
 * `thinking.signature`, Responses' `encrypted_content`, Gemini's `thoughtSignature`, Chat's `reasoning_details`.
 *
 * The text is base64 of `isoglot/1` and JSON in plain ASCII, chosen so that it has only letters and digits and needs no padding: a client
 * that reads the field as bytes and writes them in another base64 alphabet gives back the same text. An envelope is not signed and hides
 * nothing: a client that holds the proof could read and change it before, and the provider checks it. The number is the version; a signed
 * envelope will be `isoglot/2`.
 *
 * @module
 */

import { parseObject, textOfArguments } from '../../core/content.ts'
import { compact, field, isObject, lookup, numberOr, textOr } from '../../core/json.ts'
import type { Json, JsonObject, Opaque } from '../../core/messages.ts'

/** How base64 of `isoglot/` and any digit begins. */
const mark = 'aXNvZ2xvdC8'
/** The version that we make and read. */
const envelopeVersion = 'isoglot/1'

/** Longest envelope that is made by default, in characters. Encrypted reasoning of a long turn is about a tenth of it. */
export const maxEnvelopeLength: number = 1024 * 1024

export interface EnvelopeOptions {
  /** Longest envelope, in characters. Default {@link maxEnvelopeLength}. */
  readonly maxLength?: number
  /** The id of the call that the proof belongs to, if the proof is in the field of another block. */
  readonly on?: string
  /** The length of the text that the proof is for, in UTF-16 units: clients join and cut texts. */
  readonly length?: number
  /** The provider's id of the call, where the format's clients get a shorter one: `on`. */
  readonly id?: string
}

/**
 * The proof as text for the proof field of another format; `undefined` if it is too large or too deeply nested. The caller reports that
 * loss.
 */
export function packProof(opaque: Opaque, options: EnvelopeOptions = {}): string | undefined {
  const { maxLength = maxEnvelopeLength, on, length, id } = options
  const { provider, model, format, data } = opaque
  const json = textOfArguments({ ...compact({ on, length, id }), provider, model, format, data })
  if (json === undefined || (json.length * 4) / 3 > maxLength) return undefined
  const text = plain(json)
  const packed = btoa(envelopeVersion + text + ' '.repeat((3 - (text.length % 3)) % 3))
  return packed.length > maxLength ? undefined : packed
}

/** The proof in an envelope; `undefined` for every other text, such as a proof of the format's own provider. */
export function unpackProof(text: string): Opaque | undefined {
  return unpackEnvelope(text)?.opaque
}

/** An envelope's proof, and the other fields of the envelope. */
export interface EnvelopedProof {
  readonly opaque: Opaque
  readonly on?: string
  readonly length?: number
  readonly id?: string
}

/** As {@link unpackProof}, with the other fields of the envelope. */
export function unpackEnvelope(text: string): EnvelopedProof | undefined {
  const decoded = isEnvelope(text) ? decodeBase64(text) : undefined
  if (!decoded?.startsWith(envelopeVersion)) return undefined
  const parsed = parseObject(decoded.slice(envelopeVersion.length))
  if ('reason' in parsed) return undefined
  const opaque = readOpaque(parsed.value)
  if (opaque === undefined) return undefined
  const on = textOr(field(parsed.value, 'on'), undefined)
  const length = numberOr(field(parsed.value, 'length'), undefined)
  const id = textOr(field(parsed.value, 'id'), undefined)
  return compact({ opaque, on, length, id })
}

/** Whether a text is an envelope, of any version. One that cannot be unpacked is not sent to any provider. */
export function isEnvelope(text: string): boolean {
  return text.startsWith(mark)
}

/** Whether an envelope may stand in a text of any kind, such as a request's body. */
export function holdsEnvelope(text: string): boolean {
  return text.includes(mark)
}

/** Fields that only their maker reads: of a proof, a compaction, a program, the results of a search, the place of a citation. */
export const sealedFields: ReadonlySet<string> = new Set([
  ...['encrypted_content', 'encrypted_index', 'encrypted_stdout', 'fingerprint', 'signature', 'thoughtSignature'],
])

/** All fields of answers that clients send back unchanged. */
const proofFields: ReadonlySet<string> = new Set([...sealedFields, 'data', 'thought_signature'])
/** The mark, or its beginning, because clients join the pieces of a stream. Or an escape, which can hide it. */
const mayHoldMark = /aXNvZ2xvdC8|"a(?:X(?:N(?:v(?:Z(?:2(?:x(?:v(?:dC?)?)?)?)?)?)?)?)?"|\\u/

/**
 * The JSON text of a provider's answer without envelopes. Only isoglot writes envelopes. An envelope from a provider would come back with
 * the history, and its content would go to another provider as that provider's own proof.
 */
export function withoutEnvelopes(text: string): string {
  if (!mayHoldMark.test(text)) return text
  let isForged = false
  const value: unknown = JSON.parse(text, (key, field) => {
    const isMark = typeof field === 'string' && field !== '' && (isEnvelope(field) || mark.startsWith(field))
    if (!isMark || !proofFields.has(key)) return field
    isForged = true
    return ''
  })
  return isForged ? JSON.stringify(value) : text
}

type EnvelopeShape = true | readonly [EnvelopeShape] | { readonly [field: string]: EnvelopeShape }

const part = { type: true, text: true } as const
const detailShape = {
  ...part,
  summary: true,
  data: true,
  signature: true,
  id: true,
  format: true,
  index: true,
} as const

/** The fields of a proof by format and kind of block. A client can write anything into an envelope, and only these are taken out of it. */
const knownProofs: Readonly<
  Record<string, Partial<Record<'reasoning' | 'tool_call', { readonly [field: string]: EnvelopeShape }>>>
> = {
  anthropic: { reasoning: { signature: true, data: true } },
  'bedrock-converse': { reasoning: { signature: true, redactedContent: true } },
  gemini: { reasoning: { thoughtSignature: true }, tool_call: { thoughtSignature: true } },
  'gemini-interactions': { reasoning: { signature: true } },
  'openai-responses': {
    reasoning: { id: true, status: true, encrypted_content: true, reasoningId: true, summary: [part], content: [part] },
  },
  'openai-chat': {
    reasoning: { reasoning_details: [detailShape] },
    tool_call: { extra_content: { google: { thought_signature: true } } },
  },
}

/** The proof with the fields that it has in its format; `undefined` if it has none of them. */
export function knownProof(opaque: Opaque, kind: 'reasoning' | 'tool_call'): Opaque | undefined {
  const shape = lookup(knownProofs, opaque.format)?.[kind]
  const data = shape && pick(opaque.data, shape)
  return isObject(data) && Object.keys(data).length > 0 ? { ...opaque, data } : undefined
}

function pick(value: Json, shape: EnvelopeShape): Json | undefined {
  if (shape === true) return typeof value === 'object' && value !== null ? undefined : value
  if (isShapeOfList(shape)) return Array.isArray(value) ? value.flatMap((one) => pick(one, shape[0]) ?? []) : undefined
  if (!isObject(value)) return undefined
  const picked = Object.keys(value).map((name) => [name, pick(value[name] as Json, lookup(shape, name) ?? {})] as const)
  return compact(Object.fromEntries(picked.filter(([name]) => Object.hasOwn(shape, name)))) as JsonObject
}

/** `Array.isArray` does not narrow lists that are read-only. */
function isShapeOfList(shape: EnvelopeShape): shape is readonly [EnvelopeShape] {
  return Array.isArray(shape)
}

function readOpaque(value: JsonObject): Opaque | undefined {
  const [provider, model, format, data] = ['provider', 'model', 'format', 'data'].map((key) => field(value, key))
  if (typeof provider !== 'string' || typeof model !== 'string' || typeof format !== 'string') return undefined
  return isObject(data) ? { provider, model, format, data } : undefined
}

/**
 * JSON in ASCII and without `>`, `?`, `~` and DEL: of all ASCII characters, only these can make a `+` or `/` of base64, which other
 * alphabets write in other ways. They stand inside strings only, where JSON can escape them.
 */
function plain(json: string): string {
  return json.replace(/[>?~\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function decodeBase64(text: string): string | undefined {
  try {
    return atob(text)
  } catch {
    return undefined
  }
}
