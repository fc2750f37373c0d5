/** The features and quirks that recordings of Anthropic claim, and how each is seen. */
import type { JsonObject } from '../../../src/core/messages.ts'
import { havingField } from '../../support/raw.ts'
import {
  all,
  any,
  type Check,
  claimsOf,
  detail,
  eachOf,
  isFailed,
  isJson,
  isStream,
  type List,
  not,
  repeats,
  some,
  twice,
} from '../claims.ts'

const anthropicNames: List = (raw) =>
  havingField(raw, 'input').flatMap(({ type, name }) => (type === 'tool_use' ? [name] : []))
const anthropicText: Check = some('text', ({ type, text }) => /^text/.test(String(type)) && text !== '')
const serverTool = (name: string): Check =>
  some('name', (object) => object.type === 'server_tool_use' && object.name === name)

export const claims = claimsOf({
  text: anthropicText,
  call: /"type":"tool_use"/,
  names: anthropicNames,
  features: {
    usage: /"usage":/,
    'max-tokens': /"stop_reason":"max_tokens"/,
    'no-text': not(any(anthropicText, /"type":"tool_use"/, /"type":"error"/)),
    'tool-no-args': ({ raw }) => hasEmptyAnthropicCall(raw),
    reasoning: any(/"type":"thinking"/, /"type":"redacted_thinking"/),
    'reasoning-signature': some('signature', ({ signature }) => signature !== ''),
    'reasoning-encrypted': /"type":"redacted_thinking"/,
    'redacted-thinking': /"type":"redacted_thinking"/,
    'usage-reasoning': detail('thinking_tokens'),
    'usage-cached': any(detail('cache_read_input_tokens'), detail('cache_creation_input_tokens')),
    'usage-server-tools': /"server_tool_use":/,
    refusal: /"stop_reason":"refusal"/,
    'stop-sequence': /"stop_reason":"stop_sequence"/,
    error: all(isFailed, /"error":/),
    'error-midstream': all(isStream, /"type":"error"/),
    'server-tool': any(/"type":"server_tool_use"/, /"type":"mcp_tool_use"/),
    'server-tool-error': /"type":"\w+_tool_result_error"/,
    'code-execution': /"name":"(?:bash_|text_editor_)?code_execution"/,
    'web-search': serverTool('web_search'),
    'web-fetch': serverTool('web_fetch'),
    'tool-search': /"name":"tool_search_tool/,
    mcp: /"type":"mcp_tool_use"/,
    'programmatic-tool-call': some('caller', ({ caller }) => (caller as JsonObject).type !== 'direct'),
    citations: /"cited_text"/,
    'system-prompt': { asked: /"system":/ },
    'tools-declared': { asked: /"tools":\[\{/ },
    'tool-choice': { asked: /"tool_choice":\{/ },
    'tool-result-input': { asked: /"type":"tool_result"/ },
    'reasoning-replay': { asked: /"type":"(?:redacted_)?thinking"/ },
    'structured-output': { asked: /"output_(?:config|format)":\{.*"json_schema"/ },
    'stop-sequences-param': { asked: /"stop_sequences":\["/ },
    'image-input': { asked: /"type":"image"/ },
    'document-input': { asked: /"type":"document"/ },
    'cache-control': { asked: /"cache_control":\{/ },
  },
  quirks: {
    ping: /"type":"ping"/,
    'sse-last-event-unterminated': all(isStream, { framing: /[^\r\n][\r\n]?$/ }),
    'duplicate-message_start': twice(/"type":"message_start"/g),
    'block-index-reused': ({ raw }) =>
      repeats(raw.flatMap(({ type, index }) => (type === 'content_block_start' ? [index] : []))),
    'content-empty': all(not(isStream), /"content":\[\]/),
    'block:compaction': /"type":"compaction"/,
    'delta:compaction_delta': /"type":"compaction_delta"/,
    'block:fallback': /"type":"fallback"/,
    'thinking-empty': some('thinking', ({ thinking, signature }) => thinking === '' && Boolean(signature)),
    'citation:web_search_result_location': /"type":"web_search_result_location"/,
    'input_json_delta-empty': /"partial_json":""/,
    'tool-args-invalid-json': ({ raw }) => anthropicInputs(raw).some((input) => input !== '' && !isJson(input)),
    'tool-input-delta-empty': ({ raw }) =>
      havingField(raw, 'partial_json').length > 0 && anthropicInputs(raw).includes(''),
    'tool-input-in-block-start': all(isStream, ({ raw }) =>
      havingField(raw, 'content_block').some(({ content_block: block }) => {
        const { type, input = {} } = block as { type: string; input?: object }
        return type === 'tool_use' && Object.keys(input).length > 0
      }),
    ),
    'tool-caller': /"caller":/,
    ...eachOf(
      'server_tool_use:',
      'advisor bash_code_execution code_execution text_editor_code_execution tool_search_tool_bm25 web_fetch web_search',
      serverTool,
    ),
    'input-tokens-in-message_delta': some(
      'usage',
      ({ type, usage }) => type === 'message_delta' && (usage as JsonObject).input_tokens !== undefined,
    ),
    'usage-iterations': /"iterations":/,
    stop_details: some('stop_details', ({ stop_details: details }) => details !== null),
    container: some('container', ({ container }) => container !== null),
  },
})

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
