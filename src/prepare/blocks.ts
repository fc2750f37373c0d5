/** Prepares the text, the proof and the name of each block. @module */

import { compact, lookup } from '../core/lookup.ts'
import type { Content, ContentBlock, Json, TextBlock } from '../core/model.ts'
import { legalId } from '../kit/ids.ts'
import { fitList } from '../kit/losses.ts'
import { ownProof } from '../kit/opaque.ts'
import * as reasons from '../kit/reasons.ts'
import { type Item, note, type Task, text } from './task.ts'
import { wellFormedJson } from './well-formed.ts'

/** The prepared system text; `undefined` if it is absent or empty. */
export function prepareSystem(system: Content | undefined, task: Task): Content | undefined {
  if (system === undefined) return undefined
  const prepared = prepareContent(system, 'system', task)
  if (prepared.length > 0 || !task.rules.refusesEmpty) return prepared
  return system.length === 0 ? note(task, 'dropped', 'system', reasons.empty) : undefined
}

/**
 * Makes text well-formed and names legal. Drops proofs and reasoning of other providers, chunks and empty text. Moves results that stand as
 * blocks to `results`, if it is given.
 */
export function prepareContent(content: Content, path: string, task: Task, results?: Item[]): Content {
  if (typeof content !== 'string')
    return fitList(content, path, (block, place) => prepareBlock(block, place, task, results))
  if (content === '' || !isBlank(content, task)) return wellFormedFields({ content }, ['content'], path, task).content
  note(task, 'dropped', path, 'it is blank text')
  return ''
}

/** The fields with text of the blocks that are prepared. */
const textFields: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  reasoning: ['text'],
  tool_call: ['argumentsText', 'arguments'],
  plain_text: ['text', 'title'],
  file: ['filename'],
  image: [],
}

/** The block as it is sent; `undefined` if it is not sent there. */
function prepareBlock(block: ContentBlock, path: string, task: Task, results?: Item[]): ContentBlock | undefined {
  if (block.type === 'tool_call_chunk' || block.type === 'server_tool_call_chunk')
    return note(task, 'dropped', path, reasons.chunk, 'minor')
  if (block.type === 'tool_result') {
    const content = prepareContent(block.content, `${path}.content`, task)
    if (results === undefined) return { ...block, content }
    const { type: _, isError, id: _id, ...fields } = block
    const status = isError === undefined ? undefined : isError ? 'error' : 'success'
    results.push({ path, message: { role: 'tool', ...fields, content, ...compact({ status }) } })
    return undefined
  }
  const fields = lookup(textFields, block.type)
  if (fields === undefined) return block
  const { opaque, ...rest } = block as TextBlock
  const isOwn = ownProof(opaque, task.target) !== undefined
  const { foreignReasoning } = task.rules
  if (block.type === 'reasoning' && !isOwn) {
    if (block.text === '')
      return note(task, 'dropped', path, 'it is reasoning without text, and no proof of it is valid here', 'minor')
    if (foreignReasoning === 'drop')
      return note(task, 'dropped', path, 'it is reasoning without a proof that is valid here', 'minor')
    if (foreignReasoning === 'text') {
      note(task, 'changed', path, 'reasoning without a proof that is valid here became text', 'minor')
      return prepareBlock(text(block.text), path, task)
    }
  }
  if (opaque !== undefined && !isOwn)
    note(task, 'dropped', `${path}.opaque`, `it is a proof for ${opaque.provider} and the model "${opaque.model}"`)
  // A block with a proof is sent back even if its text is empty.
  if (block.type === 'text' && !isOwn && isBlank(block.text, task))
    return note(task, 'dropped', path, 'it is empty text')
  const fixed = wellFormedFields(opaque === undefined || isOwn ? block : rest, fields, path, task) as ContentBlock
  if (fixed.type !== 'tool_call' || block.type !== 'tool_call') return fixed
  const name = legalId(fixed.name, task.rules.toolName)
  if (name !== fixed.name)
    note(task, 'changed', `${path}.name`, `"${fixed.name}" is not a legal name of a tool here; it goes as "${name}"`)
  // The arguments text can contain lone surrogates as escapes, which the server would decode. So it is written from the fixed arguments.
  const argumentsText = fixed.arguments === block.arguments ? fixed.argumentsText : JSON.stringify(fixed.arguments)
  const isSame = name === fixed.name && argumentsText === fixed.argumentsText
  return isSame ? fixed : { ...fixed, name, argumentsText }
}

function isBlank(value: string, task: Task): boolean {
  return (task.rules.refusesEmpty ? value.trim() : value) === ''
}

function wellFormedFields<T extends object>(thing: T, fields: readonly string[], path: string, task: Task): T {
  let fixed = thing as Record<string, unknown>
  for (const field of fields) {
    const value = thing[field as keyof T] as Json | undefined
    const wellFormed = value === undefined ? undefined : wellFormedJson(value)
    if (wellFormed === value) continue
    note(task, 'changed', path, 'it held halves of characters, which became U+FFFD')
    fixed = { ...fixed, [field]: wellFormed }
  }
  return fixed as T
}
