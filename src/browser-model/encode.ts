/** The browser's model: converts a conversation to messages of the Prompt API. @module */
import type { EncodedRequest } from '../core/codec.ts'
import { blocksOf, blocksOfTurn } from '../core/content.ts'
import { compact } from '../core/json.ts'
import type {
  AssistantMessage,
  ContentBlock,
  Context,
  InstructionMessage,
  JsonObject,
  Message,
  RequestOptions,
  ToolDefinition,
  ToolMessage,
  ToolResultBlock,
  UserMessage,
} from '../core/messages.ts'
import type { Target } from '../core/target.ts'
import { type Losses, reportLoss } from '../formats/shared/losses.ts'
import * as reasons from '../formats/shared/reasons.ts'
import { chosenTools, reportUnusedChoice } from '../formats/shared/tools.ts'
import { prepare } from '../prepare/prepare.ts'
import type { LanguageModelExpected } from './api.ts'
import { type AnswerForm, callsText, constrain, describeTools } from './constraint.ts'
import { provider } from './errors.ts'

/** The format's name. */
const format = 'browser-model'
/** The model's name in messages for users. */
const title = "the browser's model"

/** A part of a message; media as base64, since requests are JSON. */
export interface Part {
  readonly type: 'text' | 'image' | 'audio'
  readonly value: string
  readonly mimeType?: string
}
/** A message, without the system text. */
export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Part[]
}
/** The request to the model. */
export interface BrowserRequest {
  readonly system: string
  readonly turns: readonly Turn[]
  readonly form: AnswerForm
  readonly schema?: object
  readonly looseSchema?: object
}

/** What the browser's model takes. */
export const target: Target = {
  format,
  provider,
  title,
  unsupported: /* @__PURE__ */ new Set([
    ...(['topK', 'seed', 'stop', 'frequencyPenalty', 'presencePenalty', 'user'] as const),
    ...(['formatDetails', 'strictTools', 'names', 'cacheHints', 'citations', 'refusals', 'titles'] as const),
    ...(['imageDetail', 'filenames', 'transcripts', 'serverTools'] as const),
  ]),
  callId: { pattern: /^[\s\S]+$/, maxLength: 256 },
  toolName: { pattern: /^[\s\S]+$/, maxLength: 64 },
  resultMedia: /* @__PURE__ */ new Set(),
  foreignReasoning: 'drop',
  lateInstructions: 'user',
  userFirst: false,
  refusesEmpty: false,
}

/** Options that a page cannot set, and the reasons. */
const lostOptions = {
  maxTokens: 'the browser has no limit for an answer',
  temperature: 'the browser does not let pages set it',
  topP: 'the browser does not let pages set it',
  reasoning: reasons.noReasoning,
} as const

/**
 * Writes a request.
 *
 * @throws {UnsupportedError} for content that would be lost: files, videos, media by URL, and media of a type that is not in `expectedInputs`.
 */
export function encodeRequest(
  given: Context,
  asked: RequestOptions,
  inputs: readonly LanguageModelExpected[],
): EncodedRequest<BrowserRequest> {
  const { context, options, report: losses, offered } = prepare(given, target, asked)
  for (const [name, reason] of Object.entries(lostOptions)) {
    if (options[name as keyof typeof lostOptions] !== undefined)
      reportLoss(losses, 'dropped', `options.${name}`, reason)
  }
  for (const name of Object.keys(options.providerOptions?.[format] ?? {})) {
    reportLoss(losses, 'dropped', `options.providerOptions["${format}"].${name}`, reasons.option)
  }
  // A tool of another format has already been dropped, and this format has none.
  const tools = chosenTools((context.tools ?? []) as readonly ToolDefinition[], options.toolChoice, losses)
  if (tools.length === 0) reportUnusedChoice(options, losses)
  else
    reportLoss(
      losses,
      'changed',
      'tools',
      'the browser has no tool calls: they are written as JSON, which uses a part of the context window',
    )
  const { system, turns } = encodeMessages(context, losses, new Set(inputs.map(({ type }) => type)))
  const described = tools.length > 0 ? [describeTools(tools)] : []
  return {
    path: '',
    headers: {},
    body: { system: [...system, ...described].join('\n\n'), turns, ...constrain(tools, options) },
    losses: losses.list,
    offered,
  }
}

interface PromptEncoding {
  readonly losses: Losses
  readonly inputs: ReadonlySet<string>
}

