/** Its provider behind a gateway, by hand from wire/anthropic.md §3, §4. */
import { proof, type Said } from '../../gateway/dialogue.ts'
import { codeOf, event, halves, type Json, list, type Speaker, textOf } from '../provider.ts'
import { key } from './server.ts'

function anthropicBlocks({ thought, text, calls = [] }: Said): Json[] {
  return [
    ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: proof }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
  ]
}
const anthropicHead = { id: 'msg_u1', type: 'message', role: 'assistant', model: 'claude-sonnet-5' }
export const provider: Speaker = {
  path: /^\/v1\/messages$/,
  hear({ messages, output_config }) {
    const turns = list(messages)
    const isPrompt = ({ role, content }: Json) =>
      role === 'user' && !list(content).some(({ type }) => type === 'tool_result')
    const last = turns.findLastIndex(isPrompt)
    const results = turns
      .slice(last)
      .flatMap(({ content }) => list(content).filter(({ type }) => type === 'tool_result'))
    return {
      prompt: textOf(turns[last]?.content),
      results: results.map(({ content }) => textOf(content)),
      hasProof: turns.some(({ content }) =>
        list(content).some(({ type, signature }) => type === 'thinking' && signature === proof),
      ),
      hasSchema: output_config?.format?.schema?.properties?.city !== undefined,
    }
  },
  whole: (said) => ({
    ...anthropicHead,
    content: anthropicBlocks(said),
    stop_reason: said.calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 7 },
  }),
  pieces(said) {
    const usage = { input_tokens: 11, output_tokens: 1 }
    const stop_reason = said.calls ? 'tool_use' : 'end_turn'
    return [
      {
        type: 'message_start',
        message: { ...anthropicHead, content: [], stop_reason: null, stop_sequence: null, usage },
      },
      { type: 'ping' },
      ...anthropicBlocks(said).flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: emptied(block) },
        ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ].map(event)
  },
  isStream: ({ body }) => body.stream === true,
  error: (status, message) => ({ type: 'error', error: { type: codeOf(status), message }, request_id: 'req_u1' }),
  errorPiece: (message) => event({ type: 'error', error: { type: 'overloaded_error', message } }),
  holdsKey: ({ headers }) => headers['x-api-key'] === key && headers['anthropic-version'] !== undefined,
}

function emptied(block: Json): Json {
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' }
  return block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} }
}

function deltasOf(block: Json): Json[] {
  if (block.type === 'text') return halves(block.text).map((text) => ({ type: 'text_delta', text }))
  if (block.type === 'tool_use') {
    return halves(JSON.stringify(block.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  }
  return [
    ...halves(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: block.signature },
  ]
}
