/** Gives each tool a legal name and a schema that the target takes. @module */

import { legalId } from '../core/ids.ts'
import type { ContextTool, ToolChoice } from '../core/messages.ts'
import { fitList } from '../formats/shared/losses.ts'
import { fitFields, wellFormedFields } from './fields.ts'
import { note, type Task } from './task.ts'

/** The tools as they are sent. A name that is legal stays as it is, and no other tool gets it. */
export function fitTools(tools: readonly ContextTool[], task: Task): readonly ContextTool[] {
  const { target, sentNames } = task
  for (const tool of tools) {
    if ('name' in tool && legalId(tool.name, target.toolName) === tool.name) sentNames.set(tool.name, tool.name)
  }
  return fitList(tools, 'tools', (tool, path) => {
    if ('name' in tool) {
      const named = withSentName(tool, path, task)
      if (task.takesAll) return named
      const { fitTool = () => fitted } = target
      const fitted = wellFormedFields(
        fitFields(named, 'tool_definition', path, task),
        ['name', 'description'],
        path,
        task,
      )
      const sent = fitTool(fitted, path, task.losses, task.parameterNames)
      if (sent === undefined) task.unsent.add(named.name)
      return sent
    }
    if (task.takesAll || tool.format === target.format) return tool
    return note(task, 'dropped', path, 'it is a tool of another format', 'minor')
  })
}

/** The tool, call or result, with the name of its tool in the request. Each new name is a loss once. */
export function withSentName<T extends { readonly name: string }>(named: T, path: string, task: Task): T {
  const name = sentNameOf(named.name, `${path}.name`, task)
  return name === named.name ? named : { ...named, name }
}

function sentNameOf(own: string, path: string, task: Task): string {
  const { sentNames, target } = task
  let name = sentNames.get(own)
  if (name !== undefined) return name
  name = legalId(own, target.toolName)
  if (name === own) return name
  const taken = new Set(sentNames.values())
  for (let copy = 2; taken.has(name); copy++) name = legalId(`${own}#${copy}`, target.toolName)
  sentNames.set(own, name)
  note(task, 'changed', path, `"${own}" is not a legal name of a tool here; it goes as "${name}"`)
  return name
}

/** The tool choice, with the names that the tools have in the request, and without those that are not sent. */
export function fitToolChoice(choice: ToolChoice, task: Task): ToolChoice | undefined {
  if (typeof choice !== 'object') return choice
  const isOne = 'name' in choice
  const names = (isOne ? [choice.name] : choice.names).flatMap((own, at) => {
    const path = `options.toolChoice.${isOne ? 'name' : `names[${at}]`}`
    const name = sentNameOf(own, path, task)
    return task.unsent.has(name) ? (note(task, 'dropped', path, 'its tool is not sent', 'minor') ?? []) : name
  })
  const [name] = names
  if (isOne) return name === undefined ? undefined : { ...choice, name }
  return name === undefined && choice.names.length > 0 ? undefined : { ...choice, names }
}
