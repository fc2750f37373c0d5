/** OpenAI Responses: what the tools that OpenAI runs itself have in common. @module */
import type { HostedTool } from '../../../hosted-tool.ts'
import type { JsonObject } from '../../../model.ts'
import { format } from '../tables.ts'

/** A tool of this wire, by what goes there. */
export function hosted<Value extends JsonObject>(value: Value): HostedTool<'openai-responses', Value> {
  return { type: 'provider_tool', format, value }
}
