/**
 * OpenAI Chat Completions: tools, the choice among them, calls and results.
 *
 * A custom call has free text where a function has arguments: here it is a call with `{ input }`, marked in its kept fields, so that
 * it runs and pairs like any other and goes back as what it was.
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
import { markParts, markText } from '../../kit/tool-error.ts'
import { isProviderTool } from './choice.ts'
import { beyondTypes, encodeTextParts, kept, toContent } from './content.ts'
import type { ChatDialect, Encoding, Tools } from './dialect.ts'
import { openai } from './dialects.ts'
import { format } from './tables.ts'
import type { WireCall, WireTool, WireToolResult } from './wire.ts'

// ---- definitions ------------------------------------------------------------------------------

/** The `tools` of a request, without those of other formats, and without custom tools where the host has none. */
export function encodeDefinitions(tools: Tools, { dialect = openai }: CodecOptions<ChatDialect> = {}): WireTool[] {
  return encodeDefinitionsFor(tools, dialect, newLosses(dialect.title, false))
}

/** The same within a request, whose losses are noted together. */
export function encodeDefinitionsFor(tools: Tools, dialect: ChatDialect, into: Losses): WireTool[] {
  checkTools(tools)
  return tools.flatMap((tool, at) => {
    if (!isProviderTool(tool)) {
      const note = (reason: string) =>
        reportLoss(into, 'changed', `tools[${at}].strict`, `${dialect.title} ${reason}`, 'info')
      const own = kept(tool)
      const { name, description } = tool
      const parameters = tool.parameters as JsonObject | undefined
      const strict = dialect.strict ? dialect.strict(tool, tools, note) : tool.strict
      const known = { ...objectIn(own, 'function'), ...compact({ name, description, parameters, strict }) }
      return [{ ...own, type: 'function', function: known }]
    }
    if (tool.format !== format) return []
    if (tool.value.type !== 'custom' || dialect.customTools) return [beyondTypes<WireTool>(tool.value)]
    reportLoss(into, 'dropped', `tools[${at}]`, `${dialect.title} does not have custom tools`)
    return []
  })
}

/** From `tools`, or the deprecated `functions`. */
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
  const said = field(tool, 'function')
  const name = textOr(field(said, 'name'), undefined)
  if (name === undefined || !isObject(said)) return { type: 'provider_tool', format, value: tool }
  const parameters = field(said, 'parameters')
  const strict = field(said, 'strict')
  const more = otherFields(said, functionFields)
  const own = { ...otherFields(tool, toolFields), ...compact({ function: more }) }
  return {
    name,
    ...compact({
      description: stringOr(field(said, 'description'), undefined),
      parameters: isObject(parameters) ? (parameters as JsonSchema) : undefined,
      strict: typeof strict === 'boolean' ? strict : undefined,
      providerData: unlessEmpty(own) && { [format]: own },
    }),
  }
}

// ---- the choice among them --------------------------------------------------------------------

/** From `tool_choice`, or the deprecated `function_call`; `undefined` where it is neither. */
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

/** A call, with the very text that its arguments came as, unless they were changed since. */
export function encodeCall(call: ToolCall | InvalidToolCall, { dialect, model }: Encoding): WireCall {
  const { type, ...own } = kept(call) ?? {}
  const proof = ownProof(call.opaque, { format, provider: dialect.provider, model })
  const { id = '', name = '' } = call
  const head = { ...own, ...proof, id }
  if (call.type !== 'tool_call') {
    const text = (dialect.rawArguments && call.argumentsText) || '{}'
    return { ...head, type: 'function', function: { name, arguments: text } }
  }
  if (type !== 'custom' || !dialect.customTools) {
    return {
      ...head,
      type: 'function',
      function: { ...objectIn(own, 'function'), name, arguments: exactArguments(call) },
    }
  }
  return { ...head, type, custom: { name, input: stringOr(call.arguments.input, '') } }
}

/** The message that answers a call. */
export function encodeResult(
  result: ToolMessage,
  { dialect = openai }: CodecOptions<ChatDialect> = {},
): WireToolResult {
  return encodeResultFor({ dialect, model: '', losses: newLosses(dialect.title) }, result, '')
}

/** The same within a request: a failure is said in the text, since the wire has no flag for it. */
export function encodeResultFor(to: Encoding, result: ToolMessage, path: string): WireToolResult {
  const parts = encodeTextParts(blocksOf(result.content), `${path}content`, to)
  const content = toContent(parts, to, typeof result.content === 'string')
  const isError = result.status === 'error'
  return {
    ...kept(result),
    role: 'tool',
    tool_call_id: result.toolCallId,
    ...compact({ name: to.dialect.resultName ? result.name : undefined }),
    content:
      typeof content === 'string'
        ? markText(content, isError)
        : markParts(content, isError, { type: 'text', text: '' }),
  }
}
