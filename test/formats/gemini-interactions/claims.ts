/** The features and quirks that recordings of Interactions claim, and how each is seen. */
import type { Json, JsonObject } from '../../../src/core/messages.ts'
import { havingField } from '../../support/raw.ts'
import {
  all,
  any,
  type Check,
  claimsOf,
  detail,
  eachOf,
  isEmpty,
  isStream,
  type List,
  lacks,
  not,
  ofType,
  some,
  twice,
} from '../claims.ts'

/** The text of a model's steps, whole and in deltas; `outputs` is the legacy schema's. */
const spoken: List = (raw) => [
  ...havingField(raw, 'content').flatMap(({ type, content }) => (type === 'model_output' ? (content as Json[]) : [])),
  ...havingField(raw, 'outputs').flatMap(({ outputs }) => outputs as Json[]),
  ...havingField(raw, 'delta').map(({ delta }) => delta),
]
const says =
  (is: (content: JsonObject) => boolean): Check =>
  ({ raw }) =>
    spoken(raw).some((content) => is(content as JsonObject))
const interactionsText = says(({ type, text }) => type === 'text' && text !== '')
const interactionsNames: List = (raw) =>
  havingField(raw, 'name').flatMap(({ type, name }) => (type === 'function_call' ? [name] : []))
const askedWhereKnown =
  (pattern: RegExp): Check =>
  (bytes) =>
    bytes.asked === '' || pattern.test(bytes.asked)

export const claims = claimsOf({
  text: interactionsText,
  call: /"type":"function_call"/,
  names: interactionsNames,
  features: {
    usage: /"usage":/,
    'usage-reasoning': detail('total_thought_tokens'),
    'usage-cached': detail('total_cached_tokens'),
    'usage-server-tools': detail('total_tool_use_tokens'),
    'max-tokens': /"status":"incomplete"/,
    'content-filter': all(/"status":"failed"/, /"code":"prohibited_content"/),
    'no-text': not(interactionsText),
    'tool-no-args': some('arguments', ({ type, arguments: given }) => type === 'function_call' && isEmpty(given)),
    reasoning: any(/"summary":/, /"type":"thought_summary"/),
    'thought-signature': some('signature', ({ signature }) => signature !== ''),
    error: { framing: /"error":\s*\{|"errors":\s*\[/ },
    'error-midstream': all(isStream, { framing: /"error":\s*\{/ }),
    truncated: all(isStream, not(any(/"event_type":"interaction\.completed"/, /"error":/))),
    'server-tool': /"type":"(?:google_search|code_execution|url_context|file_search|mcp_server_tool)_call"/,
    'web-search': /"type":"google_search_call"/,
    'code-execution': /"type":"code_execution_call"/,
    'web-fetch': /"type":"url_context_call"/,
    mcp: /"type":"mcp_server_tool_call"/,
    citations: /"annotations":/,
    'image-output': says(({ type }) => type === 'image'),
    'video-output': says(({ type }) => type === 'video'),
    stateful: askedWhereKnown(/"previous_interaction_id":/),
    background: { asked: /"background":true/ },
    agent: { asked: /"agent":/ },
    'system-prompt': { asked: /"system_instruction":/ },
    'tools-declared': { asked: /"tools":\[\{/ },
    'tool-choice': { asked: /"tool_choice":/ },
    'tool-result-input': { asked: /"type":"function_result"/ },
    'reasoning-replay': { asked: /"type":"thought"/ },
    'structured-output': askedWhereKnown(/"mime_type":"application\/json"/),
    'image-input': { asked: /"type":"image"/ },
    'video-input': askedWhereKnown(/"type":"video"/),
    'audio-input': { asked: /"type":"audio"/ },
    'document-input': { asked: /"type":"document"/ },
  },
  quirks: {
    'sse-crlf': { framing: /\r\n/ },
    'sse-comment': { framing: /^:/m },
    'legacy-schema': any(/"outputs":/, /"event_type":"interaction\.start"/),
    'input-string': { asked: /"input":"/ },
    'input-content-object': { asked: /"input":\{/ },
    'input-content-array': { asked: /"input":\[\{(?:"text":"[^"]*",)?"type":"text"/ },
    'input-turns': { asked: /"role":"user"/ },
    'input-steps': { asked: /"type":"user_input"/ },
    'function-result-inside-user-input': { asked: /"content":\[\{[^[]*"type":"function_result"/ },
    'request-not-recorded': ({ asked }) => asked === '',
    'id-absent': not(/"id":/),
    'id-empty': /"id":""/,
    'steps-absent': not(/"steps":/),
    'steps-at-end': all(isStream, /"steps":/),
    'user-input-in-answer': /"type":"user_input"/,
    'thought-without-summary': some('type', (object) => object.type === 'thought' && lacks('summary')(object)),
    'summary-image': /"summary":\[.*"type":"image"/,
    'signature-empty': /"signature":""/,
    'signature-empty-on-function-call': some(
      'signature',
      ({ type, signature }) => type === 'function_call' && signature === '',
    ),
    'several-signature-deltas': twice(/"type":"thought_signature"/g),
    'start-filled': some(
      'step',
      ({ step }) => !lacks('content')(step as JsonObject) || !lacks('summary')(step as JsonObject),
    ),
    'arguments-in-start': some('step', ({ step }) => !isEmpty((step as JsonObject).arguments ?? {})),
    'arguments-in-pieces': twice(/"type":"arguments_delta"/g),
    'call-without-id': some('name', (object) => object.type === 'function_call' && lacks('id')(object)),
    'answer-before-server-tool': /"type":"text"[\s\S]*"type":"google_search_call"/,
    'media-in-one-delta': some('delta', ({ delta }) => /^(?:image|video)$/.test(String((delta as JsonObject).type))),
    'text-after-media': /"type":"image"[\s\S]*"text":/,
    'output-error': some('error', ({ type }) => type === 'model_output'),
    'error-code-string': some('code', ({ code }) => typeof code === 'string'),
    'error-array': { framing: /^data: \[\{/m },
    'error-empty': some('event_type', ({ event_type: type, error }) => type === 'error' && isEmpty(error ?? {})),
    'event-id': /"event_id":/,
    'event-metadata': /"metadata":/,
    'event-unknown': /"event_type":"interaction\.paused"/,
    'event:checkpoint': some('continuation_token', ({ event_type: type }) => type === 'interaction.status_update'),
    'delta-unknown': /"type":"hologram"/,
    'step-unknown': /"type":"quantum_call"/,
    'index-gap': ({ raw }) => {
      const indices = new Set(havingField(raw, 'step').map(({ index }) => Number(index)))
      return Math.max(...indices) >= indices.size
    },
    ...eachOf('annotation:', 'url_citation file_citation', ofType),
    ...eachOf(
      'delta:',
      'google_search_call google_search_result code_execution_call code_execution_result ' +
        'mcp_server_tool_call text_annotation_delta',
      (type) => some('delta', ({ delta }) => (delta as JsonObject).type === type),
    ),
    ...eachOf(
      'status:',
      'requires_action incomplete in_progress failed cancelled budget_exceeded requires_continuation',
      (word) => new RegExp(`"status":"${word}"`),
    ),
    ...eachOf(
      'usage-extra:',
      'raw_prompt_token model_invocation_token_counts non_grounding_model_invocation_token_counts',
      (name) => new RegExp(`"${name}":`),
    ),
  },
})
