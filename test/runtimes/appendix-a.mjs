/** Streams in which libraries merged, lost, mended or ran the wrong call, and what each comes to. */
import { canRunTools } from '../../dist/messages.js'
import { compatible, createClientCodec } from '../../dist/openai-chat.js'
import { equal, ok } from './assert.mjs'
import { codecs, decodeText, summary } from './decode.mjs'
import {
  anthropicBlock,
  anthropicEnd,
  anthropicStart,
  chatCall,
  chatChunk,
  chatPiece,
  geminiChunk,
  namedSse,
  responsesCreated,
  sse,
} from './wires.mjs'

const chat = createClientCodec(compatible)
const oslo = ['tool_call', 'call_a', 'weather', { city: 'Oslo' }]
const rome = ['tool_call', 'call_b', 'weather', { city: 'Rome' }]
const [osloText, romeText] = ['{"city":"Oslo"}', '{"city":"Rome"}']

const calls = (...tool_calls) => chatChunk({ tool_calls })
const open = (index, id, args = '') => chatCall(index, id, 'weather', args)
const loose = (id, args) => ({ id, type: 'function', function: { name: 'weather', arguments: args } })
const named = (fields, more = {}) => ({ index: 0, id: 'call_a', type: 'function', ...more, function: fields })
const called = chatChunk({}, 'tool_calls')
const stopped = chatChunk({}, 'stop')
const said = chatChunk({ content: 'Hi' })
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

/** Chunks of Chat Completions, by the names of the appendix, and the blocks that they make. All stop for calls, where they have some. */
const chatCases = {
  baseline: [
    [calls(open(0, 'call_a')), calls(chatPiece(0, '{"city"')), calls(chatPiece(0, ':"Oslo"}')), called],
    [oslo],
  ],
  interleaved: [
    [
      calls(open(0, 'call_a')),
      calls(open(1, 'call_b')),
      calls(chatPiece(0, '{"city"')),
      calls(chatPiece(1, '{"city":')),
      calls(chatPiece(0, ':"Oslo"}')),
      calls(chatPiece(1, '"Rome"}')),
      called,
    ],
    [oslo, rome],
  ],
  noIndexWhole: [
    [calls(loose('call_a', osloText), loose('call_b', romeText)), called],
    [oslo, rome],
  ],
  noIndexFragments: [
    [
      calls(loose('call_a', '')),
      calls({ function: { arguments: osloText } }),
      calls(loose('call_b', '')),
      calls({ function: { arguments: romeText } }),
      called,
    ],
    [oslo, rome],
  ],
  twoOpenThenBare: [
    [
      calls(open(0, 'call_a', '{"city":"Oslo"')),
      calls(open(1, 'call_b', '{"city":"Ro')),
      calls({ function: { arguments: 'me"}' } }),
      calls(chatPiece(0, '}')),
      called,
    ],
    [oslo, rome],
  ],
  sameIndexTwoIds: [
    [calls(open(0, 'call_a', osloText)), calls(open(0, 'call_b', romeText)), called],
    [oslo, rome],
  ],
  dupIdsTwoCalls: [
    [calls(open(0, 'call_a', osloText)), calls(open(1, 'call_a', romeText)), called],
    [oslo, ['tool_call', 'call_a_1', 'weather', { city: 'Rome' }]],
  ],
  idEveryDelta: [
    [
      calls(open(0, 'call_a')),
      calls({ ...chatPiece(0, '{"city"'), id: 'call_a' }),
      calls({ ...chatPiece(0, ':"Oslo"}'), id: 'call_a' }),
      called,
    ],
    [oslo],
  ],
  emptyIdLater: [
    [
      calls(open(0, 'call_a')),
      calls({ index: 0, id: '', type: '', function: { name: '', arguments: osloText } }),
      called,
    ],
    [oslo],
  ],
  nullIdNameLater: [
    [
      calls(open(0, 'call_a')),
      calls({ index: 0, id: null, type: null, function: { name: null, arguments: osloText } }),
      called,
    ],
    [oslo],
  ],
  idMissing: [
    [calls({ index: 0, type: 'function', function: { name: 'weather', arguments: osloText } }), called],
    [['tool_call', 'call_0', 'weather', { city: 'Oslo' }]],
  ],
  idEmpty: [[calls(open(0, '', osloText)), called], [['tool_call', 'call_0', 'weather', { city: 'Oslo' }]]],
  typeMissing: [
    [calls({ index: 0, id: 'call_a', function: { name: 'weather', arguments: osloText } }), called],
    [oslo],
  ],
  bigIndex: [[calls(open(1, 'call_a')), calls(chatPiece(1, osloText)), called], [oslo]],
  nameSplit: [
    [
      calls(named({ name: 'wea', arguments: '' })),
      calls({ index: 0, function: { name: 'ther', arguments: '' } }),
      calls(chatPiece(0, osloText)),
      called,
    ],
    [oslo],
  ],
  nameRepeated: [
    [
      calls(open(0, 'call_a', '{"city"')),
      calls({ index: 0, function: { name: 'weather', arguments: ':"Oslo"}' } }),
      called,
    ],
    [oslo],
  ],
  argsObject: [[calls(named({ name: 'weather', arguments: { city: 'Oslo' } })), called], [oslo]],
  argsNullNoArgs: [
    [calls(named({ name: 'weather', arguments: null })), called],
    [['tool_call', 'call_a', 'weather', {}]],
  ],
  argsAbsentThenText: [[calls(named({ name: 'weather' })), calls(chatPiece(0, osloText)), called], [oslo]],
  argsAfterFinish: [[calls(open(0, 'call_a', '{"city"')), called, calls(chatPiece(0, ':"Oslo"}'))], [oslo]],
  finishTwice: [[calls(open(0, 'call_a', osloText)), called, called], [oslo]],
  finishStop: [[calls(open(0, 'call_a', osloText)), stopped], [oslo]],
  textAndToolSameChunk: [
    [chatChunk({ content: 'Looking.', tool_calls: [open(0, 'call_a', osloText)] }), called],
    [['text', 'Looking.'], oslo],
  ],
  legacyFunctionCall: [
    [
      chatChunk({ function_call: { name: 'weather', arguments: '' } }),
      chatChunk({ function_call: { arguments: osloText } }),
      chatChunk({}, 'function_call'),
    ],
    [['tool_call', 'call_0', 'weather', { city: 'Oslo' }]],
  ],
  reasoningContent: [
    [chatChunk({ reasoning_content: 'Hm' }), chatChunk({ reasoning_content: 'm.' }), said, stopped],
    [
      ['reasoning', 'Hmm.'],
      ['text', 'Hi'],
    ],
  ],
  reasoningField: [
    [chatChunk({ reasoning: 'Hmm.' }), said, stopped],
    [
      ['reasoning', 'Hmm.'],
      ['text', 'Hi'],
    ],
  ],
  choicesMissing: [[{ id: 'chatcmpl-1', model: 'm' }, said, stopped], [['text', 'Hi']]],
  deltaMissing: [[{ choices: [{ index: 0, finish_reason: null }] }, said, stopped], [['text', 'Hi']]],
  contentArray: [
    [chatChunk({ content: [{ type: 'text', text: 'Hel' }] }), chatChunk({ content: 'lo' }), stopped],
    [['text', 'Hello']],
  ],
  thinkTag: [[chatChunk({ content: '<think>Hm</think>Hi' }), stopped], [['text', '<think>Hm</think>Hi']]],
}

