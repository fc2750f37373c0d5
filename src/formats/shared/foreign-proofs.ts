/**
 * Puts proofs of other providers into the answers of a gateway, and takes them out of the history that its client sends.
 *
 * A format says where its proof field is. An answer is changed before the format's encoder reads it, so the encoder sees only proofs of its
 * own format. A request is changed after the format's decoder has read it.
 *
 * @module
 */

import type {
  DecodedRequest,
  DecodeRequestOptions,
  EncodedResponse,
  Frame,
  Reply,
  ServerCodec,
  StreamEncoder,
} from '../../core/codec.ts'
import { blocksOf, blocksOfTurn } from '../../core/content.ts'
import { legalId } from '../../core/ids.ts'
import { compact, textOr } from '../../core/json.ts'
import type {
  AssistantMessage,
  ChatResponse,
  ContentBlock,
  JsonObject,
  Message,
  MessageEvent,
  Opaque,
  ReasoningBlock,
  ToolCall,
} from '../../core/messages.ts'
import { type EnvelopedProof, isEnvelope, knownProof, packProof, unpackEnvelope } from './envelope.ts'
import { packSealed, unpackSealed } from './sealed.ts'

/** The fields of a format that can hold an envelope. */
export interface ProofField {
  readonly format: string
  /** Providers whose proofs the format's decoder recognises: those need no envelope. An envelope is written as a proof of the first one. */
  readonly owners: readonly [string, ...string[]]
  /** Whether calls have a field for proofs of their own; otherwise their proofs travel on the reasoning after them, which names the call. */
  readonly onCalls: boolean
  /** The longest id of a call in the format, in characters. Longer ones are shortened for the client, and restored. Default: any length. */
  readonly maxCallId?: number
  /** A proof of this format that holds the envelope: of reasoning with this text, or of the call with this id. */
  write(envelope: string, text: string, call?: string): JsonObject
  /** The texts in a proof of this format that can be an envelope. */
  read(data: JsonObject): readonly string[]
}

/** The field `signature` of a format's reasoning, which every client sends back. A client can write an envelope into encrypted reasoning too. */
export function signatureField(
  format: string,
  owner: string,
  others: Partial<Pick<ProofField, 'maxCallId' | 'write'>> = {},
): ProofField {
  return {
    format,
    owners: [owner],
    onCalls: false,
    write: (signature) => ({ signature }),
    ...others,
    read: ({ signature, data, redactedContent }) => [signature, data, redactedContent].map((text) => textOr(text, '')),
  }
}

/** The server codec, with proofs of other providers in the proof field of its format. */
export function withForeignProofs<Codec extends ServerCodec>(codec: Codec, proofField: ProofField): Codec {
  return {
    ...codec,
    decodeRequest: (body: unknown, options?: DecodeRequestOptions): DecodedRequest =>
      unpackRequest(codec.decodeRequest(body, options), proofField),
    encodeResponse: (response: ChatResponse, reply?: Reply): EncodedResponse =>
      codec.encodeResponse(packResponse(response, proofField), reply),
    encodeStream: (reply?: Reply): StreamEncoder => packStream(codec.encodeStream(reply), proofField, reply?.provider),
  }
}

// ---- into answers -----------------------------------------------------------------------------

/** The proofs of calls stand after all other blocks, which so keep their places. */
function packResponse(response: ChatResponse, proofField: ProofField): ChatResponse {
  const { toolCalls: _, ...message } = response.message
  const maker = message.response?.provider
  const blocks = blocksOfTurn(response.message)
  const carriers: ReasoningBlock[] = []
  const packed = blocks.map((block) => {
    if (block.type !== 'tool_call') return packBlock(block, proofField, maker)
    const { call, hosts } = packCall(block, proofField)
    carriers.push(...hosts)
    return call
  })
  const invalid = message.invalidToolCalls?.map((call) => withShortId(call, proofField))
  const isSame = packed.every((block, at) => block === blocks[at])
  const hasSameIds = invalid?.every((call, at) => call === message.invalidToolCalls?.[at]) ?? true
  return isSame && hasSameIds
    ? response
    : {
        ...response,
        message: { ...message, content: [...packed, ...carriers], ...compact({ invalidToolCalls: invalid }) },
      }
}

