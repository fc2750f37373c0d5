/**
 * Gemini Interactions: encodes and decodes definitions of tools, the tool choice, calls and results.
 *
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11)
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import { checkTools } from '../../core/check-message.ts'
import type { DecodedCalls, Fragment } from '../../core/codec.ts'
import { blocksOf } from '../../core/content.ts'
import { arrayOf, compact, field, isObject, otherFields, stringOr, textOr } from '../../core/lookup.ts'
import type {
  Content,
  JsonObject,
  ProviderTool,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
} from '../../core/model.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { decodeContent, encodeContent, keeping, keptFields, verbatim } from './content.ts'
import { newReading, readStep } from './steps.ts'
import { format, idPrefix, target } from './tables.ts'
import type { WireContent, WireFunctionCall, WireFunctionResult, WireFunctionTool, WireToolChoice } from './wire.ts'

// ---- definitions ------------------------------------------------------------------------------

type AnyTool = ToolDefinition | ProviderTool

/** Encodes definitions as `tools`: one flat list of functions and provider tools. Provider tools of other formats are left out. */
export function encodeDefinitions(tools: readonly AnyTool[]): WireFunctionTool[] {
  checkTools(tools)
  return tools.flatMap((tool) => encodeDefinition(tool) ?? [])
}

function encodeDefinition(tool: AnyTool): WireFunctionTool | undefined {
  if ('type' in tool) return tool.format === format ? verbatim(tool.value) : undefined
  const { name, description, parameters } = tool
  const isOwn = tool.providerData?.[format] !== undefined
  return {
    type: 'function',
    ...(!isOwn && { parameters: { type: 'object', properties: {} } }),
    ...keptFields(tool),
    name,
    ...compact({ description, parameters }),
  }
}

const knownOfTool = new Set(['type', 'name', 'description', 'parameters'])

/** Decodes `tools`. Functions become definitions; every other tool becomes a provider tool and stays unchanged. */
export function decodeDefinitions(tools: unknown): AnyTool[] {
  return arrayOf(tools)
    .filter(isObject)
    .map((tool) => {
      const { name, description, parameters } = tool
      if (field(tool, 'type') !== 'function' || typeof name !== 'string') {
        return { type: 'provider_tool', format, value: tool }
      }
      return compact({
        name,
        description: stringOr(description, undefined),
        parameters: isObject(parameters) ? parameters : undefined,
        providerData: { [format]: otherFields(tool, knownOfTool) ?? {} },
      })
    })
}

// ---- choice -----------------------------------------------------------------------------------

/** Encodes a tool choice. `names` with mode `auto` become `validated`, which takes names but does not force a call. */
export function encodeToolChoice(choice: ToolChoice): WireToolChoice {
  if (typeof choice === 'string') return choice === 'required' ? 'any' : choice
  if ('name' in choice) return { allowed_tools: { mode: 'any', tools: [choice.name] } }
  return { allowed_tools: { mode: choice.mode === 'required' ? 'any' : 'validated', tools: [...choice.names] } }
}

/** Decodes a tool choice. Returns `undefined` if isoglot has no equivalent; the choice is then kept unchanged. */
export function decodeToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none') return choice
  if (choice === 'any') return 'required'
  const allowed = field(choice, 'allowed_tools')
  const mode = field(allowed, 'mode')
  const tools = arrayOf(field(allowed, 'tools'))
  const names = tools.filter((name) => typeof name === 'string')
  if (names.length !== tools.length || (mode !== 'any' && mode !== 'validated')) return undefined
  const [name, ...others] = names
  if (mode === 'any' && name !== undefined && others.length === 0) return { name }
  return { names, mode: mode === 'any' ? 'required' : 'auto' }
}

// ---- calls ------------------------------------------------------------------------------------

