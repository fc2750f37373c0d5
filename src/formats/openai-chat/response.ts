/**
 * OpenAI Chat Completions: decodes and encodes complete answers. A complete answer is read like a stream of one large chunk.
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type {
  CodecOptions,
  DecodedCalls,
  DecodeResponseOptions,
  EncodedResponse,
  Fragment,
  Reply,
} from '../../core/codec.ts'
import { blocksOfTurn, callsOf, toolCallsOf } from '../../core/content.ts'
import { refuseDeep } from '../../core/depth.ts'
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, compact, isObject, lookup, unlessEmpty } from '../../core/lookup.ts'
import { toDataUrl } from '../../core/media.ts'
import type {
  AssistantMessage,
  ChatResponse,
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  TextBlock,
  ToolCall,
} from '../../core/model.ts'
import { settleStopReason } from '../../core/stop-reason.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { isUnknownCall, kept } from './content.ts'
import type { ChatDialect, Encoding } from './dialect.ts'
import { openai } from './dialects.ts'
import { AnswerReader } from './read.ts'
import { objectOf } from './stream.ts'
import { finishReasons, format, stopReasons } from './tables.ts'
import { encodeCall } from './tools.ts'
import { encodeUsage } from './usage.ts'
import type { WireAnnotation, WireCall, WireResponse } from './wire.ts'

/**
 * Decodes an answer.
 *
 * @throws {ApiError} if the body is an error with status 200.
 * @throws {DecodeError} if the answer has no choices.
 * @throws {InterruptedError} if the answer has no finish reason and the host always sends one.
 */
export function decodeResponse(
  body: unknown,
  { callsBefore = 0, events, dialect = openai }: DecodeResponseOptions<ChatDialect> = {},
): ChatResponse {
  const { provider, idPrefix = 'call_' } = dialect
  return fold(readWhole(body, dialect), { provider, idPrefix, callsBefore, events })
}

function readWhole(body: unknown, dialect: ChatDialect): Fragment[] {
  refuseDeep(body, `Cannot decode ${dialect.title} response`)
  const answer = objectOf(body, dialect, 'response: it is')
  if (!isObject(arrayOf(answer.choices)[0])) {
    throw new DecodeError(`Cannot decode ${dialect.title} response: "choices" is missing`, { path: 'choices' })
  }
  const reader = new AnswerReader(dialect, true)
  const fragments: Fragment[] = []
  reader.read(answer, fragments)
  reader.end(fragments, true)
  return fragments
}

/** Returns the calls of a complete answer, with or without a finish reason. */
export function decodeToolCalls(body: unknown, { dialect = openai }: CodecOptions<ChatDialect> = {}): DecodedCalls {
  const fragments = readWhole(body, dialect)
  fragments.push({ type: 'end', stopReason: 'stop' }) // only the first end counts
  const { message } = fold(fragments, { idPrefix: dialect.idPrefix ?? 'call_' })
  return { toolCalls: toolCallsOf(message), invalidToolCalls: message.invalidToolCalls ?? [] }
}

// ---- encoding ---------------------------------------------------------------------------------

/** Encodes an answer, with every field that clients need. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const { message } = response
  const to: Encoding = { dialect: openai, model: '', losses: newLosses(openai.title, false) }
  const { choices, ...own } = kept(response) ?? {}
  const [choice, ...others] = arrayOf(choices)
  const answer = encodeAnswer(message, to)
  const body = {
    ...own,
    ...identity(message, reply),
    object: 'chat.completion',
    choices: [
      {
        logprobs: null,
        ...(isObject(choice) ? choice : {}),
        index: 0,
        message: answer,
        finish_reason:
          'function_call' in answer ? 'function_call' : finishReason(response, 'tool_calls' in answer, to.losses),
      },
      ...others,
    ],
    ...compact({ usage: response.usage && encodeUsage(response.usage) }),
  }
  return { body: body as unknown as WireResponse, losses: to.losses.list }
}

/** Returns the first fields of every body and chunk. */
export function identity(message: AssistantMessage | undefined, reply: Reply): JsonObject {
  const response = message?.response
  return {
    id: reply.id ?? response?.id ?? 'chatcmpl-0',
    created: reply.createdAt ?? response?.createdAt ?? 0,
    model: reply.model ?? response?.model ?? '',
  }
}

