/** Conversations of other programs, in the form that each API documents, and their decoded messages. */
import { describe, expect, it } from 'vitest'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import { normalizeMessages } from '../../src/import/index.ts'
import { message } from '../../src/index.ts'
import { listOf, send } from './wires.ts'

describe('the body of a request', () => {
  const expected = [message.system('Be brief'), message.user('Hi')]
  it.each([
    [
      'OpenAI',
      {
        model: 'm',
        messages: [
          { role: 'system', content: 'Be brief' },
          { role: 'user', content: 'Hi' },
        ],
      },
    ],
    ['Anthropic', { model: 'm', max_tokens: 1, system: 'Be brief', messages: [{ role: 'user', content: 'Hi' }] }],
    ['OpenAI Responses', { model: 'm', instructions: 'Be brief', input: [{ role: 'user', content: 'Hi' }] }],
  ])('of %s keeps its system text, which comes first', { meta: { promise: '4.13' } }, (_, body) => {
    expect(normalizeMessages(body)).toEqual(expected)
  })

  it.each([
    [
      'Gemini',
      { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], systemInstruction: { parts: [{ text: 'Be brief' }] } },
    ],
    [
      'Anthropic, in blocks',
      {
        system: [{ type: 'text', text: 'Be brief' }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      },
    ],
  ])('of %s keeps it too', { meta: { promise: '4.13' } }, (_, body) => {
    expect(normalizeMessages(body)).toEqual([
      message.system([{ type: 'text', text: 'Be brief' }]),
      message.user([{ type: 'text', text: 'Hi' }]),
    ])
  })

  it('has errors that use the names of its own fields', { meta: { promise: '4.13' } }, () => {
    expect(() => normalizeMessages({ contents: [{ role: 'robot', parts: [] }] })).toThrow('"contents[0]"')
  })
})

it('results that Gemini’s older clients send under a role of their own find their calls', {
  meta: { promise: '4.13' },
}, () => {
  const messages = normalizeMessages([
    { role: 'user', parts: [{ text: 'Hi' }] },
    { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] },
    { role: 'function', parts: [{ functionResponse: { name: 'f', response: { output: 'x' } } }] },
  ])
  expect(listOf('openaiChat', messages)).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: [{ id: 'call_0', function: { name: 'f', arguments: '{"a":1}' } }] },
    { role: 'tool', tool_call_id: 'call_0', content: 'x' },
  ])
})

describe('the items of OpenAI Responses', () => {
  const items = [
    { role: 'user', content: 'Hi' },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'x' },
  ]

  it('keep the reasoning that belongs to a call', { meta: { promise: '0.76 4.13' } }, () => {
    const { body, losses } = send(openaiResponses('gpt-5'), { messages: normalizeMessages(items) })
    expect(body.input).toMatchObject([
      { role: 'user' },
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'enc' },
      { type: 'function_call', call_id: 'call_1' },
      { type: 'function_call_output', call_id: 'call_1' },
    ])
    expect(losses.filter(({ action }) => action === 'dropped')).toEqual([])
  })

  it('drop reasoning that nothing follows, because the API refuses it', { meta: { promise: '0.76' } }, () => {
    const { body, losses } = send(openaiResponses('gpt-5'), {
      messages: normalizeMessages([...items.slice(0, 2), items[1], { role: 'user', content: 'And?' }]),
    })
    expect(body.input).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'And?' },
    ])
    expect(losses).toContainEqual(expect.objectContaining({ action: 'dropped', severity: 'minor' }))
  })
})
