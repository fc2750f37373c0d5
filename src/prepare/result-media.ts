/** Media in results, where a wire has no place for them: a pointer in the result, and the media after the results. @module */
import { blocksOf } from '../core/content.ts'
import type { ContentBlock } from '../core/model.ts'
import { type Item, note, resultTag, type Task, withContent } from './task.ts'

const mediaTypes: ReadonlySet<ContentBlock['type']> = new Set(['image', 'audio', 'video', 'file'])

/**
 * Moves what a result may not hold to one user message after all results of the turn, tagged with the call it came from. Media never become
 * text: a small image would be 100,000 tokens.
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
