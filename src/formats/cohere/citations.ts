/**
 * Cohere Chat v2: reads and writes citations. Cohere sends one citation for each cited passage of an answer, with a list of sources.
 * isoglot has one citation for each source.
 *
 * @see https://docs.cohere.com/docs/rag-citations (read 2026-11)
 *
 * @module
 */
import { arrayOf, compact, field, isObject, numberOr, objectIn, stringOr, textOr } from '../../core/lookup.ts'
import type { CitationBlock, Json, JsonObject, TextBlock } from '../../core/model.ts'
import { keptFields, verbatim } from './content.ts'
import { format } from './tables.ts'
import type { WireCitation, WireSource } from './wire.ts'

// ---- decode -----------------------------------------------------------------------------------

/** Reads a citation of `text`. Returns one citation for each of its sources. */
export function decodeCitation(wire: JsonObject, text: string): CitationBlock[] {
  const { sources, ...kept } = wire
  const found = arrayOf(sources).filter(isObject)
  const span = spanOf(wire, text)
  if (found.length === 0) return [{ type: 'citation', ...span, providerData: { [format]: kept } }]
  return found.map((source) => ({
    type: 'citation',
    ...fieldsOf(source),
    ...span,
    providerData: { [format]: { ...kept, source } },
  }))
}

/** Returns the passage of a source, its title and its URL. */
function fieldsOf(source: JsonObject): Pick<CitationBlock, 'url' | 'title' | 'text'> {
  const data = { ...objectIn(source, 'document'), ...objectIn(source, 'tool_output') }
  const text = textOr(field(data, 'text'), textOr(field(data, 'content'), undefined))
  const title = textOr(field(data, 'title'), undefined)
  return compact({ url: textOr(field(data, 'url'), undefined), title, text })
}

/**
 * Returns the range that a citation covers, in UTF-16 units. Cohere's offsets may be UTF-16 units or code points. The quoted text of the
 * citation decides which of them it is.
 */
function spanOf(wire: JsonObject, text: string): Pick<CitationBlock, 'startIndex' | 'endIndex'> {
  const start = numberOr(field(wire, 'start'), -1)
  const end = numberOr(field(wire, 'end'), -1)
  const cited = textOr(field(wire, 'text'), undefined)
  if (start < 0 || end < start) return {}
  if (cited === undefined || text.slice(start, end) === cited) return { startIndex: start, endIndex: end }
  const points = [...text]
  const before = points.slice(0, start).join('').length
  const from = text.startsWith(cited, before) ? before : text.indexOf(cited)
  return from < 0 ? {} : { startIndex: from, endIndex: from + cited.length }
}

// ---- encode -----------------------------------------------------------------------------------

/**
 * Writes the citations of a text. `contentIndex` is the index of the text in the content of its message. Citations of other providers are
 * written only in answers, where a client can show them.
 */
export function encodeCitations(
  block: TextBlock,
  { contentIndex, isFirst }: { readonly contentIndex: number; readonly isFirst: boolean },
  isAnswer: boolean,
): WireCitation[] {
  const encoded: WireCitation[] = []
  for (const citation of block.citations ?? []) {
    const { source, ...kept } = keptFields(citation)
    const isOwn = citation.providerData?.[format] !== undefined
    if (!isOwn && !isAnswer) continue
    const start = numberOr(kept.start, citation.startIndex ?? 0)
    const end = numberOr(kept.end, citation.endIndex ?? block.text.length)
    const written = isOwn ? (source === undefined ? [] : [verbatim<WireSource>(source)]) : [foreignSource(citation)]
    const last = encoded.at(-1)
    if (last?.start === start && last.end === end) {
      last.sources.push(...written)
      continue
    }
    const index = isFirst && kept.content_index === undefined ? undefined : contentIndex
    encoded.push({
      ...kept,
      start,
      end,
      text: stringOr(kept.text, block.text.slice(start, end)),
      sources: written,
      type: stringOr(kept.type, 'TEXT_CONTENT'),
      ...compact({ content_index: index }),
    })
  }
  return encoded
}

function foreignSource({ url, title, text }: CitationBlock): WireSource {
  const id = url ?? title ?? 'source'
  return { type: 'document', id, document: compact({ id, text, title, url }) }
}

/** Returns whether a citation belongs to a text of the answer, and not to thinking or to a plan. */
export function isOfText(citation: Json): boolean {
  const type = field(citation, 'type')
  return type !== 'THINKING_CONTENT' && type !== 'PLAN'
}