const figures = {
  usageTail: [said, stopped, { ...chatChunk({}), choices: [], usage }],
  noUsageChoices: [said, { ...stopped, usage }],
  cumulativeUsage: [
    { ...said, usage: { ...usage, completion_tokens: 1, total_tokens: 11 } },
    { ...stopped, usage },
  ],
}

const thinking = (signature) => ({ type: 'thinking', thinking: '', signature })
const writes = (json) => ({ type: 'input_json_delta', partial_json: json })
const use = (input = {}) => ({ type: 'tool_use', id: 'call_a', name: 'weather', input })
const speaks = anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' })
const anthropicError = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
const output = [{ id: 'i', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }]
const responses = (type, response) => ({
  type,
  response: { id: 'resp_1', object: 'response', model: 'm', ...response },
})

/** Streams of the other formats: `says` for what an answer says, `fails` for the error and what came before it. */
const others = {
  'anthropic: an unknown event and an unknown delta change nothing': {
    stream: namedSse(
      anthropicStart,
      { type: 'weather_forecast', sky: 'blue' },
      ...anthropicBlock(
        0,
        { type: 'text', text: '' },
        { type: 'smell_delta', smell: 'rose' },
        { type: 'text_delta', text: 'Hi' },
      ),
      ...anthropicEnd('end_turn'),
    ),
    says: { blocks: [['text', 'Hi']], stopReason: 'stop' },
  },
  'anthropic: an unknown reason to stop is another reason': {
    stream: namedSse(anthropicStart, ...speaks, ...anthropicEnd('a_word_from_next_year')),
    says: { blocks: [['text', 'Hi']], stopReason: 'other' },
  },
  'anthropic: an input that stands in the start event is the input': {
    stream: namedSse(anthropicStart, ...anthropicBlock(0, use({ city: 'Oslo' })), ...anthropicEnd('tool_use')),
    says: { blocks: [oslo], stopReason: 'tool_calls' },
  },
  'anthropic: an empty input has no arguments': {
    stream: namedSse(anthropicStart, ...anthropicBlock(0, use(), writes('')), ...anthropicEnd('tool_use')),
    says: { blocks: [['tool_call', 'call_a', 'weather', {}]], stopReason: 'tool_calls' },
  },
  'anthropic: an input that the length cut is not a call': {
    stream: namedSse(anthropicStart, ...anthropicBlock(0, use(), writes('{"city":"Os')), ...anthropicEnd('max_tokens')),
    says: { blocks: [], stopReason: 'length' },
    invalid: '{"city":"Os',
  },
  'anthropic: a refusal is a refusal': {
    stream: namedSse(anthropicStart, ...anthropicEnd('refusal')),
    says: { blocks: [], stopReason: 'refusal' },
  },
  'anthropic: thinking with nothing but its signature is a block': {
    stream: namedSse(
      anthropicStart,
      ...anthropicBlock(0, thinking(''), { type: 'signature_delta', signature: 'c2ln' }),
      ...anthropicBlock(1, use(), writes(osloText)),
      ...anthropicEnd('tool_use'),
    ),
    says: { blocks: [['reasoning', ''], oslo], stopReason: 'tool_calls' },
  },
  'anthropic: an error behind a 200 is an error, with what came before': {
    stream: namedSse(anthropicStart, ...speaks, anthropicError),
    fails: { code: 'api', kind: 'overloaded', stopReason: 'error', text: 'Hi' },
  },
  'anthropic: an end without message_stop and a reason is an interruption': {
    stream: namedSse(anthropicStart, ...speaks),
    fails: { code: 'interrupted', stopReason: 'interrupted', text: 'Hi' },
  },
  'gemini: two calls of one name in one chunk are two calls': {
    stream: sse(
      geminiChunk([
        { functionCall: { name: 'weather', args: { city: 'Oslo' } } },
        { functionCall: { name: 'weather', args: { city: 'Rome' } } },
      ]),
      geminiChunk([], { finishReason: 'STOP' }),
    ),
    says: {
      blocks: [
        ['tool_call', 'gemini_0', 'weather', { city: 'Oslo' }],
        ['tool_call', 'gemini_1', 'weather', { city: 'Rome' }],
      ],
      stopReason: 'tool_calls',
    },
  },
  'gemini: a call without arguments has none': {
    stream: sse(geminiChunk([{ functionCall: { name: 'weather' } }], { finishReason: 'STOP' })),
    says: { blocks: [['tool_call', 'gemini_0', 'weather', {}]], stopReason: 'tool_calls' },
  },
  'gemini: a prompt that is blocked without candidates is filtered': {
    stream: sse({ promptFeedback: { blockReason: 'SAFETY' } }),
    says: { blocks: [], stopReason: 'content_filter' },
  },
  'gemini: a malformed call is an answer that failed': {
    stream: sse(geminiChunk([], { finishReason: 'MALFORMED_FUNCTION_CALL' })),
    says: { blocks: [], stopReason: 'error' },
  },
  'gemini: an unknown reason to stop is another reason': {
    stream: sse(geminiChunk([{ text: 'Hi' }], { finishReason: 'A_WORD_FROM_NEXT_YEAR' })),
    says: { blocks: [['text', 'Hi']], stopReason: 'other' },
  },
  'gemini: an error object in mid-stream is an error, with what came before': {
    stream: sse(geminiChunk([{ text: 'Hi' }]), { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }),
    fails: { code: 'api', kind: 'overloaded', stopReason: 'error', text: 'Hi' },
  },
  'gemini: an end without a reason is an interruption': {
    stream: sse(geminiChunk([{ text: 'Hi' }])),
    fails: { code: 'interrupted', stopReason: 'interrupted', text: 'Hi' },
  },
  'openai-responses: an unknown event changes nothing': {
    stream: namedSse(
      responsesCreated,
      { type: 'response.weather', sky: 'blue' },
      {
        ...responses('response.completed', { status: 'completed', output }),
      },
    ),
    says: { blocks: [['text', 'Hi']], stopReason: 'stop' },
  },
  'openai-responses: an incomplete answer hit its length': {
    stream: namedSse(
      responsesCreated,
      responses('response.incomplete', {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output,
      }),
    ),
    says: { blocks: [['text', 'Hi']], stopReason: 'length' },
  },
  'openai-responses: a failed answer is an error': {
    stream: namedSse(
      responsesCreated,
      responses('response.failed', { status: 'failed', error: { code: 'server_error', message: 'No' }, output: [] }),
    ),
    fails: { code: 'api', kind: 'server', stopReason: 'error', text: '' },
  },
  'openai-responses: an end without response.completed is an interruption': {
    stream: namedSse(responsesCreated),
    fails: { code: 'interrupted', stopReason: 'interrupted', text: '' },
  },
  'ollama: a line with an error is an error': {
    stream: `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: 'Hi' }, done: false })}\n{"error":"out of memory"}\n`,
    fails: { code: 'api', stopReason: 'error', text: 'Hi' },
  },
  'ollama: an end without done is an interruption': {
    stream: `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: 'Hi' }, done: false })}\n`,
    fails: { code: 'interrupted', stopReason: 'interrupted', text: 'Hi' },
  },
}

