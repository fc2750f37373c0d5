/**
 * Provider traffic as it travels: `test/recordings`, written by hand from the wire documents, and the larger set of recorded traffic where
 * it is there: beside the project or in the folder that `ISOGLOT_CORPUS` names, and in the folder of that name with `-next` after it, of
 * formats that `test/recordings` has too; `none` leaves it out. All have the same layout:
 * `<format>/<case>/{request.json, response.json|sse|ndjson|bin, meta.json}`, ours an `expected.json` too.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { StopReason, Usage } from '../../src/core/messages.ts'

/** The content of an answer, written by hand from the wire document. */
export interface Expected {
  /** All text, refusals included. Default: none. */
  readonly text?: string
  /** All reasoning that has text. Default: none. */
  readonly reasoning?: string
  /** Default: none. The id only where the provider sent one. */
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly arguments: object }[]
  /** Calls that are not run, by the text of their arguments. Default: none. */
  readonly invalid?: readonly { readonly name: string; readonly argumentsText: string }[]
  readonly stopReason?: StopReason
  readonly usage?: Usage
  /** The error that the answer is, or ends in. */
  readonly error?: { readonly code: string; readonly kind?: string; readonly message?: string }
}

export interface CorpusCase {
  /** Such as `openai-chat-groq`. */
  readonly format: string
  readonly name: string
  /** `format/name`. */
  readonly id: string
  /** From `test/recordings`. */
  readonly isOwn: boolean
  readonly meta: {
    readonly status: number | null
    readonly model: string | null
    readonly features: readonly string[]
    readonly quirks: readonly string[]
    readonly [field: string]: unknown
  }
  /** The request's body, where it was recorded. */
  readonly request: unknown
  /** The content of the answer; every case of `test/recordings` has it. */
  readonly expected: Expected | undefined
  /** `bin` is Amazon's event stream. */
  readonly kind: 'json' | 'sse' | 'ndjson' | 'bin'
  readonly bytes: Uint8Array
  readonly text: string
}

const root = join(import.meta.dirname, '..', '..')
const ownRoot = join(root, 'test', 'recordings')
const sharedRoot = process.env.ISOGLOT_CORPUS ?? join(root, '..', 'shared', 'corpus')
/** Whether the larger set is here too. No test may need it: the pages of `docs` that count it are checked where it is. */
export const hasShared: boolean = existsSync(join(sharedRoot, 'index.json'))

const kinds = ['json', 'sse', 'ndjson', 'bin'] as const

function readCase(folder: string, isOwn: boolean): CorpusCase {
  const [format = '', name = ''] = folder.split('/').slice(-2)
  const json = (file: string) =>
    existsSync(join(folder, file)) ? JSON.parse(readFileSync(join(folder, file), 'utf8')) : undefined
  const kind = kinds.find((one) => existsSync(join(folder, `response.${one}`)))
  if (kind === undefined) throw new Error(`no response in ${folder}`)
  const bytes = new Uint8Array(readFileSync(join(folder, `response.${kind}`)))
  const meta = { features: [], quirks: [], status: null, model: null, ...json('meta.json') }
  return {
    format,
    name,
    id: `${format}/${name}`,
    isOwn,
    meta,
    request: json('request.json'),
    expected: json('expected.json'),
    kind,
    bytes,
    text: new TextDecoder().decode(bytes),
  }
}

function foldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return entries.map(({ name }) => join(folder, name)).sort()
}

function casesIn(folder: string, isOwn: boolean): CorpusCase[] {
  return foldersIn(folder)
    .filter((format) => existsSync(join(ownRoot, basename(format))) && basename(format) !== 'agents') // only requests: `agents.ts`
    .flatMap(foldersIn)
    .map((one) => readCase(one, isOwn))
}

/** The cases of `test/recordings`. */
export const ownCorpus: readonly CorpusCase[] = casesIn(ownRoot, true)
const sharedSets = [sharedRoot, `${sharedRoot}-next`]
  .filter((folder) => existsSync(join(folder, 'index.json')))
  .map((folder) => ({ cases: casesIn(folder, false), index: readFileSync(join(folder, 'index.json'), 'utf8') }))
