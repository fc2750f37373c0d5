/** How hosts treat `strict` of a tool. @module */
import type { ToolDefinition } from '../../../core/model.ts'
import { isProviderTool } from '../choice.ts'
import type { Tools } from '../dialect.ts'

/** The host refuses the field. */
export function withoutStrict(): undefined {}

/** The host wants a boolean. */
export function booleanStrict({ strict = false }: ToolDefinition): boolean {
  return strict
}

/** The host wants the same for all tools: strict if each is, not strict if one is not. */
export function sameStrict(
  { strict }: ToolDefinition,
  tools: Tools,
  note: (reason: string) => void,
): boolean | undefined {
  const said = tools.flatMap((tool) => (isProviderTool(tool) ? [] : [tool.strict]))
  const same = said.every((one) => one === said[0]) ? said[0] : false
  if (same !== strict) note('takes one "strict" for all tools')
  return same
}
