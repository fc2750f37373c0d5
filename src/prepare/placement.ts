/** Puts messages where the format takes them. @module */
import { blocksOf } from '../core/content.ts'
import type { Content, ContentBlock } from '../core/model.ts'
import { fitList, placesOf, withPlaces } from '../kit/losses.ts'
import { type Item, isBound, note, type Task, tagged, taggedResult, text, withContent } from './task.ts'

/** The text of the user message that is added if a format requires a user message first. */
const opening = '(The conversation begins with the assistant.)'

/** The text of the assistant message that is added if a format requires one between a result and a user message. */
export const bridge = '(The results are in.)'

const mediaTypes: ReadonlySet<ContentBlock['type']> = new Set(['image', 'audio', 'video', 'file'])

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
  const { bridgesResults, lateInstructions, resultMedia, userFirst } = task.rules
  const head: Item[] = []
  const others: Item[] = []
  let media: Content[] = []

  const add = (item: Item): void => {
    const { role } = item.message
    if (userFirst && others.length === 0 && role !== 'user') {
      note(task, 'invented', 'messages', 'a conversation begins with a user message here', 'minor')
      others.push({ path: 'messages', message: { role: 'user', content: opening } })
    }
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
    if (message.role === 'tool' && typeof message.content === 'object') {
      const place = `${path}.content`
      const isForeign = ({ type }: ContentBlock) => mediaTypes.has(type) && !resultMedia.has(type)
      const found = fitList(message.content, place, (block) => (isForeign(block) ? block : undefined))
      const content = fitList(message.content, place, (block) =>
        isForeign(block) ? text(`[${block.type}: see the message after the results]`) : block,
      )
      if (found.length > 0) {
        note(task, 'changed', place, 'media are in a user message after the results', 'minor')
        media.push(taggedResult(message, found, path))
      }
      add(withContent(item, content))
    } else if (message.role !== 'system' && message.role !== 'developer') add(item)
    else if (others.length === 0) head.push(item)
    else if (lateInstructions === 'keep' || isBound(message, task)) add(item)
    else {
      const { name: _, ...rest } = message
      const { role } = message
      const isMoved = lateInstructions === 'hoist'
      const outcome = isMoved ? 'moved there' : 'became user text'
      note(task, 'changed', path, `a ${role} message that is not at the head ${outcome}`, 'minor')
      const content = tagged(message.content, role, path)
      if (isMoved) head.push(item)
      else add({ path, message: { ...rest, role: 'user', content } })
    }
  }
  addMedia()
  return [...head, ...others]
}
