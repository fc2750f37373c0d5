/** OpenAI Responses: what the tools that OpenAI runs itself have in common. @module */

import type { JsonObject } from '../../../core/model.ts'
import type { HostedTool } from '../../../kit/hosted-tool.ts'
import { format } from '../tables.ts'

/** A tool of this wire, by what goes there. */
export function hosted<Value extends JsonObject>(value: Value): HostedTool<'openai-responses', Value> {
  return { type: 'provider_tool', format, value }
}