function packBlock(block: ContentBlock, proofField: ProofField, maker: string | undefined): ContentBlock {
  if (block.type === 'reasoning') return packReasoning(block, proofField)
  return packSealed(withoutForgery(block, proofField), proofField.owners, maker)
}

/** Other blocks have no proof field: an envelope in the proof of one is the provider's own, and it goes nowhere. */
function withoutForgery(block: ContentBlock, proofField: ProofField): ContentBlock {
  if (envelopesOn(block, proofField).length === 0) return block
  const { opaque: _, ...rest } = block as ContentBlock & { readonly opaque: Opaque }
  return rest as ContentBlock
}

/** A proof that is too large stays as it is. The encoder then reports it as a loss. */
function packReasoning(block: ReasoningBlock, proofField: ProofField): ReasoningBlock {
  if (block.opaque === undefined || isOwn(block.opaque, proofField)) return block
  const envelope = packProof(block.opaque, { length: block.text.length })
  return envelope === undefined ? block : { ...block, opaque: proofOf(envelope, proofField, block.text) }
}

interface PackedCall {
  readonly call: ToolCall
  /** Reasoning blocks that hold the proof of the call, and its id if the client gets a shorter one. */
  readonly hosts: readonly ReasoningBlock[]
}

function packCall(given: ToolCall, proofField: ProofField): PackedCall {
  const short = withShortId(given, proofField)
  const place = { on: short.id, length: 0 }
  const named = short === given ? undefined : packProof(noProof, { ...place, id: given.id })
  const hosts = named === undefined ? [] : [carrierOf(named, proofField, short.id)]
  const { opaque, ...bare } = short
  if (opaque === undefined || isOwn(opaque, proofField) || !isNeeded(opaque))
    return { call: withoutForgery(short, proofField) as ToolCall, hosts }
  const envelope = packProof(opaque, proofField.onCalls ? {} : place)
  if (envelope === undefined) return { call: short, hosts }
  if (proofField.onCalls) return { call: { ...bare, opaque: proofOf(envelope, proofField, '', short.id) }, hosts }
  return { call: bare, hosts: [carrierOf(envelope, proofField, short.id), ...hosts] }
}

function carrierOf(envelope: string, proofField: ProofField, call: string): ReasoningBlock {
  return { type: 'reasoning', text: '', opaque: proofOf(envelope, proofField, '', call) }
}

/** In an envelope that has only the id of a call. */
const noProof: Opaque = { provider: '', model: '', format: '', data: {} }

/** The call with an id that the format's clients accept: always the same one for the same id. */
function withShortId<Call extends { readonly id?: string }>(call: Call, { maxCallId }: ProofField): Call {
  const { id = '' } = call
  if (maxCallId === undefined || id.length <= maxCallId) return call
  return { ...call, id: legalId(id, { pattern: /^/, maxLength: maxCallId }) }
}

/**
 * A proof of the wire's own provider goes unchanged. One in which a provider put an envelope is packed like those of other wires, so that it comes
 * back to that provider: as it is, it would be read as an envelope of ours, and be another provider's proof.
 */
function isOwn({ format, provider, data }: Opaque, proofField: ProofField): boolean {
  return format === proofField.format && proofField.owners.includes(provider) && !proofField.read(data).some(isEnvelope)
}

/** Gemini refuses a call without the signature that it made. The proofs that others put on calls are ids of items, which are not missed. */
function isNeeded({ data }: Opaque): boolean {
  return Object.hasOwn(data, 'thoughtSignature') || Object.hasOwn(data, 'extra_content')
}

function proofOf(envelope: string, { format, owners, write }: ProofField, text: string, call?: string): Opaque {
  return { provider: owners[0], model: '', format, data: write(envelope, text, call) }
}

