/** Bodies that the validator refuses. */
import type { Refusals } from '../validator.ts'

const user = { role: 'user', content: 'Hello' }
const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'a', output: 'x' }
const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }
const shell = { type: 'shell_call', call_id: 's', action: { commands: ['ls'] } }
const good = { model: 'm', store: false, input: [user, thought, call, output] }

export const refusals: readonly Refusals[] = [
  {
    title: 'Responses',
    provider: 'openai',
    good,
    cases: [
      ['an empty input', /empty input/, { input: [] }],
      ['a call without an output', /No tool output/, { input: [user, call] }],
      ['an output without a call', /No tool call/, { input: [user, output] }],
      ['a call twice', /there twice/, { input: [user, call, output, call, output] }],
      ['reasoning that nothing follows', /required following item/, { input: [user, thought] }],
      ['reasoning before a user', /required following item/, { input: [thought, user] }],
      [
        'reasoning without its content',
        /not found/,
        { input: [user, { ...thought, encrypted_content: undefined }, call, output] },
      ],
      ['an id with a wrong prefix', /does not begin/, { input: [user, { ...call, id: 'rs_1' }, output] }],
      [
        'input text of an assistant',
        /input_text/,
        {
          input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }],
        },
      ],
      [
        'an image as an object',
        /image/,
        {
          input: [{ role: 'user', content: [{ type: 'input_image', image_url: { url: 'https://x.y' } }] }],
        },
      ],
      ['broken arguments', /not a JSON object/, { input: [user, { ...call, arguments: '{"a' }, output] }],
      ['a call of a shell without an output', /No tool output/, { input: [user, shell] }],
      [
        'a field of an output that only answers have',
        /only in answers/,
        { input: [user, shell, { ...shell, type: 'shell_call_output', output: [{ stdout: 'x', created_by: 'x' }] }] },
      ],
      ['nested tools', /flat/, { tools: [{ type: 'function', name: 'f', function: {} }] }],
      ['stop sequences', /no such field/, { stop: ['x'] }],
      ['a reference without a store', /stored items/, { input: [user, { type: 'item_reference', id: 'msg_1' }] }],
      [
        'a citation that lacks a field',
        /lacks a field/,
        {
          input: [
            {
              role: 'assistant',
              content: [{ type: 'output_text', text: 'x', annotations: [{ type: 'url_citation', url: 'u' }] }],
            },
            user,
          ],
        },
      ],
    ],
  },
]
