/**
 * Converts citations. Fields that only Anthropic has are kept.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/citations (read 2026-11)
 *
 * @module
 */
import { compact, field, stringOr, textOr } from '../../core/lookup.ts'
import type { CitationBlock, JsonObject } from '../../core/model.ts'
import { keptOf } from './scope.ts'
import { documentCitations, format } from './tables.ts'

/** Decodes a citation. Keeps Anthropic's own fields, since Anthropic checks the `encrypted_index` in later requests. */
export function decodeCitation(wire: JsonObject): CitationBlock {
  const title = textOr(field(wire, 'title'), textOr(field(wire, 'document_title'), undefined))
  const url = textOr(field(wire, 'url'), undefined)
  const text = textOr(field(wire, 'cited_text'), undefined)
  const isMadeByUs = field(wire, 'encrypted_index') === '' // see `encodeForeignCitation`
  return compact({ type: 'citation', url, title, text, providerData: isMadeByUs ? undefined : { [format]: wire } })
}

/** Encodes a citation. A citation of another format is sent only in an answer, with the fields that a client can show. */
export function encodeCitation(citation: CitationBlock, isAnswer: boolean): object | undefined {
  const kept = keptOf(citation)
  const { url, title, text } = citation
  if (kept === undefined) return isAnswer ? encodeForeignCitation(citation) : undefined
  const titleKey = documentCitations.has(stringOr(field(kept, 'type'), '')) ? 'document_title' : 'title'
  return { ...kept, ...compact({ cited_text: text, url, [titleKey]: title }) }
}

/** The empty index means that no server made the citation. It is never sent to Anthropic. */
function encodeForeignCitation({ url, title, text }: CitationBlock): object | undefined {
  if (url === undefined) return undefined
  return { type: 'web_search_result_location', url, title: title ?? null, cited_text: text ?? '', encrypted_index: '' }
}
