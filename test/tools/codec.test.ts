/** The tool codec on its own, over the real codecs: definitions, calls and results of every wire (features 1.x). */
import { describe, expect, it } from 'vitest'
import type { Json, ToolMessage } from '../../src/core/messages.ts'
import { facts } from '../formats/index.ts'
import { type Wire, wires } from '../support/answers.ts'
import { functionsOf } from '../support/format-functions.ts'
import { frozen } from '../support/frozen.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = { name: 'get_weather', description: 'Current weather', parameters, metadata: { owner: 'team-canary' } }
const told = { name: 'get_weather', description: 'Current weather' }
const asFunction = { type: 'function', function: { name: 'get_weather', description: 'Current weather', parameters } }

describe('encodeDefinitions', () => {
  it.each<[Wire, unknown]>([
    ['openai-chat', asFunction], // [1.09] [1.10] [1.11]
    ['anthropic', { ...told, input_schema: parameters }], // [1.12] [1.13]
    ['ollama', asFunction], // [1.14] [1.15]
    ['openai-responses', { type: 'function', ...told, parameters, strict: false }],
    ['gemini', { functionDeclarations: [{ ...told, parametersJsonSchema: parameters }] }],
    ['gemini-interactions', { type: 'function', ...told, parameters }],
  ])(
    'of %s returns a list in its form',
    { meta: { promise: '1.02 1.03 1.06 1.09 1.10 1.11 1.12 1.13 1.14 1.15' } },
    (name, encoded) => {
      expect(functionsOf[name].encodeDefinitions([weather])).toEqual([encoded])
    },
  )

  it.each(wires)('of %s does not send metadata', { meta: { promise: '1.07 1.08' } }, (name) => {
    expect(JSON.stringify(functionsOf[name].encodeDefinitions([weather]))).not.toMatch(/metadata|team-canary/)
  })

  it.each(wires)(
    'of %s is pure: values in, values out, and the input does not change',
    { meta: { promise: '1.01 1.04 1.05' } },
    (name) => {
      const given = frozen(structuredClone([weather]))
      expect(functionsOf[name].encodeDefinitions(given)).toEqual(functionsOf[name].encodeDefinitions(given))
    },
  )
})

describe('decodeToolCalls', () => {
  it.each(wires)(
    'of %s finds the calls in a raw body, decoded and numbered',
    { meta: { promise: '1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23' } },
    (name) => {
      const { toolCalls, invalidToolCalls } = functionsOf[name].decodeToolCalls(facts[name].samples.calls)
      expect(toolCalls.map((one) => [one.name, one.arguments, one.index, one.complete])).toEqual([
        ['get_weather', { city: 'Paris' }, 0, true],
        ['get_weather', { city: 'Oslo' }, 1, true],
      ])
      expect(invalidToolCalls).toEqual([])
    },
  )

  it.each(wires)(
    'of %s keeps ids, and makes those that the wire does not give',
    { meta: { promise: '1.24 1.25 0.60' } },
    (name) => {
      const { toolCalls } = functionsOf[name].decodeToolCalls(facts[name].samples.calls)
      expect(toolCalls.map(({ id }) => id)).toEqual(facts[name].samples.callIds)
      expect(toolCalls.map(({ generatedId }) => generatedId === true)).toEqual(
        facts[name].samples.callIds.map((id) => id === `${facts[name].samples.madeId}0`),
      )
    },
  )

  it.each<[Wire, Json]>([
    ['openai-chat', { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }] }],
    ['openai-responses', { status: 'completed', output: [] }],
    ['anthropic', { content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' }],
    ['ollama', { done: true, message: { role: 'assistant', content: 'Hi' } }],
    ['gemini', { candidates: [{ finishReason: 'STOP', content: { parts: [{ text: 'Hi' }] } }] }],
    ['gemini-interactions', { steps: [{ type: 'model_output', content: [{ type: 'text', text: 'Hi' }] }] }],
  ])('of %s gives an empty list where there are none', { meta: { promise: '1.17' } }, (name, body) => {
    expect(functionsOf[name].decodeToolCalls(body)).toEqual({ toolCalls: [], invalidToolCalls: [] })
  })

  it.each(wires)('of %s finds none in a body that is not an answer, or reports that body', (name) => {
    for (const body of [undefined, null, 5, 'x', [], {}, { choices: [] }, { content: null }, { message: 5 }]) {
      let found: unknown
      try {
        found = functionsOf[name].decodeToolCalls(body)
      } catch (error) {
        expect(error).toMatchObject({ code: 'decode' })
        continue
      }
      expect(found).toEqual({ toolCalls: [], invalidToolCalls: [] })
    }
  })

  const cut = { name: 'f', arguments: '{"a":' }
  it.each<[Wire, Json]>([
    ['openai-chat', { choices: [{ finish_reason: 'stop', message: { tool_calls: [{ id: 'c', function: cut }] } }] }],
    ['openai-responses', { output: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":' }] }],
    ['anthropic', { content: [{ type: 'tool_use', id: 'c', name: 'f', input: [1] }] }],
    ['ollama', { message: { tool_calls: [{ function: { name: 'f', arguments: [1] } }] } }],
    ['gemini', { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: [1] } }] } }] }],
    ['gemini-interactions', { steps: [{ type: 'function_call', id: 'c', name: 'f', arguments: '{"a":' }] }],
  ])('of %s separates invalid calls, and does not invent arguments', (name, body) => {
    const { toolCalls, invalidToolCalls } = functionsOf[name].decodeToolCalls(body)
    expect(toolCalls).toEqual([])
    expect(invalidToolCalls).toMatchObject([{ type: 'invalid_tool_call', name: 'f' }])
  })
})