/** Returns `tool_calls` if the answer has calls; otherwise the provider's own reason if this format has it with the same meaning. */
export function finishReason(response: ChatResponse, hasCalls: boolean, losses: Losses): string {
  const { rawStopReason: raw } = response.message
  const { stopReason } = response
  if (hasCalls && settleStopReason(stopReason, true) === 'tool_calls') return 'tool_calls'
  const means = lookup(stopReasons, raw)
  if (
    raw !== undefined &&
    (means === stopReason || (means === 'stop' && stopReason === 'refusal' && isRefusal(response)))
  ) {
    return raw
  }
  const word = stopReason === 'tool_calls' || stopReason === 'max_rounds' ? 'stop' : finishReasons[stopReason]
  if (lookup(stopReasons, word) !== stopReason) {
    reportLoss(losses, 'changed', 'stopReason', `the wire has no word for "${stopReason}": "${word}" is sent`)
  }
  return word
}

function isRefusal({ message }: ChatResponse): boolean {
  return blocksOfTurn(message).some((block) => block.type === 'text' && block.refusal === true)
}

function encodeAnswer(message: AssistantMessage, to: Encoding): JsonObject {
  const blocks = blocksOfTurn(message)
  const texts = blocks.filter((block): block is TextBlock => block.type === 'text' && !block.refusal)
  const parts = contentParts(blocks)
  const calls = encodeCalls(message, to)
  const annotations = encodeAnnotations(texts)
  for (const [at, block] of blocks.entries()) checkAnswerBlock(block, `message.content[${at}]`, to)
  return {
    ...kept(message),
    role: 'assistant',
    content: parts ?? (texts.length > 0 ? texts.map((block) => block.text).join('') : null),
    refusal: textOfKind(blocks, (block) => block.type === 'text' && block.refusal === true) ?? null,
    ...encodeReasoning(blocks),
    ...compact({ annotations: unlessEmpty(annotations as unknown as JsonObject[]) }),
    ...encodeMedia(blocks),
    ...compact({ executed_tools: unlessEmpty(blocks.flatMap(executedTools)) }),
    ...calls,
  }
}

function textOfKind(blocks: readonly ContentBlock[], isOfKind: (block: ContentBlock) => boolean): string | undefined {
  const found = blocks.filter(isOfKind) as readonly TextBlock[]
  return found.length === 0 ? undefined : found.map((block) => block.text).join('')
}

/** Returns the content as parts if it has unknown parts of this format, since a string cannot hold them. */
function contentParts(blocks: readonly ContentBlock[]): JsonObject[] | undefined {
  if (!blocks.some(isUnknownPart)) return undefined
  return blocks.flatMap((block) => {
    if (isUnknownPart(block)) return [block.value as JsonObject]
    return block.type === 'text' && !block.refusal ? [{ type: 'text', text: block.text }] : []
  })
}

function isUnknownPart(block: ContentBlock): block is ContentBlock & { type: 'unknown' } {
  return block.type === 'unknown' && block.format === format && !isUnknownCall(block)
}

/** Encodes reasoning in the field that most clients read, and OpenRouter's proofs unchanged. */
function encodeReasoning(blocks: readonly ContentBlock[]): JsonObject {
  const text = textOfKind(blocks, (block) => block.type === 'reasoning')
  const details = blocks.flatMap((block) => reasoningDetails(block))
  return compact({ reasoning_content: text || undefined, reasoning_details: unlessEmpty(details) })
}

/** Returns the `reasoning_details` of a reasoning block, of any provider of this format. */
export function reasoningDetails(block: ContentBlock): JsonObject[] {
  if (block.type !== 'reasoning' || block.opaque?.format !== format) return []
  return arrayOf(block.opaque.data.reasoning_details).filter(isObject)
}