/** The proof of a call follows it at once, with an index before that of the next block. */
function packStream(encoder: StreamEncoder, proofField: ProofField, maker: string | undefined): StreamEncoder {
  return {
    ...encoder,
    push(event: MessageEvent, out: Frame[]): void {
      if (event.type === 'tool_call') {
        const { call, hosts } = packCall(event.call, proofField)
        encoder.push({ ...event, call }, out)
        for (const [at, block] of hosts.entries())
          encoder.push({ type: 'content_block', index: event.index + (at + 1) / 4, block }, out)
      } else if (event.type === 'invalid_tool_call') {
        encoder.push({ ...event, call: withShortId(event.call, proofField) }, out)
      } else if (event.type === 'tool_call_chunk' && event.chunk.type === 'tool_call_chunk') {
        encoder.push({ ...event, chunk: withShortId(event.chunk, proofField) }, out)
      } else if (event.type === 'content_block') {
        encoder.push({ ...event, block: packBlock(event.block, proofField, maker) }, out)
      } else encoder.push(event, out)
    },
  }
}

// ---- out of requests --------------------------------------------------------------------------

function unpackRequest(decoded: DecodedRequest, proofField: ProofField): DecodedRequest {
  const given = decoded.context.messages
  const ids = new Map(given.flatMap((message) => longIdsIn(message, proofField)))
  const messages = given.map((message) => withLongIds(unpackMessage(message, proofField), ids))
  return { ...decoded, context: { ...decoded.context, messages } }
}

/** The ids that the client has, and those that they stand for. */
function longIdsIn({ role, content }: Message, proofField: ProofField): [short: string, long: string][] {
  if (role !== 'assistant' || proofField.maxCallId === undefined) return []
  return blocksOf(content).flatMap((block) => {
    if (block.type !== 'reasoning' || block.text !== '') return []
    return envelopesOn(block, proofField).flatMap((envelope): [string, string][] => {
      const { on, id } = unpackEnvelope(envelope) ?? {}
      return on === undefined || id === undefined ? [] : [[on, id]]
    })
  })
}

function withLongIds(message: Message, ids: ReadonlyMap<string, string>): Message {
  if (ids.size === 0) return message
  if (message.role === 'tool') return { ...message, toolCallId: ids.get(message.toolCallId) ?? message.toolCallId }
  if (message.role !== 'assistant') return message
  const content = blocksOfTurn(message).map((block) =>
    block.type === 'tool_call' ? { ...block, id: ids.get(block.id) ?? block.id } : block,
  )
  const { toolCalls: _, ...rest } = message
  return { ...rest, content }
}

function unpackMessage(message: Message, proofField: ProofField): Message {
  if (message.role !== 'assistant' || typeof message.content === 'string' || message.content === null) return message
  const makers = new Set<string>()
  const content = message.content.map((block) => ofAnyModel(unpackSealed(block, proofField.owners, makers), proofField))
  const isCarried = content.some((block) => envelopesOn(block, proofField).length > 0)
  const unpacked = { ...message, content: isCarried ? unpackBlocks({ ...message, content }, proofField) : content }
  if (makers.size === 0) return unpacked
  // Values of two makers in one turn: no provider can read both.
  return { ...unpacked, response: { provider: makers.size === 1 ? ([...makers][0] as string) : '' } }
}

/**
 * A request names the model that is asked, by whatever name the gateway gave it, and not the one that made its proofs. One without a provider
 * came as it is, so it is of the first owner.
 */
function ofAnyModel(block: ContentBlock, proofField: ProofField): ContentBlock {
  const opaque = 'opaque' in block ? block.opaque : undefined
  if (opaque?.format !== proofField.format) return block
  return {
    ...block,
    opaque: { ...opaque, provider: opaque.provider || proofField.owners[0], model: '' },
  } as ContentBlock
}

function envelopesOn(block: ContentBlock, proofField: ProofField): readonly string[] {
  const opaque = 'opaque' in block ? block.opaque : undefined
  return opaque?.format === proofField.format ? proofField.read(opaque.data).filter(isEnvelope) : []
}

