/** Which dialect each folder of recordings is in. */
import {
  azureDialect,
  copilotDialect,
  lmStudioDialect,
  openaiDialect,
  openRouterDialect,
  type ResponsesDialect,
} from '../../../src/formats/openai-responses/index.ts'
import { xaiDialect } from '../../../src/providers/xai-responses.ts'

export const dialects: Readonly<Record<string, ResponsesDialect>> = {
  'openai-responses': openaiDialect,
  'openai-responses-azure': azureDialect,
  'openai-responses-copilot': copilotDialect,
  'openai-responses-lmstudio': lmStudioDialect,
  'openai-responses-openrouter': openRouterDialect,
  'openai-responses-xai': xaiDialect,
}
