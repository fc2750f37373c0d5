/**
 * Values that only their maker reads, in blocks that are sent unchanged. A client sends them back, and only that provider receives them.
 *
 * @module
 */
import { textOr } from '../../core/json.ts'
import type { ContentBlock } from '../../core/messages.ts'
import { isEnvelope, packProof, sealedFields, unpackEnvelope } from './envelope.ts'

const sealedBlocks: ReadonlySet<string> = new Set(['unknown', 'server_tool_call', 'server_tool_result'])
/** Written by the model: names of fields mean something else there. */
const argumentFields: ReadonlySet<string> = new Set(['arguments', 'input', 'args'])

type Sealed = (text: string, field: string) => string
type Owners = readonly [string, ...string[]]

/** The block with its sealed values changed: the same one if it has none. The proofs of text, reasoning and calls stay as they are. */
function changeSealed(block: ContentBlock, change: Sealed): ContentBlock {
  if (sealedBlocks.has(block.type)) return changeIn(block, change)
  if (block.type !== 'text' || block.citations === undefined) return block
  const citations = changeIn(block.citations, change)
  return citations === block.citations ? block : { ...block, citations }
}

function changeIn<T extends object>(value: T, change: Sealed): T {
  const changed = Object.entries(value).flatMap(([name, inner]) => {
    if (argumentFields.has(name)) return []
    const isSealed = typeof inner === 'string' && inner !== '' && sealedFields.has(name)
    if (isSealed) return [[name, change(inner, name)] as const]
    const next = typeof inner === 'object' && inner !== null ? changeIn(inner, change) : inner
    return next === inner ? [] : [[name, next] as const]
  })
  if (changed.length === 0) return value
  const fields = Object.fromEntries(changed)
  return (Array.isArray(value) ? Object.assign([...value], fields) : { ...value, ...fields }) as T
}

/** Sealed values of another provider go as envelopes. One that is too large for an envelope stays here. */
export function packSealed(block: ContentBlock, owners: Owners, maker: string = owners[0]): ContentBlock {
  const packed = changeSealed(block, (text, field) => {
    if (owners.includes(maker)) return isEnvelope(text) ? '' : text
    return packProof({ provider: maker, model: '', format: '', data: { [field]: text } }) ?? ''
  })
  return packed === block ? block : withMaker(packed, owners[0])
}

/** Adds the maker of a block's sealed values to `makers`: the wire's own provider, unless the values are in envelopes. */
export function unpackSealed(block: ContentBlock, owners: Owners, makers: Set<string>): ContentBlock {
  let maker: string | undefined
  const unpacked = changeSealed(block, (text, field) => {
    const carried = isEnvelope(text) ? unpackEnvelope(text)?.opaque : undefined
    maker = carried?.provider ?? owners[0]
    makers.add(maker)
    return isEnvelope(text) ? textOr(carried?.data[field], '') : text
  })
  return maker === undefined ? block : withMaker(unpacked, maker)
}

function withMaker(block: ContentBlock, provider: string): ContentBlock {
  const opaque = sealedBlocks.has(block.type) && 'opaque' in block ? block.opaque : undefined
  return opaque === undefined ? block : ({ ...block, opaque: { ...opaque, provider } } as ContentBlock)
}
