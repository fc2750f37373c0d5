/** When a streamed answer is whole: once its wire has said why the model stopped. The events after that may be missing. */
import { describe, expect, it } from 'vitest'
import { textOf } from '../../src/core/content.ts'
import { generate, tool } from '../../src/index.ts'
import { decodeText } from '../support/decode.ts'
import { wires } from '../support/wires.ts'

describe.each(wires)('$name', (wire) => {
  const { codec } = wire.model('http://localhost')
  const marks = wire.piecesAfterReason

  it('is whole where the reason came and the mark after it did not', () => {
    const pieces = wire.text('Hi')
    const { response, error } = decodeText(codec, pieces.slice(0, pieces.length - marks).join(''))
    expect(error).toBeUndefined()
    expect(response).toMatchObject({ stopReason: 'stop', message: { content: [{ type: 'text', text: 'Hi' }] } })
  })

  it('is interrupted where the reason did not come', () => {
    const pieces = wire.text('Hi')
    const { error } = decodeText(codec, pieces.slice(0, pieces.length - marks - 1).join(''))
    expect(error).toMatchObject({ name: 'InterruptedError', partial: { stopReason: 'interrupted' } })
  })

  it('gives its calls where the reason came and the mark after it did not', () => {
    const pieces = wire.calls(['a', 'f', '{"a":1}'])
    const { response } = decodeText(codec, pieces.slice(0, pieces.length - marks).join(''))
    expect(response).toMatchObject({
      stopReason: 'tool_calls',
      message: { content: [{ name: 'f', arguments: { a: 1 } }] },
    })
  })
})

it('runs a call of an answer that ends with "stop", as several hosts end such a turn', async () => {
  const model = wires.find(({ name }) => name === 'openai-chat')?.model('http://localhost')
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
  let asked = 0
  const answer = () => {
    const message = asked++ === 0 ? { content: null, tool_calls: [call] } : { content: 'done' }
    return Response.json({ choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }] })
  }
  let ran = 0
  const f = tool({ name: 'f', execute: () => ++ran })
  const asking = { ...model, fetch: async () => answer() } as NonNullable<typeof model>
  const { message } = await generate({ model: asking, prompt: 'x', tools: [f] })
  expect([ran, asked, textOf(message)]).toEqual([1, 2, 'done'])
})