const names = { toolCallId: 'call_a', name: 'get_weather' }
const result: ToolMessage = { role: 'tool', ...names, content: '25 °C', status: 'success' }

describe('encodeResult', () => {
  const ofGemini = { id: 'call_a', name: 'get_weather', response: { output: '25 °C' } }
  it.each<[Wire, unknown]>([
    ['openai-chat', { role: 'tool', tool_call_id: 'call_a', content: '25 °C' }], // [1.27]
    [
      'anthropic',
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_a', content: '25 °C' }] }, // [1.28]
    ],
    ['ollama', { role: 'tool', tool_name: 'get_weather', tool_call_id: 'call_a', content: '25 °C' }], // [1.29], C8
    ['openai-responses', { type: 'function_call_output', call_id: 'call_a', output: '25 °C' }],
    ['gemini', { role: 'user', parts: [{ functionResponse: ofGemini }] }],
    ['gemini-interactions', { type: 'function_result', call_id: 'call_a', name: 'get_weather', result: '25 °C' }],
  ])(
    'of %s gives one message in its shape',
    { meta: { promise: '0.33 2.12 2.17 4.38 1.26 1.27 1.28 1.29 1.30 1.31 0.73 0.78 0.84 0.88' } },
    (name, encoded) => {
      expect(functionsOf[name].encodeResult(result)).toEqual(encoded)
    },
  )

  it.each<[Wire, RegExp]>([
    ['openai-chat', /"content":"[^"]*error[^"]*No such city/i],
    ['ollama', /"content":"[^"]*error[^"]*No such city/i],
    ['openai-responses', /"output":"[^"]*error[^"]*No such city/i],
    ['anthropic', /"is_error":true/],
    ['gemini', /"response":\{"error":"No such city"\}/],
    ['gemini-interactions', /"is_error":true/],
  ])('of %s says that a tool failed, in the text where there is no flag', (name, said) => {
    const failed = functionsOf[name].encodeResult({ ...result, content: 'No such city', status: 'error' })
    expect(JSON.stringify(failed)).toMatch(said)
  })

  it.each(wires)('of %s sends nothing that is only for the application', { meta: { promise: '3.60' } }, (name) => {
    const mine = { ...result, artifacts: ['canary-1'], extra: { secret: 'canary-2' }, metadata: { x: 'canary-3' } }
    expect(JSON.stringify(functionsOf[name].encodeResult(mine))).not.toContain('canary')
  })
})
