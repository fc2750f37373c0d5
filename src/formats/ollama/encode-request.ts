/**
 * Ollama: encodes a request: its options, its messages and their blocks, its tools.
 *
 * @see https://docs.ollama.com/api/chat
 * @see https://docs.ollama.com/capabilities/tool-calling
 * @see https://github.com/ollama/ollama/blob/main/api/types.go (`ToolFunctionParameters`, `ToolProperty`)
 *
 * @module
 */

import type { CodecOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { blocksOf, blocksOfTurn, unknownFieldsOf } from '../../core/content.ts'
import { compact, field, isObject, lookup, objectIn, textOr, unlessEmpty } from '../../core/json.ts'
import { readDataUrl } from '../../core/media.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  ContextTool,
  ImageBlock,
  Json,
  Message,
  RequestOptions,
  ToolCall,
  ToolMessage,
} from '../../core/messages.ts'
import { prepare, prepareTools } from '../../prepare/prepare.ts'
import { effortOf } from '../shared/effort.ts'
import { type Losses, newLosses, reportLoss } from '../shared/losses.ts'
import * as lackReasons from '../shared/reasons.ts'
import { markText } from '../shared/stand-ins.ts'
import { chosenTools, encodeEachTool, encodeFunctionTool, reportUnusedChoice } from '../shared/tools.ts'
import { format, isMadeId, leftOut, reasons, target } from './tables.ts'
import type { WireMessage, WireOptions, WireRequest, WireThink, WireTool, WireToolCall } from './wire.ts'

/**
 * Writes a request.
 *
 * @throws {UnsupportedError} if important content would be lost, such as media other than inline images, or another format's tools.
 */
export function encodeRequest(given: Context, asked: EncodeRequestOptions): EncodedRequest<WireRequest> {
  // Reports all that the target lacks, such as citations. Losses below are those that only this file knows.
  const { context, options, report: losses, offered } = prepare(given, target, asked)
  const kept = objectIn(options.providerOptions, format)
  const tools = chooseTools(context.tools, options.toolChoice, losses)
  const body: WireRequest = {
    ...kept,
    model: options.model,
    messages: encodeMessages(context, losses),
    stream: options.stream ?? false, // always sent: the server streams if the field is missing
    ...(tools && (tools.length > 0 || context.tools?.length === 0) && { tools: encodeFitted(tools) }),
    ...encodeFormat(options),
    ...encodeThink(options, losses),
    ...encodeOptions(options, field(kept, 'options')),
  }
  return { path: '/api/chat', headers: {}, body, losses: losses.list, offered }
}

function encodeFormat({ responseFormat }: RequestOptions): Pick<WireRequest, 'format'> {
  return responseFormat === undefined ? {} : { format: responseFormat.schema ?? 'json' }
}

function encodeThink({ reasoning }: RequestOptions, losses: Losses): { think?: WireThink } {
  if (reasoning === undefined) return {}
  const effort = effortOf(reasoning, losses, ['none', 'low', 'medium', 'high', 'max'])
  return { think: effort === undefined || (effort !== 'none' && effort) }
}

function encodeOptions(options: RequestOptions, kept: Json | undefined): { options?: WireOptions } {
  const encoded = compact({
    num_predict: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    top_k: options.topK,
    seed: options.seed,
    stop: options.stop && [...options.stop],
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
  })
  return compact({ options: unlessEmpty(encoded) && { ...(isObject(kept) && kept), ...encoded } })
}

// ---- messages -----------------------------------------------------------------------------------

/** Writes the messages of a request. The system text is the first message. */
function encodeMessages({ system, messages }: Context, losses: Losses): WireMessage[] {
  const calls = callsOf(messages)
  const encoded = messages.flatMap((message, at) => encodeMessage(message, calls, `messages[${at}]`, losses))
  if (system !== undefined) encoded.unshift({ role: 'system', ...encodeContent(system, 'system', losses) })
  return encoded
}

