import { describe, expect, it } from 'vitest'
import type { ToolCallChunk } from '../../src/core/messages.ts'
import { type MessageChunk, mergeChunks } from '../../src/messages/merge-chunks.ts'
import { toMessage } from '../../src/messages/to-message.ts'
import { callOf, invalidCall } from '../support/makers.ts'

const piece = (more: Omit<ToolCallChunk, 'type'>): ToolCallChunk => ({ type: 'tool_call_chunk', ...more })
const chunk = (content: MessageChunk['content'], ...toolCallChunks: ToolCallChunk[]): MessageChunk => ({
  role: 'assistant',
  content,
  ...(toolCallChunks.length > 0 && { toolCallChunks }),
})

describe('mergeChunks', () => {
  it('joins text, two chunks or many', { meta: { promise: '4.79' } }, () => {
    const text = { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] }
    expect(mergeChunks(chunk('Hel'), chunk('lo'))).toEqual(text)
    expect(mergeChunks([chunk('H'), chunk('el'), chunk('lo')])).toEqual(text)
  })

  it('joins pieces of several calls, whatever comes in which piece', { meta: { promise: '4.77 4.78 4.80' } }, () => {
    const merged = mergeChunks([
      chunk('Let me look', piece({ index: 0, id: 'a' }), piece({ index: 1, id: 'b', name: 'time' })),
      chunk('', piece({ index: 0, name: 'weather' })),
      chunk('', piece({ index: 1, argumentsDelta: '{"at":' }), piece({ index: 0, argumentsDelta: '{"city"' })),
      chunk('', piece({ index: 0, argumentsDelta: ':"Paris"}' }), piece({ index: 1, argumentsDelta: '1}' })),
    ])
    expect(merged.content).toEqual([
      { type: 'text', text: 'Let me look' },
      piece({ index: 0, id: 'a', name: 'weather', argumentsDelta: '{"city":"Paris"}' }),
      piece({ index: 1, id: 'b', name: 'time', argumentsDelta: '{"at":1}' }),
    ])
  })

  it('makes the same of pairs as of the whole list', () => {
    const list = [
      chunk('a', piece({ index: 0, id: 'x', name: 'f' })),
      chunk('b', piece({ index: 0, argumentsDelta: '{"k":' })),
      chunk('c', piece({ index: 0, argumentsDelta: '1}' }), piece({ index: 0, id: 'y', name: 'g' })),
      chunk('d', piece({ id: 'y', argumentsDelta: '{}' })),
    ]
    const [first, ...others] = list as [MessageChunk, ...MessageChunk[]]
    expect(toMessage(others.reduce((sum, next) => mergeChunks(sum, next), first))).toEqual(toMessage(mergeChunks(list)))
  })

  it('takes different ids at one index for different calls, and one id for one call', () => {
    const merged = mergeChunks([
      chunk('', piece({ index: 0, id: 'x', name: 'f', argumentsDelta: '{}' })),
      chunk('', piece({ index: 0, id: 'y', name: 'f', argumentsDelta: '{"a":1}' })),
    ])
    expect(toMessage(merged).content).toMatchObject([{ id: 'x' }, { id: 'y' }])
  })

  it('attaches a signature without text to the reasoning before it', () => {
    const opaque = { provider: 'anthropic', model: 'm', format: 'anthropic', data: { signature: 's' } }
    const merged = mergeChunks([
      chunk([{ type: 'reasoning', text: 'h' }]),
      chunk([{ type: 'reasoning', text: 'm' }]),
      chunk([{ type: 'reasoning', text: '', opaque }]),
      chunk('so'),
    ])
    expect(merged.content).toEqual([
      { type: 'reasoning', text: 'hm', opaque },
      { type: 'text', text: 'so' },
    ])
  })

  it('never joins a signed text with one that is not: the signature belongs to its part', () => {
    const opaque = { provider: 'gemini', model: 'm', format: 'gemini', data: { thoughtSignature: 's' } }
    const parts = [
      { type: 'text', text: 'a', opaque },
      { type: 'text', text: 'b' },
      { type: 'text', text: '', opaque },
    ] as const
    expect(mergeChunks(parts.map((part) => chunk([part]))).content).toEqual(parts)
    expect(
      mergeChunks(chunk([{ type: 'reasoning', text: 'a', opaque }]), chunk([{ type: 'reasoning', text: 'b' }])).content,
    ).toHaveLength(2)
  })

  it('makes no block of nothing', () => {
    expect(mergeChunks(chunk([{ type: 'text', text: '' }]), chunk('')).content).toEqual([])
  })

  it('joins text of one block, and not of two', () => {
    const texts = (...ids: string[]) =>
      mergeChunks(ids.map((id, at) => chunk([{ type: 'text', text: `${at}`, id }]))).content
    expect(texts('m', 'm')).toEqual([{ type: 'text', text: '01', id: 'm' }])
    expect(texts('m', 'n')).toHaveLength(2)
  })

  it('keeps ids, where it came from, and the latest usage', () => {
    const merged = mergeChunks([
      { ...chunk('a'), id: 'run-1', usage: { inputTokens: 5, outputTokens: 1 }, response: { provider: 'openai' } },
      { ...chunk('b'), usage: { outputTokens: 2 }, response: { model: 'gpt' }, stopReason: 'stop' },
    ])
    expect(merged).toMatchObject({
      id: 'run-1',
      usage: { inputTokens: 5, outputTokens: 2 },
      response: { provider: 'openai', model: 'gpt' },
      stopReason: 'stop',
    })
  })
})

