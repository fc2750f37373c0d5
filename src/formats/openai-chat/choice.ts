/** OpenAI Chat Completions: encodes the tool choice. @module */

import { field } from '../../core/lookup.ts'
import type { ProviderTool, ToolChoice, ToolDefinition } from '../../core/model.ts'
import { reportLoss } from '../../kit/losses.ts'
import { chosenTools } from '../../kit/tool-choice.ts'
import { beyondTypes } from './content.ts'
import type { Encoding, ToolChoosing, Tools } from './dialect.ts'
import type { WireNamedChoice, WireToolChoice } from './wire.ts'

/** Encodes a tool choice for OpenAI, which has all of them. */
export function chooseAsOpenai(choice: Exclude<ToolChoice, 'auto'>, tools: Tools): ReturnType<ToolChoosing> {
  if (typeof choice === 'string') return { tools, choice }
  if ('name' in choice) return { tools, choice: choiceOf(choice.name, tools) }
  const { names, mode } = choice
  const named = names.map((name) => choiceOf(name, tools))
  return { tools, choice: { type: 'allowed_tools', allowed_tools: { mode, tools: named } } }
}

/**
 * Encodes the tool choice for a host that has only some of OpenAI's values. If the host does not have a value, fewer tools are sent, which
 * has the same effect.
 *
 * @param words the values that the host has: for no tool, for any tool, and for one tool by name
 * @param required the host's value for "the model must call a tool"
 */
export function choosing(
  words: readonly ('none' | 'required' | 'named')[],
  required: 'required' | 'any' = 'required',
): ToolChoosing {
  const some = ({ dialect, losses }: Encoding): { choice: WireToolChoice } => {
    if (words.includes('required')) return { choice: required === 'any' ? beyondTypes('any') : 'required' }
    reportLoss(losses, 'changed', 'options.toolChoice', `${dialect.title} cannot be made to call a tool`)
    return { choice: 'auto' }
  }
  return (choice, tools, to) => {
    const { title } = to.dialect
    if (choice === 'none') return words.includes('none') ? { tools, choice } : { tools: only(tools, [], to) }
    if (choice === 'required') return { tools, ...some(to) }
    if ('name' in choice) {
      if (words.includes('named')) return { tools, choice: choiceOf(choice.name, tools) }
      reportLoss(to.losses, 'changed', 'options.toolChoice', `${title} cannot name a tool: the others are left out`)
      return { tools: only(tools, [choice.name], to), ...some(to) }
    }
    const left = only(tools, choice.names, to)
    reportLoss(to.losses, 'changed', 'options.toolChoice', `${title} has no choice of some: the others are left out`)
    return { tools: left, ...(choice.mode === 'required' ? some(to) : { choice: choice.mode }) }
  }
}

/** A choice of one tool has the kind of the tool: a function, or a custom tool, which takes free text. */
function choiceOf(name: string, tools: Tools): WireNamedChoice {
  const isCustom = tools.some((tool) => isProviderTool(tool) && field(tool.value.custom, 'name') === name)
  return isCustom ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } }
}

function only(tools: Tools, names: readonly string[], to: Encoding): Tools {
  return chosenTools(tools, (tool) => !isProviderTool(tool) && names.includes(tool.name), to.losses)
}

export function isProviderTool(tool: ToolDefinition | ProviderTool): tool is ProviderTool {
  return 'type' in tool && tool.type === 'provider_tool'
}
