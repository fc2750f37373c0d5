/** Bodies that the validator refuses. */
import type { Refusals } from '../validator.ts'

const user = { role: 'user', content: 'Hello' }
const call = (args: unknown) => ({ id: 'c1', type: 'function', function: { name: 'f', arguments: args } })
const turn = (args: unknown = '{}') => ({ role: 'assistant', tool_calls: [call(args)] })
const result = { role: 'tool', tool_call_id: 'c1', content: 'x' }
const good = { model: 'm', stream: false, messages: [user, turn(), result] }
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }

export const refusals: readonly Refusals[] = [
  {
    title: 'Cohere',
    provider: 'cohere',
    good,
    cases: [
      ['a field of another wire', /top_p/, { top_p: 1 }],
      ['both penalties', /both penalties/, { frequency_penalty: 0.1, presence_penalty: 0.1 }],
      ['a temperature above 1', /out of range/, { temperature: 1.1 }],
      ['a tool choice of an old model', /has none/, { model: 'command-r-plus', tools: [tool], tool_choice: 'NONE' }],
      ['thinking of another model', /does not think/, { thinking: { type: 'enabled' } }],
      [
        'a schema without a required field',
        /no required/,
        { response_format: { type: 'json_object', json_schema: { type: 'object' } } },
      ],
      ['JSON that nothing asks for', /asks for JSON/, { response_format: { type: 'json_object' } }],
      ['an assistant at the end', /cannot be answered/, { messages: [user, { role: 'assistant', content: 'x' }] }],
      ['a developer', /role "developer"/, { messages: [{ role: 'developer', content: 'x' }] }],
      ['a late system message', /first in the list/, { messages: [user, { role: 'system', content: 'x' }] }],
      ['arguments as an object', /object/, { messages: [user, turn({}), result] }],
      ['a result of another call', /due are/, { messages: [user, turn(), { ...result, tool_call_id: 'c2' }] }],
      ['a call without a result', /no results/, { messages: [user, turn()] }],
      ['an empty turn', /must not be empty/, { messages: [user, { role: 'assistant', content: '' }] }],
      [
        'an image of an assistant',
        /type "image_url"/,
        {
          messages: [
            user,
            { role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'https://a.example' } }] },
          ],
        },
      ],
      ['a schema beside tools', /beside tools/, { tools: [tool], response_format: { type: 'json_object' } }],
      ['a choice of nothing', /needs tools/, { tool_choice: 'REQUIRED' }],
      ['a tool without a schema', /required by the type/, { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ],
  },
]
