/** Which dialect reads which folder of the corpus. Copilot, Venice and Anthropic's endpoint have none of their own. */
import { alibabaDialect } from '../../../src/codecs/alibaba/index.ts'
import { azureOpenaiDialect } from '../../../src/codecs/azure-openai/index.ts'
import { cerebrasDialect } from '../../../src/codecs/cerebras/index.ts'
import { deepseekDialect } from '../../../src/codecs/deepseek/index.ts'
import { groqDialect } from '../../../src/codecs/groq/index.ts'
import { llamacppDialect } from '../../../src/codecs/llamacpp/index.ts'
import { mistralDialect } from '../../../src/codecs/mistral/index.ts'
import { moonshotDialect } from '../../../src/codecs/moonshot/index.ts'
import { type ChatDialect, compatible, openai } from '../../../src/codecs/openai-chat/index.ts'
import { openrouterDialect } from '../../../src/codecs/openrouter/index.ts'
import { perplexityDialect } from '../../../src/codecs/perplexity/index.ts'
import { togetherDialect } from '../../../src/codecs/together/index.ts'
import { vllmDialect } from '../../../src/codecs/vllm/index.ts'
import { xaiDialect } from '../../../src/codecs/xai/index.ts'

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
  'openai-chat-vllm': vllmDialect,
  'openai-chat-xai': xaiDialect,
}
