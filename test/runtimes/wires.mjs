/**
 * Answers of all five formats, written by hand from their documents: each as a stream and as a whole, and what both say.
 *
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 * @see https://ai.google.dev/api/generate-content
 * @see https://github.com/ollama/ollama/blob/main/docs/api.md
 */

/** One event for each value; of text, as it stands. */
export const sse = (...values) =>
  values.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`).join('')

/** Events that say their `type` in `event:` too. */
export const namedSse = (...events) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

const ndjson = (...values) => values.map((value) => `${JSON.stringify(value)}\n`).join('')

const unicode = 'Grüße, 世界 🌍 — “ok”\u2028\n\ttab'
const tokyo = { city: 'Tokyo' }
const oslo = { city: 'Ośło "N"', days: [1, 2.5, -3e2], nested: { a: null, b: true } }

// ---- Chat Completions ---------------------------------------------------------------------------

export const chatChunk = (delta, finish_reason = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-x',
  choices: [{ index: 0, delta, finish_reason }],
})
const chatUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const chatTail = { ...chatChunk({}), choices: [], usage: chatUsage }
export const chatCall = (index, id, name, args) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: args },
})
export const chatPiece = (index, args) => ({ index, function: { arguments: args } })
export const chatWhole = (message, finish_reason) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-x',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  usage: chatUsage,
})

// ---- Anthropic ------------------------------------------------------------------------------------

export const anthropicStart = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
}
export const anthropicBlock = (index, block, ...deltas) => [
  { type: 'content_block_start', index, content_block: block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
export const anthropicEnd = (stop_reason) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
]
const anthropicWhole = (content, stop_reason) => ({
  ...anthropicStart.message,
  content,
  stop_reason,
  usage: { input_tokens: 10, output_tokens: 5 },
})
const textDelta = (text) => ({ type: 'text_delta', text })
const jsonDelta = (partial_json) => ({ type: 'input_json_delta', partial_json })

// ---- Gemini ---------------------------------------------------------------------------------------

export const geminiChunk = (parts, more = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  modelVersion: 'gemini-x',
  responseId: 'r1',
})
const geminiUsage = { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 } }

// ---- Responses ------------------------------------------------------------------------------------

const responseOf = (status, output, more = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-x',
  status,
  output,
  ...more,
})
const responsesUsage = { usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } }
export const responsesCreated = { type: 'response.created', response: responseOf('in_progress', []) }
const numbered = (...events) => namedSse(...events.map((event, at) => ({ ...event, sequence_number: at })))

const responsesText = (text, output_index, pieces) => {
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' }
  const part = { type: 'output_text', text, annotations: [] }
  const at = { item_id: item.id, output_index, content_index: 0 }
  const whole = { ...item, content: [part] }
  const events = [
    { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
    { type: 'response.output_text.done', ...at, text },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index, item: whole },
  ]
  return { whole, events }
}
const responsesCall = (args, output_index, pieces) => {
  const item = { id: 'fc_1', type: 'function_call', call_id: 'call_a', name: 'get_weather', status: 'completed' }
  const at = { item_id: item.id, output_index }
  const whole = { ...item, arguments: args }
  const events = [
    { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', arguments: '' } },
    ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
    { type: 'response.function_call_arguments.done', ...at, arguments: args },
    { type: 'response.output_item.done', output_index, item: whole },
  ]
  return { whole, events }
}
const spokenItem = responsesText(unicode, 0, ['Grüße, 世', '界 🌍 — “ok”\u2028', '\n\ttab'])
const lookingItem = responsesText('Looking.', 0, ['Look', 'ing.'])
const callItem = responsesCall('{"city":"Tokyo"}', 1, ['{"city"', ':"Tok', 'yo"}'])

// ---- Ollama ---------------------------------------------------------------------------------------

const ollamaChunk = (message, more = { done: false }) => ({
  model: 'llama-x',
  created_at: '2026-11-01T00:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  ...more,
})
const ollamaEnd = (done_reason) => ({ done: true, done_reason, prompt_eval_count: 10, eval_count: 5 })
const ollamaCall = { function: { name: 'get_weather', arguments: tokyo } }

/** The usage that all answers share. */
const counted = [10, 5, 15]

export const wires = [
  {
    name: 'openai-chat: text in many scripts, figures at the end',
    format: 'openai-chat',
    stream: sse(
      chatChunk({ role: 'assistant', content: '' }),
      chatChunk({ content: 'Grüße, 世' }),
      chatChunk({ content: '界 🌍 — “ok”\u2028' }),
      chatChunk({ content: '\n\ttab' }),
      chatChunk({}, 'stop'),
      chatTail,
      '[DONE]',
    ),
    whole: chatWhole({ content: unicode }, 'stop'),
    says: { blocks: [['text', unicode]], stopReason: 'stop', usage: counted },
  },
  {
    name: 'openai-chat: two calls whose pieces alternate, behind text',
    format: 'openai-chat',
    stream: sse(
      chatChunk({ role: 'assistant', content: 'Looking.' }),
      chatChunk({ tool_calls: [chatCall(0, 'call_a', 'get_weather', '')] }),
      chatChunk({ tool_calls: [chatCall(1, 'call_b', 'get_weather', '')] }),
      chatChunk({ tool_calls: [chatPiece(0, '{"city":"To')] }),
      chatChunk({ tool_calls: [chatPiece(1, JSON.stringify(oslo).slice(0, 21))] }),
      chatChunk({ tool_calls: [chatPiece(0, 'kyo"}'), chatPiece(1, JSON.stringify(oslo).slice(21))] }),
      chatChunk({}, 'tool_calls'),
      chatTail,
      '[DONE]',
    ),
    whole: chatWhole(
      {
        content: 'Looking.',
        tool_calls: [
          chatCall(undefined, 'call_a', 'get_weather', '{"city":"Tokyo"}'),
          chatCall(undefined, 'call_b', 'get_weather', JSON.stringify(oslo)),
        ],
      },
      'tool_calls',
    ),
    says: {
      blocks: [
        ['text', 'Looking.'],
        ['tool_call', 'call_a', 'get_weather', tokyo],
        ['tool_call', 'call_b', 'get_weather', oslo],
      ],
      stopReason: 'tool_calls',
      usage: counted,
    },
  },
  {
    name: 'openai-chat: an answer that hit its length',
    format: 'openai-chat',
    stream: sse(
      chatChunk({ role: 'assistant', content: '' }),
      chatChunk({ content: 'Once upon' }),
      chatChunk({}, 'length'),
      chatTail,
      '[DONE]',
    ),
    whole: chatWhole({ content: 'Once upon' }, 'length'),
    says: { blocks: [['text', 'Once upon']], stopReason: 'length', usage: counted },
  },
  {
    name: 'anthropic: text in many scripts, with a ping between',
    format: 'anthropic',
    stream: namedSse(
      anthropicStart,
      { type: 'ping' },
      ...anthropicBlock(
        0,
        { type: 'text', text: '' },
        textDelta('Grüße, 世'),
        textDelta('界 🌍 — “ok”\u2028'),
        textDelta('\n\ttab'),
      ),
      ...anthropicEnd('end_turn'),
    ),
    whole: anthropicWhole([{ type: 'text', text: unicode }], 'end_turn'),
    says: { blocks: [['text', unicode]], stopReason: 'stop', usage: counted },
  },
  {
    name: 'anthropic: signed thinking, text and a call',
    format: 'anthropic',
    stream: namedSse(
      anthropicStart,
      ...anthropicBlock(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'Hm' },
        { type: 'thinking_delta', thinking: 'm.' },
        { type: 'signature_delta', signature: 'c2ln' },
      ),
      ...anthropicBlock(1, { type: 'text', text: '' }, textDelta('Looking.')),
      ...anthropicBlock(
        2,
        { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} },
        jsonDelta(''),
        jsonDelta('{"city"'),
        jsonDelta(': "Tokyo"}'),
      ),
      ...anthropicEnd('tool_use'),
    ),
    whole: anthropicWhole(
      [
        { type: 'thinking', thinking: 'Hmm.', signature: 'c2ln' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: tokyo },
      ],
      'tool_use',
    ),
    says: {
      blocks: [
        ['reasoning', 'Hmm.'],
        ['text', 'Looking.'],
        ['tool_call', 'toolu_1', 'get_weather', tokyo],
      ],
      stopReason: 'tool_calls',
      usage: counted,
    },
  },
  {
    name: 'anthropic: an answer that hit its length',
    format: 'anthropic',
    stream: namedSse(
      anthropicStart,
      ...anthropicBlock(0, { type: 'text', text: '' }, textDelta('Once upon')),
      ...anthropicEnd('max_tokens'),
    ),
    whole: anthropicWhole([{ type: 'text', text: 'Once upon' }], 'max_tokens'),
    says: { blocks: [['text', 'Once upon']], stopReason: 'length', usage: counted },
  },
  {
    name: 'gemini: text in many scripts, figures with the end',
    format: 'gemini',
    stream: sse(geminiChunk([{ text: 'Grüße, 世' }]), geminiChunk([{ text: '界 🌍 — “ok”\u2028' }]), {
      ...geminiChunk([{ text: '\n\ttab' }], { finishReason: 'STOP' }),
      ...geminiUsage,
    }),
    whole: { ...geminiChunk([{ text: unicode }], { finishReason: 'STOP' }), ...geminiUsage },
    says: { blocks: [['text', unicode]], stopReason: 'stop', usage: counted },
  },
  {
    name: 'gemini: a signed call and another, with ids of the provider',
    format: 'gemini',
    stream: sse(
      geminiChunk([{ text: 'Looking.' }]),
      geminiChunk([
        { functionCall: { id: 'f1', name: 'get_weather', args: tokyo }, thoughtSignature: 'c2ln' },
        { functionCall: { id: 'f2', name: 'get_weather', args: oslo } },
      ]),
      { ...geminiChunk([{ text: '' }], { finishReason: 'STOP' }), ...geminiUsage },
    ),
    whole: {
      ...geminiChunk(
        [
          { text: 'Looking.' },
          { functionCall: { id: 'f1', name: 'get_weather', args: tokyo }, thoughtSignature: 'c2ln' },
          { functionCall: { id: 'f2', name: 'get_weather', args: oslo } },
        ],
        { finishReason: 'STOP' },
      ),
      ...geminiUsage,
    },
    says: {
      blocks: [
        ['text', 'Looking.'],
        ['tool_call', 'f1', 'get_weather', tokyo],
        ['tool_call', 'f2', 'get_weather', oslo],
      ],
      stopReason: 'tool_calls',
      usage: counted,
    },
  },
  {
    name: 'openai-responses: text in many scripts, and no [DONE]',
    format: 'openai-responses',
    stream: numbered(responsesCreated, ...spokenItem.events, {
      type: 'response.completed',
      response: responseOf('completed', [spokenItem.whole], responsesUsage),
    }),
    whole: responseOf('completed', [spokenItem.whole], responsesUsage),
    says: { blocks: [['text', unicode]], stopReason: 'stop', usage: counted },
  },
  {
    name: 'openai-responses: text and a call',
    format: 'openai-responses',
    stream: numbered(responsesCreated, ...lookingItem.events, ...callItem.events, {
      type: 'response.completed',
      response: responseOf('completed', [lookingItem.whole, callItem.whole], responsesUsage),
    }),
    whole: responseOf('completed', [lookingItem.whole, callItem.whole], responsesUsage),
    says: {
      blocks: [
        ['text', 'Looking.'],
        ['tool_call', 'call_a', 'get_weather', tokyo],
      ],
      stopReason: 'tool_calls',
      usage: counted,
    },
  },
  {
    name: 'ollama: text in many scripts',
    format: 'ollama',
    stream: ndjson(
      ollamaChunk({ content: 'Grüße, 世' }),
      ollamaChunk({ content: '界 🌍 — “ok”\u2028' }),
      ollamaChunk({ content: '\n\ttab' }),
      ollamaChunk({}, ollamaEnd('stop')),
    ),
    whole: ollamaChunk({ content: unicode }, ollamaEnd('stop')),
    says: { blocks: [['text', unicode]], stopReason: 'stop', usage: counted },
  },
  {
    name: 'ollama: thinking and a call, which come whole and without an id',
    format: 'ollama',
    stream: ndjson(
      ollamaChunk({ thinking: 'Hm' }),
      ollamaChunk({ thinking: 'm.' }),
      ollamaChunk({ tool_calls: [ollamaCall] }),
      ollamaChunk({}, ollamaEnd('stop')),
    ),
    whole: ollamaChunk({ thinking: 'Hmm.', tool_calls: [ollamaCall] }, ollamaEnd('stop')),
    says: {
      blocks: [
        ['reasoning', 'Hmm.'],
        ['tool_call', 'ollama_0', 'get_weather', tokyo],
      ],
      stopReason: 'tool_calls',
      usage: counted,
    },
  },
]

/** The streams of a format that calls a tool, and of one that speaks: a round of tools needs both. */
export function roundOf(format) {
  const of = wires.filter((wire) => wire.format === format)
  const calls = of.find(({ says }) => says.stopReason === 'tool_calls')
  const speaks = of.find(({ says }) => says.stopReason === 'stop')
  return { calls, speaks }
}
