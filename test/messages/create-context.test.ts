import { describe, expect, it } from 'vitest'
import * as message from '../../src/core/message.ts'
import * as block from '../../src/messages/block.ts'
import { createContext } from '../../src/messages/create-context.ts'
import type { MessageLike } from '../../src/messages/message-like.ts'
import { toMessage } from '../../src/messages/to-message.ts'

const tool = { name: 'f', execute: () => 1 }

describe('createContext', () => {
  it('makes one user message of text', { meta: { promise: '0.03 4.09' } }, () => {
    expect(createContext('hi')).toEqual({ messages: [{ role: 'user', content: 'hi' }] })
  })

  it('puts the history first and the prompt last', { meta: { promise: '0.04 0.05 3.30' } }, () => {
    expect(createContext({ messages: [message.user('a'), message.assistant('b')], prompt: 'c' }).messages).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'c' },
    ])
  })

  it('has four named parts', { meta: { promise: '0.08 0.09 0.11 0.12' } }, () => {
    const parts = {
      system: 'Be brief',
      messages: ['hi'],
      tools: [tool],
      providerState: { previousResponseId: 'resp_1' },
    }
    expect(createContext(parts)).toEqual({ ...parts, messages: [{ role: 'user', content: 'hi' }] })
  })

  it('takes text, messages and pairs in one list', { meta: { promise: '0.10 4.11 4.14' } }, () => {
    expect(createContext(['a', message.assistant('b'), ['human', 'c']]).messages).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'c' },
    ])
  })

  it('takes a list of two texts for two messages', () => {
    expect(createContext(['user', 'hi']).messages).toHaveLength(2)
  })

  it('takes one message', { meta: { promise: '4.10' } }, () => {
    expect(createContext(message.user('hi')).messages).toEqual([{ role: 'user', content: 'hi' }])
  })

  it('takes a whole context for the prompt: it goes on where the history ends, and its own fields win', {
    meta: { promise: '0.13' },
  }, () => {
    const prompt = { system: 'inner', messages: ['b'], providerState: {} }
    expect(createContext({ system: 'outer', messages: ['a'], tools: [tool], prompt })).toEqual({
      system: 'inner',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
      tools: [tool],
      providerState: {},
    })
  })

  it('asks for none of its parts', { meta: { promise: '0.14' } }, () => {
    expect(createContext({})).toEqual({ messages: [] })
    expect(createContext({ system: 'x' })).toEqual({ system: 'x', messages: [] })
  })
})

describe('messages', () => {
  it('are made by role, with content and options', { meta: { promise: '0.06 4.03 4.04' } }, () => {
    expect([
      message.system('a', { name: 'n' }),
      message.developer('b'),
      message.user([block.text('c')], { id: 'm1', metadata: { k: 1 } }),
      message.assistant(null, { toolCalls: [] }),
      message.tool('d', { toolCallId: 'call_1', status: 'error' }),
    ]).toEqual([
      { role: 'system', content: 'a', name: 'n' },
      { role: 'developer', content: 'b' },
      { role: 'user', content: [{ type: 'text', text: 'c' }], id: 'm1', metadata: { k: 1 } },
      { role: 'assistant', content: null, toolCalls: [] },
      { role: 'tool', content: 'd', toolCallId: 'call_1', status: 'error' },
    ])
  })

  it('are a user’s when made of only text', { meta: { promise: '0.07 0.17 3.24' } }, () => {
    expect(toMessage('hi')).toEqual({ role: 'user', content: 'hi' })
  })

  it('are made of a role, by any of its names, and content', { meta: { promise: '4.14 4.18' } }, () => {
    const pair: MessageLike = ['model', 'hi']
    expect(toMessage(pair)).toEqual({ role: 'assistant', content: 'hi' })
  })

  it('stay the very value that they are', () => {
    const given = message.user('hi')
    expect(toMessage(given)).toBe(given)
  })

  it.each([
    [['robot', 'hi'], 'Cannot make a message: the role "robot" is not known'],
    [['tool', 'hi'], 'Cannot make a message: a result has to name its call'],
    [['constructor', 'hi'], 'Cannot make a message: the role "constructor" is not known'],
  ])('are not made of %j', (pair, error) => {
    expect(() => toMessage(pair as unknown as MessageLike)).toThrow(error)
  })
})
