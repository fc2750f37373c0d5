/** A rule for each deviation from the documented form that the recordings have, and its decoded result. */
import { expect } from 'vitest'
import type { JsonObject } from '../../../src/core/messages.ts'
import { createClientCodec } from '../../../src/formats/anthropic/index.ts'
import { casesOf } from '../../support/corpus.ts'
import { type Reading, testQuirks } from '../../support/quirks.ts'
import { havingField } from '../../support/raw.ts'

const ofType = ({ raw }: Reading, type: string) => raw.filter((event) => event.type === type)
const deltas = (reading: Reading, type: string) =>
  ofType(reading, 'content_block_delta').filter(({ delta }) => (delta as JsonObject).type === type)
/** The blocks as they begin in a stream, or are in a body. */
const rawBlocks = (reading: Reading): JsonObject[] =>
  reading.one.kind === 'json'
    ? (reading.raw[0]?.content as JsonObject[])
    : ofType(reading, 'content_block_start').map(({ content_block }) => content_block as JsonObject)
const lastOf = (reading: Reading, field: string) => havingField(reading.raw, field).at(-1)?.[field]
const kept = ({ response }: Reading) => response?.providerData?.anthropic

/** The arguments of each call of a stream are its pieces, one after the other; where none came, the input that stood in its start. */
function argumentsAreTheirPieces({ raw, response, blocks }: Reading): void {
  const open = new Map<unknown, { id: unknown; text: string }>()
  const told: { id: unknown; text: string }[] = []
  for (const event of raw) {
    const { id, type, input } = (event.content_block ?? {}) as JsonObject
    if (`${type}`.endsWith('tool_use')) {
      const call = { id, text: Object.keys(input as JsonObject).length > 0 ? JSON.stringify(input) : '' }
      open.set(event.index, call)
      told.push(call)
    }
    const { partial_json: piece = '' } = (event.delta ?? {}) as { partial_json?: string }
    const call = open.get(event.index)
    if (call !== undefined) call.text += piece
  }
  const calls = blocks.filter((block) => block.type === 'tool_call' || block.type === 'server_tool_call')
  const all = [...calls, ...(response?.message.invalidToolCalls ?? [])]
  for (const { id, text } of told) expect(all.find((call) => call.id === id)?.argumentsText).toBe(text)
  expect(all).toHaveLength(told.length)
}

function isTheProvidersOwn(name: string): (reading: Reading) => void {
  return (reading) => {
    const ids = rawBlocks(reading).flatMap((block) =>
      block.type === 'server_tool_use' && block.name === name ? [block.id] : [],
    )
    const own = reading.blocks.filter((block) => block.type === 'server_tool_call' && block.name === name)
    expect(own.map((block) => block.type === 'server_tool_call' && block.id)).toEqual(ids)
    expect(reading.calls.filter((call) => ids.includes(call.id))).toEqual([])
  }
}

