/**
 * Any other server that uses the format OpenAI Chat Completions.
 *
 * @module
 */
import { checkOptions } from '../core/checks.ts'
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import { type ChatDialect, chatModel, compatible } from '../formats/openai-chat/index.ts'

/** The server's address, and the fields in which its dialect differs from `compatible`. */
export interface CompatibleServer extends Partial<ChatDialect>, Omit<ModelSettings, 'baseUrl'> {
  readonly baseUrl: string
}

/**
 * Returns a function that creates the models of a server with the format OpenAI Chat Completions.
 *
 * @example
 * ```ts
 * const local = openaiCompatible({ baseUrl: 'http://localhost:8000/v1', provider: 'my-server' })
 * const { message } = await generate({ model: local('qwen3'), prompt: 'Hello' })
 * ```
 * @throws {TypeError} if `baseUrl` is missing.
 */
export function openaiCompatible(server: CompatibleServer): (model: string, settings?: ModelSettings) => HttpModel {
  checkOptions('openaiCompatible', server)
  if (typeof server?.baseUrl !== 'string') {
    throw new TypeError(
      'Cannot address the server: openaiCompatible({ baseUrl }) makes the function that takes a model',
    )
  }
  const { apiKey, headers, body, fetch, ...differences } = server
  const own = { apiKey, headers, body, fetch }
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) as ModelSettings
  const dialect: ChatDialect = { ...compatible, title: server.provider ?? compatible.title, ...differences }
  return (model, settings = {}) => {
    const { providerUrl: _, ...own } = chatModel(dialect, model, { ...given, ...settings })
    return own // isoglot does not know whether this server needs a key
  }
}
