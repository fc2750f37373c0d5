/**
 * The features and quirks of recordings, by family of formats, and how each is seen in the bytes: what a case claims, its bytes must show.
 * The words are those of the larger set of recordings, so that both are counted alike; `test/laws/recordings.test.ts` holds both to this.
 */
import type { Json, JsonObject } from '../../src/core/model.ts'
import type { CorpusCase } from './corpus.ts'
import { havingField, rawOf } from './quirks.ts'

/** A case as a claim is checked on it. */
interface Bytes {
  readonly one: CorpusCase
  /** The body, or each event. */
  readonly raw: readonly JsonObject[]
  /** The answer as compact JSON, event by event, and all its framing as it came. */
  readonly json: string
  readonly text: string
  /** The request as compact JSON; empty for an answer without a request. */
  readonly asked: string
}
type Check = (bytes: Bytes) => boolean
type Checks = Readonly<Record<string, Check>>

export interface Claims {
  readonly features: Checks
  readonly quirks: Checks
}

export function bytesOf(one: CorpusCase): Bytes {
  const raw = rawOf(one)
  const asked = one.request === undefined ? '' : JSON.stringify(one.request)
  return { one, raw, json: raw.map((event) => JSON.stringify(event)).join('\n'), text: one.text, asked }
}

/** The format without its vendor. */
export function familyOf({ format }: Pick<CorpusCase, 'format'>): string {
  return /^(?:openai-(?:chat|responses)|gemini-interactions)/.exec(format)?.[0] ?? format
}

// ---- how claims are seen ------------------------------------------------------------------------

const answer =
  (pattern: RegExp): Check =>
  ({ json }) =>
    pattern.test(json)
const asked =
  (pattern: RegExp): Check =>
  (bytes) =>
    pattern.test(bytes.asked)
const framing =
  (pattern: RegExp): Check =>
  ({ text }) =>
    pattern.test(text)
const all =
  (...checks: readonly Check[]): Check =>
  (bytes) =>
    checks.every((check) => check(bytes))
const any =
  (...checks: readonly Check[]): Check =>
  (bytes) =>
    checks.some((check) => check(bytes))
const not =
  (check: Check): Check =>
  (bytes) =>
    !check(bytes)
/** The pattern, which is global, occurs more than once. */
const twice =
  (pattern: RegExp): Check =>
  ({ json }) =>
    [...json.matchAll(pattern)].length > 1
/** The entries of an answer that the function lists: two of them, and two that are the same. */
type List = (raw: readonly JsonObject[]) => unknown[]
const two =
  (list: List): Check =>
  ({ raw }) =>
    list(raw).length > 1
const sameTwo =
  (list: List): Check =>
  ({ raw }) =>
    new Set(list(raw)).size < list(raw).length
/** An object of the answer that has this field is so. */
const some =
  (field: string, is: (object: JsonObject) => boolean): Check =>
  ({ raw }) =>
    havingField(raw, field).some(is)
const fieldIs = (field: string, value: unknown): Check =>
  some(field, (object) => JSON.stringify(object[field]) === JSON.stringify(value))
const hasField = (field: string): Check => some(field, () => true)
const hasType = (type: string): Check => fieldIs('type', type)
const lacks = (json: string) => (object: JsonObject) => !Object.hasOwn(object, json)

const isStream: Check = ({ one }) => one.kind !== 'json' || one.text.startsWith('[')
const isFailed: Check = ({ one }) => (one.meta.status ?? 200) >= 400

const common: Checks = {
  stream: isStream,
  'non-stream': not(isStream),
  request: ({ asked }) => asked !== '',
  'non-ascii': ({ json }) => /[^\x20-\x7e\n]/.test(json),
}

/** For the two wires of OpenAI, which name usage alike. */
const detail = (name: string): Check => some(name, (object) => Number(object[name]) > 0)

// ---- Anthropic ----------------------------------------------------------------------------------

const anthropicNames: List = (raw) =>
  havingField(raw, 'input').flatMap(({ type, name }) => (type === 'tool_use' ? [name] : []))
const anthropicText: Check = some('text', ({ type, text }) => /^text/.test(String(type)) && text !== '')
const serverTool = (name: string): Check =>
  some('name', (object) => object.type === 'server_tool_use' && object.name === name)