function encodeMessages({ system, messages }: Context, losses: Losses, inputs: ReadonlySet<string>) {
  const to: PromptEncoding = { losses, inputs }
  const texts: string[] = []
  const turns: Turn[] = []
  if (system !== undefined) texts.push(textIn(blocksOf(system), 'system', to))
  for (const [at, message] of messages.entries()) {
    const path = `messages[${at}]`
    dropFields(message, path, losses)
    if (isInstruction(message)) {
      const text = textIn(blocksOf(message.content), `${path}.content`, to)
      // The API takes a system message only at the beginning.
      if (turns.length === 0) texts.push(text)
      else turns.push({ role: 'user', content: [{ type: 'text', value: text }] })
      continue
    }
    const content = encodeContent(message, path, to)
    if (content.length > 0) turns.push({ role: message.role === 'assistant' ? 'assistant' : 'user', content })
  }
  return { system: texts, turns }
}

function isInstruction(message: Message): message is InstructionMessage {
  return message.role === 'system' || message.role === 'developer'
}

function encodeContent(
  message: Exclude<Message, InstructionMessage>,
  path: string,
  to: PromptEncoding,
): readonly Part[] {
  if (message.role === 'user') return encodeUser(message, path, to)
  if (message.role === 'assistant') return encodeTurn(message, path, to)
  return [encodeResult(message, path, to)]
}

function encodeUser({ content }: UserMessage, path: string, to: PromptEncoding): readonly Part[] {
  return blocksOf(content).flatMap((block, at) => {
    const place = `${path}.content[${at}]`
    return block.type === 'tool_result' ? [encodeResult(block, place, to)] : encodeBlock(block, place, to)
  })
}

/** Calls come after the text, in the form in which the model writes them. */
function encodeTurn(message: AssistantMessage, path: string, to: PromptEncoding): readonly Part[] {
  const blocks = blocksOfTurn(message)
  const calls = blocks.filter((block) => block.type === 'tool_call')
  for (const [at, { argumentsText }] of (message.invalidToolCalls ?? []).entries()) {
    if (argumentsText !== '') {
      reportLoss(to.losses, 'dropped', `${path}.invalidToolCalls[${at}]`, 'the model can only get complete calls')
    }
  }
  const said = blocks.flatMap((block, at): readonly Part[] => {
    const place = `${path}.content[${at}]`
    if (block.type === 'tool_call') {
      dropFields(block, place, to.losses)
      return []
    }
    if (block.type === 'text' || block.type === 'plain_text') return encodeBlock(block, place, to)
    reportLoss(
      to.losses,
      'dropped',
      place,
      block.type === 'reasoning' ? reasons.reasoning : 'a message of the assistant can only have text',
    )
    return []
  })
  return calls.length === 0 ? said : [...said, { type: 'text', value: callsText(calls) }]
}

/** A result names its tool, because the API has no ids. */
function encodeResult(result: ToolMessage | ToolResultBlock, path: string, to: PromptEncoding): Part {
  const { name = 'tool', content } = result
  const isError = 'isError' in result ? result.isError : 'status' in result && result.status === 'error'
  const text = textIn(blocksOf(content), `${path}.content`, to)
  const said = compact({ name, result: plain(text), error: isError || undefined })
  return { type: 'text', value: JSON.stringify({ results: [said] }) }
}

/** JSON in JSON would be escaped twice, and small models make errors with that. */
function plain(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function textIn(blocks: readonly ContentBlock[], path: string, to: PromptEncoding): string {
  const isText = ({ type }: ContentBlock) => type === 'text' || type === 'plain_text'
  for (const [at, block] of blocks.entries()) {
    if (isText(block)) dropFields(block, `${path}[${at}]`, to.losses)
    else reportLoss(to.losses, 'dropped', `${path}[${at}]`, 'only text is allowed here', 'major')
  }
  return blocks.map((block) => (isText(block) && 'text' in block ? block.text : '')).join('\n')
}

function encodeBlock(block: ContentBlock, path: string, { losses, inputs }: PromptEncoding): readonly Part[] {
  dropFields(block, path, losses)
  switch (block.type) {
    case 'text':
    case 'plain_text':
      return block.text === '' ? [] : [{ type: 'text', value: block.text }]
    case 'image':
    case 'audio': {
      const { type, data, mimeType } = block
      if (data !== undefined && inputs.has(type)) return [compact({ type, value: data, mimeType })]
      const reason = inputs.has(type)
        ? 'the model takes media only as data: fetch the URL and send the base64'
        : `the session does not expect it: add { type: '${type}' } to "expectedInputs"`
      reportLoss(losses, 'dropped', path, reason, 'major')
      return []
    }
    case 'file':
    case 'video':
      reportLoss(losses, 'dropped', path, `the model does not take ${block.type}`, 'major')
      return []
    default:
      reportLoss(losses, 'dropped', path, reasons.nothing)
      return []
  }
}

function dropFields(
  { providerData }: { providerData?: { [format: string]: JsonObject } },
  path: string,
  losses: Losses,
) {
  if (providerData !== undefined) reportLoss(losses, 'dropped', `${path}.providerData`, reasons.fields, 'info')
}
