/** Puts messages where a format takes them. @module */

import { blocksOf, isPaused } from '../core/content.ts'
import { wellFormedText } from '../core/json.ts'
import type { Content, ContentBlock, InstructionMessage, Message, StopReason, ToolMessage } from '../core/messages.ts'
import { placesOf, withPlaces } from '../core/places.ts'
import { fitList } from '../formats/shared/losses.ts'
import { withoutPrefill } from '../formats/shared/prefill.ts'
import { placeholder } from '../formats/shared/stand-ins.ts'
import { type Item, note, type Task, text, withContent } from './task.ts'

/** The text of the user message that is added if a format requires a user message first. */
const opening = '(The conversation begins with the assistant.)'

/** The text of the assistant message that is added if a format requires one between a result and a user message. */
const bridge = '(The results are in.)'

const mediaBlockTypes: ReadonlySet<ContentBlock['type']> = new Set(['image', 'audio', 'video', 'file'])

/**
 * Moves instructions and media, and adds the messages that the format requires.
 *
 * Some formats take instructions only before the first message. For these, later instructions become user text between tags that name the
 * role, or move to the start. Messages with settings of the format itself, such as Anthropic's changes of tools, stay as they are.
 *
 * Media that a result may not hold move to one user message after all results of the turn. A tag names the call, and the result says that
 * its media follow. Media never become text, since a small image as text would be 100,000 tokens.
 */
export function placeMessages(items: readonly Item[], task: Task): readonly Item[] {
  const { bridgesResults, lateInstructions, userFirst, userLast } = task.target
  /** Instructions before the first message. */
  const head: Item[] = []
  const others: Item[] = []
  /** Media of the results since the last message that is not a result. */
  let media: Content[] = []

  const begin = (): void => {
    note(task, 'invented', 'messages', 'a conversation begins with a user message here', 'minor')
    others.push({ path: 'messages', message: { role: 'user', content: opening } })
  }
  const add = (item: Item): void => {
    const { role } = item.message
    if (userFirst && others.length === 0 && role !== 'user' && !(task.chained && role === 'tool')) begin()
    if (bridgesResults && others.at(-1)?.message.role === 'tool' && role === 'user') {
      note(task, 'invented', item.path, 'an assistant speaks between a result and a user here', 'minor')
      others.push({ path: item.path, message: { role: 'assistant', content: bridge } })
    }
    others.push(item)
  }
  const addMedia = (): void => {
    const places = media.flatMap((content) => placesOf(blocksOf(content), ''))
    const [path] = places
    if (path !== undefined)
      add({ path, message: { role: 'user', content: withPlaces(media.flatMap(blocksOf), places) } })
    media = []
  }

  for (const item of items) {
    const { message, path } = item
    if (message.role !== 'tool') addMedia()
    if (message.role === 'tool') add(withoutForeignMedia(item, message, task, media))
    else if (message.role !== 'system' && message.role !== 'developer') add(item)
    else if (others.length === 0) head.push(item)
    else if (lateInstructions === 'keep' || isBound(message, task)) add(item)
    else {
      const isMoved = lateInstructions === 'hoist'
      const outcome = isMoved ? 'moved there' : 'became user text'
      note(task, 'changed', path, `a ${message.role} message that is not at the head ${outcome}`, 'minor')
      if (isMoved) head.push(item)
      else add({ path, message: asUserMessage(message, path, task) })
    }
  }
  addMedia()
  if ((userFirst || userLast) && others.length === 0 && head.length > 0 && !task.chained) begin()
  return [...head, ...others]
}

/** The result without the media that it may not hold. They go to the end of `media`. */
function withoutForeignMedia(item: Item, message: ToolMessage, task: Task, media: Content[]): Item {
  const { content } = message
  if (typeof content === 'string') return item
  const { resultMedia, textErrors } = task.target
  const place = `${item.path}.content`
  const isTextOnly = textErrors === true && message.status === 'error'
  const isForeign = ({ type }: ContentBlock) => mediaBlockTypes.has(type) && (isTextOnly || !resultMedia.has(type))
  const found: ContentBlock[] = []
  const places: string[] = []
  const left = fitList(content, place, (block, where) => {
    if (isForeign(block)) {
      found.push(block)
      places.push(where)
      note(task, 'changed', where, 'it is in a user message after the results', 'minor')
      return text(`[${block.type}: see the message after the results]`)
    }
    if (!isTextOnly || block.type !== 'plain_text') return block
    note(task, 'changed', where, 'a failed result holds only text')
    return text(block.text)
  })
  if (found.length > 0) media.push(taggedResult(message, withPlaces(found, places), item.path))
  return withContent(item, left)
}