/** The cases of the larger set; none where it is not here. */
export const sharedCorpus: readonly CorpusCase[] = sharedSets.flatMap(({ cases }) => cases)
/** Every case there is. */
export const corpus: readonly CorpusCase[] = [...ownCorpus, ...sharedCorpus]
/**
 * The cases whose features and quirks were checked: ours, and those of a set whose index repeats them. In a set whose index is only a list of
 * names, a program wrote them, which takes every `response_mime_type` for JSON, and has words that we have not.
 */
export const claimedCorpus: readonly CorpusCase[] = [
  ...ownCorpus,
  ...sharedSets.filter(({ index }) => index.includes('"features"')).flatMap(({ cases }) => cases),
]

/** Whether a case is of a format; with `dialects`, of a `format-vendor` too. */
function isOf(format: string, dialects = false): (one: CorpusCase) => boolean {
  return (one) => one.format === format || (dialects && one.format.startsWith(`${format}-`))
}

/** The cases of a format; with `dialects`, those of `format-vendor` too. */
export function casesOf(format: string, options: { readonly dialects?: boolean } = {}): readonly CorpusCase[] {
  return corpus.filter(isOf(format, options.dialects))
}

/** The fields that hold the answer of a model, by the begin of the format's name. */
const answerFields: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['content'],
  bedrock: ['output'],
  cohere: ['message'],
  'gemini-interactions': ['outputs', 'status', 'steps'],
  gemini: ['candidates', 'promptFeedback'],
  ollama: ['message'],
  'openai-chat': ['choices', 'response', 'result'], // the last two are of Workers AI
  'openai-responses': ['output', 'status'],
}

/**
 * Whether a case is the answer of a model, whole or streamed. These are not: an error; an answer that the provider still makes in the
 * background; and, in larger sets, several bodies in one file, and bodies of other endpoints (embeddings, caches, transcriptions) or of
 * other formats, which have no field of an answer.
 */
export function isAnswer({ kind, text, meta, format }: CorpusCase): boolean {
  if ((meta.status ?? 200) >= 300 || meta.features.includes('error')) return false
  if (kind !== 'json') return true
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return false
  }
  // Some hosts of Gemini send a list.
  const body = (Array.isArray(parsed) ? parsed[0] : parsed) as { readonly [field: string]: unknown }
  const { status, error, errors = [], internalCode, content = [], message } = body
  if ((error ?? internalCode) != null || (errors as readonly unknown[]).length > 0) return false
  if (status === 'queued' || status === 'in_progress') return false
  if (!Array.isArray(content) || typeof message === 'string') return false
  const family = Object.keys(answerFields).find((name) => format.startsWith(name)) ?? ''
  return answerFields[family]?.some((name) => Object.hasOwn(body, name)) === true
}

/** The path of the recorded request, which has the model in some formats. */
export function pathOf({ meta }: CorpusCase): string {
  return String(meta.endpoint ?? '').split(' ')[1] ?? ''
}

/** The case of `test/recordings` of this name: `format/name`. */
export function ownCase(id: string): CorpusCase {
  const found = ownCorpus.find((one) => one.id === id)
  if (found === undefined) throw new Error(`test/recordings has no ${id}`)
  return found
}

/** A recorded request without what says nothing and is not sent: empty texts and turns, and thoughts that Gemini did not sign. */
export function sayable<T>(request: T): T {
  const saysNothing = (value: unknown) => {
    const { type, text, thought, thoughtSignature, role, content, tool_calls: calls } = Object(value)
    const isEmptyTurn =
      role === 'assistant' && !content && calls === undefined && Object.keys(value as object).length < 3
    return (type === 'text' && text === '') || (thought === true && thoughtSignature === undefined) || isEmptyTurn
  }
  const filtered = JSON.stringify(request, (_, value) =>
    Array.isArray(value) ? value.filter((one) => !saysNothing(one)) : value,
  )
  return filtered === undefined ? request : JSON.parse(filtered)
}
