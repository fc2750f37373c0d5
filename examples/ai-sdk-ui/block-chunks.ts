/** What the end of a block is in the AI SDK's UI message stream. */
import type { UIMessageChunk } from 'ai'
import type { ContentBlock } from 'isoglot'

/** Text and reasoning came before, by their deltas; what a page has no part for is told by its name. */
export function* blockChunks(block: ContentBlock, id: string, isBegun: boolean): Generator<UIMessageChunk> {
  if (block.type === 'text' || block.type === 'reasoning') {
    if (isBegun) yield { type: `${block.type}-end`, id }
    const citations = block.type === 'text' ? (block.citations ?? []) : []
    for (const { url } of citations) if (url !== undefined) yield { type: 'source-url', sourceId: url, url }
    return
  }
  const url = urlOf(block)
  if (url === undefined) return yield { type: 'custom', kind: `isoglot.${block.type}` }
  yield { type: 'file', url, mediaType: ('mimeType' in block && block.mimeType) || 'application/octet-stream' }
}

/** Where a picture, a sound or another file is, if the block is one. */
function urlOf(block: ContentBlock): string | undefined {
  if ('data' in block && 'mimeType' in block) return `data:${block.mimeType};base64,${block.data}`
  return 'url' in block && block.type !== 'citation' ? block.url : undefined
}
