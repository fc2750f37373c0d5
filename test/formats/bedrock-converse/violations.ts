/** Why a server would refuse a request of Bedrock. */
import { checkAnthropic } from '../anthropic/violations.ts'
import { list, type Wire } from '../violations.ts'

export const violations = (body: unknown): readonly string[] => checkBedrock(list((body as Wire).messages))

/** wire/bedrock-converse.md §2: the same turns as Anthropic's, each block under the name of its kind. */
function checkBedrock(messages: readonly Wire[]): readonly string[] {
  return checkAnthropic(
    messages.map(({ role, content }) => ({
      role,
      content: list(content).map((block) => {
        const { toolUse, toolResult, text } = block as Record<string, Wire>
        if (toolUse !== undefined) return { type: 'tool_use', id: toolUse.toolUseId, input: toolUse.input }
        if (toolResult !== undefined) return { type: 'tool_result', tool_use_id: toolResult.toolUseId }
        return text === undefined ? { type: Object.keys(block)[0] } : { type: 'text', text }
      }),
    })),
    /^[\w.:-]{1,64}$/,
  )
}
