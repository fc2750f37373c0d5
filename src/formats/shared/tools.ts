/** Definitions of tools, and tool choices that a format cannot express: what several formats share. @module */
import { asWire, keepUnknown, unknownFieldsOf } from '../../core/content.ts'
import { compact, isObject, objectAt, objectIn, othersWithin, stringOr, textOr } from '../../core/json.ts'
import type { ContextTool, ToolChoice, ToolDefinition } from '../../core/messages.ts'
import { type Losses, renumber, reportLoss } from './losses.ts'
import * as reasons from './reasons.ts'

// ---- definitions ------------------------------------------------------------------------------

/** Encodes prepared tools. A provider's own are sent unchanged. */
export function encodeEachTool<Wire>(tools: readonly ContextTool[], encode: (tool: ToolDefinition) => Wire): Wire[] {
  return tools.map((tool) => ('type' in tool ? asWire<Wire>(tool.value) : encode(tool)))
}

/** A definition in the form of OpenAI Chat, which other formats have too: `{ type: 'function', function: { name, … } }`. */
export interface FunctionTool<Schema> {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: Schema }
}

/** Encodes a definition in the form of OpenAI Chat. */
export function encodeFunctionTool<Schema>(tool: ToolDefinition, format: string): FunctionTool<Schema> {
  const kept = unknownFieldsOf(tool, format)
  const { name, description, parameters = { type: 'object', properties: {} } } = tool
  const known = { name, ...compact({ description }), parameters: asWire<Schema>(parameters) }
  return { ...kept, type: 'function', function: { ...objectIn(kept, 'function'), ...known } }
}

const entryFields: ReadonlySet<string> = /* @__PURE__ */ new Set(['type', 'function'])
const functionFields = ['name', 'description', 'parameters']

/**
 * Decodes a definition in the form of OpenAI Chat. An entry that is not a function is kept unchanged. `hasStrict`: whether the format has
 * the field `strict`.
 *
 * @throws {DecodeError} if the entry is not an object. `what` is the request, such as `Cohere request`.
 */
export function decodeFunctionTool(
  entry: unknown,
  path: string,
  what: string,
  format: string,
  hasStrict = false,
): ContextTool {
  const tool = objectAt(entry, path, what)
  const { name, description, parameters, strict } = objectIn(tool, 'function')
  if (typeof name !== 'string' || name === '' || textOr(tool.type, 'function') !== 'function')
    return { type: 'provider_tool', format, value: tool }
  const known = new Set(hasStrict ? [...functionFields, 'strict'] : functionFields)
  return {
    name,
    ...compact({
      description: stringOr(description, undefined),
      parameters: isObject(parameters) ? parameters : undefined,
      strict: hasStrict && typeof strict === 'boolean' ? strict : undefined,
    }),
    ...keepUnknown(othersWithin(tool, entryFields, 'function', known), format),
  }
}

// ---- choice -----------------------------------------------------------------------------------

/** Reports a tool choice of a request without tools. */
export function reportUnusedChoice(
  { toolChoice, parallelToolCalls }: { toolChoice?: ToolChoice | undefined; parallelToolCalls?: boolean },
  losses: Losses,
): void {
  if (toolChoice !== undefined && toolChoice !== 'auto' && toolChoice !== 'none')
    reportLoss(losses, 'dropped', 'options.toolChoice', reasons.noTools, 'info')
  if (parallelToolCalls === false) reportLoss(losses, 'dropped', 'options.parallelToolCalls', reasons.noTools, 'info')
}

/**
 * The tools that a tool choice allows, for a format that cannot express the choice. If it names tools, a provider's own are left out,
 * unless `keepsOthers` is set.
 */
export function chosenTools<T extends ContextTool>(
  tools: readonly T[],
  choice: ToolChoice | undefined,
  losses: Losses,
  keepsOthers = false,
): readonly T[] {
  if (tools.length === 0 || (typeof choice !== 'object' && choice !== 'none')) return tools
  const names = choice === 'none' ? [] : 'name' in choice ? [choice.name] : choice.names
  for (const name of names) {
    if (!tools.some((tool) => 'name' in tool && tool.name === name))
      reportLoss(losses, 'dropped', 'options.toolChoice', `there is no tool named "${name}"`)
  }
  const left = [...tools.entries()].filter(([at, tool]) => {
    if ('name' in tool ? names.includes(tool.name) : keepsOthers) return true
    reportLoss(losses, 'dropped', `tools[${at}]`, reasons.unchosen, 'info')
    return false
  })
  renumber(
    losses,
    'tools',
    left.map(([at]) => at),
  )
  return left.map(([, tool]) => tool)
}
