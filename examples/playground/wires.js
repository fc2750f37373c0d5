/** The formats: their titles, their provider, and example models. */
import { model } from './isoglot/models.js'

/**
 * @typedef {keyof typeof wires} WireName
 * @typedef {import('./isoglot/index.js').Model} Model
 */

/**
 * `path` matches the path of a request, `models` are names of example models, `key` is the variable that usually has the provider's key, and
 * `ending` is its framing and the file extension of a recording.
 *
 * @typedef {{ title: string, provider: string, path: RegExp, models: readonly [string, ...string[]], key?: string, ending: 'sse' | 'ndjson' | 'bin' }} Wire
 */

const openai = /** @type {const} */ ({ provider: 'OpenAI', models: ['gpt-5.6', 'gpt-5-mini'], key: 'OPENAI_API_KEY' })
const google = /** @type {const} */ ({
  provider: 'Google',
  models: ['gemini-3-pro-preview', 'gemini-3-flash-preview'],
  key: 'GEMINI_API_KEY',
})

export const wires = /** @satisfies {Readonly<Record<string, Wire>>} */ ({
  'openai-chat': { ...openai, title: 'OpenAI Chat', path: /\/chat\/completions$/, ending: 'sse' },
  'openai-responses': { ...openai, title: 'OpenAI Responses', path: /\/responses$/, ending: 'sse' },
  anthropic: {
    title: 'Anthropic',
    provider: 'Anthropic',
    path: /\/messages$/,
    models: ['claude-sonnet-5', 'claude-haiku-4-5'],
    key: 'ANTHROPIC_API_KEY',
    ending: 'sse',
  },
  gemini: { ...google, title: 'Gemini', path: /:(?:streamG|g)enerateContent\b/, ending: 'sse' },
  'gemini-interactions': { ...google, title: 'Gemini Interactions', path: /\/interactions\b/, ending: 'sse' },
  ollama: { title: 'Ollama', provider: 'Ollama', path: /\/api\/chat$/, models: ['qwen3:8b'], ending: 'ndjson' },
  cohere: {
    title: 'Cohere',
    provider: 'Cohere',
    path: /\/v2\/chat$/,
    models: ['command-a-03-2025', 'command-a-reasoning-08-2025'],
    key: 'COHERE_API_KEY',
    ending: 'sse',
  },
  'bedrock-converse': {
    title: 'Bedrock Converse',
    provider: 'Amazon Bedrock',
    path: /\/converse(?:-stream)?$/,
    models: ['anthropic.claude-sonnet-5', 'amazon.nova-pro-v1:0'],
    key: 'AWS_BEARER_TOKEN_BEDROCK',
    ending: 'bin',
  },
})

/** The name of the browser's own model in lists of models. It has no wire format. */
export const ownModelName = 'browser'

export const wireNames = /** @type {WireName[]} */ (Object.keys(wires))

/**
 * @param {string} name
 * @returns {name is WireName}
 */
export const isWire = (name) => Object.hasOwn(wires, name)

/** The format of a request. @param {string} path With its query. */
export const wireAt = (path) => wireNames.find((wire) => wires[wire].path.test(path))

/**
 * The two parts of a model's name, such as `gemini:demo-model`.
 *
 * @param {string} name
 * @returns {{ wire: WireName, name: string } | undefined} `undefined` if no wire has that name.
 */
export function readName(name) {
  const colon = name.indexOf(':')
  const wire = name.slice(0, Math.max(0, colon))
  return isWire(wire) ? { wire, name: name.slice(colon + 1) } : undefined
}

/** The title of a model's provider. @param {string} name Such as `gemini:demo-model`, or `xai:grok-4-fast`, which has no format of its own. */
export function providerOf(name) {
  const read = readName(name)
  return read ? wires[read.wire].provider : name.slice(0, Math.max(0, name.indexOf(':')))
}

/** The title of a model. @param {string} name */
export function titleOf(name) {
  if (name === ownModelName) return 'This browser’s own model'
  const read = readName(name)
  return read ? `${wires[read.wire].title}: ${read.name}` : name
}

/**
 * A model of the SDK for a format.
 *
 * @param {WireName} wire
 * @param {string} name
 * @param {import('./isoglot/models.js').AnyModelSettings} settings
 */
export const modelOf = (wire, name = wires[wire].models[0], settings = {}) =>
  model(`${wire}:${name}`, { region: 'us-east-1', ...settings })
