/**
 * However the marks of an item change that a provider tells again, each call runs at most once, with its own arguments, and each text and each
 * thought stands once. Where a stream cannot be understood, its calls are invalid, and say so.
 */
import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { assemble } from '../../src/assemble/assemble.ts'
import type { ClientCodec, Frame } from '../../src/core/codec.ts'
import { callsOf } from '../../src/core/content.ts'
import type { ChatResponse, JsonObject, MessageEvent } from '../../src/core/model.ts'
import { inTurn } from '../support/cuts.ts'
import { clients } from '../support/formats.ts'
import { type Made, told, type Way, waysOf } from '../support/repeated.ts'

function decode({ decodeStream, idPrefix, provider }: ClientCodec, frames: readonly Frame[]) {
  const state = assemble.start({ idPrefix, provider })
  const decoder = decodeStream()
  const events: MessageEvent[] = []
  const read = (out: Parameters<typeof decoder.end>[0]) => {
    for (const fragment of out) assemble.step(state, fragment, events)
  }
  for (const frame of frames) {
    const out: Parameters<typeof decoder.end>[0] = []
    decoder.push(frame, out)
    read(out)
  }
  assemble.end(state, events)
  const end = events.at(-1) as MessageEvent & { type: 'message_end' }
  return { events, response: end.response }
}

const framesOf = (events: readonly JsonObject[]): Frame[] => events.map((event) => ({ data: JSON.stringify(event) }))

const pairs: Readonly<Record<string, readonly Made[]>> = {
  'two messages': [
    { kind: 'message', text: 'Hello over there' },
    { kind: 'message', text: 'What do we do' },
  ],
  'two thoughts, as summaries': [
    { kind: 'summary', text: 'First some idea' },
    { kind: 'summary', text: 'Another one now' },
  ],
  'two thoughts, as they are': [
    { kind: 'content', text: 'First some idea' },
    { kind: 'content', text: 'Another one now' },
  ],
  'two calls of one tool': [
    { kind: 'function_call', name: 'pay', args: '{"city":"Oslo"}' },
    { kind: 'function_call', name: 'pay', args: '{"city":"Rome"}' },
  ],
  'two calls, one without arguments': [
    { kind: 'function_call', name: 'pay', args: '{}' },
    { kind: 'function_call', name: 'ask', args: '{"city":"Rome"}' },
  ],
  'two custom calls': [
    { kind: 'custom_tool_call', name: 'run', args: 'say "Oslo"' },
    { kind: 'custom_tool_call', name: 'run', args: 'say "Rome"' },
  ],
  'two calls of an MCP server': [
    { kind: 'mcp_call', name: 'look', args: '{"city":"Oslo"}' },
    { kind: 'mcp_call', name: 'look', args: '{"city":"Rome"}' },
  ],
  'two searches': [
    { kind: 'web_search_call', query: 'Oslo' },
    { kind: 'web_search_call', query: 'Rome' },
  ],
  'a thought, a text and two calls': [
    { kind: 'content', text: 'First some idea' },
    { kind: 'message', text: 'Hello over there' },
    { kind: 'function_call', name: 'pay', args: '{"city":"Oslo"}' },
    { kind: 'function_call', name: 'ask', args: '{"city":"Rome"}' },
  ],
}

/** Calls of the caller's tools that may run, in any order. */
const runs = (calls: readonly { name: string; arguments: unknown }[]) =>
  calls.map(({ name, arguments: given }) => JSON.stringify([name, given])).sort()

const isServers = ({ kind }: Made) => kind === 'mcp_call' || kind === 'web_search_call'

function expected(made: readonly Made[]): string[] {
  return runs(
    made.flatMap((one) => {
      if (!('args' in one) || isServers(one)) return []
      const { kind, name, args } = one
      return [{ name, arguments: kind === 'custom_tool_call' ? { input: args } : JSON.parse(args) }]
    }),
  )
}

/** Whether each piece names the item that it is of. */
const isNamed = ({ id, output_index: index, order }: Way) =>
  ['right', 'late', 'last', 'late and missing'].includes(id) ||
  (['right', 'one', 'shifted'].includes(index) && order !== undefined)

