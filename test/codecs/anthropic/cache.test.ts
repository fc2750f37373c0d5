import { describe, expect, it } from 'vitest'
import type { Context, Message, Metadata } from '../../../src/core/messages.ts'
import { encodeRequest } from '../../../src/formats/anthropic/index.ts'

const options = { model: 'claude-x', maxTokens: 1 }
const hinted = { cacheHint: 'ephemeral' } as const

function encode(context: Partial<Context>, more: object = {}) {
  return encodeRequest({ messages: [], ...context }, { ...options, ...more })
}
function said(text: string, metadata: Metadata = hinted): Message {
  return { role: 'user', content: [{ type: 'text', text, metadata }] }
}
/** The names and texts of the marked parts, in order. */
function marksOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { name, text, cache_control, ...rest } = value as { name?: string; text?: string; cache_control?: unknown }
  const own = cache_control === undefined || (name ?? text) === undefined ? [] : [name ?? text ?? '']
  return [...own, ...Object.values(rest).flatMap(marksOf)]
}

describe('a cache hint', { meta: { promise: '4.22' } }, () => {
  it.each([
    ['ephemeral', { type: 'ephemeral' }],
    [{ ttl: '5m' }, { type: 'ephemeral', ttl: '5m' }],
    [{ ttl: '1h' }, { type: 'ephemeral', ttl: '1h' }],
  ] as const)('%j is a mark on its block', (cacheHint, cache_control) => {
    const { body, losses } = encode({ messages: [said('a', { cacheHint })] })
    expect(body.messages[0]?.content).toEqual([{ type: 'text', text: 'a', cache_control }])
    expect(losses).toEqual([])
  })

  it('with an unknown time is for an hour', () => {
    const { body, losses } = encode({ messages: [said('a', { cacheHint: { ttl: '12h' } })] })
    expect(body.messages[0]?.content).toMatchObject([{ cache_control: { ttl: '1h' } }])
    expect(losses).toMatchObject([{ action: 'changed', severity: 'info' }])
  })

  it('beyond the fourth is not sent: the last four cover the largest part', () => {
    const { body, losses } = encode({
      tools: [{ name: 'tool', metadata: hinted }],
      system: [{ type: 'text', text: 'system', metadata: hinted }],
      messages: [
        { role: 'user', content: ['a', 'b', 'c', 'd'].map((text) => ({ type: 'text', text, metadata: hinted })) },
      ],
    })
    expect(marksOf(body)).toEqual(['a', 'b', 'c', 'd'])
    const reason = 'it takes 4 cache marks, and the last were kept'
    expect(losses).toEqual([
      { action: 'dropped', path: 'tools[0].metadata.cacheHint', severity: 'info', reason },
      { action: 'dropped', path: 'system[0].metadata.cacheHint', severity: 'info', reason },
    ])
  })

  it('for an hour after one for five minutes is for five minutes too', () => {
    const messages = [said('a', { cacheHint: { ttl: '1h' } }), said('b'), said('c', { cacheHint: { ttl: '1h' } })]
    const { body, losses } = encode({ messages })
    expect(body.messages[0]?.content).toMatchObject([
      { cache_control: { ttl: '1h' } },
      { cache_control: { type: 'ephemeral' } },
      { cache_control: { type: 'ephemeral' } },
    ])
    expect(JSON.stringify(body).match(/1h/g)).toHaveLength(1)
    expect(losses).toMatchObject([{ action: 'changed' }])
  })

  it('on a tool that loads late is not sent', () => {
    const tool = { name: 'tool', metadata: hinted, providerData: { anthropic: { defer_loading: true } } }
    const { body, losses } = encode({ tools: [tool] })
    expect(marksOf(body)).toEqual([])
    expect(losses).toMatchObject([{ path: 'tools[0].metadata.cacheHint', action: 'dropped' }])
  })
})
