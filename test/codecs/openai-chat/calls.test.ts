/**
 * The streams in which libraries merged, lost, mended or ran the wrong call: what each comes to here.
 *
 * @see peers.md §1d and appendix A
 */
import { expect, it } from 'vitest'
import { InterruptedError } from '../../../src/core/errors.ts'
import { compatible, openai } from '../../../src/formats/openai-chat/index.ts'
import { blocks, callDelta, decodeChunks, decodeSse, delta, sse } from './run.ts'

const first = delta({ role: 'assistant', content: '' })
const done = delta({}, 'tool_calls')

type Call = readonly [id: string, name: string, args: object]
const oslo: Call = ['call_a', 'weather', { city: 'Oslo' }]
const rome: Call = ['call_b', 'weather', { city: 'Rome' }]
const ofOslo = '{"city":"Oslo"}'
const ofRome = '{"city":"Rome"}'
const weather = { id: 'call_a', type: 'function', name: 'weather' }
const second = { ...weather, id: 'call_b' }

/** A fragment of a call; `undefined` is not sent. */
function piece(index: number | undefined, args: unknown, { name, ...more }: { id?: unknown; name?: unknown } = {}) {
  return callDelta(JSON.parse(JSON.stringify({ index, ...more, function: { name, arguments: args } })))
}

it.each<[string, object[], readonly Call[]]>([
  ['pieces', [piece(0, '', weather), piece(0, '{"city"'), piece(0, ':"Oslo"}')], [oslo]],
  [
    'pieces that alternate by index',
    [
      ...[piece(0, '', weather), piece(1, '', second), piece(0, '{"city"')],
      ...[piece(1, '{"city":'), piece(0, ':"Oslo"}'), piece(1, '"Rome"}')],
    ],
    [oslo, rome],
  ],
  ['whole calls without an index', [piece(undefined, ofOslo, weather), piece(undefined, ofRome, second)], [oslo, rome]],
  [
    'pieces without an index or id, which belong to the call before them',
    [
      ...[piece(undefined, '', weather), piece(undefined, ofOslo)],
      ...[piece(undefined, '', second), piece(undefined, ofRome)],
    ],
    [oslo, rome],
  ],
  ['another id with a name at the same index', [piece(0, ofOslo, weather), piece(0, ofRome, second)], [oslo, rome]],
  [
    'one id at two indexes, which is two calls',
    [piece(0, ofOslo, weather), piece(1, ofRome, weather)],
    [oslo, ['call_a_1', 'weather', { city: 'Rome' }]],
  ],
  ['an id in every piece', [piece(0, '{"city"', weather), piece(0, ':"Oslo"}', { id: 'call_a' })], [oslo]],
  ['an empty id in later pieces', [piece(0, '', weather), piece(0, ofOslo, { id: '', name: '' })], [oslo]],
  ['id and name null in later pieces', [piece(0, '', weather), piece(0, ofOslo, { id: null, name: null })], [oslo]],
  ['no id', [piece(0, ofOslo, { name: 'weather' })], [['call_0', 'weather', { city: 'Oslo' }]]],
  ['an empty id', [piece(0, ofOslo, { id: '', name: 'weather' })], [['call_0', 'weather', { city: 'Oslo' }]]],
  ['an index that begins at 1', [piece(1, '', weather), piece(1, ofOslo)], [oslo]],
  ['a name in two pieces', [piece(0, '', { ...weather, name: 'wea' }), piece(0, ofOslo, { name: 'ther' })], [oslo]],
  ['a name with every piece', [piece(0, '{"city"', weather), piece(0, ':"Oslo"}', { name: 'weather' })], [oslo]],
  ['arguments that are an object', [piece(0, { city: 'Oslo' }, weather)], [oslo]],
  ['arguments null', [piece(0, null, weather)], [['call_a', 'weather', {}]]],
  ['arguments that are absent at first', [piece(0, undefined, weather), piece(0, ofOslo)], [oslo]],
  ['arguments after the reason to stop', [piece(0, '{"city"', weather), done, piece(0, ':"Oslo"}')], [oslo]],
  ['"stop" as the reason', [piece(0, ofOslo, weather), delta({}, 'stop')], [oslo]],
  [
    'the deprecated form',
    [
      delta({ function_call: { name: 'weather', arguments: '{"city"' } }),
      delta({ function_call: { arguments: ':"Oslo"}' } }),
      delta({}, 'function_call'),
    ],
    [['call_0', 'weather', { city: 'Oslo' }]],
  ],
])('reads calls of a stream with %s', (_, chunks, calls) => {
  const hasEnd = chunks.some((chunk) => JSON.stringify(chunk).includes('"finish_reason":"'))
  const { response, error, events } = decodeChunks([first, ...chunks, ...(hasEnd ? [] : [done])])
  expect(error).toBeUndefined()
  const found = blocks(response).filter((block) => block.type === 'tool_call')
  expect(found.map((call) => [call.id, call.name, call.arguments])).toEqual(calls)
  expect(found.map((call) => call.index)).toEqual(calls.map((_, at) => at))
  expect(response?.stopReason).toBe('tool_calls')
  expect(events.filter((event) => event.type === 'tool_call')).toHaveLength(calls.length)
  expect(events.some((event) => event.type === 'warning')).toBe(false)
})

it('gives a piece that names neither of two open calls to the latest, and says so', () => {
  const pieces = [piece(0, '{"city":"Oslo"', weather), piece(1, '{"city":"Ro', second), piece(undefined, 'me"}')]
  const { response, events } = decodeChunks([first, ...pieces, piece(0, '}'), done])
  expect(blocks(response)).toMatchObject([{ arguments: { city: 'Oslo' } }, { arguments: { city: 'Rome' } }])
  expect(events.filter((event) => event.type === 'warning')).toHaveLength(1)
})

it('OpenAI: [DONE] without a reason to stop is an interruption; hosts known for it are believed', () => {
  const chunks = [first, delta({ content: 'Hi' }), '[DONE]']
  expect(decodeSse(sse(...chunks), openai).error).toBeInstanceOf(InterruptedError)
  expect(decodeSse(sse(...chunks), compatible).response?.stopReason).toBe('stop')
})

it('reads reasoning once where a host sends it in two fields', () => {
  const { response } = decodeChunks([delta({ reasoning_content: 'Hm', reasoning: 'Hm' }), delta({}, 'stop')])
  expect(blocks(response)).toEqual([{ type: 'reasoning', text: 'Hm' }])
})

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
it.each([
  ['in a chunk of their own', [delta({}, 'stop'), { ...delta({}), choices: [], usage }]],
  ['with the reason to stop', [{ ...delta({}, 'stop'), usage }]],
  ['with no choices at all', [delta({}, 'stop'), { id: 'chatcmpl-1', usage }]],
  [
    'with every chunk: the last counts',
    [
      { ...first, usage: { prompt_tokens: 10 } },
      { ...delta({}, 'stop'), usage },
    ],
  ],
  ['under x_groq', [{ ...delta({}, 'stop'), x_groq: { id: 'req_1', usage } }]],
  ['in the choice', [{ ...delta({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }]],
])('reads figures %s', (_, chunks) => {
  const { response } = decodeChunks([first, delta({ content: 'Hi' }), ...chunks])
  expect(response?.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, totalTokens: 15 })
})
