/** In every format, a call without arguments is a call with an empty object, however a provider writes that there are none. */
import { describe, expect, it } from 'vitest'
import { blocksOfTurn, exactArguments } from '../../src/core/content.ts'
import type { ChatResponse } from '../../src/core/messages.ts'
import { decodeText } from '../support/decode.ts'
import { functionsOf } from '../support/format-functions.ts'
import { wires } from '../support/wires.ts'

const nothing = ['', ' ', 'null', ' null\n', '{}'] as const
const cases = wires.flatMap((wire) => nothing.map((text) => ({ wire, name: wire.name, text })))

function callsOf({ message, stopReason }: ChatResponse): unknown {
  const calls = blocksOfTurn(message).filter((block) => block.type === 'tool_call')
  return {
    stopReason,
    invalid: message.invalidToolCalls,
    calls: calls.map(({ id, arguments: args }) => ({ id, args })),
  }
}

const expected = {
  stopReason: 'tool_calls',
  invalid: undefined,
  calls: [
    { id: 'a', args: {} },
    { id: 'b', args: { x: 1 } },
  ],
}

describe.each(cases)('$name reads arguments $text as none', ({ wire, text }) => {
  const { codec } = wire.model('http://localhost')
  const written = [
    ['a', 'ping', text],
    ['b', 'ping', '{"x":1}'],
  ] as const

  it('in a whole answer', () => {
    expect(callsOf(codec.decodeResponse(wire.wholeCalls(...written)))).toEqual(expected)
  })

  it('in a stream', () => {
    const { response } = decodeText(codec, wire.calls(...written).join(''))
    expect(response && callsOf(response)).toEqual(expected)
  })

  it('in decodeToolCalls', () => {
    const { toolCalls, invalidToolCalls } = functionsOf[wire.name].decodeToolCalls(wire.wholeCalls(...written))
    expect(invalidToolCalls).toEqual([])
    expect(toolCalls.map(({ id, arguments: args }) => ({ id, args }))).toEqual(expected.calls)
  })

  it('and sends them back as an object', () => {
    const { message } = codec.decodeResponse(wire.wholeCalls(...written))
    const context = { messages: [{ role: 'user' as const, content: 'x' }, message] }
    expect(JSON.stringify(codec.encodeRequest(context, { model: 'm' }).body)).not.toMatch(
      /"(?:arguments|input|args)":(?:null|"(?!\{))/,
    )
  })
})

describe.each(wires)('$name', (wire) => {
  const { codec } = wire.model('http://localhost')

  it.each(['nul', 'nullx', 'null null', '[null]', 'true'])('does not read %s as none', (text) => {
    const { response } = decodeText(codec, wire.calls(['a', 'ping', text]).join(''))
    expect(response?.message.invalidToolCalls).toMatchObject([{ argumentsText: text }])
  })
})

it('writes a call that a user made with the text `null` as an object', () => {
  const call = { type: 'tool_call', id: 'a', name: 'f', arguments: {}, argumentsText: 'null', index: 0 } as const
  expect(exactArguments(call)).toBe('{}')
})