const anthropic: Claims = {
  features: {
    ...common,
    text: anthropicText,
    usage: hasField('usage'),
    'max-tokens': fieldIs('stop_reason', 'max_tokens'),
    'tool-call': hasType('tool_use'),
    'text-and-tool': all(hasType('tool_use'), anthropicText),
    'no-text': not(any(anthropicText, hasType('tool_use'), hasType('error'))),
    'parallel-tool-calls': two(anthropicNames),
    'same-tool-twice': sameTwo(anthropicNames),
    'tool-no-args': ({ raw }) => hasEmptyAnthropicCall(raw),
    reasoning: any(hasType('thinking'), hasType('redacted_thinking')),
    'reasoning-signature': some('signature', ({ signature }) => signature !== ''),
    'reasoning-encrypted': hasType('redacted_thinking'),
    'redacted-thinking': hasType('redacted_thinking'),
    'usage-reasoning': detail('thinking_tokens'),
    'usage-cached': any(detail('cache_read_input_tokens'), detail('cache_creation_input_tokens')),
    'usage-server-tools': hasField('server_tool_use'),
    refusal: fieldIs('stop_reason', 'refusal'),
    'stop-sequence': fieldIs('stop_reason', 'stop_sequence'),
    error: all(isFailed, hasField('error')),
    'error-midstream': all(isStream, hasType('error')),
    'server-tool': any(hasType('server_tool_use'), hasType('mcp_tool_use')),
    'server-tool-error': answer(/"type":"\w+_tool_result_error"/),
    'code-execution': answer(/"name":"(?:bash_|text_editor_)?code_execution"/),
    'web-search': serverTool('web_search'),
    'web-fetch': serverTool('web_fetch'),
    'tool-search': answer(/"name":"tool_search_tool/),
    mcp: hasType('mcp_tool_use'),
    'programmatic-tool-call': some('caller', ({ caller }) => (caller as JsonObject).type !== 'direct'),
    citations: answer(/"cited_text"/),
    'system-prompt': asked(/"system":/),
    'tools-declared': asked(/"tools":\[\{/),
    'tool-choice': asked(/"tool_choice":\{/),
    'tool-result-input': asked(/"type":"tool_result"/),
    'reasoning-replay': asked(/"type":"(?:redacted_)?thinking"/),
    'structured-output': asked(/"output_(?:config|format)":\{.*"json_schema"/),
    'stop-sequences-param': asked(/"stop_sequences":\["/),
    'image-input': asked(/"type":"image"/),
    'document-input': asked(/"type":"document"/),
    'cache-control': asked(/"cache_control":\{/),
  },
  quirks: {
    ping: hasType('ping'),
    'sse-last-event-unterminated': all(isStream, framing(/[^\r\n][\r\n]?$/)),
    'duplicate-message_start': twice(/"type":"message_start"/g),
    'block-index-reused': sameTwo((raw) =>
      raw.flatMap(({ type, index }) => (type === 'content_block_start' ? [index] : [])),
    ),
    'content-empty': all(not(isStream), fieldIs('content', [])),
    'block:compaction': hasType('compaction'),
    'delta:compaction_delta': hasType('compaction_delta'),
    'block:fallback': hasType('fallback'),
    'thinking-empty': some('thinking', ({ thinking, signature }) => thinking === '' && Boolean(signature)),
    'citation:web_search_result_location': hasType('web_search_result_location'),
    'input_json_delta-empty': fieldIs('partial_json', ''),
    'tool-args-invalid-json': ({ raw }) => anthropicInputs(raw).some((input) => input !== '' && !isJson(input)),
    'tool-input-delta-empty': ({ raw }) =>
      havingField(raw, 'partial_json').length > 0 && anthropicInputs(raw).includes(''),
    'tool-input-in-block-start': all(isStream, ({ raw }) =>
      havingField(raw, 'content_block').some(({ content_block: block }) => {
        const { type, input = {} } = block as { type: string; input?: object }
        return type === 'tool_use' && Object.keys(input).length > 0
      }),
    ),
    'tool-caller': hasField('caller'),
    'server_tool_use:advisor': serverTool('advisor'),
    'server_tool_use:bash_code_execution': serverTool('bash_code_execution'),
    'server_tool_use:code_execution': serverTool('code_execution'),
    'server_tool_use:text_editor_code_execution': serverTool('text_editor_code_execution'),
    'server_tool_use:tool_search_tool_bm25': serverTool('tool_search_tool_bm25'),
    'server_tool_use:web_fetch': serverTool('web_fetch'),
    'server_tool_use:web_search': serverTool('web_search'),
    'input-tokens-in-message_delta': some(
      'usage',
      ({ type, usage }) => type === 'message_delta' && (usage as JsonObject).input_tokens !== undefined,
    ),
    'usage-iterations': hasField('iterations'),
    stop_details: some('stop_details', ({ stop_details: details }) => details !== null),
    container: some('container', ({ container }) => container !== null),
  },
}

/** The text of the arguments of each call that streams. */
function anthropicInputs(raw: readonly JsonObject[]): string[] {
  const open = new Map<unknown, number>()
  const inputs: string[] = []
  for (const { type, index, content_block: block, delta } of raw) {
    if (type === 'content_block_start') {
      open.delete(index)
      if (/tool_use$/.test(String((block as JsonObject).type))) open.set(index, inputs.push('') - 1)
    }
    const at = open.get(index)
    const { partial_json: piece } = (delta ?? {}) as JsonObject
    if (at !== undefined && typeof piece === 'string') inputs[at] += piece
  }
  return inputs
}

function hasEmptyAnthropicCall(raw: readonly JsonObject[]): boolean {
  if (raw.some(({ type }) => type === 'message_start'))
    return anthropicInputs(raw).some((one) => /^(?:\{\})?$/.test(one))
  return havingField(raw, 'input').some(({ type, input }) => type === 'tool_use' && JSON.stringify(input) === '{}')
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

// ---- Gemini -------------------------------------------------------------------------------------

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

const gemini: Claims = {
  features: {
    ...common,
    text: geminiText,
    usage: hasField('usageMetadata'),
    'max-tokens': fieldIs('finishReason', 'MAX_TOKENS'),
    'content-filter': answer(
      /"finishReason":"(?:SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_SAFETY)"|"blockReason"/,
    ),
    'prompt-blocked': hasField('blockReason'),
    'tool-call': hasField('functionCall'),
    'text-and-tool': all(hasField('functionCall'), geminiText),
    'no-text': not(any(geminiText, hasField('functionCall'), hasField('error'))),
    'parallel-tool-calls': two(geminiNames),
    'same-tool-twice': sameTwo(geminiNames),
    'tool-no-args': some(
      'functionCall',
      ({ functionCall }) => Object.keys((functionCall as { args?: object }).args ?? {}).length === 0,
    ),
    reasoning: part('text', ({ thought }) => thought === true),
    'thought-signature': hasField('thoughtSignature'),
    'usage-reasoning': detail('thoughtsTokenCount'),
    'usage-cached': detail('cachedContentTokenCount'),
    'usage-server-tools': hasField('toolUsePromptTokenCount'),
    error: framing(/"error":\s*\{/),
    'error-midstream': all(isStream, framing(/"error":\s*\{/)),
    truncated: all(isStream, not(any(hasField('finishReason'), hasField('blockReason'), hasField('error')))),
    'server-tool': any(hasField('executableCode'), hasField('groundingMetadata'), hasField('urlContextMetadata')),
    'code-execution': hasField('executableCode'),
    grounding: hasField('groundingMetadata'),
    'web-search': hasField('webSearchQueries'),
    'web-fetch': hasField('urlContextMetadata'),
    maps: answer(/"maps":\{/),
    citations: any(hasField('citationMetadata'), hasField('groundingSupports')),
    'image-output': part('inlineData', () => true),
    'system-prompt': asked(/"system_?[iI]nstruction":/),
    'tools-declared': asked(/"tools":\[\{/),
    'tool-choice': asked(/"(?:toolConfig|tool_config)":\{/),
    'tool-result-input': asked(/"function_?[rR]esponse":/),
    'reasoning-replay': asked(/"thought(?:S|_s)ignature":|"thought":true/),
    'structured-output': asked(/"response_?[mM]ime_?[tT]ype":"application\/json"/),
    'stop-sequences-param': asked(/"stop_?[sS]equences":\["/),
    'image-input': asked(/"mime_?[tT]ype":"image\//),
    'document-input': asked(/"mime_?[tT]ype":"application\/pdf"/),
    'audio-input': asked(/"mime_?[tT]ype":"audio\//),
  },
  quirks: {
    'sse-crlf': framing(/\r\n/),
    'sse-stray-line': all(({ one }) => one.kind === 'sse', framing(/^[{[]/m)),
    'stream-as-json-array': framing(/^\[/),
    'no-candidates': ({ raw }) => havingField(raw, 'candidates').length === 0,
    'candidates-empty': fieldIs('candidates', []),
    'candidate-without-content': inCandidate(lacks('content')),
    'content-without-parts': some('content', ({ content }) => lacks('parts')(content as JsonObject)),
    'content-without-role': some('content', ({ content }) => lacks('role')(content as JsonObject)),
    'empty-part': ({ raw }) => havingField(raw, 'parts').some(({ parts }) => JSON.stringify(parts).includes('{}')),
    'empty-text-part': part('text', ({ text }) => text === ''),
    'no-finish-reason': not(hasField('finishReason')),
    'finish-repeated': twice(/"finishReason":/g),
    finishMessage: hasField('finishMessage'),
    'finish:RECITATION': fieldIs('finishReason', 'RECITATION'),
    'finish:NO_IMAGE': fieldIs('finishReason', 'NO_IMAGE'),
    'finish:OTHER': fieldIs('finishReason', 'OTHER'),
    'finish:FAKE_ENUM': fieldIs('finishReason', 'FAKE_ENUM'),
    'function-call-with-id': some('functionCall', ({ functionCall }) => !lacks('id')(functionCall as JsonObject)),
    'function-call-without-id': some('functionCall', ({ functionCall }) => lacks('id')(functionCall as JsonObject)),
    'function-call-without-args': some('functionCall', ({ functionCall }) => lacks('args')(functionCall as JsonObject)),
    'tool-args-absent': some('functionCall', ({ functionCall }) => lacks('args')(functionCall as JsonObject)),
    'empty-tool-name': any(
      fieldIs('name', ''),
      some('functionCall', ({ functionCall }) => lacks('name')(functionCall as JsonObject)),
    ),
    'partial-args': hasField('partialArgs'),
    'signature-on-text': part('thoughtSignature', ({ text }) => Boolean(text)),
    'signature-on-empty-text': part('thoughtSignature', ({ text }) => text === ''),
    'signature-on-function-call': part('thoughtSignature', ({ functionCall }) => functionCall !== undefined),
    'usage-without-candidates-count': some('usageMetadata', ({ usageMetadata }) =>
      lacks('candidatesTokenCount')(usageMetadata as JsonObject),
    ),
  },
}

// ---- Gemini Interactions ------------------------------------------------------------------------

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
const event = (type: string): Check => fieldIs('event_type', type)
const status = (word: string): Check => fieldIs('status', word)

const geminiInteractions: Claims = {
  features: {
    ...common,
    text: interactionsText,
    usage: hasField('usage'),
    'usage-reasoning': detail('total_thought_tokens'),
    'usage-cached': detail('total_cached_tokens'),
    'usage-server-tools': detail('total_tool_use_tokens'),
    'max-tokens': status('incomplete'),
    'content-filter': all(status('failed'), fieldIs('code', 'prohibited_content')),
    'tool-call': hasType('function_call'),
    'text-and-tool': all(hasType('function_call'), interactionsText),
    'no-text': not(interactionsText),
    'parallel-tool-calls': two(interactionsNames),
    'same-tool-twice': sameTwo(interactionsNames),
    'tool-no-args': some('arguments', ({ type, arguments: given }) => type === 'function_call' && isEmpty(given)),
    reasoning: any(hasField('summary'), hasType('thought_summary')),
    'thought-signature': some('signature', ({ signature }) => signature !== ''),
    error: framing(/"error":\s*\{|"errors":\s*\[/),
    'error-midstream': all(isStream, framing(/"error":\s*\{/)),
    truncated: all(isStream, not(any(event('interaction.completed'), hasField('error')))),
    'server-tool': answer(/"type":"(?:google_search|code_execution|url_context|file_search|mcp_server_tool)_call"/),
    'web-search': hasType('google_search_call'),
    'code-execution': hasType('code_execution_call'),
    'web-fetch': hasType('url_context_call'),
    mcp: hasType('mcp_server_tool_call'),
    citations: hasField('annotations'),
    'image-output': says(({ type }) => type === 'image'),
    'video-output': says(({ type }) => type === 'video'),
    stateful: askedWhereKnown(/"previous_interaction_id":/),
    background: asked(/"background":true/),
    agent: asked(/"agent":/),
    'system-prompt': asked(/"system_instruction":/),
    'tools-declared': asked(/"tools":\[\{/),
    'tool-choice': asked(/"tool_choice":/),
    'tool-result-input': asked(/"type":"function_result"/),
    'reasoning-replay': asked(/"type":"thought"/),
    'structured-output': askedWhereKnown(/"mime_type":"application\/json"/),
    'image-input': asked(/"type":"image"/),
    'video-input': askedWhereKnown(/"type":"video"/),
    'audio-input': asked(/"type":"audio"/),
    'document-input': asked(/"type":"document"/),
  },
  quirks: {
    'sse-crlf': framing(/\r\n/),
    'sse-comment': framing(/^:/m),
    'legacy-schema': any(hasField('outputs'), event('interaction.start')),
    'input-string': asked(/"input":"/),
    'input-content-object': asked(/"input":\{/),
    'input-content-array': asked(/"input":\[\{(?:"text":"[^"]*",)?"type":"text"/),
    'input-turns': asked(/"role":"user"/),
    'input-steps': asked(/"type":"user_input"/),
    'function-result-inside-user-input': asked(/"content":\[\{[^[]*"type":"function_result"/),
    'request-not-recorded': ({ asked }) => asked === '',
    'id-absent': not(hasField('id')),
    'id-empty': fieldIs('id', ''),
    'steps-absent': not(hasField('steps')),
    'steps-at-end': all(isStream, hasField('steps')),
    'user-input-in-answer': hasType('user_input'),
    'thought-without-summary': some('type', (object) => object.type === 'thought' && lacks('summary')(object)),
    'summary-image': answer(/"summary":\[.*"type":"image"/),
    'signature-empty': fieldIs('signature', ''),
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
    'answer-before-server-tool': answer(/"type":"text"[\s\S]*"type":"google_search_call"/),
    'media-in-one-delta': some('delta', ({ delta }) => /^(?:image|video)$/.test(String((delta as JsonObject).type))),
    'text-after-media': answer(/"type":"image"[\s\S]*"text":/),
    'output-error': some('error', ({ type }) => type === 'model_output'),
    'error-code-string': some('code', ({ code }) => typeof code === 'string'),
    'error-array': framing(/^data: \[\{/m),
    'error-empty': some('event_type', ({ event_type: type, error }) => type === 'error' && isEmpty(error ?? {})),
    'event-id': hasField('event_id'),
    'event-metadata': hasField('metadata'),
    'event-unknown': event('interaction.paused'),
    'event:checkpoint': some('continuation_token', ({ event_type: type }) => type === 'interaction.status_update'),
    'delta-unknown': hasType('hologram'),
    'step-unknown': hasType('quantum_call'),
    'index-gap': ({ raw }) => {
      const indices = new Set(havingField(raw, 'step').map(({ index }) => Number(index)))
      return Math.max(...indices) >= indices.size
    },
    'annotation:url_citation': hasType('url_citation'),
    'annotation:file_citation': hasType('file_citation'),
    ...Object.fromEntries(
      [
        ...['google_search_call', 'google_search_result', 'code_execution_call', 'code_execution_result'],
        ...['mcp_server_tool_call', 'text_annotation_delta'],
      ].map((type) => [`delta:${type}`, some('delta', ({ delta }) => (delta as JsonObject).type === type)]),
    ),
    ...Object.fromEntries(
      [
        ...['requires_action', 'incomplete', 'in_progress', 'failed', 'cancelled', 'budget_exceeded'],
        'requires_continuation',
      ].map((word) => [`status:${word}`, status(word)]),
    ),
    ...Object.fromEntries(
      ['raw_prompt_token', 'model_invocation_token_counts', 'non_grounding_model_invocation_token_counts'].map(
        (name) => [`usage-extra:${name}`, hasField(name)],
      ),
    ),
  },
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** The calls of messages and deltas, on three wires; one of them has a call by itself in its deltas. */
const toolCalls = (raw: readonly JsonObject[]) =>
  havingField(raw, 'tool_calls').flatMap(({ tool_calls: calls }) => [calls ?? []].flat() as JsonObject[])

// ---- Ollama -------------------------------------------------------------------------------------

const ollamaNames: List = (raw) => toolCalls(raw).map((call) => (call.function as JsonObject).name)
const ollamaTool = (is: (call: { id?: string; function: JsonObject }) => boolean): Check =>
  some('tool_calls', ({ tool_calls: calls }) =>
    ((calls ?? []) as unknown as { id?: string; function: JsonObject }[]).some(is),
  )

const ollama: Claims = {
  features: {
    ...common,
    text: some('content', ({ content }) => content !== ''),
    usage: any(hasField('prompt_eval_count'), hasField('eval_count')),
    'max-tokens': fieldIs('done_reason', 'length'),
    'tool-call': hasField('tool_calls'),
    'text-and-tool': all(
      hasField('tool_calls'),
      some('content', ({ content }) => content !== ''),
    ),
    'parallel-tool-calls': two(ollamaNames),
    'same-tool-twice': sameTwo(ollamaNames),
    'tool-no-args': ollamaTool(({ function: { arguments: args = {} } }) => Object.keys(args as object).length === 0),
    reasoning: some('thinking', ({ thinking }) => thinking !== ''),
    error: all(isFailed, hasField('error')),
    'error-midstream': all(isStream, hasField('error')),
    'system-prompt': asked(/"role":"system"/),
    'tools-declared': asked(/"tools":\[\{/),
    'tool-result-input': asked(/"role":"tool"/),
    'reasoning-replay': asked(/"thinking":"/),
    'structured-output': asked(/"format":(?:\{|"json")/),
    'stop-sequences-param': asked(/"stop":\["/),
    'image-input': asked(/"images":\["/),
  },
  quirks: {
    'ollama-tool-id': ollamaTool(({ id }) => id !== undefined),
    'ollama-tool-index': ollamaTool((call) => call.function.index !== undefined),
    'tool-args-object': ollamaTool((call) => typeof call.function.arguments === 'object'),
    'tool-args-absent': ollamaTool((call) => (call.function.arguments ?? null) === null),
    'tool-calls-on-done-chunk': ({ raw }) =>
      raw.some(({ done, message }) => done === true && havingField(message, 'tool_calls').length > 0),
    'tool-calls-with-finish:stop': all(hasField('tool_calls'), fieldIs('done_reason', 'stop')),
    'several-tool-calls-in-one-chunk': some(
      'tool_calls',
      ({ tool_calls: calls }) => ((calls ?? []) as unknown[]).length > 1,
    ),
    'content-and-tool-in-one-chunk': some('tool_calls', ({ content }) => Boolean(content)),
    'no-prompt_eval_count': not(hasField('prompt_eval_count')),
  },
}

// ---- Cohere -------------------------------------------------------------------------------------

const cohereNames: List = (raw) =>
  toolCalls(raw).flatMap((call) => (call.function as JsonObject | undefined)?.name ?? [])
const cohereText: Check = some('text', ({ type, text, start }) => text !== '' && type === 'text' && start === undefined)
const cohereSaid: Check = any(
  cohereText,
  some('content', ({ content }) => havingField(content, 'text').some(({ text }) => text !== '')),
)
/** The text of the arguments of each call: whole, or joined of its pieces. */
const cohereArguments = (raw: readonly JsonObject[]): string[] => {
  const texts: string[] = []
  for (const call of toolCalls(raw)) {
    const { name, arguments: text } = (call.function ?? {}) as JsonObject
    if (name !== undefined) texts.push(String(text))
    else texts.push(`${texts.pop()}${text}`)
  }
  return texts
}
const cohereCitation = (is: (citation: JsonObject) => boolean): Check => some('sources', is)

const cohere: Claims = {
  features: {
    ...common,
    text: cohereSaid,
    usage: hasField('billed_units'),
    'max-tokens': fieldIs('finish_reason', 'MAX_TOKENS'),
    'stop-sequence': fieldIs('finish_reason', 'STOP_SEQUENCE'),
    'tool-call': hasField('arguments'),
    'text-and-tool': all(hasField('arguments'), cohereSaid),
    'tool-plan': some('tool_plan', (one) => one.tool_plan !== ''),
    'no-text': not(cohereSaid),
    'parallel-tool-calls': two(cohereNames),
    'same-tool-twice': sameTwo(cohereNames),
    'tool-no-args': ({ raw }) => cohereArguments(raw).some((text) => /^(?:\{\}|null)?$/.test(text)),
    reasoning: some('thinking', ({ thinking }) => thinking !== ''),
    'usage-reasoning': hasField('reasoning_tokens'),
    'usage-cached': hasField('cached_tokens'),
    citations: hasField('sources'),
    error: any(isFailed, hasField('error')),
    'error-midstream': all(isStream, hasField('error')),
    'system-prompt': asked(/"role":"system"/),
    'tools-declared': asked(/"tools":\[\{/),
    'tool-choice': asked(/"tool_choice":"/),
    'tool-result-input': asked(/"role":"tool"/),
    'document-in-tool-result': asked(/"type":"document"/),
    'document-input': asked(/"documents":\[[^\]]/),
    'reasoning-replay': asked(/"type":"thinking"/),
    'thinking-param': asked(/"thinking":\{/),
    'structured-output': asked(/"response_format":\{/),
    'stop-sequences-param': asked(/"stop_sequences":\["/),
    'image-input': asked(/"type":"image_url"/),
  },
  quirks: {
    'cache-read': detail('cached_tokens'),
    'citation-without-content_index': cohereCitation(lacks('content_index')),
    'citation:TEXT_CONTENT': cohereCitation(({ type }) => type === 'TEXT_CONTENT'),
    'citation:THINKING_CONTENT': cohereCitation(({ type }) => type === 'THINKING_CONTENT'),
    'citation-behind-content': ({ raw }) => {
      const types = raw.map(({ type }) => type)
      return types.indexOf('citation-start') > types.indexOf('content-end')
    },
    'offsets-in-code-points': all(answer(/[\ud800-\udfff]/), hasField('sources')),
    'source:document': answer(/"sources":\[.*"type":"document"/),
    'source:tool': answer(/"type":"tool","id"/),
    'content:unknown': hasType('sketch_from_next_year'),
    'content-absent': all(not(isStream), some('role', lacks('content'))),
    'content-string': asked(/"content":"/),
    'content-null-or-absent:assistant': asked(/"role":"assistant"(?:,"content":null|,"tool_(?:plan|calls)")/),
    'documents-empty': asked(/"documents":\[\]/),
    'done-marker': framing(/^data: ?\[DONE\]/m),
    'sse-comment': framing(/^:/m),
    'sse-last-event-unterminated': all(isStream, framing(/[^\r\n][\r\n]?$/)),
    'tool-args-text:': all(isStream, ({ raw }) => cohereArguments(raw).includes('')),
    'tool-args-text:null': ({ raw }) => cohereArguments(raw).includes('null'),
    'tool-args-in-start': some('name', (one) => Boolean(one.arguments)),
    'tool-call-without-deltas': all(isStream, ({ raw }) => cohereArguments(raw).includes('')),
    'usage-image-tokens': detail('image_tokens'),
  },
}

// ---- Chat Completions ---------------------------------------------------------------------------

/** The calls of an answer by their name and the text of their arguments, pieces joined: by index, else by id, else to the last. */
function chatCalls(raw: readonly JsonObject[]): { name: string; text: string }[] {
  const calls = new Map<unknown, { name: string; text: string }>()
  let key: unknown
  for (const call of toolCalls(raw)) {
    key = call.index ?? (call.id || key)
    const { name, arguments: text } = (call.function ?? {}) as JsonObject
    const known = calls.get(key) ?? { name: '', text: '' }
    calls.set(key, { name: known.name || String(name ?? ''), text: known.text + String(text ?? '') })
  }
  return [...calls.values()]
}
const chatNames: List = (raw) => chatCalls(raw).map(({ name }) => name)
const chatTool =
  (is: (call: JsonObject, own: JsonObject) => boolean): Check =>
  ({ raw }) =>
    toolCalls(raw).some((call) => is(call, (call.function ?? {}) as JsonObject))
/** A later piece of a call: one that has pieces of arguments, and none of its kind begins there. */
const laterPiece =
  (is: (call: JsonObject, own: JsonObject) => boolean): Check =>
  ({ raw }) => {
    const seen = new Set<unknown>()
    return toolCalls(raw).some((call) => {
      const isLater = seen.has(call.index)
      seen.add(call.index)
      return isLater && is(call, (call.function ?? {}) as JsonObject)
    })
  }
const chunk = (is: (chunk: JsonObject, choice: JsonObject, delta: JsonObject) => boolean): Check =>
  all(isStream, ({ raw }) =>
    raw.some((one) => {
      const [choice = {}] = (one.choices ?? []) as JsonObject[]
      return is(one, choice, (choice.delta ?? {}) as JsonObject)
    }),
  )
const saysText = ({ content }: JsonObject) => (Array.isArray(content) ? content.length > 0 : Boolean(content))
const chatText: Check = any(
  some('content', ({ content, role }) => typeof content === 'string' && content !== '' && role !== 'user'),
  answer(/"type":"text","text":"[^"]/),
)

const openaiChat: Claims = {
  features: {
    ...common,
    text: chatText,
    usage: any(some('usage', ({ usage }) => Boolean(usage))),
    'max-tokens': fieldIs('finish_reason', 'length'),
    'tool-call': chatTool(() => true),
    'text-and-tool': all(
      chatTool(() => true),
      chatText,
    ),
    'no-text': not(
      any(
        chatText,
        chatTool(() => true),
        hasField('error'),
      ),
    ),
    'parallel-tool-calls': two(chatNames),
    'same-tool-twice': sameTwo(chatNames),
    'tool-no-args': ({ raw }) => chatCalls(raw).some(({ text }) => /^(?:\{\})?$/.test(text)),
    'legacy-function-call': hasField('function_call'),
    reasoning: any(
      some('reasoning_content', (one) => Boolean(one.reasoning_content)),
      some('reasoning', (one) => Boolean(one.reasoning)),
      answer(/"type":"thinking"/),
    ),
    'reasoning-signature': hasField('signature'),
    'reasoning-encrypted': hasType('reasoning.encrypted'),
    'usage-reasoning': detail('reasoning_tokens'),
    'usage-cached': any(detail('cached_tokens'), detail('prompt_cache_hit_tokens'), detail('num_cached_tokens')),
    refusal: some('refusal', ({ refusal }) => Boolean(refusal)),
    'content-filter': fieldIs('finish_reason', 'content_filter'),
    error: any(hasField('error'), hasField('errors'), hasField('internalCode')),
    logprobs: some('logprobs', ({ logprobs }) => Boolean(logprobs)),
    'multi-choice': some('index', (one) => one.index === 1 && ('delta' in one || 'message' in one)),
    citations: any(hasField('url_citation'), hasField('citations')),
    'web-search': any(hasField('search_results'), hasField('citations')),
    'system-prompt': asked(/"role":"(?:system|developer)"/),
    'tools-declared': asked(/"(?:tools|functions)":\[\{/),
    'tool-choice': asked(/"(?:tool_choice|function_call)":/),
    'tool-result-input': asked(/"role":"(?:tool|function)"/),
    'reasoning-replay': asked(/"reasoning(?:_content|_details)?":["[]/),
    'structured-output': asked(/"response_format":\{.*"json_(?:schema|object)"/),
    'stop-sequences-param': asked(/"stop":["[]/),
    'image-input': asked(/"type":"image_url"/),
    'document-input': asked(/"type":"file"/),
    'audio-input': asked(/"type":"input_audio"/),
    'cache-control': asked(/"cache_control":\{/),
  },
  quirks: {
    'azure:content_filter_results': hasField('content_filter_results'),
    'azure:prompt_filter_results': hasField('prompt_filter_results'),
    'content-empty-with-tool-calls': some(
      'tool_calls',
      ({ content, tool_calls: calls }) => content === '' && calls !== null,
    ),
    'chunk-without-choices': all(isStream, ({ raw }) => raw.some(lacks('choices'))),
    'content-is-object': some(
      'content',
      ({ content }) => typeof content === 'object' && !Array.isArray(content) && content !== null,
    ),
    'content-is-array': some('content', ({ content }) => Array.isArray(content)),
    'content-null': fieldIs('content', null),
    'empty-choices-chunk': chunk(({ choices, usage }) => (choices as unknown[])?.length === 0 && !usage),
    'empty-response-id': chunk(({ id }) => id === ''),
    'field:native_finish_reason': hasField('native_finish_reason'),
    'field:provider': hasField('provider'),
    'field:reasoning': some('reasoning', ({ reasoning }) => Boolean(reasoning)),
    'field:reasoning_content': some('reasoning_content', (one) => Boolean(one.reasoning_content)),
    'finish-repeated': all(isStream, twice(/"finish_reason":"/g)),
    'finish-with-content': chunk(
      (_, { finish_reason: reason }, delta) => Boolean(reason) && (saysText(delta) || Boolean(delta.tool_calls)),
    ),
    'finish:eos': fieldIs('finish_reason', 'eos'),
    'native-frames': all(hasField('response'), not(hasField('choices'))),
    'missing-tool-index': all(isStream, chatTool(lacks('index'))),
    'no-finish-reason': all(isStream, not(some('finish_reason', (one) => Boolean(one.finish_reason)))),
    'obfuscation-padding': hasField('obfuscation'),
    'reasoning_details:reasoning.encrypted': hasType('reasoning.encrypted'),
    'reasoning_details:reasoning.summary': hasType('reasoning.summary'),
    'reasoning_details:reasoning.text': hasType('reasoning.text'),
    'role-on-every-chunk': ({ raw }) => {
      const deltas = havingField(raw, 'delta').filter(({ delta }) => delta !== null)
      return deltas.length > 2 && deltas.every(({ delta }) => Object.hasOwn(delta as JsonObject, 'role'))
    },
    'several-tool-calls-in-one-chunk': chunk(
      (_, __, { tool_calls: calls }) => Array.isArray(calls) && calls.length > 1,
    ),
    'sse-comment': framing(/^:/m),
    'sse-stray-line': all(isStream, framing(/^(?!data:|event:|id:|retry:|:)./m)),
    'tool-args-absent': chatTool((_, own) => (own.arguments ?? null) === null),
    'tool-args-invalid-json': ({ raw }) => chatCalls(raw).some(({ text }) => text !== '' && !isJson(text)),
    'tool-calls-with-finish:length': all(
      chatTool(() => true),
      fieldIs('finish_reason', 'length'),
    ),
    'tool-calls-with-finish:stop': all(
      chatTool(() => true),
      fieldIs('finish_reason', 'stop'),
    ),
    'tool-id-empty-in-deltas': laterPiece(({ id }) => id === ''),
    'tool-id-null-in-deltas': laterPiece(({ id }) => id === null),
    'tool-id-repeated-in-deltas': laterPiece(({ id }) => Boolean(id)),
    'tool-index-in-message': all(
      not(isStream),
      chatTool(({ index }) => index !== undefined),
    ),
    'tool-index-not-from-zero': all(isStream, ({ raw }) => Number(toolCalls(raw)[0]?.index) > 0),
    'tool-name-empty-in-deltas': chatTool((_, own) => own.name === ''),
    'tool-name-null-in-deltas': chatTool((_, own) => own.name === null),
    'tool-name-repeated-in-deltas': laterPiece((_, own) => Boolean(own.name)),
    'tool-type-absent': chatTool((call, own) => Boolean(own.name) && lacks('type')(call)),
    'tool_calls-empty-array': fieldIs('tool_calls', []),
    'tool_calls-null': fieldIs('tool_calls', null),
    'usage-cost': hasField('cost'),
    'usage-in-x_groq': hasField('x_groq'),
    'usage-on-content-chunk': chunk(
      ({ usage }, { finish_reason: reason }, delta) => Boolean(usage) && !reason && Object.keys(delta).length > 0,
    ),
    'usage-on-finish-chunk': chunk(
      ({ usage, x_groq: groq }, { finish_reason: reason }) =>
        Boolean(reason) && Boolean(usage ?? (groq as JsonObject | undefined)?.usage),
    ),
    'usage-only-chunk': chunk(({ usage, choices }) => Boolean(usage) && (choices as unknown[])?.length === 0),
    'whole-tool-call-in-one-delta': all(
      isStream,
      chatTool(({ id }, own) => Boolean(id && own.name) && own.arguments !== ''),
    ),
  },
}

// ---- Responses ----------------------------------------------------------------------------------

const responsesNames: List = (raw) => {
  const items = raw.flatMap(({ type, item, output }) => (type === 'response.output_item.done' ? item : output) ?? [])
  return (items as JsonObject[]).flatMap(({ type, name }) => (type === 'function_call' ? [name] : []))
}
const hasResponsesText: Check = any(
  some('text', ({ type, text }) => type === 'output_text' && text !== ''),
  hasType('response.output_text.delta'),
)

const openaiResponses: Claims = {
  features: {
    ...common,
    text: hasResponsesText,
    usage: some('usage', ({ usage }) => Boolean(usage)),
    'max-tokens': fieldIs('incomplete_details', { reason: 'max_output_tokens' }),
    'tool-call': any(hasType('function_call'), hasType('custom_tool_call')),
    'text-and-tool': all(hasType('function_call'), hasResponsesText),
    'no-text': not(
      any(
        hasResponsesText,
        hasType('function_call'),
        some('error', ({ error }) => error !== null),
      ),
    ),
    'parallel-tool-calls': two(responsesNames),
    'same-tool-twice': sameTwo(responsesNames),
    'tool-no-args': some('arguments', (one) => one.type === 'function_call' && one.arguments === '{}'),
    'custom-tool': hasType('custom_tool_call'),
    reasoning: any(hasType('summary_text'), hasType('reasoning_text')),
    'reasoning-item': hasType('reasoning'),
    'reasoning-summary': hasType('summary_text'),
    'reasoning-content': hasType('reasoning_text'),
    'reasoning-encrypted': some('encrypted_content', (one) => Boolean(one.encrypted_content)),
    'usage-reasoning': detail('reasoning_tokens'),
    'usage-cached': detail('cached_tokens'),
    phase: hasField('phase'),
    logprobs: some('logprobs', ({ logprobs }) => Array.isArray(logprobs) && logprobs.length > 0),
    refusal: hasType('refusal'),
    error: some('error', ({ error }) => error !== null),
    'error-midstream': all(isStream, hasType('error')),
    'server-tool': answer(
      /"type":"(?:web_search|file_search|code_interpreter|image_generation|mcp|tool_search|shell|custom_tool|x_search|program|apply_patch)_?(?:call|list_tools|approval_request|output)?/,
    ),
    'web-search': hasType('web_search_call'),
    'file-search': hasType('file_search_call'),
    'code-execution': hasType('code_interpreter_call'),
    'image-generation': hasType('image_generation_call'),
    'image-output': some('result', ({ type, result }) => type === 'image_generation_call' && Boolean(result)),
    'x-search': answer(/"x_(?:\w+_)?search/),
    mcp: answer(/"type":"mcp_/),
    citations: answer(/"type":"(?:url|file|container_file)_citation"/),
    'system-prompt': asked(/"instructions":"|"role":"(?:system|developer)"/),
    'tools-declared': asked(/"tools":\[\{/),
    'tool-choice': asked(/"tool_choice":["{]/),
    'tool-result-input': asked(/"type":"(?:function|custom_tool)_call_output"/),
    'reasoning-replay': asked(/"type":"reasoning"/),
    'structured-output': asked(/"format":\{/),
    'image-input': asked(/"type":"input_image"/),
    'document-input': asked(/"type":"input_file"/),
  },
  quirks: {
    'obfuscation-padding': hasField('obfuscation'),
    'no-sequence-number': all(isStream, not(hasField('sequence_number'))),
    'error-event-nested': some('error', ({ type, error }) => type === 'error' && typeof error === 'object'),
    'item-id-rotates': ({ raw }) => {
      const deltas = raw.filter(({ type }) => type === 'response.output_text.delta')
      return new Set(deltas.map((one) => one.item_id)).size > new Set(deltas.map((one) => one.output_index)).size
    },
    'args-without-deltas': all(
      isStream,
      hasType('response.function_call_arguments.done'),
      not(hasType('response.function_call_arguments.delta')),
    ),
    'done-marker': framing(/^data: ?\[DONE\]/m),
    'no-sse-event-names': all(isStream, not(framing(/^event:/m))),
    'sse-comment': framing(/^:/m),
    'usage-cost': hasField('cost'),
    'tool-namespace': some('namespace', ({ type }) => type === 'function_call'),
    'annotation:url_citation': hasType('url_citation'),
    'annotation:file_citation': hasType('file_citation'),
    'annotation:container_file_citation': hasType('container_file_citation'),
    'item:apply_patch_call': hasType('apply_patch_call'),
    'item:compaction': hasType('compaction'),
    'item:mcp_approval_request': hasType('mcp_approval_request'),
    'item:mcp_list_tools': hasType('mcp_list_tools'),
    'item:mcp_call': hasType('mcp_call'),
    'item:program': hasType('program'),
    'item:program_output': hasType('program_output'),
    'item:shell_call': hasType('shell_call'),
    'item:shell_call_output': hasType('shell_call_output'),
    'item:tool_search_call': hasType('tool_search_call'),
    'item:tool_search_output': hasType('tool_search_output'),
    'event:response.apply_patch_call_operation_diff.delta': hasType('response.apply_patch_call_operation_diff.delta'),
    'event:response.apply_patch_call_operation_diff.done': hasType('response.apply_patch_call_operation_diff.done'),
    'event:response.shell_call_command.added': hasType('response.shell_call_command.added'),
    'event:response.shell_call_command.delta': hasType('response.shell_call_command.delta'),
    'event:response.shell_call_command.done': hasType('response.shell_call_command.done'),
    'event:response.shell_call_output_content.delta': hasType('response.shell_call_output_content.delta'),
    'event:response.shell_call_output_content.done': hasType('response.shell_call_output_content.done'),
  },
}

/** Claims that recordings of a family may make. */
export const claims: Readonly<Record<string, Claims>> = {
  anthropic,
  gemini,
  'gemini-interactions': geminiInteractions,
  ollama,
  cohere,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
}
