/**
 * Cohere Chat v2: citations. The wire has one for each cited piece of an answer, with all its sources; we have one for each source.
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

/** Reads a citation of this text: one of ours for each of its sources. */
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

/** The passage that a source has, and where it is from. */
function fieldsOf(source: JsonObject): Pick<CitationBlock, 'url' | 'title' | 'text'> {
  const data = { ...objectIn(source, 'document'), ...objectIn(source, 'tool_output') }
  const text = textOr(field(data, 'text'), textOr(field(data, 'content'), undefined))
  const title = textOr(field(data, 'title'), undefined)
  return compact({ url: textOr(field(data, 'url'), undefined), title, text })
}

/** Offsets count characters: UTF-16 units or code points, whichever fits the words that the citation quotes. */
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
 * The citations of a text, which is this content of its message. Those of other providers go into answers only, where a client can show
 * them.
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
    const said = isOwn ? (source === undefined ? [] : [verbatim<WireSource>(source)]) : [foreignSource(citation)]
    const last = encoded.at(-1)
    if (last?.start === start && last.end === end) {
      last.sources.push(...said)
      continue
    }
    const index = isFirst && kept.content_index === undefined ? undefined : contentIndex
    encoded.push({
      ...kept,
      start,
      end,
      text: stringOr(kept.text, block.text.slice(start, end)),
      sources: said,
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

/** Whether a citation is of text that is said, and not of thinking or of a plan. */
export function isOfText(citation: Json): boolean {
  const type = field(citation, 'type')
  return type !== 'THINKING_CONTENT' && type !== 'PLAN'
}
