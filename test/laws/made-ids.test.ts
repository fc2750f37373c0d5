/** An id that we make for a call is unique in the conversation, however its history was trimmed or put together. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callIdsOf } from '../../src/core/content.ts'
import type { Message } from '../../src/core/messages.ts'
import { translateRequest, translateResponse } from '../../src/gateway/translate.ts'
import { generate, stream } from '../../src/index.ts'
import { toolCall } from '../../src/messages/block.ts'
import { facts } from '../formats/index.ts'
import { formats } from '../support/formats.ts'
import { wires } from '../support/wires.ts'

const prefixes = new Set([...wires.map(({ name }) => facts[name].samples.madeId ?? 'call_'), 'toolu_isoglot_', 'c'])
const id = fc.tuple(fc.constantFrom(...prefixes), fc.nat({ max: 9 })).map(([prefix, number]) => `${prefix}${number}`)
const ids = fc.uniqueArray(id, { maxLength: 8 })

/** A round for each id. */
function historyOf(called: readonly string[]): Message[] {
  return called.flatMap((one): Message[] => [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: [toolCall(one, 'f', {})] },
    { role: 'tool', toolCallId: one, name: 'f', content: 'ok' },
  ])
}

const tools = ['f', 'g'].map((name) => ({ name, parameters: { type: 'object' } }))

describe.each(wires)('$name', (wire) => {
  const whole = () => Response.json(wire.wholeCalls(['', 'f', '{}'], ['', 'g', '{}']))
  const streamed = () => new Response(wire.calls(['', 'f', '{}'], ['', 'g', '{}']).join(''))
  const made = (answer: () => Response) => ({ ...wire.model('http://localhost'), fetch: async () => answer() })

  it('makes ids that no call of the history has, whole and streamed', { meta: { promise: '0.45' } }, async () => {
    await fc.assert(
      fc.asyncProperty(ids, fc.boolean(), async (called, isStream) => {
        const history = historyOf(called)
        const { pending } = isStream
          ? await stream({ model: made(streamed), messages: history, prompt: 'again', tools }).response
          : await generate({ model: made(whole), messages: history, prompt: 'again', tools })
        const given = pending.map((call) => call.id)
        expect(new Set(given).size).toBe(2)
        expect(given.filter((one) => called.includes(one))).toEqual([])
      }),
      { seed: 20_261_122, numRuns: 25 },
    )
  })

  it('does so behind a gateway', () => {
    const { codec } = wire.model('http://localhost')
    const { client, server } = formats.find(({ folder }) => folder === 'openai-chat') ?? {}
    fc.assert(
      fc.property(ids, (called) => {
        const body = client?.encodeRequest(
          { messages: [...historyOf(called), { role: 'user', content: 'x' }] },
          { model: 'm' },
        ).body
        const translated = translateRequest(body, server as never, codec)
        const answer = wire.wholeCalls(['', 'f', '{}'])
        const written = translateResponse(answer, codec, server as never, translated.question).body
        const [call] =
          (written as { choices: { message: { tool_calls: { id: string }[] } }[] }).choices[0]?.message.tool_calls ?? []
        expect(called).not.toContain(call?.id)
        expect(call?.id).toEqual(expect.any(String))
      }),
      { seed: 20_261_122, numRuns: 25 },
    )
  })
})

/** Of each wire that may leave out ids: a request with some of them left out. */
const requests = Object.entries(facts).flatMap(([name, { samples }]) =>
  samples.idless === undefined ? [] : [[name, samples.idless] as const],
)

it.each(requests)('a request of %s whose calls have no ids gets ids that no other call has', (name, write) => {
  const server = formats.find(({ client }) => client.name === name)?.server
  const called = fc
    .tuple(ids, fc.array(fc.constant(undefined), { maxLength: 4 }))
    .chain(([given, none]) =>
      fc.shuffledSubarray<string | undefined>([...given, ...none], { minLength: given.length + none.length }),
    )
  fc.assert(
    fc.property(
      called.filter((list) => list.length > 0),
      (list) => {
        const { context } = server?.decodeRequest(write(list), { path: '/v1beta/models/m:generateContent' }) ?? {}
        const found = callIdsOf(context?.messages ?? [])
        expect(found).toHaveLength(list.length)
        expect(new Set(found).size).toBe(list.length)
        for (const [at, one] of list.entries()) if (one !== undefined) expect(found[at]).toBe(one)
      },
    ),
    { seed: 20_261_122, numRuns: 100 },
  )
})

it('numbers after the highest number of a history that was trimmed', { meta: { promise: '0.60 0.85' } }, async () => {
  const model = wires.find(({ name }) => name === 'gemini')?.model('http://localhost')
  const answer = {
    candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: {} } }] }, finishReason: 'STOP' }],
  }
  const asked = { ...model, fetch: async () => Response.json(answer) } as NonNullable<typeof model>
  const { pending } = await generate({ model: asked, messages: historyOf(['gemini_1']), prompt: 'again', tools })
  expect(pending.map((call) => call.id)).toEqual(['gemini_2'])
})
