/**
 * OpenAI Chat Completions: encodes and decodes tools, the tool choice, calls and results.
 *
 * A custom call has free text instead of arguments. isoglot reads it as a call with the argument `input`, so that it runs like any other
 * call. A stored field marks it, so that it is sent back as a custom call.
 *
 * @module
 */
import { checkTools } from '../../core/check-message.ts'
import type { CodecOptions } from '../../core/codec.ts'
import { blocksOf } from '../../core/content.ts'
import { DecodeError } from '../../core/errors.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  objectIn,
  otherFields,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/lookup.ts'
import type {
  InvalidToolCall,
  JsonObject,
  JsonSchema,
  ProviderTool,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
} from '../../core/model.ts'
import { exactArguments } from '../../core/tool-call.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { ownProof } from '../../kit/opaque.ts'
import { markParts } from '../../kit/tool-error.ts'
import { isProviderTool } from './choice.ts'
import { beyondTypes, encodeParts, kept, toContent } from './content.ts'
import type { ChatDialect, Encoding, Tools } from './dialect.ts'
import { openai } from './dialects.ts'
import { format } from './tables.ts'
import type { WireCall, WireTool, WireToolResult } from './wire.ts'

// ---- definitions ------------------------------------------------------------------------------

/** Encodes the `tools` of a request. Drops tools of other formats, and custom tools if the host does not have them. */
export function encodeDefinitions(tools: Tools, { dialect = openai }: CodecOptions<ChatDialect> = {}): WireTool[] {
  return encodeDefinitionsFor(tools, dialect, newLosses(dialect.title, false))
}

/** Does the same inside a request, and reports losses to `losses`. */
export function encodeDefinitionsFor(tools: Tools, dialect: ChatDialect, losses: Losses): WireTool[] {
  checkTools(tools)
  return tools.flatMap((tool, at) => {
    if (!isProviderTool(tool)) {
      const note = (reason: string) =>
        reportLoss(losses, 'changed', `tools[${at}].strict`, `${dialect.title} ${reason}`, 'info')
      const own = kept(tool)
      const { name, description } = tool
      const parameters = tool.parameters as JsonObject | undefined
      const strict = dialect.strict ? dialect.strict(tool, tools, note) : tool.strict
      const known = { ...objectIn(own, 'function'), ...compact({ name, description, parameters, strict }) }
      return [{ ...own, type: 'function', function: known }]
    }
    if (tool.format !== format) return []
    if (tool.value.type !== 'custom' || dialect.customTools) return [beyondTypes<WireTool>(tool.value)]
    reportLoss(losses, 'dropped', `tools[${at}]`, `${dialect.title} does not have custom tools`)
    return []
  })
}

/** Decodes `tools`, or the deprecated `functions`. */
export function decodeDefinitions(body: unknown): Tools {
  const tools = arrayOf(field(body, 'tools')).map((tool, at) => decodeDefinition(tool, `tools[${at}]`))
  const functions = arrayOf(field(body, 'functions')).map((one, at) =>
    decodeDefinition({ type: 'function', function: one }, `functions[${at}]`),
  )
  return [...tools, ...functions]
}

const toolFields = new Set(['type', 'function'])
const functionFields = new Set(['name', 'description', 'parameters', 'strict'])

function decodeDefinition(tool: unknown, path: string): ToolDefinition | ProviderTool {
  if (!isObject(tool)) throw new DecodeError(`Cannot decode ${format} request: "${path}" is not an object`, { path })
  const fields = field(tool, 'function')
  const name = textOr(field(fields, 'name'), undefined)
  if (name === undefined || !isObject(fields)) return { type: 'provider_tool', format, value: tool }
  const parameters = field(fields, 'parameters')
  const strict = field(fields, 'strict')
  const more = otherFields(fields, functionFields)
  const own = { ...otherFields(tool, toolFields), ...compact({ function: more }) }
  return {
    name,
    ...compact({
      description: stringOr(field(fields, 'description'), undefined),
      parameters: isObject(parameters) ? (parameters as JsonSchema) : undefined,
      strict: typeof strict === 'boolean' ? strict : undefined,
      providerData: unlessEmpty(own) && { [format]: own },
    }),
  }
}

// ---- tool choice ------------------------------------------------------------------------------

/** Decodes `tool_choice`, or the deprecated `function_call`. Returns `undefined` if both are absent or the value is unknown. */
export function decodeToolChoice(body: unknown): ToolChoice | undefined {
  const choice = field(body, 'tool_choice') ?? field(body, 'function_call')
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (choice === 'any') return 'required'
  const name = nameIn(choice) ?? textOr(field(choice, 'name'), undefined)
  if (name !== undefined) return { name }
  const allowed = field(choice, 'allowed_tools')
  if (!isObject(allowed)) return undefined
  const mode = field(allowed, 'mode') ?? 'auto'
  if (mode !== 'auto' && mode !== 'required') return undefined
  const tools = arrayOf(field(allowed, 'tools'))
  const names = tools.flatMap((tool) => nameIn(tool) ?? [])
  return names.length === tools.length ? { names, mode } : undefined
}

function nameIn(value: unknown): string | undefined {
  return textOr(field(field(value, 'function'), 'name'), textOr(field(field(value, 'custom'), 'name'), undefined))
}

// ---- calls and results ------------------------------------------------------------------------

/** Encodes a call. Its arguments are sent as the text in which they came, unless they were changed. */
export function encodeCall(call: ToolCall | InvalidToolCall, { dialect, model }: Encoding): WireCall {
  const { type, ...own } = kept(call) ?? {}
  const proof = ownProof(call.opaque, { format, provider: dialect.provider, model })
  const { id = '', name = '' } = call
  const head = { ...own, ...proof, id }
  const isWhole = call.type === 'tool_call'
  if (isWhole && type === 'custom' && dialect.customTools) {
    return { ...head, type, custom: { name, input: stringOr(call.arguments.input, '') } }
  }
  const text = isWhole ? exactArguments(call) : (dialect.rawArguments && call.argumentsText) || '{}'
  return { ...head, type: 'function', function: { ...objectIn(own, 'function'), name, arguments: text } }
}

/** Encodes a result as a message. */
export function encodeResult(
  result: ToolMessage,
  { dialect = openai }: CodecOptions<ChatDialect> = {},
): WireToolResult {
  return encodeResultFor({ dialect, model: '', losses: newLosses(dialect.title) }, result, 'content')
}

/** Does the same inside a request. `path` is that of the content. A failure is marked in the text, since this format has no field for it. */
export function encodeResultFor(to: Encoding, result: ToolMessage, path: string): WireToolResult {
  const parts = encodeParts(blocksOf(result.content), path, to)
  const marked = markParts(parts, result.status === 'error', { type: 'text', text: '' })
  return {
    ...kept(result),
    role: 'tool',
    tool_call_id: result.toolCallId,
    ...compact({ name: to.dialect.resultName ? result.name : undefined }),
    content: toContent(marked, to, typeof result.content === 'string'),
  }
}
