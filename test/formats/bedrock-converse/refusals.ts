/** Bodies that the validator refuses. */
import type { Refusals } from '../validator.ts'

const user = (...content: object[]) => ({ role: 'user', content })
const hello = user({ text: 'Hello' })
const call = (toolUseId = 'c1', input: unknown = {}) => ({ toolUse: { toolUseId, name: 'f', input } })
const turn = (...content: object[]) => ({ role: 'assistant', content })
const result = (toolUseId = 'c1', more: object = {}) => ({
  toolResult: { toolUseId, content: [{ text: 'x' }], ...more },
})
const toolConfig = { tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } }] }
const good = { toolConfig, messages: [hello, turn(call()), user(result())] }

export const refusals: readonly Refusals[] = [
  {
    title: 'Bedrock',
    provider: 'bedrock',
    good,
    cases: [
      ['an unknown field', /unknown field "top_k"/, { top_k: 3 }],
      ['no tools for the calls of a history', /must be defined/, { toolConfig: undefined }],
      ['an assistant first', /start with a user/, { messages: [turn({ text: 'x' }), hello] }],
      ['two turns of a role', /must alternate/, { messages: [hello, hello] }],
      ['blank text', /is blank/, { messages: [user({ text: ' ' })] }],
      ['a call without a result', /no results/, { messages: [hello, turn(call())] }],
      ['a result of another call', /are due/, { messages: [hello, turn(call()), user(result('c2'))] }],
      ['arguments as text', /no object/, { messages: [hello, turn(call('c1', '{}')), user(result())] }],
      [
        'an error without content',
        /cannot be empty/,
        { messages: [hello, turn(call()), user(result('c1', { content: [], status: 'error' }))] },
      ],
      ['a document without text', /without a text/, { messages: [user(documentOf('a'))] }],
      ['a name of a document with a dot', /document.name/, { messages: [user({ text: 'x' }, documentOf('a.pdf'))] }],
      [
        'a thought without a signature',
        /signature/,
        { messages: [hello, turn({ reasoningContent: { reasoningText: { text: 'x' } } })] },
      ],
      ['a prefill that ends in white space', /white space/, { messages: [hello, turn({ text: 'x ' })] }],
    ],
  },
]

function documentOf(name: string) {
  return { document: { format: 'pdf', name, source: { bytes: 'AAAA' } } }
}
