/** Encodes `strict` of a tool for hosts that differ from OpenAI. @module */
import type { ContextTool, ToolDefinition } from '../../../core/messages.ts'

/** The host refuses the field. */
export function withoutStrict(): undefined {}

/** The host requires a boolean. */
export function booleanStrict({ strict = false }: ToolDefinition): boolean {
  return strict
}

/** The host requires the same value for all tools. If the tools differ, all are sent as not strict. */
export function sameStrict(
  { strict }: ToolDefinition,
  tools: readonly ContextTool[],
  note: (reason: string) => void,
): boolean | undefined {
  const flags = tools.flatMap((tool) => ('type' in tool ? [] : [tool.strict]))
  const same = flags.every((one) => one === flags[0]) ? flags[0] : false
  if (same !== strict) note('takes one "strict" for all tools')
  return same
}