function encodeMessage(message: Message, calls: Calls, path: string, losses: Losses): WireMessage[] {
  switch (message.role) {
    case 'assistant':
      return encodeTurn(message, path, losses)
    case 'tool':
      return [encodeResultFor(calls.get(message.toolCallId), message, path, losses)]
    case 'user':
      return [
        {
          role: 'user',
          ...unknownFieldsOf(message, format),
          ...encodeContent(message.content, `${path}.content`, losses),
        },
      ]
    case 'system':
    case 'developer': // written as `system`: Ollama does not have this role, and a template would drop the message
      return [
        {
          ...unknownFieldsOf(message, format),
          role: 'system',
          ...encodeContent(message.content, `${path}.content`, losses),
        },
      ]
  }
}

type Calls = ReadonlyMap<string, ToolCall>

/** Returns all calls by id. A result is written with the name of its tool, which only the call has. */
function callsOf(messages: readonly Message[]): Calls {
  const calls = new Map<string, ToolCall>()
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const block of blocksOfTurn(message)) if (block.type === 'tool_call') calls.set(block.id, block)
  }
  return calls
}

function encodeContent(content: Content, path: string, losses: Losses): { content: string; images?: string[] } {
  const { text, thinking, images } = encodeBlocks(blocksOf(content), path, '\n', losses)
  if (thinking !== '') reportLoss(losses, 'dropped', path, 'only an assistant thinks')
  return compact({ content: text, images: unlessEmpty(images) })
}

/** Writes an assistant's turn. It is omitted if nothing in it can be sent, such as when it has only another provider's tools. */
function encodeTurn(message: AssistantMessage, path: string, losses: Losses): WireMessage[] {
  const encoded = encodeAssistant(message, path, losses)
  const isOnlyText = blocksOf(message.content).every((block) => block.type === 'text')
  const isBlank = Object.entries(encoded).every(([key, value]) => key === 'role' || value === '')
  if (isOnlyText || !isBlank) return [encoded]
  reportLoss(losses, 'dropped', path, lackReasons.nothing)
  return []
}

function encodeAssistant(message: AssistantMessage, path: string, losses: Losses): WireMessage {
  const { text, thinking, images } = encodeBlocks(blocksOfTurn(message), `${path}.content`, '', losses, 'tool_call')
  const calls = blocksOfTurn(message).filter((block) => block.type === 'tool_call')
  return {
    ...unknownFieldsOf(message, format),
    role: 'assistant',
    content: text, // empty if the turn has only calls
    ...compact({
      thinking: textOr(thinking, undefined),
      images: unlessEmpty(images),
      tool_calls: unlessEmpty(calls.sort((a, b) => a.index - b.index).map(encodeCall)),
    }),
  }
}

// ---- content ------------------------------------------------------------------------------------

// A message has one text, one thinking text and one list of images, so the order of the blocks is lost.

/** The fields of a message that blocks are written to, without `tool_calls`. */
interface Fields {
  text: string
  thinking: string
  readonly images: string[]
}

/** Writes blocks to the fields of a message, except those that the caller writes, `apart`. `glue` is inserted between two texts. */
export function encodeBlocks(
  blocks: readonly ContentBlock[],
  path: string,
  glue: string,
  losses: Losses,
  apart?: 'tool_call',
): Fields {
  const fields = noFields()
  for (const [at, block] of blocks.entries())
    if (block.type !== apart) encodeBlock(block, fields, `${path}[${at}]`, glue, losses)
  return fields
}

/** Returns the fields of an empty message. */
export function noFields(): Fields {
  return { text: '', thinking: '', images: [] }
}

