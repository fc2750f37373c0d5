/** Prepares the text, the proof and the name of each block. @module */

import type {
  Content,
  ContentBlock,
  ImageBlock,
  Json,
  ReasoningBlock,
  TextBlock,
  ToolCall,
  ToolResultBlock,
} from '../core/model.ts'
import { legalId } from '../kit/ids.ts'
import { ownProof } from '../kit/opaque.ts'
import { type Item, note, type Task, withContent } from './task.ts'
import { wellFormed, wellFormedJson } from './well-formed.ts'

/** Makes text well-formed and names legal. Drops proofs and reasoning of other providers, chunks and empty text. */
export function prepareBlocks(item: Item, task: Task): Item {
  return withContent(item, prepareContent(item.message.content, `${item.path}.content`, task))
}

/** The prepared system text; `undefined` if it is absent or empty. */
export function prepareSystem(system: Content | undefined, task: Task): Content | undefined {
  if (system === undefined) return undefined
  const prepared = prepareContent(system, 'system', task)
  if (prepared !== null && (prepared.length > 0 || !task.rules.refusesEmpty)) return prepared
  if (system.length === 0) note(task, 'dropped', 'system', 'it is empty')
  return undefined
}

function prepareContent<C extends Content | null>(content: C, path: string, task: Task): C | Content {
  if (content === null) return content
  if (typeof content === 'string') return prepareString(content, path, task)
  const blocks = content.flatMap((block, at) => {
    const prepared = prepareBlock(block, `${path}[${at}]`, task)
    if (prepared !== undefined) task.places.set(prepared, `${path}[${at}]`)
    return prepared ?? []
  })
  return blocks.length === content.length && blocks.every((block, at) => block === content[at]) ? content : blocks
}

function prepareString(text: string, path: string, task: Task): string {
  if (text !== '' && isBlank(text, task)) {
    note(task, 'dropped', path, 'it is blank text')
    return ''
  }
  return withoutLoneSurrogates({ text }, ['text'], path, task).text
}

function prepareBlock(block: ContentBlock, path: string, task: Task): ContentBlock | undefined {
  switch (block.type) {
    case 'text':
      return prepareText(block, path, task)
    case 'reasoning':
      return prepareReasoning(block, path, task)
    case 'tool_call':
      return prepareCall(block, path, task)
    case 'tool_result':
      return prepareResult(block, path, task)
    case 'image':
      return withoutForeignProof(block, path, task)
    case 'plain_text':
      return withoutLoneSurrogates(block, ['text', 'title'], path, task)
    case 'file':
      return withoutLoneSurrogates(block, ['filename'], path, task)
    case 'tool_call_chunk':
    case 'server_tool_call_chunk':
      note(task, 'dropped', path, 'it is a fragment of a call that was never put together', 'minor')
      return undefined
    default:
      return block
  }
}

function prepareText(block: TextBlock, path: string, task: Task): TextBlock | undefined {
  const own = withoutForeignProof(block, path, task)
  // A block with a proof is sent back even if its text is empty.
  if (own.opaque !== undefined || !isBlank(own.text, task)) return withoutLoneSurrogates(own, ['text'], path, task)
  note(task, 'dropped', path, 'it is empty text')
  return undefined
}

function isBlank(text: string, task: Task): boolean {
  return (task.rules.refusesEmpty ? text.trim() : text) === ''
}

function prepareReasoning(block: ReasoningBlock, path: string, task: Task): ContentBlock | undefined {
  if (isOwn(block, task)) return withoutLoneSurrogates(block, ['text'], path, task)
  if (block.text === '') {
    note(task, 'dropped', path, 'it is reasoning without text, and no proof of it is valid here', 'minor')
    return undefined
  }
  switch (task.rules.foreignReasoning) {
    case 'keep':
      return withoutLoneSurrogates(withoutForeignProof(block, path, task), ['text'], path, task)
    case 'text':
      note(task, 'changed', path, 'reasoning without a proof that is valid here became text', 'minor')
      return isBlank(block.text, task) ? undefined : { type: 'text', text: wellFormed(block.text) }
    case 'drop':
      note(task, 'dropped', path, 'it is reasoning without a proof that is valid here', 'minor')
      return undefined
  }
}

function prepareCall(call: ToolCall, path: string, task: Task): ToolCall {
  const own = withoutForeignProof(call, path, task)
  const read = withoutLoneSurrogates(own, ['argumentsText', 'arguments'], path, task)
  // The arguments text can contain lone surrogates as escapes, which the server would decode. So it is written from the fixed arguments.
  const fixed = read.arguments === own.arguments ? read : { ...read, argumentsText: JSON.stringify(read.arguments) }
  const name = legalId(fixed.name, task.rules.toolName)
  if (name === fixed.name) return fixed
  note(task, 'changed', `${path}.name`, `"${fixed.name}" is not a legal name of a tool here; it goes as "${name}"`)
  return { ...fixed, name }
}

function prepareResult(block: ToolResultBlock, path: string, task: Task): ToolResultBlock {
  const content = prepareContent(block.content, `${path}.content`, task)
  return content === block.content ? block : { ...block, content }
}

function isOwn(block: { readonly opaque?: TextBlock['opaque'] }, task: Task): boolean {
  return ownProof(block.opaque, task.target) !== undefined
}

function withoutForeignProof<B extends TextBlock | ImageBlock | ReasoningBlock | ToolCall>(
  block: B,
  path: string,
  task: Task,
): B {
  if (block.opaque === undefined || isOwn(block, task)) return block
  const { opaque, ...rest } = block
  note(task, 'dropped', `${path}.opaque`, `it is a proof for ${opaque.provider} and the model "${opaque.model}"`)
  return rest as B
}

function withoutLoneSurrogates<B extends object>(block: B, fields: readonly (keyof B)[], path: string, task: Task): B {
  let fixed = block
  for (const field of fields) {
    if (block[field] === undefined) continue
    const value = wellFormedJson(block[field] as Json)
    if (value === block[field]) continue
    note(task, 'changed', path, 'it held halves of characters, which became U+FFFD')
    fixed = { ...fixed, [field]: value }
  }
  return fixed
}