/** Instructions as user text, between tags that name their role. */
function asUserMessage({ name, ...message }: InstructionMessage, path: string, task: Task): Message {
  if (name !== undefined) note(task, 'changed', `${path}.name`, 'it stands in the tag')
  return { ...message, role: 'user', content: tagged(message.content, message.role, path, attributesOf({ name })) }
}

/** The text of the user message that is added if an answer is last, and the model does not continue answers. */
const goOn = '(Go on.)'

const questionAsked = 'a user asks for an answer'

/** Stop reasons of answers that failed. */
export const failures: ReadonlySet<StopReason | undefined> = new Set(['error', 'aborted', 'interrupted'])
/** Stop reasons of answers that can go on. */
const cuts: ReadonlySet<StopReason | undefined> = new Set([...failures, 'length', 'pause'])

/** The messages, with one at their end that asks for an answer. */
export function endWithQuestion(items: readonly Item[], given: readonly Message[], task: Task): readonly Item[] {
  const last = items.at(-1)?.message
  const asked = given.at(-1)
  const path = `messages[${given.length - 1}]`
  if (asked === undefined || last?.role === 'user' || last?.role === 'tool') return items
  if (asked.role === 'user') {
    note(task, 'dropped', path, 'the last message says nothing, so that nothing asks for an answer', 'major')
    return [...items, { path, message: { role: 'user', content: placeholder } }]
  }
  const { target } = task
  const question: Item = { path, message: { role: 'user', content: goOn } }
  if (last === undefined) {
    note(task, 'invented', path, questionAsked, 'minor')
    return [question]
  }
  if (last.role !== 'assistant' || !(target.userLast === true || withoutPrefill.test(target.model))) return items
  // Its own provider goes on with a paused answer.
  const isOwn = target.resumesPaused === true && (last.response?.provider ?? target.provider) === target.provider
  if (isPaused(last, target.format) && (task.goesOn || isOwn)) return items
  if (asked.role !== 'assistant') note(task, 'invented', path, questionAsked, 'minor')
  else if (cuts.has(last.stopReason))
    note(task, 'invented', path, 'the model does not continue an answer: a user asks it to go on', 'minor')
  else
    note(task, 'changed', path, 'the model does not continue an answer: the last message has to be a user’s', 'major')
  return [...items, question]
}

/** Puts content between tags, so that the model can read what it is and where it came from. */
function tagged(content: Content, tag: string, path: string, attributes = ''): Content {
  const open = `<${tag}${attributes}>`
  const close = `</${tag}>`
  if (typeof content === 'string') return `${open}\n${content}\n${close}`
  return withPlaces([text(open), ...content, text(close)], [path, ...placesOf(content, `${path}.content`), path])
}

/** Puts content of a result between tags: `<tool_result id="call_1" name="shot">`. */
export function taggedResult({ toolCallId: id, name, status }: ToolMessage, content: Content, path: string): Content {
  const failed = status === 'error' ? { status } : {}
  return tagged(content, 'tool_result', path, attributesOf({ id, name, ...failed }))
}

function attributesOf(values: { readonly [name: string]: string | undefined }): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return wellFormedText(given.map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join(''))
}

/** Whether a system message has settings or blocks of the target's format, and that format takes it where it is. */
export function isBound({ role, content, providerData = {} }: Message, { target }: Task): boolean {
  if (target.keepsOwnInstructions !== true || role !== 'system') return false
  const isOwn = blocksOf(content).some((block) => block.type === 'unknown' && block.format === target.format)
  return isOwn || Object.hasOwn(providerData, target.format)
}