/** Adds one block to the fields of its message. */
export function encodeBlock(block: ContentBlock, fields: Fields, where: string, glue: string, losses: Losses): void {
  switch (block.type) {
    case 'text':
      addText(block.text, fields, glue)
      break
    case 'plain_text':
      addText(block.text, fields, glue)
      break
    case 'reasoning':
      fields.thinking += block.text
      break
    case 'image':
      addImage(block, fields, where, losses)
      break
    default: {
      const [reason, severity] = lookup(leftOut, block.type) ?? [lackReasons.foreignBlock, 'minor']
      reportLoss(losses, 'dropped', where, reason, severity)
    }
  }
}

function addText(text: string, fields: Fields, glue: string): void {
  fields.text += fields.text === '' || text === '' ? text : glue + text
}

function addImage(block: ImageBlock, fields: Fields, where: string, losses: Losses): void {
  const inline = block.data ?? (block.url === undefined ? undefined : base64Of(block.url))
  if (inline === undefined) reportLoss(losses, 'dropped', where, reasons.remoteImage, 'major')
  else fields.images.push(inline)
}

function base64Of(url: string): string | undefined {
  const parts = readDataUrl(url)
  return parts?.base64 ? parts.data : undefined
}

// ---- definitions ------------------------------------------------------------------------------

/** Writes the tools, without those of other formats. References in schemas are replaced by their targets, since the server drops them. */
export function encodeDefinitions(tools: readonly ContextTool[], _options: CodecOptions = {}): WireTool[] {
  return encodeFitted(prepareTools(tools, target).tools)
}

function encodeFitted(tools: readonly ContextTool[]): WireTool[] {
  return encodeEachTool(tools, (tool) => encodeFunctionTool(tool, format))
}

/**
 * Returns the tools to send for a tool choice. Ollama does not have `tool_choice`, so isoglot can only omit tools. Tools of other formats
 * are omitted later, with a loss.
 */
function chooseTools(
  tools: readonly ContextTool[] | undefined,
  choice: RequestOptions['toolChoice'],
  losses: Losses,
): readonly ContextTool[] | undefined {
  if (choice === undefined || choice === 'auto') return tools
  if (tools === undefined || tools.length === 0) {
    reportUnusedChoice({ toolChoice: choice }, losses)
    return tools
  }
  if (choice === 'required') reportLoss(losses, 'dropped', 'options.toolChoice', reasons.toolChoice)
  else if (choice !== 'none' && ('name' in choice || choice.mode === 'required'))
    reportLoss(losses, 'changed', 'options.toolChoice', reasons.toolChoice)
  return chosenTools(tools, choice, losses)
}

// ---- calls ------------------------------------------------------------------------------------

export function encodeCall(call: ToolCall): WireToolCall {
  const kept = unknownFieldsOf(call, format)
  const isMade = call.generatedId ?? isMadeId(call.id)
  return {
    ...kept,
    ...compact({ id: isMade ? undefined : call.id }),
    function: {
      ...objectIn(kept, 'function'),
      name: call.name,
      arguments: call.arguments,
    },
  }
}

// ---- results ----------------------------------------------------------------------------------

/** Writes the result of one call as an entry of `messages`: a message with the role `tool`. */
export function encodeResult(result: ToolMessage, _options: CodecOptions = {}): WireMessage {
  return encodeResultFor(undefined, result, 'result', newLosses('Ollama'))
}

/** Writes a result within a request. It has the tool's name if that is known, and the call's id unless isoglot generated the id. */
function encodeResultFor(call: ToolCall | undefined, result: ToolMessage, path: string, losses: Losses): WireMessage {
  const { text, images } = encodeBlocks(blocksOf(result.content), `${path}.content`, '\n', losses)
  const name = result.name ?? call?.name
  const isMade = call?.generatedId ?? isMadeId(result.toolCallId)
  return {
    ...unknownFieldsOf(result, format),
    role: 'tool',
    content: markText(text, result.status === 'error'),
    ...compact({
      images: unlessEmpty(images),
      tool_name: name,
      tool_call_id: isMade ? undefined : result.toolCallId,
    }),
  }
}
