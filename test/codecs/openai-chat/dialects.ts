/** Which dialect reads which folder of the corpus. Copilot, Venice and Anthropic's endpoint have none of their own. */

import { type ChatDialect, compatible, openai } from '../../../src/formats/openai-chat/index.ts'
import { alibabaDialect } from '../../../src/providers/alibaba.ts'
import { azureOpenaiDialect } from '../../../src/providers/azure-openai.ts'
import { cerebrasDialect } from '../../../src/providers/cerebras.ts'
import { deepseekDialect } from '../../../src/providers/deepseek.ts'
import { groqDialect } from '../../../src/providers/groq.ts'
import { llamacppDialect } from '../../../src/providers/llamacpp.ts'
import { mistralDialect } from '../../../src/providers/mistral.ts'
import { moonshotDialect } from '../../../src/providers/moonshot.ts'
import { openrouterDialect } from '../../../src/providers/openrouter.ts'
import { perplexityDialect } from '../../../src/providers/perplexity.ts'
import { togetherDialect } from '../../../src/providers/together.ts'
import { vercelGatewayDialect } from '../../../src/providers/vercel-gateway.ts'
import { vllmDialect } from '../../../src/providers/vllm.ts'
import { workersAiDialect } from '../../../src/providers/workers-ai.ts'
import { xaiDialect } from '../../../src/providers/xai.ts'

export const dialects: Readonly<Record<string, ChatDialect>> = {
  'openai-chat': openai,
  'openai-chat-alibaba': alibabaDialect,
  'openai-chat-anthropic': compatible,
  'openai-chat-azure': azureOpenaiDialect,
  'openai-chat-cerebras': cerebrasDialect,
  'openai-chat-copilot': compatible,
  'openai-chat-deepseek': deepseekDialect,
  'openai-chat-groq': groqDialect,
  'openai-chat-llamacpp': llamacppDialect,
  'openai-chat-mistral': mistralDialect,
  'openai-chat-moonshot': moonshotDialect,
  'openai-chat-openrouter': openrouterDialect,
  'openai-chat-perplexity': perplexityDialect,
  'openai-chat-together': togetherDialect,
  'openai-chat-venice': compatible,
  'openai-chat-vercel-gateway': vercelGatewayDialect,
  'openai-chat-vllm': vllmDialect,
  'openai-chat-workers-ai': workersAiDialect,
  'openai-chat-xai': xaiDialect,
}
