/** Bodies that the validator refuses. */
import type { Refusals } from '../validator.ts'

const user = { role: 'user', content: 'Hello' }
const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })
const says = (...content: unknown[]) => ({ role: 'assistant', content })
const hears = (...content: unknown[]) => ({ role: 'user', content })
const text = (value: string) => ({ type: 'text', text: value })
const thinking = { type: 'thinking', thinking: '', signature: 'x' }
const good = { model: 'm', max_tokens: 5, messages: [user, says(thinking, call('a')), hears(result('a'), text('x'))] }

export const refusals: readonly Refusals[] = [
  {
    title: 'Messages',
    provider: 'anthropic',
    good,
    cases: [
      ['no limit', /max_tokens/, { max_tokens: undefined }],
      ['an assistant first', /not a user/, { messages: [says(text('x'))] }],
      ['a call without a result', /0 `tool_result` blocks/, { messages: [user, says(call('a')), user] }],
      ['a result too many', /unexpected/, { messages: [hears(result('a'))] }],
      ['results behind text', /come first/, { messages: [user, says(call('a')), hears(text('x'), result('a'))] }],
      ['an id twice', /unique/, { messages: [user, says(call('a'), call('a')), hears(result('a'), result('a'))] }],
      ['an illegal id', /\.id/, { messages: [user, says(call('f:0')), hears(result('f:0'))] }],
      [
        'input that is not an object',
        /not an object/,
        { messages: [user, says({ ...call('a'), input: '{}' }), hears(result('a'))] },
      ],
      ['blank text', /non-empty/, { messages: [hears(text(' '))] }],
      ['empty content', /non-empty content/, { messages: [hears()] }],
      ['unsigned thinking', /signature/, { messages: [user, says({ ...thinking, signature: '' }, text('x'))] }],
      ['thinking that comes last', /final block/, { messages: [user, says(text('x'), thinking)] }],
      ['text behind a call', /refused/, { messages: [user, says(call('a'), text('x')), hears(result('a'))] }],
      ['a system message', /role "system"/, { messages: [user, { role: 'system', content: 'x' }] }],
      ['white space at the end', /whitespace/, { messages: [user, says(text('x '))] }],
      [
        'a data URL',
        /raw base64/,
        {
          messages: [
            hears({
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,aGk=' },
            }),
          ],
        },
      ],
      ['another schema than an object’s', /must be "object"/, { tools: [{ name: 'f', input_schema: {} }] }],
    ],
  },
]
