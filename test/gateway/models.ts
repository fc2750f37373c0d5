/** The scripted providers as models: no I/O, so that a Worker can have them too. */
import type { Model } from '../../src/core/codec.ts'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { bedrockConverse } from '../../src/formats/bedrock-converse/index.ts'
import { cohere } from '../../src/formats/cohere/index.ts'
import { gemini } from '../../src/formats/gemini/index.ts'
import { geminiInteractions } from '../../src/formats/gemini-interactions/index.ts'
import { ollama } from '../../src/formats/ollama/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import type { WireName } from '../../src/gateway/index.ts'

export const keys: Readonly<Record<WireName, string>> = {
  'openai-chat': 'sk-canary-chat-7Hq2Lw9Zx4',
  'openai-responses': 'sk-canary-resp-5Tm8Vb3Kd6',
  anthropic: 'sk-ant-canary-4Rf6Yp1Jc9',
  gemini: 'AIza-canary-2Gs9Nk7Wq3',
  'gemini-interactions': 'AIza-canary-6Hd3Pt8Rv5',
  cohere: 'co-canary-6Wd3Qn8Rt1',
  ollama: 'ol-canary-8Bv5Xz2Mh6',
  'bedrock-converse': 'br-canary-3Yc7Lp2Ks9',
}

/** The providers as a table of models: each is asked for by the name of its wire. */
export function modelsAt(url: string): Readonly<Record<WireName, Model>> {
  const at = (wire: WireName, path: string) => ({ baseUrl: `${url}/${wire}${path}`, apiKey: keys[wire] })
  return {
    'openai-chat': openaiChat('gpt-5', at('openai-chat', '/v1')),
    'openai-responses': openaiResponses('gpt-5', at('openai-responses', '/v1')),
    anthropic: anthropic('claude-sonnet-5', at('anthropic', '/v1')),
    gemini: gemini('gemini-3-flash-preview', at('gemini', '/v1beta')),
    'gemini-interactions': geminiInteractions('gemini-3.8-flash', at('gemini-interactions', '/v1beta')),
    cohere: cohere('command-a-03-2025', at('cohere', '/v2')),
    ollama: ollama('qwen3:8b', at('ollama', '')),
    'bedrock-converse': bedrockConverse('us.anthropic.claude-haiku-4-5-20251001-v1:0', {
      region: 'us-east-1',
      ...at('bedrock-converse', ''),
    }),
  }
}