testQuirks(casesOf('anthropic'), () => createClientCodec(), {
  ping: ({ one, response }) => {
    expect(one.text).toContain('"ping"')
    expect(JSON.stringify(response)).not.toContain('"ping"')
  },
  'sse-last-event-unterminated': (reading) => {
    expect(reading.one.text).not.toMatch(/\n\n$/)
    expect(reading.response?.message.rawStopReason).toBe(lastOf(reading, 'stop_reason'))
  },
  'duplicate-message_start': (reading) => {
    const [first] = ofType(reading, 'message_start')
    expect(first?.message).toMatchObject({ id: reading.response?.message.response?.id })
  },
  'block-index-reused': ({ response, blocks, ...reading }) => {
    const starts = ofType({ ...reading, response, blocks }, 'content_block_start').length
    expect(blocks.length + (response?.message.invalidToolCalls?.length ?? 0)).toBe(starts)
  },
  'content-empty': ({ blocks, response }) => {
    expect(blocks).toEqual([])
    expect(response?.stopReason).toBe('refusal')
  },

  'block:compaction': (reading) => {
    const [raw] = rawBlocks(reading)
    const providerData = { anthropic: { type: raw?.type } }
    expect(reading.blocks[0]).toMatchObject({ type: 'server_tool_result', name: 'compaction', providerData })
  },
  'delta:compaction_delta': (reading) => {
    const { type: _, ...fields } = { ...(deltas(reading, 'compaction_delta')[0]?.delta as JsonObject | undefined) }
    expect(reading.blocks[0]).toMatchObject({ providerData: { anthropic: { type: 'compaction', ...fields } } })
  },
  'block:fallback': (reading) => {
    const value = rawBlocks(reading).find(({ type }) => type === 'fallback')
    const { type: _, ...output } = value ?? {}
    expect(reading.blocks).toContainEqual({
      type: 'server_tool_result',
      name: 'fallback',
      status: 'success',
      output,
      providerData: { anthropic: value },
    })
  },
  'thinking-empty': (reading) => {
    const { signature } = rawBlocks(reading).find(({ thinking }) => thinking === '') ?? {}
    expect(reading.blocks[0]).toMatchObject({ type: 'reasoning', text: '', opaque: { data: { signature } } })
  },
  'citation:web_search_result_location': (reading) => {
    const isCitation = ({ type, encrypted_index: index }: JsonObject) =>
      type === 'web_search_result_location' && index !== undefined
    const told = havingField(reading.raw, 'encrypted_index').filter(isCitation)
    expect(reading.citations.map(({ url }) => url)).toEqual(told.map(({ url }) => url))
    expect(reading.citations.map(({ providerData }) => providerData?.anthropic?.encrypted_index)).toEqual(
      told.map(({ encrypted_index: index }) => index),
    )
  },

  'input_json_delta-empty': argumentsAreTheirPieces,
  'tool-args-invalid-json': (reading) => {
    argumentsAreTheirPieces(reading)
    expect(reading.response?.message.invalidToolCalls).toHaveLength(1)
  },
  'tool-input-delta-empty': ({ calls }) => expect(calls[0]).toMatchObject({ arguments: {}, argumentsText: '' }),
  'tool-input-in-block-start': (reading) => {
    const raw = rawBlocks(reading).find(({ type }) => type === 'tool_use')
    expect(raw?.input).not.toEqual({})
    expect(reading.calls.find(({ id }) => id === raw?.id)?.arguments).toEqual(raw?.input)
  },
  'tool-caller': (reading) => {
    const called = rawBlocks(reading).filter(({ type, caller }) => type === 'tool_use' && caller !== undefined)
    for (const { id, caller } of called) {
      expect(reading.calls.find((call) => call.id === id)?.providerData?.anthropic?.caller).toEqual(caller)
    }
    expect(havingField(reading.raw, 'caller').length).toBeGreaterThan(0)
  },
  'server_tool_use:advisor': isTheProvidersOwn('advisor'),
  'server_tool_use:bash_code_execution': isTheProvidersOwn('bash_code_execution'),
  'server_tool_use:code_execution': isTheProvidersOwn('code_execution'),
  'server_tool_use:text_editor_code_execution': isTheProvidersOwn('text_editor_code_execution'),
  'server_tool_use:tool_search_tool_bm25': isTheProvidersOwn('tool_search_tool_bm25'),
  'server_tool_use:web_fetch': isTheProvidersOwn('web_fetch'),
  'server_tool_use:web_search': isTheProvidersOwn('web_search'),

  'input-tokens-in-message_delta': (reading) => {
    const usage = ofType(reading, 'message_delta').at(-1)?.usage as Record<string, number | undefined>
    const {
      input_tokens: fresh = 0,
      cache_read_input_tokens: read = 0,
      cache_creation_input_tokens: written = 0,
    } = usage
    const steps = (usage as JsonObject | undefined)?.iterations as readonly JsonObject[] | undefined
    const advised = (steps ?? [])
      .filter(({ type }) => type === 'advisor_message')
      .map((step) => Number(step.input_tokens))
    const all = advised.reduce((sum, count) => sum + count, fresh + read + written)
    expect(reading.response?.usage?.inputTokens).toBe(all)
  },
  'usage-iterations': (reading) =>
    expect(reading.response?.usage?.providerData?.anthropic?.iterations).toEqual(lastOf(reading, 'iterations')),
  stop_details: (reading) => expect(kept(reading)?.stop_details).toEqual(lastOf(reading, 'stop_details')),
  container: (reading) => expect(kept(reading)?.container).toEqual(lastOf(reading, 'container')),
})
