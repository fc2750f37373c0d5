/**
 * Converts citations. Fields that only Anthropic has are kept.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/citations (read 2026-11)
 *
 * @module
 */
import { compact, textOr } from '../../core/lookup.ts'
import type { CitationBlock, JsonObject } from '../../core/model.ts'
import { keptOf } from './scope.ts'
import { format } from './tables.ts'

/** Decodes a citation. Keeps Anthropic's own fields, since Anthropic checks the `encrypted_index` in later requests. */
export function decodeCitation(wire: JsonObject): CitationBlock {
  const { url, title, document_title: documentTitle, cited_text: text, encrypted_index: index } = wire
  return compact({
    type: 'citation',
    url: textOr(url, undefined),
    title: textOr(title, textOr(documentTitle, undefined)),
    text: textOr(text, undefined),
    providerData: index === '' ? undefined : { [format]: wire }, // see `citationForClient`
  })
}

/** Encodes a citation that this format made; `undefined` for any other. */
export function encodeCitation(citation: CitationBlock): object | undefined {
  const { url, title, text } = citation
  const kept = keptOf(citation)
  if (kept.type === undefined) return undefined
  const titleKey = kept.document_title === undefined ? 'title' : 'document_title'
  return { ...kept, ...compact({ cited_text: text, url, [titleKey]: title }) }
}

/** Encodes any citation for a client that shows it. The empty index means that no server made it: it is never sent to Anthropic. */
export function citationForClient(citation: CitationBlock): object | undefined {
  const { url, title = null, text = '' } = citation
  const made = { type: 'web_search_result_location', url, title, cited_text: text, encrypted_index: '' }
  return encodeCitation(citation) ?? (url === undefined ? undefined : made)
}
