/** Media in results, where a wire has no place for them: a pointer in the result, and the media behind the results. @module */
import { blocksOf } from '../core/content.ts'
import type { ContentBlock, ToolMessage } from '../core/model.ts'
import { type Item, note, resultTag, type Task, withContent } from './task.ts'

const mediaTypes: ReadonlySet<ContentBlock['type']> = new Set(['image', 'audio', 'video', 'file'])

/**
 * Moves what a result may not hold to one user message behind all results of the turn, tagged with the call it came from. Media never
 * become text: a small image would be 100,000 tokens.
 */
export function moveResultMedia(items: readonly Item[], task: Task): readonly Item[] {
  const moved: Item[] = []
  let media: ContentBlock[] = []
  let path = ''
  const flush = () => {
    if (media.length > 0) moved.push({ path, message: { role: 'user', content: media } })
    media = []
  }
  for (const item of items) {
    if (item.message.role !== 'tool') flush()
    const found = item.message.role === 'tool' ? foreignMedia(item.message, task) : []
    if (item.message.role !== 'tool' || found.length === 0) {
      moved.push(item)
      continue
    }
    path = item.path
    const { toolCallId, name, content } = item.message
    media.push(text(resultTag(toolCallId, name)), ...found, text('</tool_result>'))
    note(task, 'changed', `${path}.content`, 'media stand in a user message behind the results', 'minor')
    moved.push(
      withContent(
        item,
        blocksOf(content).map((block) => (found.includes(block) ? pointer(block) : block)),
      ),
    )
  }
  flush()
  return moved
}

function foreignMedia({ content }: ToolMessage, { rules }: Task): readonly ContentBlock[] {
  return blocksOf(content).filter(({ type }) => mediaTypes.has(type) && !rules.resultMedia.has(type))
}

function pointer(block: ContentBlock): ContentBlock {
  return text(`[${block.type}: see the message behind the results]`)
}

function text(value: string): ContentBlock {
  return { type: 'text', text: value }
}