/** The proofs that are in the envelopes of a block. Broken envelopes hold none, and so do those without a field that their format has there. */
function proofsOn(block: ContentBlock, proofField: ProofField): readonly EnvelopedProof[] {
  return envelopesOn(block, proofField).flatMap((envelope) => {
    const unpacked = unpackEnvelope(envelope)
    const isOfCall = unpacked?.on !== undefined || block.type === 'tool_call'
    const opaque = unpacked && knownProof(unpacked.opaque, isOfCall ? 'tool_call' : 'reasoning')
    return opaque === undefined ? [] : { ...unpacked, opaque }
  })
}

function unpackBlocks(message: AssistantMessage, proofField: ProofField): readonly ContentBlock[] {
  const blocks = blocksOfTurn(message)
  const ofCalls = new Map<string, Opaque>()
  for (const block of blocks) {
    for (const { on, opaque } of proofsOn(block, proofField)) if (on !== undefined) ofCalls.set(on, opaque)
  }
  const unpacked: ContentBlock[] = []
  let run: ReasoningBlock[] = []
  for (const block of blocks) {
    if (block.type === 'reasoning' && (block.opaque === undefined || envelopesOn(block, proofField).length > 0)) {
      run.push(block)
      continue
    }
    unpacked.push(
      ...unpackRun(run, proofField),
      block.type === 'tool_call' ? unpackCall(block, ofCalls, proofField) : withoutEnvelope(block, proofField),
    )
    run = []
  }
  return [...unpacked, ...unpackRun(run, proofField)]
}

function unpackCall(call: ToolCall, ofCalls: ReadonlyMap<string, Opaque>, proofField: ProofField): ToolCall {
  const hasEnvelopes = envelopesOn(call, proofField).length > 0
  const own = hasEnvelopes ? proofsOn(call, proofField)[0]?.opaque : call.opaque
  const opaque = ofCalls.get(call.id) ?? own
  const { opaque: _, ...bare } = call
  return opaque === undefined ? bare : { ...bare, opaque }
}

/**
 * Reasoning blocks in a row, with their proofs. Some wires join the texts of a turn, and some clients keep each piece of a text apart;
 * so that each proof finds its text again, its envelope says how long that was. A proof whose text is gone is dropped with it.
 */
function unpackRun(run: readonly ReasoningBlock[], proofField: ProofField): readonly ReasoningBlock[] {
  if (run.every((block) => isWhole(block, proofField))) return run.flatMap((block) => cutByProofs([block], proofField))
  const joined = cutByProofs(run, proofField)
  return joined.length > 0 ? joined : run.filter(({ text }) => text !== '').map(withoutProof)
}

/** The proofs of blocks, without those of calls. */
function ownProofs(blocks: readonly ReasoningBlock[], proofField: ProofField): readonly EnvelopedProof[] {
  return blocks.flatMap((block) => proofsOn(block, proofField)).filter(({ on }) => on === undefined)
}

function lengthOf(proofs: readonly EnvelopedProof[]): number {
  return proofs.reduce((sum, { length = 0 }) => sum + length, 0)
}

function isWhole(block: ReasoningBlock, proofField: ProofField): boolean {
  return block.opaque === undefined || lengthOf(ownProofs([block], proofField)) === block.text.length
}

/** One block for each proof, with its part of the text; nothing if the proofs are for another text. */
function cutByProofs(blocks: readonly ReasoningBlock[], proofField: ProofField): readonly ReasoningBlock[] {
  const proofs = ownProofs(blocks, proofField)
  const text = blocks.map((block) => block.text).join('')
  if (proofs.length === 0) return blocks.filter((block) => block.text !== '').map(withoutProof)
  if (lengthOf(proofs) !== text.length) return []
  const [first] = blocks
  let at = 0
  return proofs.map(({ opaque, length = 0 }, index) => {
    const part = text.slice(at, at + length)
    at += length
    return { ...(index === 0 && first), type: 'reasoning', text: part, opaque }
  })
}

/** No other block has a proof of another provider. */
function withoutEnvelope(block: ContentBlock, proofField: ProofField): ContentBlock {
  return envelopesOn(block, proofField).length > 0 ? (withoutProof(block as ReasoningBlock) as ContentBlock) : block
}

function withoutProof({ opaque: _, ...block }: ReasoningBlock): ReasoningBlock {
  return block
}
