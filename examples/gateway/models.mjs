/** The table of models that the three examples serve: the keys stay here, and clients use these names. */
import { anthropic } from 'isoglot/anthropic'
import { gemini } from 'isoglot/gemini'
import { ollama } from 'isoglot/ollama'

/** @param {Record<string, string | undefined>} env */
export const models = (env) => ({
  smart: {
    model: anthropic('claude-sonnet-5', { apiKey: env.ANTHROPIC_API_KEY, ...at(env.ANTHROPIC_BASE_URL) }),
    aliases: ['claude-*', 'gpt-*'],
    fallbacks: ['fast'],
  },
  fast: {
    model: gemini('gemini-3-flash-preview', { apiKey: env.GEMINI_API_KEY, ...at(env.GEMINI_BASE_URL) }),
    maxOutputTokens: 4096,
  },
  local: ollama('qwen3:8b', at(env.OLLAMA_BASE_URL)),
})

const at = (baseUrl) => (baseUrl === undefined ? {} : { baseUrl })
