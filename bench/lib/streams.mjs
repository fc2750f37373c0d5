/**
 * The streams that everything is measured on: for each wire some that were recorded, and some made up in the very form in which the
 * provider sends them now, with its padding, counters and repeated fields.
 *
 * @see test/support/corpus.ts for where the recordings are
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const corpusRoot = process.env.ISOGLOT_CORPUS ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'corpus')

/** Recordings by wire: one that is mostly text, one that is mostly tool calls. */
const recorded = {
  'openai-chat': {
    'recorded text': 'openai-chat/lingua-chat-completions-anthropic-cache-control-param-stream',
    'recorded calls': 'openai-chat/openllmetry-open-ai-function-calls-tools-streaming-parallel-0',
  },
  'openai-responses': {
    'recorded text': 'openai-responses/lingua-multimodal-request-stream',
    'recorded calls': 'openai-responses/lingua-tool-call-request-stream',
  },
  anthropic: {
    'recorded text': 'anthropic/openinference-anthropic-instrumentation-image-input-messages-with-stream',
    'recorded calls': 'anthropic/llm-anthropic-fixed-version-tool-chain-with-thinking-display-regression-0',
  },
  gemini: {
    'recorded text': 'gemini/firebase-googleai-streaming-success-citations',
    'recorded calls': 'gemini/vercel-google-stream-tool-call-arguments-stream',
  },
  ollama: {
    'recorded text': 'ollama/openllmetry-ollama-streaming-chat-legacy',
    'recorded calls': 'ollama/rig-streaming-tools-streaming-tools-smoke-0',
  },
}

export const wires = Object.keys(recorded)

/** The bytes of the recordings of a wire, by kind; none where there is no corpus. */
export function recordedStreams(wire) {
  const streams = {}
  for (const [kind, folder] of Object.entries(recorded[wire])) {
    const file = join(corpusRoot, folder, wire === 'ollama' ? 'response.ndjson' : 'response.sse')
    if (existsSync(file)) streams[kind] = new Uint8Array(readFileSync(file))
  }
  return streams
}

/** Fields that differ in every answer: ids, and the second in which they were made. */
const ownIds = /"(?:id|item_id|call_id|response_id|responseId)":\s*"[^"]{3,}"|"created(?:_at)?":\s*\d+/g

