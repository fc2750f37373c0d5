/**
 * Removes the features that a format lacks from a request, before it is encoded. Each loss has the same path, reason and severity in all
 * formats. A codec itself reports fields that its format takes only sometimes.
 *
 * @module
 */
import { compact } from '../core/lookup.ts'
import type { Context, Message, ProviderState, ProviderTool, RequestOptions, ToolDefinition } from '../core/model.ts'
import { drop, fitList, type LackedOption, type Spot, spot, type Task, type Wire, without } from './lacks.ts'
import { fitCommon, fitContent, fitMessage } from './lacks-in-messages.ts'
import type { Losses } from './losses.ts'
import * as reasons from './reasons.ts'

const options: readonly LackedOption[] = [
  'topK',
  'seed',
  'stop',
  'frequencyPenalty',
  'presencePenalty',
  'parallelToolCalls',
  'user',
]

/** The names of the formats: those that `providerOptions` may have. */
export const formats = [
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
  'gemini-interactions',
  'ollama',
  'cohere',
  'bedrock-converse',
] as const
/** The name of a format. */
export type FormatName = (typeof formats)[number]

/**
 * Returns the request without the features that the format lacks. It reports what it left out as losses, and remembers where each entry
 * stood.
 */
export function withoutLacks(
  context: Context,
  asked: RequestOptions,
  wire: Wire,
  losses: Losses,
): { readonly context: Context; readonly options: RequestOptions } {
  const task: Task = {
    wire,
    target: { ...wire, model: asked.model },
    losses,
    places: new Map(),
    ownCalls: new Set(),
  }
  const { system, messages, tools, providerState, ...rest } = context
  const left = tools && fitList(tools, spot('tools'), task, fitTool)
  const fitted = {
    context: {
      ...rest,
      ...compact({
        system: system === undefined ? undefined : fitContent(system, spot('system'), { ...task, isInput: true }),
        tools: left?.length === 0 && tools?.length !== 0 ? undefined : left,
        providerState: providerState && fitState(providerState, messages, task),
      }),
      messages: fitList(messages, spot('messages'), task, fitMessage),
    },
    options: fitOptions(asked, task),
  }
  for (const [here, place] of task.places) losses.places.set(here, place)
  return fitted
}

// ---- options ----------------------------------------------------------------------------------

function fitOptions(asked: RequestOptions, task: Task): RequestOptions {
  const { lacks, format } = task.wire
  const lost: (keyof RequestOptions)[] = []
  for (const name of options) {
    if (asked[name] === undefined || !lacks.has(name)) continue
    lost.push(name)
    const isDefault = asked[name] === true || (name === 'stop' && asked.stop?.length === 0)
    if (!isDefault) drop(task, `options.${name}`, reasons.option, name === 'user' ? 'info' : 'minor')
  }
  for (const name of Object.keys(asked.providerOptions ?? {})) {
    if (name === format) continue
    const path = `options.providerOptions.${name}`
    if ((formats as readonly string[]).includes(name)) drop(task, path, reasons.foreignOptions, 'info')
    else drop(task, path, `no format has this name: they are ${formats.join(', ')}, and the target is ${format}`)
  }
  const fitted = lost.length === 0 ? asked : without(asked, ...lost)
  if (asked.responseFormat === undefined || !lacks.has('formatDetails')) return fitted
  for (const name of ['name', 'description', 'strict'] as const) {
    const value = asked.responseFormat[name]
    if (value !== undefined && value !== false)
      drop(task, `options.responseFormat.${name}`, reasons.formatDetails, 'info')
  }
  return { ...fitted, responseFormat: without(asked.responseFormat, 'name', 'description', 'strict') }
}

/** A stored answer or conversation replaces the messages before it. If the request has those messages too, nothing is lost. */
function fitState(state: ProviderState, messages: readonly Message[], task: Task): ProviderState {
  const taken: readonly string[] = task.wire.states ?? []
  const others = Object.keys(state).filter((name) => !taken.includes(name) && state[name] !== undefined)
  for (const name of others) {
    const isKnown = messages.some((one) => one.role === 'assistant' && one.response?.id === state[name])
    const hasTurns = messages.some(({ role }) => role === 'assistant')
    const isHistory = name === 'previousResponseId' || name === 'conversationId'
    const severity = isHistory && !hasTurns ? 'major' : 'minor'
    drop(task, `providerState.${name}`, reasons.state, isKnown ? 'info' : severity)
  }
  return without(state, ...others)
}

// ---- tools ------------------------------------------------------------------------------------

function fitTool(tool: ToolDefinition | ProviderTool, { place }: Spot, task: Task): typeof tool | undefined {
  const { format, lacks } = task.wire
  if ('type' in tool) return tool.format === format ? tool : drop(task, place, reasons.foreignTool)
  const fitted = fitCommon(tool, place, task, lacks.has('toolCacheHints'))
  if (tool.strict !== true || !lacks.has('strictTools')) return fitted
  drop(task, `${place}.strict`, reasons.strictTools)
  return without(fitted, 'strict')
}