describe('toMessage of a chunk', () => {
  it('makes calls of the pieces', { meta: { promise: '4.76 4.79' } }, () => {
    const made = toMessage(chunk('x', piece({ id: 'a', name: 'f', argumentsDelta: '{"k":1}' })))
    const content = [{ type: 'text', text: 'x' }, callOf({ k: 1 }, { id: 'a' })]
    expect(made).toEqual({ role: 'assistant', content })
  })

  it('takes no arguments for an empty object: an opener may come by itself', () => {
    const message = toMessage(chunk('', piece({ id: 'a', name: 'f', index: 0 })))
    expect(message.content).toMatchObject([{ type: 'tool_call', arguments: {} }])
  })

  it.each([
    ['{"k":', 'malformed_json'],
    ['[1]', 'not_an_object'],
    ['"x"', 'not_an_object'],
  ])(
    'keeps the arguments %s with the reason they are none',
    { meta: { promise: '4.81' } },
    (argumentsDelta, reason) => {
      const message = toMessage(chunk('', piece({ id: 'a', name: 'f', index: 0, argumentsDelta })))
      expect(message.content).toEqual([])
      expect(message.invalidToolCalls).toMatchObject([{ id: 'a', name: 'f', argumentsText: argumentsDelta, reason }])
    },
  )

  it('believes a call that says it is invalid, whatever pieces of it there are', { meta: { promise: '4.81' } }, () => {
    const invalid = invalidCall()
    const whole = chunk('', piece({ id: 'a', index: 0, name: 'f', argumentsDelta: '{}' }))
    const stale = { ...whole, invalidToolCalls: [invalid] }
    expect(toMessage(stale)).toMatchObject({ content: [], invalidToolCalls: [invalid] })
    expect(toMessage(mergeChunks(stale, chunk('')))).toMatchObject({ content: [], invalidToolCalls: [invalid] })
  })

  it('runs nothing of a chunk that was cut', () => {
    const cut = chunk('', piece({ id: 'a', name: 'f', index: 0, argumentsDelta: '{"k"' }))
    const made = toMessage({ ...cut, stopReason: 'aborted' })
    expect(made).toMatchObject({ stopReason: 'aborted', invalidToolCalls: [{ reason: 'truncated' }] })
  })

  it('leaves a message without pieces the very value it is', () => {
    const whole = { role: 'assistant', content: 'x' } as const
    expect(toMessage(whole)).toBe(whole)
  })
})