function answerOf(codec, stream) {
  const { response, error } = decodeText(codec, stream)
  if (response === undefined) throw error
  return response
}

function checkChat(chunks, blocks) {
  const response = answerOf(chat, sse(...chunks, '[DONE]'))
  const hasCalls = blocks.some(([type]) => type === 'tool_call')
  equal(summary(response), { blocks, stopReason: hasCalls ? 'tool_calls' : 'stop' })
}

function checkCutArguments(finish) {
  const { message, stopReason } = answerOf(chat, sse(calls(open(0, 'call_a', '{"path":"/etc/ho')), finish, '[DONE]'))
  equal(message.content, [], 'the content')
  equal(message.invalidToolCalls[0].argumentsText, '{"path":"/etc/ho', 'what is kept')
  ok(stopReason !== 'length' || !canRunTools(message), 'calls would run')
}

function checkFailure(codec, stream, { text, stopReason, ...fields }) {
  const { error, response } = decodeText(codec, stream)
  equal(response, undefined, 'the answer')
  ok(error !== undefined, 'there is no error')
  for (const [name, value] of Object.entries(fields)) equal(error[name], value, name)
  equal(error.partial.stopReason, stopReason, 'how it ended')
  const blocks = error.partial.content || []
  equal(blocks.map((block) => block.text ?? '').join(''), text, 'what came before')
  ok(!canRunTools(error.partial), 'calls would run')
}