/** A recording as several answers in a row would be: with other ids in each, of the same length. */
export function variants(stream, count = 8) {
  const text = new TextDecoder().decode(stream)
  return Array.from({ length: count }, (_, at) => {
    const digits = String(100 + at)
    const other = text.replaceAll(ownIds, (field) => field.replace(/.{3}("?)$/, `${digits}$1`))
    return encoder.encode(other)
  })
}

// ---- made up ----------------------------------------------------------------------------------

const words = 'the quick brown fox said "no" to a lazy dog,\nand then ran — très vite — over 12 hills of code'.split(
  ' ',
)
const word = (at) => ` ${words[(at * 5) % words.length]}`
const padding = 'aB3xZ9kQ2mWp7LtY'
const pad = (at) => padding.slice(0, (at * 5) % 16)

/** The text of an answer, in this number of pieces. */
export const textPieces = (count) => Array.from({ length: count }, (_, at) => word(at))

/** The JSON text of a call's arguments, in this number of pieces of 4 to 8 characters. */
export function argumentPieces(count, seed = 0) {
  const body = Array.from({ length: count }, (_, at) => words[(at * 5 + seed) % words.length]).join(' ')
  const text = JSON.stringify({ path: `src/file-${seed}.ts`, lines: body })
  const size = Math.ceil(text.length / count)
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
}

/**
 * The content of the made-up streams: text, or pieces of each call, which come in turn.
 *
 * @typedef {{ readonly text?: readonly string[], readonly calls?: readonly (readonly string[])[] }} Content
 */

/** @type {Record<'text' | 'arguments' | 'parallel', (size: number) => Content>} */
export const contents = {
  text: (size) => ({ text: textPieces(size) }),
  arguments: (size) => ({ calls: [argumentPieces(size)] }),
  parallel: (size) => ({ calls: Array.from({ length: 64 }, (_, at) => argumentPieces(Math.ceil(size / 64), at)) }),
}

/** Pieces of calls in the order in which they come: one of each call in turn. */
function* inTurn(calls) {
  const longest = Math.max(...calls.map((pieces) => pieces.length))
  for (let at = 0; at < longest; at++) {
    for (const [index, pieces] of calls.entries()) if (at < pieces.length) yield [index, pieces[at], at === 0]
  }
}

const sse = (value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
const named = (value, space = '') => `event: ${value.type}\ndata: ${JSON.stringify(value).slice(0, -1)}${space}}\n\n`

const writers = {
  'openai-chat'({ text = [], calls = [] }) {
    let at = 0
    const chunk = (delta, finish = null) =>
      sse({
        id: 'chatcmpl-E3sxGcYGGtsJ7a2enASZGkm0eQbC8',
        object: 'chat.completion.chunk',
        created: 1784594938,
        model: 'gpt-5.6-terra',
        service_tier: 'default',
        system_fingerprint: null,
        choices: [{ index: 0, delta, finish_reason: finish }],
        obfuscation: pad(at++),
      })
    const lines = [chunk({ role: 'assistant', content: text.length > 0 ? '' : null, refusal: null })]
    for (const content of text) lines.push(chunk({ content }))
    for (const [index, piece, isFirst] of inTurn(calls)) {
      if (isFirst) {
        const named = { name: 'write_file', arguments: '' }
        lines.push(chunk({ tool_calls: [{ index, id: `call_${index}xYz`, type: 'function', function: named }] }))
      }
      lines.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
    }
    lines.push(chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'), sse('[DONE]'))
    return lines
  },

  'openai-responses'({ text = [], calls = [] }) {
    const lines = []
    const push = (type, fields) => lines.push(named({ type, sequence_number: lines.length, ...fields }))
    const response = { id: 'resp_68d0e02c8b1c8195', object: 'response', created_at: 1758519340, model: 'gpt-5.6-terra' }
    push('response.created', { response: { ...response, status: 'in_progress', output: [] } })
    const output = []
    if (text.length > 0) {
      const place = { item_id: 'msg_68d0e02f5e0c8195', output_index: 0, content_index: 0 }
      const item = { id: place.item_id, type: 'message', status: 'in_progress', content: [], role: 'assistant' }
      const part = { type: 'output_text', annotations: [], logprobs: [], text: '' }
      const whole = { ...part, text: text.join('') }
      push('response.output_item.added', { output_index: 0, item })
      push('response.content_part.added', { ...place, part })
      for (const delta of text) {
        push('response.output_text.delta', { ...place, delta, logprobs: [], obfuscation: pad(lines.length) })
      }
      push('response.output_text.done', { ...place, text: whole.text, logprobs: [] })
      push('response.content_part.done', { ...place, part: whole })
      output.push({ ...item, status: 'completed', content: [whole] })
      push('response.output_item.done', { output_index: 0, item: output[0] })
    }
    const items = calls.map((pieces, index) => ({
      id: `fc_68d0e02f5e0c8195${index}`,
      type: 'function_call',
      status: 'completed',
      arguments: pieces.join(''),
      call_id: `call_${index}xYz`,
      name: 'write_file',
    }))
    for (const [index, delta, isFirst] of inTurn(calls)) {
      const place = { item_id: items[index].id, output_index: index }
      if (isFirst) {
        const item = { ...items[index], status: 'in_progress', arguments: '' }
        push('response.output_item.added', { output_index: index, item })
      }
      push('response.function_call_arguments.delta', { ...place, delta, obfuscation: pad(lines.length) })
    }
    for (const [index, item] of items.entries()) {
      const place = { item_id: item.id, output_index: index }
      push('response.function_call_arguments.done', { ...place, arguments: item.arguments })
      push('response.output_item.done', { output_index: index, item })
      output.push(item)
    }
    const usage = { input_tokens: 20, output_tokens: 400, total_tokens: 420 }
    push('response.completed', { response: { ...response, status: 'completed', output, usage } })
    return lines
  },

  anthropic({ text = [], calls = [] }) {
    const lines = []
    const push = (value) => lines.push(named(value, ' '.repeat((lines.length * 5) % 16)))
    const usage = { input_tokens: 20, output_tokens: 1 }
    const message = { id: 'msg_01RiZf5w2bQ3qPCnAETmsdqt', type: 'message', role: 'assistant', content: [], usage }
    push({ type: 'message_start', message: { model: 'claude-sonnet-5', ...message, stop_reason: null } })
    const open = (index, content_block) => push({ type: 'content_block_start', index, content_block })
    const grow = (index, delta) => push({ type: 'content_block_delta', index, delta })
    if (text.length > 0) {
      open(0, { type: 'text', text: '' })
      for (const piece of text) grow(0, { type: 'text_delta', text: piece })
      push({ type: 'content_block_stop', index: 0 })
    }
    // Blocks follow one another on this wire.
    for (const [index, pieces] of calls.entries()) {
      open(index, { type: 'tool_use', id: `toolu_01${index}xYz`, name: 'write_file', input: {} })
      for (const partial_json of pieces) grow(index, { type: 'input_json_delta', partial_json })
      push({ type: 'content_block_stop', index })
    }
    const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
    push({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 400 } })
    push({ type: 'message_stop' })
    return lines
  },

  gemini({ text = [], calls = [] }) {
    const usageMetadata = { promptTokenCount: 20, totalTokenCount: 20 }
    const tail = { usageMetadata, modelVersion: 'gemini-3-pro', responseId: '2RNfabcWJ' }
    const chunk = (parts, more = {}) =>
      sse({ candidates: [{ content: { parts, role: 'model' }, ...more, index: 0 }], ...tail })
    const lines = text.map((piece) => chunk([{ text: piece }]))
    // Calls come whole, all at once or one a chunk: here, one a chunk.
    for (const pieces of calls) {
      lines.push(chunk([{ functionCall: { name: 'write_file', args: JSON.parse(pieces.join('')) } }]))
    }
    lines.push(chunk([{ text: '' }], { finishReason: 'STOP' }))
    return lines
  },

  ollama({ text = [], calls = [] }) {
    let at = 0
    const line = (message, more = {}) => {
      const created_at = `2026-08-04T19:59:${String(10 + (at % 50))}.${String(100000 + (at++ % 900000))}Z`
      const value = { model: 'qwen3:4b', created_at, message: { role: 'assistant', ...message }, done: false, ...more }
      return `${JSON.stringify(value)}\n`
    }
    const lines = text.map((content) => line({ content }))
    // Calls come whole, one a line.
    for (const [index, pieces] of calls.entries()) {
      const call = { index, name: 'write_file', arguments: JSON.parse(pieces.join('')) }
      lines.push(line({ content: '', tool_calls: [{ id: `call_${index}`, function: call }] }))
    }
    const figures = { total_duration: 1, load_duration: 1, prompt_eval_count: 20, eval_count: 400 }
    lines.push(line({ content: '' }, { done: true, done_reason: 'stop', ...figures }))
    return lines
  },
}

/** The events of a made-up stream of a wire, as text. */
export const writeEvents = (wire, content) => writers[wire](content)

// ---- cuts -------------------------------------------------------------------------------------

/** How a stream arrives: one event in each chunk, or this number of bytes in each chunk. */
export const cuts = { event: undefined, '1 KiB': 1024, '16 KiB': 16 * 1024 }

const encoder = new TextEncoder()

/** The chunks of a stream; `size` in bytes, else one event each. */
export function cutStream(text, size) {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text
  if (size === undefined) return eventsOf(new TextDecoder().decode(bytes)).map((event) => encoder.encode(event))
  const chunks = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size))
  return chunks
}

function eventsOf(text) {
  const end = text.includes('\n\n') || text.includes('\r\n\r\n') ? /(?<=\r?\n\r?\n)/ : /(?<=\n)/
  return text.split(end)
}
