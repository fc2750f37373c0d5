/** OpenAI Responses: shared code of the tools that OpenAI runs. @module */

import type { JsonObject } from '../../../core/model.ts'
import type { HostedTool } from '../../../kit/hosted-tool.ts'
import { format } from '../tables.ts'

/** Makes a tool of this format from the value that the wire gets. */
export function hosted<Value extends JsonObject>(value: Value): HostedTool<'openai-responses', Value> {
  return { type: 'provider_tool', format, value }
}
