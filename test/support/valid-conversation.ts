/**
 * Finds why a server would refuse a conversation. Written from the tables of 400s in the wire documents and from nothing else: it imports
 * no code from `src`, so that it cannot share its mistakes.
 */

import type { Content, ContentBlock, Message, ToolCall } from '../../src/core/messages.ts'
import type { Target } from '../../src/core/target.ts'

/** Calls without results, results without calls, both out of place: what every wire refuses. */
export function brokenLinks(messages: readonly Message[]): readonly string[] {
  const found: string[] = []
  const seen = new Set<string>()
  let expected: string[] = []
  messages.forEach((message, at) => {
    if (message.role === 'tool') {
      const next = expected.shift()
      if (next !== message.toolCallId) found.push(`${at}: result of "${message.toolCallId}" where "${next}" was due`)
      return
    }
    if (expected.length > 0) found.push(`${at}: no result for "${expected.join('", "')}"`)
    expected = callsOf(message).map((call) => call.id)
    for (const id of expected) {
      if (seen.has(id)) found.push(`${at}: the id "${id}" is there twice`)
      seen.add(id)
    }
  })
  if (expected.length > 0) found.push(`end: no result for "${expected.join('", "')}"`)
  return found
}

/** All that the wire of these rules refuses. */
export function violations(messages: readonly Message[], rules: Target, model: string): readonly string[] {
  const found = [...brokenLinks(messages)]
  const say = (at: number, what: string) => found.push(`${at}: ${what}`)
  const names = new Map<string, string>()
  let begun = false
  messages.forEach((message, at) => {
    const isInstruction = message.role === 'system' || message.role === 'developer'
    if (isInstruction && begun && rules.lateInstructions === 'user') say(at, 'late instruction')
    if (!isInstruction && !begun && rules.userFirst && message.role !== 'user') say(at, 'not user first')
    if (!isInstruction) begun = true
    if (messages[at - 1]?.role === 'tool' && message.role === 'user' && rules.bridgesResults)
      say(at, 'user behind a result')
    if (rules.refusesEmpty && message.role !== 'tool' && isBlank(message.content)) say(at, 'empty message')
    if (message.role === 'assistant' && isEmpty(message.content)) say(at, 'empty turn')
    if ('toolCalls' in message || 'invalidToolCalls' in message) say(at, 'calls beside the content')
    for (const call of callsOf(message)) {
      names.set(call.id, call.name)
      if (!rules.callId.pattern.test(call.id) || call.id.length > rules.callId.maxLength)
        say(at, `illegal id "${call.id}"`)
      if (!rules.toolName.pattern.test(call.name) || call.name.length > rules.toolName.maxLength)
        say(at, `illegal name "${call.name}"`)
      if (typeof call.arguments !== 'object' || call.arguments === null || Array.isArray(call.arguments))
        say(at, 'arguments are not an object')
    }
    if (message.role === 'tool' && message.name !== names.get(message.toolCallId)) say(at, 'result with a wrong name')
    const blocks = typeof message.content === 'string' ? [] : (message.content ?? [])
    for (const block of blocks) checkBlock(block, message, rules, model, (what) => say(at, what))
    if (message.role === 'assistant' && rules.foreignReasoning !== 'keep' && blocks.at(-1)?.type === 'reasoning')
      say(at, 'reasoning that nothing follows')
    if (/\\ud[89a-f]/i.test(JSON.stringify(message.content))) say(at, 'half a character')
  })
  return found
}

function checkBlock(
  block: ContentBlock,
  message: Message,
  rules: Target,
  model: string,
  say: (what: string) => void,
): void {
  if (block.type === 'tool_result') say('result as a block')
  if (block.type === 'tool_call_chunk' || block.type === 'server_tool_call_chunk') say('a fragment')
  if (block.type === 'text' && block.opaque === undefined && block.text === '') say('empty text')
  if (block.type === 'text' && block.opaque === undefined && rules.refusesEmpty && block.text.trim() === '')
    say('blank text')
  const isMedia = ['image', 'audio', 'video', 'file'].includes(block.type)
  if (message.role === 'tool' && isMedia && !rules.resultMedia.has(block.type)) say(`${block.type} in a result`)
  const proof = 'opaque' in block && !block.type.startsWith('server') ? block.opaque : undefined
  if (
    proof !== undefined &&
    (proof.provider !== rules.provider || proof.format !== rules.format || proof.model !== model)
  )
    say('the proof of another')
  if (block.type === 'reasoning' && proof === undefined && rules.foreignReasoning !== 'keep') say('unsigned reasoning')
}

function callsOf(message: Message): readonly ToolCall[] {
  if (message.role !== 'assistant' || typeof message.content === 'string') return []
  return (message.content ?? []).filter((block): block is ToolCall => block.type === 'tool_call')
}

function isEmpty(content: Content | null): boolean {
  return content === null || content.length === 0
}

function isBlank(content: Content | null): boolean {
  return isEmpty(content) || (typeof content === 'string' && content.trim() === '')
}
