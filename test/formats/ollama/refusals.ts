/** Bodies that the validator refuses. */
import type { Refusals } from '../validator.ts'

const user = { role: 'user', content: 'Hello' }
const call = (args: unknown) => ({ function: { name: 'f', arguments: args } })
const turn = (args: unknown = {}) => ({ role: 'assistant', content: '', tool_calls: [call(args)] })
const result = { role: 'tool', tool_name: 'f', content: 'x' }
const good = { model: 'm', stream: false, messages: [user, turn(), result] }

export const refusals: readonly Refusals[] = [
  {
    title: 'Ollama',
    provider: 'ollama',
    good,
    cases: [
      ['silence about streaming', /stream/, { stream: undefined }],
      ['parts', /not text/, { messages: [{ role: 'user', content: [] }] }],
      ['a developer', /role "developer"/, { messages: [{ role: 'developer', content: 'x' }] }],
      ['arguments as text', /not an object/, { messages: [user, turn('{}'), result] }],
      ['a result of another tool', /is due/, { messages: [user, turn(), { ...result, tool_name: 'g' }] }],
      ['a call without a result', /no results/, { messages: [user, turn()] }],
      ['an image with its type', /raw base64/, { messages: [{ ...user, images: ['data:image/png;base64,aGk='] }] }],
      ['an empty turn', /nothing in it/, { messages: [user, { role: 'assistant', content: '' }] }],
    ],
  },
]
