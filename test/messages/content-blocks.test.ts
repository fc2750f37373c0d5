import { expect, it } from 'vitest'
import * as block from '../../src/block.ts'
import { textOf } from '../../src/content.ts'
import * as message from '../../src/message.ts'
import { contentBlocks, serverToolCalls, serverToolResults, toolCalls } from '../../src/messages/content-blocks.ts'
import { developerAsSystem } from '../../src/messages/developer-as-system.ts'
import { normalizeMessages } from '../../src/messages/normalize.ts'

const call = block.toolCall('a', 'f')
const serverCall = block.serverToolCall('s', 'web_search', { q: 'x' })
const serverResult = block.serverToolResult('s', { status: 'success' })

it('[4.47] finds the text of strings and of text-like blocks, and no reasoning in it', () => {
  expect(textOf(message.user('hi'))).toBe('hi')
  expect(textOf([block.reasoning('hm'), block.text('a'), block.plainText('b'), call])).toBe('ab')
  expect(textOf(message.assistant(null))).toBe('')
})

it('[4.48] shows any content as blocks', () => {
  expect(contentBlocks('hi')).toEqual([block.text('hi')])
  expect(contentBlocks(message.user(''))).toEqual([])
  expect(contentBlocks(message.assistant(null))).toEqual([])
})

it('[0.38] [4.36] keeps the order of blocks, with the calls of the field behind them', () => {
  const turn = message.assistant([block.reasoning('hm'), block.text('x')], { toolCalls: [call] })
  expect(contentBlocks(turn)).toEqual([block.reasoning('hm'), block.text('x'), call])
})

it('[4.75] [4.34] finds calls in the content and beside it, each id once', () => {
  const other = block.toolCall('b', 'f', {}, { index: 1 })
  expect(toolCalls(message.assistant([call], { toolCalls: [call, other] }))).toEqual([call, other])
})

it('[4.82] tells the calls that the provider ran, and their results, from ours', () => {
  const turn = message.assistant([serverCall, serverResult, call])
  expect(serverToolCalls(turn)).toEqual([serverCall])
  expect(serverToolResults(turn)).toEqual([serverResult])
  expect(toolCalls(turn)).toEqual([call])
})

it('[4.19] writes a developer for a store without that role, and reads it back', () => {
  const messages = [message.developer('x'), message.user('hi')]
  const stored = developerAsSystem(messages)
  expect(stored).toEqual([{ role: 'system', content: 'x', metadata: { role: 'developer' } }, message.user('hi')])
  expect(normalizeMessages(stored)).toMatchObject(messages)
})
