/** The features and quirks that recordings of Anthropic claim, and how each is seen. */
import type { JsonObject } from '../../../src/core/messages.ts'
import { havingField } from '../../support/raw.ts'
import {
  all,
  answer,
  any,
  asked,
  type Check,
  type Claims,
  common,
  detail,
  fieldIs,
  framing,
  hasField,
  hasType,
  isFailed,
  isJson,
  isStream,
  type List,
  not,
  sameTwo,
  some,
  twice,
  two,
} from '../claims.ts'

const anthropicNames: List = (raw) =>
  havingField(raw, 'input').flatMap(({ type, name }) => (type === 'tool_use' ? [name] : []))
const anthropicText: Check = some('text', ({ type, text }) => /^text/.test(String(type)) && text !== '')
const serverTool = (name: string): Check =>
  some('name', (object) => object.type === 'server_tool_use' && object.name === name)

export const claims: Claims = {
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
