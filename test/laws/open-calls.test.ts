/**
 * To decode an answer takes work in proportion to its events, also while many calls are open together. V8 counts what runs, so no clock decides. A
 * search through all open calls at each piece shows as work for an event that grows with their number.
 */
import { Session } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'
import { expect, it } from 'vitest'
import { cutStream, wires, writeEvents } from '../../bench/lib/streams.mjs'
import { toolCallsOf } from '../../src/core/content.ts'
import type { ChatResponse } from '../../src/core/messages.ts'
import { formats, type MockFormat } from '../../src/test/formats.ts'
import { streamOf } from '../../src/test/write.ts'
import { decodeChunks } from '../support/decode.ts'

const pieces = 16

/** Calls, each in pieces. */
function callsOf(count: number): readonly (readonly string[])[] {
  const text = JSON.stringify({ text: 'x'.repeat(pieces * 8 - 11) })
  return Array.from({ length: count }, () =>
    Array.from({ length: pieces }, (_, at) => text.slice(at * 8, (at + 1) * 8)),
  )
}

/** An answer whose calls come in turn, a piece of each, in the very form in which the provider sends them. */
const inTurn = (wire: string, count: number) => cutStream(writeEvents(wire, { calls: callsOf(count) }).join(''))

/** The same, one call after the other. */
function inOrder(format: MockFormat, count: number) {
  const calls = callsOf(count).map((one) => ({ name: 'note', arguments: JSON.parse(one.join('')) }))
  return streamOf({ calls }, { format })
}

const tiers = ['opt', 'maglev', 'sparkplug']

/** How often the functions and blocks of our code run meanwhile. Compiled code does not count, so none is compiled. */
function stepsOf(work: () => void): number {
  const session = new Session()
  session.connect()
  for (const tier of tiers) setFlagsFromString(`--no-${tier}`)
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  work()
  let steps = 0
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    const ours = result.filter(({ url }) => url.includes('/src/')).flatMap(({ functions }) => functions)
    for (const { ranges } of ours) for (const { count } of ranges) steps += count
  })
  session.disconnect()
  for (const tier of tiers) setFlagsFromString(`--${tier}`)
  return steps
}

const cases = [
  ...wires.map((wire) => ({ wire: wire as MockFormat, how: 'in turn', write: inTurn })),
  ...(Object.keys(formats) as MockFormat[]).map((wire) => ({ wire, how: 'one after the other', write: inOrder })),
]

it.each(cases)('$wire: a piece of 64 calls $how takes about the work of one of 8', ({ wire, write }) => {
  const { client } = formats[wire]
  const stepsFor = (count: number) => {
    const chunks = write(wire, count)
    let response: ChatResponse | undefined
    const decode = () => {
      response = decodeChunks(client, chunks).response
    }
    decode() // makes what is made once
    const steps = stepsOf(decode)
    expect(response && toolCallsOf(response.message)).toHaveLength(count)
    return steps / count
  }
  const [few, many] = [stepsFor(8), stepsFor(64)]
  expect(few).toBeGreaterThan(10)
  // Responses compares the marks of all open items when one begins and ends, but not at each piece: that would be 5.
  expect(many / few).toBeLessThan(wire === 'openai-responses' ? 2.6 : 1.1)
})