function checkOther(codec, { stream, says, fails, invalid }) {
  if (fails) return checkFailure(codec, stream, fails)
  const response = answerOf(codec, stream)
  const { blocks, stopReason } = summary(response)
  equal({ blocks, stopReason }, says)
  if (invalid) equal(response.message.invalidToolCalls[0].argumentsText, invalid, 'what is kept')
}

const opened = calls(open(0, 'call_a', '{"path":"/etc/ho'))
const interrupted = { code: 'interrupted', stopReason: 'interrupted', text: '' }

export const appendixA = [
  ...Object.entries(chatCases).map(([name, [chunks, blocks]]) => [
    `openai-chat ${name}`,
    () => checkChat(chunks, blocks),
  ]),
  ...Object.entries(figures).map(([name, chunks]) => [
    `openai-chat ${name}`,
    () => equal(summary(answerOf(chat, sse(...chunks, '[DONE]'))).usage, [10, 5, 15], 'usage'),
  ]),
  ['openai-chat invalidArgs, by the length', () => checkCutArguments(chatChunk({}, 'length'))],
  ['openai-chat invalidArgs, with a friendly reason', () => checkCutArguments(called)],
  ['openai-chat eofNoFinish', () => checkFailure(chat, sse(said), { ...interrupted, text: 'Hi' })],
  ['openai-chat eofMidArgs', () => checkFailure(chat, sse(opened), interrupted)],
  [
    'openai-chat midErrorObj',
    () =>
      checkFailure(chat, sse(said, { error: { message: 'No', type: 'server_error', code: null } }), {
        code: 'api',
        kind: 'server',
        stopReason: 'error',
        text: 'Hi',
      }),
  ],
  ...Object.entries(others).map(([name, one]) => [name, () => checkOther(codecs[name.split(':')[0]], one)]),
]
