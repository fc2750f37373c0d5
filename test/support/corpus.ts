/** The recorded provider traffic, read from beside the project or from `ISOGLOT_CORPUS`; where it is absent, tests say so. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CorpusCase {
  /** Such as `openai-chat-groq`. */
  readonly format: string
  readonly name: string
  /** `format/name`. */
  readonly id: string
  readonly meta: {
    readonly status: number | null
    readonly model: string | null
    readonly features: readonly string[]
    readonly quirks: readonly string[]
    readonly [field: string]: unknown
  }
  /** The request's body, where it was recorded. */
  readonly request: unknown
  readonly kind: 'json' | 'sse' | 'ndjson'
  readonly bytes: Uint8Array
  readonly text: string
}

export const corpusRoot: string =
  process.env.ISOGLOT_CORPUS ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'corpus')
export const hasCorpus: boolean = existsSync(join(corpusRoot, 'index.json'))
if (!hasCorpus)
  console.warn(`SKIPPED: no recorded traffic at ${corpusRoot}; set ISOGLOT_CORPUS to run what rests on it`)

const kinds = ['json', 'sse', 'ndjson'] as const

function readCase(format: string, name: string): CorpusCase {
  const folder = join(corpusRoot, format, name)
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
    meta,
    request: json('request.json'),
    kind,
    bytes,
    text: new TextDecoder().decode(bytes),
  }
}

/** Every case; none where there is no corpus. */
export const corpus: readonly CorpusCase[] = hasCorpus
  ? readdirSync(corpusRoot, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => readdirSync(join(corpusRoot, name)).map((one) => readCase(name, one)))
  : []

/** The cases of a format; with `dialects`, those of `format-vendor` too. */
export function casesOf(format: string, options: { readonly dialects?: boolean } = {}): readonly CorpusCase[] {
  return corpus.filter((one) => one.format === format || (options.dialects && one.format.startsWith(`${format}-`)))
}
