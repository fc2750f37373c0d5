/** The features and quirks that recordings of Gemini claim, and how each is seen. */
import type { JsonObject } from '../../../src/core/messages.ts'
import { havingField } from '../../support/raw.ts'
import { all, any, type Check, claimsOf, detail, isStream, type List, lacks, not, some, twice } from '../claims.ts'

const part =
  (field: string, is: (part: JsonObject) => boolean): Check =>
  ({ raw }) =>
    havingField(raw, 'parts')
      .flatMap(({ parts }) => parts as JsonObject[])
      .some((one) => Object.hasOwn(one, field) && is(one))
const geminiNames: List = (raw) =>
  havingField(raw, 'functionCall').flatMap(({ functionCall }) => (functionCall as JsonObject).name || [])
const geminiText = part('text', ({ text, thought }) => text !== '' && thought !== true)
const inCandidate = (is: (candidate: JsonObject) => boolean): Check =>
  some('candidates', ({ candidates }) => (candidates as JsonObject[]).some(is))

export const claims = claimsOf({
  text: geminiText,
  call: /"functionCall":/,
  names: geminiNames,
  features: {
    usage: /"usageMetadata":/,
    'max-tokens': /"finishReason":"MAX_TOKENS"/,
    'content-filter':
      /"finishReason":"(?:SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_SAFETY)"|"blockReason"/,
    'prompt-blocked': /"blockReason":/,
    'no-text': not(any(geminiText, /"functionCall":/, /"error":/)),
    'tool-no-args': some(
      'functionCall',
      ({ functionCall }) => Object.keys((functionCall as { args?: object }).args ?? {}).length === 0,
    ),
    reasoning: part('text', ({ thought }) => thought === true),
    'thought-signature': /"thoughtSignature":/,
    'usage-reasoning': detail('thoughtsTokenCount'),
    'usage-cached': detail('cachedContentTokenCount'),
    'usage-server-tools': /"toolUsePromptTokenCount":/,
    error: { framing: /"error":\s*\{/ },
    'error-midstream': all(isStream, { framing: /"error":\s*\{/ }),
    truncated: all(isStream, not(any(/"finishReason":/, /"blockReason":/, /"error":/))),
    'server-tool': any(/"executableCode":/, /"groundingMetadata":/, /"urlContextMetadata":/),
    'code-execution': /"executableCode":/,
    grounding: /"groundingMetadata":/,
    'web-search': /"webSearchQueries":/,
    'web-fetch': /"urlContextMetadata":/,
    maps: /"maps":\{/,
    citations: any(/"citationMetadata":/, /"groundingSupports":/),
    'image-output': part('inlineData', () => true),
    'system-prompt': { asked: /"system_?[iI]nstruction":/ },
    'tools-declared': { asked: /"tools":\[\{/ },
    'tool-choice': { asked: /"(?:toolConfig|tool_config)":\{/ },
    'tool-result-input': { asked: /"function_?[rR]esponse":/ },
    'reasoning-replay': { asked: /"thought(?:S|_s)ignature":|"thought":true/ },
    'structured-output': { asked: /"response_?[mM]ime_?[tT]ype":"application\/json"/ },
    'stop-sequences-param': { asked: /"stop_?[sS]equences":\["/ },
    'image-input': { asked: /"mime_?[tT]ype":"image\// },
    'document-input': { asked: /"mime_?[tT]ype":"application\/pdf"/ },
    'audio-input': { asked: /"mime_?[tT]ype":"audio\// },
  },
  quirks: {
    'sse-crlf': { framing: /\r\n/ },
    'sse-stray-line': all(({ one }) => one.kind === 'sse', { framing: /^[{[]/m }),
    'stream-as-json-array': { framing: /^\[/ },
    'no-candidates': ({ raw }) => havingField(raw, 'candidates').length === 0,
    'candidates-empty': /"candidates":\[\]/,
    'candidate-without-content': inCandidate(lacks('content')),
    'content-without-parts': some('content', ({ content }) => lacks('parts')(content as JsonObject)),
    'content-without-role': some('content', ({ content }) => lacks('role')(content as JsonObject)),
    'empty-part': ({ raw }) => havingField(raw, 'parts').some(({ parts }) => JSON.stringify(parts).includes('{}')),
    'empty-text-part': part('text', ({ text }) => text === ''),
    'no-finish-reason': not(/"finishReason":/),
    'finish-repeated': twice(/"finishReason":/g),
    finishMessage: /"finishMessage":/,
    'finish:RECITATION': /"finishReason":"RECITATION"/,
    'finish:NO_IMAGE': /"finishReason":"NO_IMAGE"/,
    'finish:OTHER': /"finishReason":"OTHER"/,
    'finish:FAKE_ENUM': /"finishReason":"FAKE_ENUM"/,
    'function-call-with-id': some('functionCall', ({ functionCall }) => !lacks('id')(functionCall as JsonObject)),
    'function-call-without-id': some('functionCall', ({ functionCall }) => lacks('id')(functionCall as JsonObject)),
    'function-call-without-args': some('functionCall', ({ functionCall }) => lacks('args')(functionCall as JsonObject)),
    'tool-args-absent': some('functionCall', ({ functionCall }) => lacks('args')(functionCall as JsonObject)),
    'empty-tool-name': any(
      /"name":""/,
      some('functionCall', ({ functionCall }) => lacks('name')(functionCall as JsonObject)),
    ),
    'partial-args': /"partialArgs":/,
    'signature-on-text': part('thoughtSignature', ({ text }) => Boolean(text)),
    'signature-on-empty-text': part('thoughtSignature', ({ text }) => text === ''),
    'signature-on-function-call': part('thoughtSignature', ({ functionCall }) => functionCall !== undefined),
    'usage-without-candidates-count': some('usageMetadata', ({ usageMetadata }) =>
      lacks('candidatesTokenCount')(usageMetadata as JsonObject),
    ),
  },
})
