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
const thought = { reasoningContent: { reasoningText: { text: 'x', signature: 'x' } } }
const hosted = { toolUse: { toolUseId: 'c1', name: 'nova_grounding', input: {}, type: 'server_tool_use' } }
const thinks = (type: string) => ({ thinking: { type } })
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
      [
        'a call of Bedrock without its result',
        /Bedrock ran/,
        { messages: [hello, turn(hosted, { text: 'x' }), hello] },
      ],
      [
        'cited blank text',
        /is blank/,
        { messages: [hello, turn({ citationsContent: { content: [{ text: ' ' }], citations: [] } }), hello] },
      ],
    ],
  },
  {
    title: 'Bedrock, with Claude 4.7',
    provider: 'bedrock',
    model: 'global.anthropic.claude-opus-4-7',
    good,
    cases: [
      [
        'an answer at the end',
        /does not support assistant message prefill/,
        { messages: [hello, turn({ text: 'x' })] },
      ],
      ['a thought at the end', /final block/, { messages: [hello, turn({ text: 'x' }, thought), hello] }],
      ['a round without its thoughts', /Expected thinking/, { additionalModelRequestFields: thinks('enabled') }],
      [
        'a forced call while it thinks',
        /toolChoice/,
        {
          toolConfig: { ...toolConfig, toolChoice: { any: {} } },
          additionalModelRequestFields: thinks('adaptive'),
        },
      ],
      [
        'an image in an error',
        /must be type `text`/,
        {
          messages: [
            hello,
            turn(call()),
            user(result('c1', { status: 'error', content: [{ image: { source: { bytes: 'AAAA' } } }] })),
          ],
        },
      ],
    ],
  },
  {
    title: 'Bedrock, with Nova',
    provider: 'bedrock',
    model: 'amazon.nova-lite-v1:0',
    good,
    cases: [
      [
        'citations',
        /citations/,
        { messages: [hello, turn({ citationsContent: { content: [{ text: 'x' }], citations: [] } }), hello] },
      ],
    ],
  },
]

function documentOf(name: string) {
  return { document: { format: 'pdf', name, source: { bytes: 'AAAA' } } }
}
