/** Bodies that the validator refuses. */
import type { Refusals } from '../validator.ts'

const user = { role: 'user', content: 'Hello' }
const call = (id: string, args = '{}') => ({ id, type: 'function', function: { name: 'f', arguments: args } })
const turn = (...calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls: calls })
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' })
const good = { model: 'm', messages: [user, turn(call('a')), result('a')] }
const nine = 'abcdefghi'
const named = { ...result(nine), name: 'f' }
const thought = { ...turn(call('a')), reasoning_content: '' }

export const refusals: readonly Refusals[] = [
  {
    title: 'Chat Completions',
    provider: 'openai',
    good,
    cases: [
      ['a call without its result', /without tool messages: a/, { messages: [user, turn(call('a')), user] }],
      ['a last call without its result', /ends with calls/, { messages: [user, turn(call('a'))] }],
      ['a stray result', /answers "a"/, { messages: [user, result('a')] }],
      ['two calls of one id', /two calls/, { messages: [user, turn(call('a'), call('a')), result('a')] }],
      ['a long id', /\.id/, { messages: [user, turn(call('a'.repeat(41))), result('a'.repeat(41))] }],
      ['an empty turn', /neither content nor calls/, { messages: [user, { role: 'assistant', content: '' }] }],
      [
        'empty calls',
        /tool_calls: is empty/,
        { messages: [user, { role: 'assistant', content: 'x', tool_calls: [] }] },
      ],
      ['a name on a result', /"name"/, { messages: [user, turn(call('a')), { ...result('a'), name: 'f' }] }],
      [
        'reasoning',
        /reasoning_content/,
        { messages: [user, { role: 'assistant', content: 'x', reasoning_content: 'y' }] },
      ],
      [
        'an image in a result',
        /text parts only/,
        {
          messages: [
            user,
            turn(call('a')),
            { ...result('a'), content: [{ type: 'image_url', image_url: { url: 'x' } }] },
          ],
        },
      ],
      [
        'audio as a data URL',
        /raw base64/,
        {
          messages: [
            {
              role: 'user',
              content: [{ type: 'input_audio', input_audio: { data: 'data:a/b;base64,aGk=', format: 'wav' } }],
            },
          ],
        },
      ],
      ['a choice without tools', /only valid with tools/, { tool_choice: 'auto' }],
      ['half of a character', /half of a character/, { messages: [{ role: 'user', content: '\ud83d' }] }],
    ],
  },
  {
    title: 'Chat Completions of Mistral',
    provider: 'mistral',
    good: { model: 'm', messages: [user, turn(call(nine)), named] },
    cases: [
      ['an id of another length', /\.id/, good],
      ['a user behind a result', /after role 'tool'/, { messages: [user, turn(call(nine)), named, user] }],
      ['a last assistant', /Expected last role/, { messages: [user, { role: 'assistant', content: 'x' }] }],
      ['a second system message', /system message/, { messages: [user, { role: 'system', content: 'x' }, user] }],
      ['a result without a name', /\.name/, { messages: [user, turn(call(nine)), result(nine)] }],
    ],
  },
  {
    title: 'Chat Completions of Moonshot',
    provider: 'moonshot',
    good: { model: 'm', messages: [user, thought, result('a'), { role: 'assistant', content: 'x' }, user] },
    cases: [
      ['a turn of calls without reasoning', /reasoning_content/, { messages: [user, turn(call('a')), result('a')] }],
    ],
  },
  {
    title: 'Chat Completions of DeepSeek',
    provider: 'deepseek',
    good: { model: 'm', messages: [user, thought, result('a')] },
    cases: [
      ['a turn of calls without reasoning', /reasoning_content/, good],
      [
        'an image',
        /text only/,
        {
          messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.y' } }] }],
        },
      ],
      [
        'arguments that are not valid JSON',
        /not a JSON object/,
        {
          messages: [user, { ...turn(call('a', '{')), reasoning_content: '' }, result('a')],
        },
      ],
      ['the newer name of the limit', /max_tokens/, { max_completion_tokens: 5 }],
      ['a developer', /developer/, { messages: [{ role: 'developer', content: 'x' }, user] }],
      ['fields of OpenAI’s own', /store/, { store: false }],
    ],
  },
  {
    title: 'Chat Completions of Perplexity',
    provider: 'perplexity',
    good: { model: 'm', messages: [user] },
    cases: [
      ['calls', /no tools/, good],
      ['neighbours of one role', /alternate/, { messages: [user, user] }],
      ['an answer at the end', /Expected last role/, { messages: [user, { role: 'assistant', content: 'x' }] }],
    ],
  },
]
