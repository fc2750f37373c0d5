import { expect, it } from 'vitest'
import { textOf } from '../../src/core/content.ts'
import { DecodeError } from '../../src/core/errors.ts'
import * as message from '../../src/core/message.ts'
import * as block from '../../src/messages/block.ts'
import { contentBlocks, serverToolCalls, serverToolResults, toolCalls } from '../../src/messages/content-blocks.ts'

const call = block.toolCall('a', 'f')
const serverCall = block.serverToolCall('s', 'web_search', { q: 'x' })
const serverResult = block.serverToolResult('s', { status: 'success' })

it('finds the text of strings and of text-like blocks, and no reasoning in it', { meta: { promise: '4.47' } }, () => {
  expect(textOf(message.user('hi'))).toBe('hi')
  expect(textOf([block.reasoning('hm'), block.text('a'), block.plainText('b'), call])).toBe('ab')
  expect(textOf(message.assistant(null))).toBe('')
})

it('shows any content as blocks', { meta: { promise: '4.48' } }, () => {
  expect(contentBlocks('hi')).toEqual([block.text('hi')])
  expect(contentBlocks(message.user(''))).toEqual([])
  expect(contentBlocks(message.assistant(null))).toEqual([])
})

it('keeps the order of blocks, with the calls of the field after them', { meta: { promise: '0.38 4.36' } }, () => {
  const turn = message.assistant([block.reasoning('hm'), block.text('x')], { toolCalls: [call] })
  expect(contentBlocks(turn)).toEqual([block.reasoning('hm'), block.text('x'), call])
})

it('finds calls in the content and beside it, each id once', { meta: { promise: '4.75 4.34' } }, () => {
  const other = block.toolCall('b', 'f', {}, { index: 1 })
  expect(toolCalls(message.assistant([call], { toolCalls: [call, other] }))).toEqual([call, other])
})

it("distinguishes the provider's own calls and results from ours", { meta: { promise: '4.82' } }, () => {
  const turn = message.assistant([serverCall, serverResult, call])
  expect(serverToolCalls(turn)).toEqual([serverCall])
  expect(serverToolResults(turn)).toEqual([serverResult])
  expect(toolCalls(turn)).toEqual([call])
})

it('reads the blocks of a plain map, in snake case and in the form of any wire', { meta: { promise: '4.48' } }, () => {
  const content = [
    { type: 'citation', start_index: 1, end_index: 2 },
    { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
  ]
  const blocks = [
    { type: 'citation', startIndex: 1, endIndex: 2 },
    { type: 'image', url: 'https://x.example/a.png' },
  ]
  expect(contentBlocks({ role: 'assistant', content })).toEqual(blocks)
  expect(content.map((part) => block.from(part))).toEqual(blocks)
})

it('finds the calls that a plain map has beside its content', () => {
  const raw = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
  }
  expect(toolCalls(raw)).toEqual([block.toolCall('a', 'f', { x: 1 })])
  expect(() => contentBlocks({ role: 'nobody', content: 'x' })).toThrow(DecodeError)
})
