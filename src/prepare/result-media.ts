/** Moves media out of results, for formats whose results cannot hold them. @module */
import { blocksOf } from '../core/content.ts'
import type { ContentBlock } from '../core/model.ts'
import { type Item, note, resultTag, type Task, withContent } from './task.ts'

const mediaTypes: ReadonlySet<ContentBlock['type']> = new Set(['image', 'audio', 'video', 'file'])

/**
 * Moves media that a result may not hold to one user message after all results of the turn. A tag names the call, and the result says that
 * its media follow. Media never become text, since a small image as text would be 100,000 tokens.
 */
export function moveResultMedia(items: readonly Item[], task: Task): readonly Item[] {
  const isForeign = ({ type }: ContentBlock) => mediaTypes.has(type) && !task.rules.resultMedia.has(type)
  let media: ContentBlock[] = []
  let path = ''
  const flush = (): Item[] => {
    const content = media
    media = []
    return content.length === 0 ? [] : [{ path, message: { role: 'user', content } }]
  }
  const moved = items.flatMap((item) => {
    const { message } = item
    if (message.role !== 'tool') return [...flush(), item]
    const blocks = blocksOf(message.content)
    const found = blocks.filter(isForeign)
    if (found.length === 0) return [item]
    path = item.path
    media.push(text(resultTag(message.toolCallId, message.name)), ...found, text('</tool_result>'))
    note(task, 'changed', `${path}.content`, 'media are in a user message after the results', 'minor')
    const pointer = ({ type }: ContentBlock) => text(`[${type}: see the message after the results]`)
    return [
      withContent(
        item,
        blocks.map((block) => (isForeign(block) ? pointer(block) : block)),
      ),
    ]
  })
  return [...moved, ...flush()]
}

function text(value: string): ContentBlock {
  return { type: 'text', text: value }
}
