/** Why a server would refuse a request of Bedrock. */
import { checkAnthropic } from '../anthropic/violations.ts'
import { list, type Wire } from '../violations.ts'

export const violations = (body: unknown): readonly string[] => {
  const { messages, toolConfig } = body as Wire
  const blocks = list(messages).flatMap(({ content }) => list(content))
  // wire/bedrock-converse.md §2.2: a history with calls needs definitions. Calls that Bedrock ran need none.
  const isCall = (block: Wire) => block.toolUse !== undefined && (block.toolUse as Wire).type === undefined
  const lacksTools = toolConfig === undefined && blocks.some(isCall)
  return [...checkBedrock(list(messages)), ...(lacksTools ? ['calls without toolConfig'] : [])]
}

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
