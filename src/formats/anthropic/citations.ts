/**
 * Converts citations. Fields that only Anthropic has are kept.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/citations (read 2026-11)
 *
 * @module
 */
import { compact, field, textOr } from '../../core/lookup.ts'
import type { CitationBlock, JsonObject } from '../../core/model.ts'
import { keptOf } from './scope.ts'
import { format } from './tables.ts'

/** Decodes a citation. Keeps Anthropic's own fields, since Anthropic checks the `encrypted_index` in later requests. */
export function decodeCitation(wire: JsonObject): CitationBlock {
  const title = textOr(field(wire, 'title'), textOr(field(wire, 'document_title'), undefined))
  const url = textOr(field(wire, 'url'), undefined)
  const text = textOr(field(wire, 'cited_text'), undefined)
  const isMadeByUs = field(wire, 'encrypted_index') === '' // see `citationForClient`
  return compact({ type: 'citation', url, title, text, providerData: isMadeByUs ? undefined : { [format]: wire } })
}

/** Encodes a citation that this format made; `undefined` for any other. */
export function encodeCitation(citation: CitationBlock): object | undefined {
  const { url, title, text } = citation
  const kept = keptOf(citation)
  const titleKey = field(kept, 'document_title') === undefined ? 'title' : 'document_title'
  return kept && { ...kept, ...compact({ cited_text: text, url, [titleKey]: title }) }
}

/** Encodes any citation for a client that shows it. The empty index means that no server made it: it is never sent to Anthropic. */
export function citationForClient(citation: CitationBlock): object | undefined {
  const { url, title = null, text = '' } = citation
  const made = { type: 'web_search_result_location', url, title, cited_text: text, encrypted_index: '' }
  return encodeCitation(citation) ?? (url === undefined ? undefined : made)
}
