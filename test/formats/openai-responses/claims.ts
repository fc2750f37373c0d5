/** The features and quirks that recordings of Responses claim, and how each is seen. */
import type { JsonObject } from '../../../src/core/messages.ts'
import { all, any, type Check, claimsOf, detail, eachOf, isStream, type List, not, ofType, some } from '../claims.ts'

const responsesNames: List = (raw) => {
  const items = raw.flatMap(({ type, item, output }) => (type === 'response.output_item.done' ? item : output) ?? [])
  return (items as JsonObject[]).flatMap(({ type, name }) => (type === 'function_call' ? [name] : []))
}
const hasResponsesText: Check = any(
  some('text', ({ type, text }) => type === 'output_text' && text !== ''),
  /"type":"response\.output_text\.delta"/,
)

export const claims = claimsOf({
  text: hasResponsesText,
  call: /"type":"function_call"/,
  names: responsesNames,
  features: {
    usage: some('usage', ({ usage }) => Boolean(usage)),
    'max-tokens': /"incomplete_details":\{"reason":"max_output_tokens"\}/,
    'tool-call': any(/"type":"function_call"/, /"type":"custom_tool_call"/),
    'no-text': not(
      any(
        hasResponsesText,
        /"type":"function_call"/,
        some('error', ({ error }) => error !== null),
      ),
    ),
    'tool-no-args': some('arguments', (one) => one.type === 'function_call' && one.arguments === '{}'),
    'custom-tool': /"type":"custom_tool_call"/,
    reasoning: any(/"type":"summary_text"/, /"type":"reasoning_text"/),
    'reasoning-item': /"type":"reasoning"/,
    'reasoning-summary': /"type":"summary_text"/,
    'reasoning-content': /"type":"reasoning_text"/,
    'reasoning-encrypted': some('encrypted_content', (one) => Boolean(one.encrypted_content)),
    'usage-reasoning': detail('reasoning_tokens'),
    'usage-cached': detail('cached_tokens'),
    phase: /"phase":/,
    logprobs: some('logprobs', ({ logprobs }) => Array.isArray(logprobs) && logprobs.length > 0),
    refusal: /"type":"refusal"/,
    error: some('error', ({ error }) => error !== null),
    'error-midstream': all(isStream, /"type":"error"/),
    'server-tool':
      /"type":"(?:web_search|file_search|code_interpreter|image_generation|mcp|tool_search|shell|custom_tool|x_search|program|apply_patch)_?(?:call|list_tools|approval_request|output)?/,
    'web-search': /"type":"web_search_call"/,
    'file-search': /"type":"file_search_call"/,
    'code-execution': /"type":"code_interpreter_call"/,
    'image-generation': /"type":"image_generation_call"/,
    'image-output': some('result', ({ type, result }) => type === 'image_generation_call' && Boolean(result)),
    'x-search': /"x_(?:\w+_)?search/,
    mcp: /"type":"mcp_/,
    citations: /"type":"(?:url|file|container_file)_citation"/,
    'system-prompt': { asked: /"instructions":"|"role":"(?:system|developer)"/ },
    'tools-declared': { asked: /"tools":\[\{/ },
    'tool-choice': { asked: /"tool_choice":["{]/ },
    'tool-result-input': { asked: /"type":"(?:function|custom_tool)_call_output"/ },
    'reasoning-replay': { asked: /"type":"reasoning"/ },
    'structured-output': { asked: /"format":\{/ },
    'image-input': { asked: /"type":"input_image"/ },
    'document-input': { asked: /"type":"input_file"/ },
  },
  quirks: {
    'obfuscation-padding': /"obfuscation":/,
    'no-sequence-number': all(isStream, not(/"sequence_number":/)),
    'error-event-nested': some('error', ({ type, error }) => type === 'error' && typeof error === 'object'),
    'item-id-rotates': ({ raw }) => {
      const deltas = raw.filter(({ type }) => type === 'response.output_text.delta')
      return new Set(deltas.map((one) => one.item_id)).size > new Set(deltas.map((one) => one.output_index)).size
    },
    'args-without-deltas': all(
      isStream,
      /"type":"response\.function_call_arguments\.done"/,
      not(/"type":"response\.function_call_arguments\.delta"/),
    ),
    'done-marker': { framing: /^data: ?\[DONE\]/m },
    'no-sse-event-names': all(isStream, not({ framing: /^event:/m })),
    'sse-comment': { framing: /^:/m },
    'usage-cost': /"cost":/,
    'tool-namespace': some('namespace', ({ type }) => type === 'function_call'),
    ...eachOf('annotation:', 'url_citation file_citation container_file_citation', ofType),
    ...eachOf('item:', 'apply_patch_call compaction mcp_approval_request mcp_list_tools mcp_call program', ofType),
    ...eachOf('item:', 'program_output shell_call shell_call_output tool_search_call tool_search_output', ofType),
    ...eachOf(
      'event:',
      'response.apply_patch_call_operation_diff.delta response.apply_patch_call_operation_diff.done',
      ofType,
    ),
    ...eachOf(
      'event:response.',
      'shell_call_command.added shell_call_command.delta shell_call_command.done ' +
        'shell_call_output_content.delta shell_call_output_content.done',
      (event) => ofType(`response.${event}`),
    ),
  },
})
