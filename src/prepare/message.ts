/** Prepares each message by itself: splits it, moves calls and results to their places, drops what is empty. @module */
import { blocksOf, blocksOfTurn } from '../core/content.ts'
import { findLastIndex } from '../core/lookup.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  InvalidToolCall,
  Message,
  StopReason,
  ToolCall,
} from '../core/model.ts'
import { legalId } from '../kit/ids.ts'
import { placesOf, withPlaces } from '../kit/losses.ts'
import * as reasons from '../kit/reasons.ts'
import { prepareContent } from './blocks.ts'
import { type Item, isBound, note, type Task, withContent } from './task.ts'
import { wellFormed } from './well-formed.ts'

/**
 * Returns the messages that one message is sent as.
 *
 * @throws {TypeError} if it requests to be split and the `split` option is not set.
 */
export function prepareMessage(message: Message, path: string, task: Task): readonly Item[] {
  if (!('split' in message) || message.split === undefined) return prepareWhole(message, path, task)
  if (task.splitting === undefined)
    throw new TypeError(`Cannot send "${path}": it asks to be split, and nothing splits it; pass split: splitting()`)
  const pieces = task.splitting.split(message)
  note(task, 'changed', path, `it asks to be split, and goes as ${pieces.length}`)
  return pieces.flatMap((piece) => prepareWhole(piece, path, task))
}

/** The message, with the results that stand in it as messages: before a user's message, or after an assistant's. */
function prepareWhole(message: Message, path: string, task: Task): readonly Item[] {
  const { role } = message
  const { toolCalls, invalidToolCalls, ...rest } = message as AssistantMessage
  const place = `${path}.content`
  const results: Item[] = []
  const content =
    role === 'assistant'
      ? prepareTurn(message, path, task, results)
      : prepareContent(message.content, place, task, role === 'tool' ? undefined : results)
  if (content === undefined) return []
  if (results.length > 0) note(task, 'changed', place, 'results that stand as blocks became messages')
  const hasLists = toolCalls !== undefined || invalidToolCalls !== undefined
  const item = withContent({ path, message: hasLists ? (rest as Message) : message }, content)
  // Each call needs a result, and some system messages have only settings of the format.
  const mayBeEmpty = role === 'tool' || (role !== 'assistant' && !task.rules.refusesEmpty) || isBound(message, task)
  if (content.length > 0 || (mayBeEmpty && results.length === 0))
    return role === 'assistant' ? [item, ...results] : [...results, item]
  if (results.length === 0) note(task, 'dropped', path, 'there is nothing in it')
  return results
}

const failures: ReadonlySet<StopReason | undefined> = new Set(['error', 'aborted', 'interrupted'])

/** The content of a turn, with all its calls, and without reasoning at its end; `undefined` if it failed before it had content. */
function prepareTurn(message: AssistantMessage, path: string, task: Task, results: Item[]): Content | undefined {
  const { stopReason, toolCalls, invalidToolCalls } = message
  const written = blocksOfTurn(message)
  if (toolCalls !== undefined) note(task, 'changed', `${path}.toolCalls`, 'calls stand in the content')
  if (failures.has(stopReason) && !written.some(isUseful))
    return note(task, 'dropped', path, `the turn ended as "${stopReason}" with nothing in it that can be used`, 'minor')
  const given = toolCalls === undefined ? (message.content ?? []) : written
  const content = prepareContent(given, `${path}.content`, task, results)
  const blocks = [...blocksOf(content)]
  const places = typeof content === 'string' ? [path] : [...placesOf(content, `${path}.content`)]
  for (const invalid of invalidToolCalls ?? []) {
    const next = blocks.findIndex((block) => block.type === 'tool_call' && block.index > invalid.index)
    const at = next < 0 ? blocks.length : next
    blocks.splice(at, 0, sendable(invalid, path, task))
    places.splice(at, 0, path)
  }
  if (invalidToolCalls?.length === 0) note(task, 'dropped', `${path}.invalidToolCalls`, reasons.empty)
  // Some formats bind reasoning to the block after it. A format that keeps reasoning of other providers does not.
  const end = findLastIndex(blocks, ({ type }) => type !== 'reasoning' || task.rules.foreignReasoning === 'keep') + 1
  if (end < blocks.length) note(task, 'dropped', `${path}.content`, 'it is reasoning that nothing follows', 'minor')
  else if (invalidToolCalls === undefined) return content
  return withPlaces(blocks.slice(0, end), places.slice(0, end))
}

function isUseful(block: ContentBlock): boolean {
  return block.type === 'text' ? block.text.trim() !== '' : block.type !== 'reasoning'
}

/**
 * Returns the call that is sent for an invalid call, since formats do not have invalid calls and the turn must stay complete. If the format
 * has arguments as text, the raw text is sent. If they are an object, an empty object is sent. The call never runs: it gets an error result.
 */
function sendable({ id, name, index, argumentsText, error }: InvalidToolCall, path: string, task: Task): ToolCall {
  note(task, 'changed', `${path}.invalidToolCalls`, 'an invalid call goes as a call that failed', 'minor')
  const call: ToolCall = {
    type: 'tool_call',
    id: id ?? `invalid_${path.replace(/\D+/g, '')}_${index}`,
    name: legalId(name ?? 'unnamed_tool', task.rules.toolName),
    arguments: {},
    argumentsText: wellFormed(argumentsText),
    index,
    complete: true,
  }
  task.errors.set(call, error)
  return call
}
