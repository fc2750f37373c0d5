/** Bodies that the validator refuses. */
import type { Refusals } from '../validator.ts'

const hears = (value: string) => ({ type: 'user_input', content: [{ type: 'text', text: value }] })
const thought = { type: 'thought', signature: 'c2ln' }
const call = (id: string, args: unknown = {}) => ({ type: 'function_call', id, name: 'f', arguments: args })
const result = (call_id: string, value: unknown = 'x') => ({
  type: 'function_result',
  call_id,
  name: 'f',
  result: value,
})
const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }]
const signed = { ...call('a'), signature: 'c2ln' }
const good = { model: 'gemini-3.8-flash', store: false, tools, input: [hears('x'), thought, signed, result('a')] }
const image = [{ type: 'image', data: 'aGk=', mime_type: 'image/png' }]

export const refusals: readonly Refusals[] = [
  {
    title: 'Gemini Interactions',
    provider: 'gemini',
    good,
    cases: [
      ['an unknown field', /unknown field "top_k"/, { generation_config: { top_k: 3 } }],
      ['a path as the model', /model/, { model: 'models/gemini-3.8-flash' }],
      ['a choice without functions', /without functions/, { tools: [], generation_config: { tool_choice: 'any' } }],
      ['nothing said', /is empty/, { input: [] }],
      ['a call that nothing precedes', /comes first/, { input: [call('a'), result('a')] }],
      ['arguments as text', /no object/, { input: [hears('x'), call('a', '{}'), result('a')] }],
      ['a call without a result', /no result/, { input: [hears('x'), call('a')] }],
      ['a result without a call', /no call/, { input: [hears('x'), result('a')] }],
      ['two results', /second result/, { input: [hears('x'), call('a'), result('a'), result('a')] }],
      ['an object as a result', /text/, { input: [hears('x'), call('a'), result('a', { sum: 1 })] }],
      [
        'media to an old model',
        /old model/,
        { model: 'gemini-2.5-flash', input: [hears('x'), call('a'), result('a', image)] },
      ],
      ['an unsigned call', /missing a thought_signature/, { input: [hears('x'), thought, call('a'), result('a')] }],
      [
        'plain text as a document',
        /plain text/,
        { input: [{ type: 'user_input', content: [{ type: 'document', data: 'aGk=', mime_type: 'text/plain' }] }] },
      ],
      [
        'an agent with the options of a model',
        /beside an agent/,
        { model: undefined, agent: 'a', generation_config: {} },
      ],
      ['an unsigned thought', /without a signature/, { input: [hears('x'), { type: 'thought' }] }],
      ['a role', /type "undefined"/, { input: [{ role: 'user', content: 'x' }] }],
      ['an empty step', /is empty/, { input: [{ type: 'user_input', content: [] }] }],
    ],
  },
]