/** The value of JSON; `undefined` for other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What is wrong with an answer. */
function faultsOf(
  made: readonly Made[],
  way: Way,
  { response, events }: { response: ChatResponse; events: readonly MessageEvent[] },
): string[] {
  const { message } = response
  const faults: string[] = []
  const fault = (text: string, got: unknown) => faults.push(`${text}: ${JSON.stringify(got)}`)
  const blocks = typeof message.content === 'string' ? [] : (message.content ?? [])
  const wanted = expected(made)
  const calls = runs(callsOf(message).flatMap((call) => (call.type === 'tool_call' ? [call] : [])))
  const invalid = message.invalidToolCalls ?? []
  const rest = [...wanted]
  for (const call of calls) {
    const at = rest.indexOf(call)
    if (at < 0) fault('a call runs that the model did not make, or twice', calls)
    else rest.splice(at, 1)
  }
  const isWhole = way.telling !== 'pieces'
  const isCustom = made.some(({ kind }) => kind === 'custom_tool_call')
  const runsAll = way.call_id !== 'shared' && (isWhole || (isNamed(way) && !isCustom))
  if (rest.length > 0 && runsAll) fault('a call does not run', [calls, invalid])
  if (invalid.length < rest.length && (isWhole || isNamed(way))) fault('a call is lost', [calls, invalid])
  if (invalid.length === 0 && rest.length > 0) fault('a call is lost', [calls, invalid])
  for (const { reason } of invalid)
    if (isWhole && reason !== 'unclear') fault('an invalid call does not say why', invalid)
  for (const { argumentsText } of invalid) {
    if (parsed(argumentsText) !== undefined) fault('an invalid call could run elsewhere', argumentsText)
  }
  const texts = (type: 'text' | 'reasoning') =>
    blocks
      .flatMap((block) => (block.type === type ? [block.text] : []))
      .join('')
      .replaceAll('\n\n', '')
  const said = (kinds: readonly string[]) =>
    made.flatMap((one) => ('text' in one && kinds.includes(one.kind) ? [one.text] : []))
  for (const [type, kinds] of [
    ['text', ['message']],
    ['reasoning', ['summary', 'content']],
  ] as const) {
    const all = texts(type)
    const each = said(kinds)
    const isOnce = each.every((text) => all.split(text).length === 2) || (!isWhole && !isNamed(way))
    if (!isOnce || all.length !== each.join('').length) fault(`the ${type} does not stand once`, all)
    const deltas = events
      .flatMap((event) => (event.type === `${type}_delta` ? [event.text] : []))
      .join('')
      .replaceAll('\n\n', '')
    if (deltas.length !== all.length) fault(`the deltas of the ${type} are not the ${type}`, [deltas, all])
  }
  const servers = blocks.filter(({ type }) => type === 'server_tool_call')
  const results = blocks.filter(({ type }) => type === 'server_tool_result')
  const hosted = made.filter(isServers)
  if ((isWhole || isNamed(way)) && servers.length !== hosted.length)
    fault('a call of the server does not stand once', servers)
  if (isWhole && results.length !== made.filter(({ kind }) => kind === 'mcp_call').length)
    fault('a result does not stand once', results)
  for (const event of events) {
    if (event.type !== 'tool_call') continue
    const pieces = events.flatMap((one) =>
      one.type === 'tool_call_chunk' && one.index === event.index ? [one.chunk.argumentsDelta] : [],
    )
    const given = parsed(pieces.join(''))
    if (given !== undefined && JSON.stringify(given) !== JSON.stringify(event.call.arguments))
      fault('the pieces of a call are not its arguments', [pieces, event.call])
  }
  return faults
}

describe.each(Object.entries(pairs))('%s', (_, made) => {
  it('stand once, however a host of Responses tells them', () => {
    const ways = inTurn(waysOf(made), 1)
    const found: unknown[] = []
    let count = 0
    for (const way of ways) {
      const events = told(made, way)
      const faults = faultsOf(made, way, decode(clients['openai-responses'], framesOf(events)))
      if (faults.length > 0) {
        count++
        if (found.length < 30) found.push(JSON.stringify(way) + ' ' + faults.join(' | '))
      }
    }
    if (count) appendFileSync('/tmp/w/k1-out.txt', `${_} ${count} of ${ways.length}\n${found.join('\n')}\n`)
    expect(count).toEqual(0)
  })
})