/** Encodes citations. In this format, offsets count from the start of the whole text. In isoglot, they start at 0 in each block. */
export function encodeAnnotations(texts: readonly TextBlock[]): WireAnnotation[] {
  let before = 0
  return texts.flatMap(({ text, citations = [] }) => {
    const start = before
    before += text.length
    return citations.map((citation) => ({
      type: 'url_citation' as const,
      url_citation: {
        ...kept(citation),
        start_index: start + (citation.startIndex ?? 0),
        end_index: start + (citation.endIndex ?? text.length),
        title: citation.title ?? '',
        url: citation.url ?? '',
      },
    }))
  })
}

/** Encodes generated audio in OpenAI's field, and generated images in OpenRouter's field, which clients read. */
function encodeMedia(blocks: readonly ContentBlock[]): JsonObject {
  const fields: JsonObject = {}
  const images: JsonObject[] = []
  for (const block of blocks) {
    if (block.type === 'audio') {
      const { id = '', data = '', transcript = '' } = block
      fields.audio = { expires_at: 0, ...kept(block), id, data, transcript }
    }
    if (block.type === 'image') {
      const url = block.data === undefined ? block.url : toDataUrl(block.mimeType ?? 'image/png', block.data)
      if (url !== undefined) images.push({ ...kept(block), type: 'image_url', image_url: { url } })
    }
  }
  return images.length > 0 ? { ...fields, images } : fields
}

function encodeCalls(message: AssistantMessage, to: Encoding): JsonObject {
  const blocks = blocksOfTurn(message)
  const calls = callsOf(message)
  const legacy = calls.length === 1 && calls[0] !== undefined && kept(calls[0])?.type === 'function_call'
  const encoded = calls.map((call) => withProof(encodeCall(call, to), call))
  if (legacy) return { function_call: encoded[0]?.function ?? null }
  const unknown = blocks.filter(isUnknownCall).map(({ value }) => value)
  return encoded.length + unknown.length > 0 ? { tool_calls: [...encoded, ...unknown] } : {}
}

/** Adds the call's proof if it came in this format. The client sends it back to the gateway. */
function withProof(wire: WireCall, call: ToolCall | InvalidToolCall): JsonObject {
  return { ...wire, ...(call.opaque?.format === format && call.opaque.data) }
}

/** Returns the entries of Groq's field `executed_tools`: the tools that Groq ran. */
export function executedTools(block: ContentBlock): readonly Json[] {
  return block.type === 'server_tool_call' ? arrayOf(kept(block)?.executed_tools) : []
}

const answerTypes: ReadonlySet<ContentBlock['type']> = new Set(['text', 'tool_call', 'audio', 'image'])

/** Blocks whose loss does not change the text of the conversation. */
const minorBlocks = /^(?:citation|server_.*|.*_chunk|unknown)$/

/** Reports the loss of a block that an answer in this format cannot hold. */
export function checkAnswerBlock(block: ContentBlock, path: string, to: Pick<Encoding, 'losses'>): void {
  if (answerTypes.has(block.type)) {
    if (block.type === 'image' && block.data === undefined && block.url === undefined) {
      reportLoss(to.losses, 'dropped', path, 'an answer has no place for the id of a file', 'major')
    }
    return
  }
  if (block.type === 'unknown' && block.format === format) return
  const isServers = block.type === 'server_tool_call' || block.type === 'server_tool_result'
  if (isServers && kept(block) !== undefined) return
  if (block.type !== 'reasoning') {
    const severity = minorBlocks.test(block.type) ? 'minor' : 'major'
    reportLoss(to.losses, 'dropped', path, `an answer has no place for ${block.type}`, severity)
    return
  }
  if (block.opaque !== undefined && block.opaque.format !== format) {
    reportLoss(to.losses, 'dropped', `${path}.opaque`, 'an answer has no place for this proof', 'info')
  }
}
