/** A turn that other models took over: `wire/responses-extras.md` §5.3. Its block parts the thinking of the models, and all of it goes back in place. */
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../../src/core/content.ts'
import { anthropic } from '../../../src/formats/anthropic/index.ts'
import { generate, t, tool } from '../../../src/index.ts'
import { foldText } from './run.ts'

const thinking = (signature: string) => ({ type: 'thinking', thinking: 'Hm.', signature })
const fallback = {
  type: 'fallback',
  from: { model: 'claude-fable-5' },
  to: { model: 'claude-opus-4-8' },
  trigger: { type: 'refusal', category: 'cyber' },
}
const content = [
  thinking('of-fable'),
  fallback,
  thinking('of-opus'),
  { ...fallback, from: fallback.to, to: { model: 'claude-haiku-5-5' } },
  thinking('of-haiku'),
  { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
]
const last = [{ type: 'text', text: 'Done' }]
const f = tool({ name: 'f', parameters: t.object({}), execute: () => 'ok' })

function whole(model: string, blocks: object[], stop_reason: string): Response {
  return Response.json({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: blocks,
    stop_reason,
    usage: {},
  })
}

function streamed(model: string, blocks: object[], stop_reason: string): Response {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage: {} }
  const events = [
    { type: 'message_start', message },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason }, usage: {} },
    { type: 'message_stop' },
  ]
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

describe.each(['claude-fable-5', 'claude-haiku-5-5'])('an answer that says it is of %s', (said) => {
  it.each([
    ['whole', whole, true],
    ['streamed', streamed, false],
  ] as const)('goes back with the thinking of all models in place, %s', async (_, answer, wholeAnswer) => {
    const bodies: { readonly messages: readonly { readonly content: unknown }[] }[] = []
    const answers = [answer(said, content, 'tool_use'), answer(said, last, 'end_turn')]
    const fetch: typeof globalThis.fetch = async (_, init) => {
      bodies.push(JSON.parse(String(init?.body)))
      return answers[bodies.length - 1] as Response
    }
    const model = anthropic('claude-fable-5', { apiKey: 'k', fetch })
    const { text, message } = await generate({ model, prompt: 'Hi', tools: [f], wholeAnswer })
    expect([text, message.stopReason]).toEqual(['Done', 'stop'])
    expect(bodies[1]?.messages[1]?.content).toEqual(content)
  })
})

it.each([
  ['whole', whole('claude-haiku-5-5', content, 'tool_use')],
  ['streamed', streamed('claude-fable-5', content, 'tool_use')],
])('is of the model that answered, and each proof is of the model that made it, %s', async (_, answer) => {
  const { codec } = anthropic('claude-fable-5')
  const text = await answer.text()
  const { message } = text.startsWith('{') ? codec.decodeResponse(JSON.parse(text)) : foldText(text)
  expect(message.response).toMatchObject({ id: 'msg_1', model: 'claude-haiku-5-5' })
  const proofs = blocksOf(message.content).flatMap((block) => (block.type === 'reasoning' ? [block.opaque] : []))
  expect(proofs.map((proof) => [proof?.data.signature, proof?.model])).toEqual([
    ['of-fable', 'claude-fable-5'],
    ['of-opus', 'claude-opus-4-8'],
    ['of-haiku', 'claude-haiku-5-5'],
  ])
})

// A model that is not asked first, because it declined before, has no block of its own: the steps name the one that answered.
it('an answer without such a block is of the model that its steps name', async () => {
  const events = [
    { type: 'message_start', message: { id: 'msg_1', type: 'message', model: 'claude-fable-5', content: [] } },
    { type: 'content_block_start', index: 0, content_block: last[0] },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: {
        iterations: [{ type: 'fallback_message', model: 'claude-opus-4-8', input_tokens: 3, output_tokens: 2 }],
      },
    },
  ]
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const fetch = async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  const { message } = await generate({ model: anthropic('claude-fable-5', { apiKey: 'k', fetch }), prompt: 'Hi' })
  expect(message.response?.model).toBe('claude-opus-4-8')
})