/** Decodes only the calls of an answer. */
export function decodeToolCalls(body: unknown): DecodedCalls {
  const reading = newReading(textOr(field(body, 'model'), ''))
  const fragments: Fragment[] = []
  for (const step of arrayOf(field(body, 'steps') ?? field(body, 'outputs'))) {
    if (field(step, 'type') === 'function_call') readStep(step, reading, fragments)
  }
  const isCut = field(body, 'status') === 'incomplete'
  const { message } = fold([...fragments, { type: 'end', stopReason: isCut ? 'length' : 'stop' }], { idPrefix })
  return {
    toolCalls: blocksOf(message.content).filter((block): block is ToolCall => block.type === 'tool_call'),
    invalidToolCalls: message.invalidToolCalls ?? [],
  }
}

/** Encodes a call as a step, without a signature. `encodeTurn` adds the signature. */
export function encodeCall(call: ToolCall): WireFunctionCall {
  return { ...keptFields(call), type: 'function_call', id: call.id, name: call.name, arguments: call.arguments }
}

// ---- results ----------------------------------------------------------------------------------

/** Encodes the result of one call as an entry of `input`: a `function_result`. */
export function encodeResult(result: ToolMessage): WireFunctionResult {
  return encodeResultFor(result, 'result', newLosses(target), true).step
}

/** Does the same within a request. If the model accepts only text in results, `besides` has the media, which follow the results. */
export function encodeResultFor(
  result: ToolMessage,
  path: string,
  losses: Losses,
  takesMedia: boolean,
): { readonly step: WireFunctionResult; readonly besides: readonly WireContent[] } {
  const { content, toolCallId, name, status } = result
  const isText = blocksOf(content).every(({ type }) => type === 'text' || type === 'plain_text')
  const contents = isText ? [] : encodeContents(content, `${path}.content`, losses)
  const besides = takesMedia ? [] : contents.filter(({ type }) => type !== 'text')
  if (besides.length > 0)
    reportLoss(losses, 'changed', `${path}.content`, 'the model takes media from users only', 'info')
  const step: WireFunctionResult = {
    ...keptFields(result),
    type: 'function_result',
    call_id: toolCallId,
    ...compact({ name }),
    result: isText || besides.length > 0 ? joined(content, path, losses) : contents,
    ...compact({ is_error: status === 'error' ? true : undefined }),
  }
  return { step, besides }
}

/** Joins the texts of a result. Such a result is sent as a string, which all models accept. */
function joined(content: Content, path: string, losses: Losses): string {
  for (const [at, block] of typeof content === 'string' ? [] : content.entries()) {
    if (block.providerData !== undefined)
      reportLoss(losses, 'dropped', `${path}.content[${at}].providerData`, reasons.fields, 'info')
  }
  return blocksOf(content)
    .flatMap((block) => (block.type === 'text' || block.type === 'plain_text' ? block.text : []))
    .join('\n')
}

/** Encodes content as a list of contents. */
export function encodeContents(content: Content, path: string, losses: Losses): WireContent[] {
  return blocksOf(content).flatMap((block, at) => encodeContent(block, `${path}[${at}]`, losses) ?? [])
}

const knownOfResult = new Set(['type', 'call_id', 'name', 'result', 'is_error'])

/** Decodes a result: text, a list of contents, or any other value as its JSON text. */
export function decodeResult(step: JsonObject, name: string | undefined): ToolMessage {
  const result = field(step, 'result')
  const inner = field(result, 'content')
  const contents = Array.isArray(result) ? result : Array.isArray(inner) ? inner : undefined
  const isList = contents?.every((one) => typeof field(one, 'type') === 'string')
  const text = typeof result === 'string' ? result : JSON.stringify(result ?? '')
  return compact({
    role: 'tool',
    toolCallId: stringOr(field(step, 'call_id'), ''),
    name: textOr(field(step, 'name'), name),
    content: contents && isList ? contents.map(decodeContent) : text,
    status: field(step, 'is_error') === true ? 'error' : undefined,
    ...keeping(otherFields(step, knownOfResult)),
  })
}
