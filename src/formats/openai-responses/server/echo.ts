/**
 * OpenAI Responses: the settings of a request that its answer repeats, in the form and with the defaults of OpenAI's server. A part of
 * `encode-answer.ts`; no page loads it.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object
 * @see https://www.openresponses.org/specification (the fields that each answer has)
 *
 * @module
 */

import { isObject, mapValues, otherFields } from '../../../core/json.ts'
import type { Json, JsonObject } from '../../../core/messages.ts'

/** Returns what an answer says for the value of a request, or `undefined` if the value is not legal: the default then stays. */
type Echo = (value: Json) => Json | undefined

const text: Echo = (value) => (typeof value === 'string' ? value : undefined)
const number: Echo = (value) => (typeof value === 'number' ? value : undefined)
const flag: Echo = (value) => (typeof value === 'boolean' ? value : undefined)
const object: Echo = (value) => (isObject(value) ? value : undefined)

/** The fields of an answer that repeat the request, and how. */
const echoes: Readonly<Record<string, Echo>> = {
  access_programs: (value) => (isObject(value) && value.cyber ? value : undefined),
  background: flag,
  conversation: (value) => (typeof value === 'string' ? { id: value } : object(value)),
  frequency_penalty: number,
  // `auto` is a question, which only the server answers.
  image: (value) => (isObject(value) && value.context_compression !== 'auto' ? value : undefined),
  instructions: text,
  max_output_tokens: number,
  max_tool_calls: number,
  metadata: object,
  parallel_tool_calls: flag,
  presence_penalty: number,
  previous_response_id: text,
  prompt: object,
  prompt_cache_key: text,
  prompt_cache_options: (value) =>
    isObject(value)
      ? filled(otherFields(value, new Set(['prewarm'])) ?? {}, { mode: 'implicit', ttl: '30m' })
      : undefined,
  prompt_cache_retention: text,
  reasoning: (value) => (isObject(value) ? filled(value, { effort: null, summary: null }) : undefined),
  safety_identifier: text,
  service_tier: text,
  temperature: number,
  text: (value) => (isObject(value) ? { ...value, format: textFormat(value.format) } : undefined),
  tool_choice: (value) => (typeof value === 'string' || isObject(value) ? value : undefined),
  tools: (value) => (Array.isArray(value) ? value.filter(isObject).map(tool) : undefined),
  top_logprobs: number,
  top_p: number,
  truncation: text,
  user: text,
}

/**
 * What an answer says if neither the request nor the provider does. `store` is false, because a gateway stores nothing: a client that reads
 * `true` may continue from the answer by its id.
 */
export const defaults: JsonObject = {
  access_programs: null,
  background: false,
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
}

/** Returns the settings of a request as its answer repeats them. A field that is absent, null or not legal is not repeated. */
export function echoOf(request: JsonObject): JsonObject {
  const repeated: JsonObject = {}
  for (const [name, echo] of Object.entries(echoes)) {
    const value = request[name] ?? null
    const shown = value === null ? undefined : echo(value)
    if (shown !== undefined) repeated[name] = shown
  }
  return repeated
}

/** The fields in the order in which they came, and then those that are missing. */
function filled(given: JsonObject, missing: JsonObject): JsonObject {
  return { ...given, ...missing, ...given }
}

function textFormat(given: Json | undefined): Json {
  if (!isObject(given)) return { type: 'text' }
  return given.type === 'json_schema' ? filled(given, { description: null, strict: false }) : given
}

function tool(given: JsonObject): JsonObject {
  if (given.type === 'function') return filled(given, { description: null, parameters: null, strict: null })
  const shown = withoutSecrets(given)
  return Array.isArray(shown.tools) ? { ...shown, tools: shown.tools.filter(isObject).map(tool) } : shown
}

/** Fields of hosted tools that OpenAI does not show again: keys for a server of MCP, and secrets of a container. */
const secrets: ReadonlySet<string> = new Set(['headers', 'authorization', 'domain_secrets'])
/** Fields of hosted tools with an object that may hold secrets. */
const holders: ReadonlySet<string> = new Set(['container', 'environment', 'network_policy'])

function withoutSecrets(value: JsonObject): JsonObject {
  return mapValues(otherFields(value, secrets) ?? {}, (inner, name) =>
    holders.has(name) && isObject(inner) ? withoutSecrets(inner) : inner,
  )
}
