/** The formats: their titles, their path at the Worker, and example models. */
import { model } from './isoglot/models.js'

/**
 * @typedef {keyof typeof wires} WireName
 * @typedef {import('./isoglot/index.js').Model} Model
 */

/**
 * `base` is the Worker's path of the format, `models` are names of example models, and `ending` is its framing and the file extension of a
 * recording.
 *
 * @satisfies {Readonly<Record<string, { title: string, base: string, models: readonly [string, ...string[]], ending: 'sse' | 'ndjson' | 'bin' }>>}
 */
export const wires = {
  'openai-chat': { title: 'OpenAI Chat', base: '/v1', models: ['gpt-5.6', 'gpt-5-mini'], ending: 'sse' },
  'openai-responses': { title: 'OpenAI Responses', base: '/v1', models: ['gpt-5.6', 'gpt-5-mini'], ending: 'sse' },
  anthropic: { title: 'Anthropic', base: '/v1', models: ['claude-sonnet-5', 'claude-haiku-4-5'], ending: 'sse' },
  gemini: {
    title: 'Gemini',
    base: '/v1beta',
    models: ['gemini-3-pro-preview', 'gemini-3-flash-preview'],
    ending: 'sse',
  },
  'gemini-interactions': {
    title: 'Gemini Interactions',
    base: '/v1beta',
    models: ['gemini-3-pro-preview', 'gemini-3-flash-preview'],
    ending: 'sse',
  },
  ollama: { title: 'Ollama', base: '', models: ['qwen3:8b'], ending: 'ndjson' },
  cohere: { title: 'Cohere', base: '/v2', models: ['command-a-03-2025', 'command-a-reasoning-08-2025'], ending: 'sse' },
  'bedrock-converse': {
    title: 'Bedrock Converse',
    base: '',
    models: ['anthropic.claude-sonnet-5', 'amazon.nova-pro-v1:0'],
    ending: 'bin',
  },
}

/** The name of the browser's own model in lists of models. It has no wire format. */
export const ownModelName = 'browser'

export const wireNames = /** @type {WireName[]} */ (Object.keys(wires))

/**
 * @param {string} name
 * @returns {name is WireName}
 */
export const isWire = (name) => Object.hasOwn(wires, name)

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

/**
 * A model of the SDK for a format.
 *
 * @param {WireName} wire
 * @param {string} name
 * @param {import('./isoglot/models.js').AnyModelSettings} settings
 */
export const modelOf = (wire, name = wires[wire].models[0], settings = {}) =>
  model(`${wire}:${name}`, { region: 'us-east-1', ...settings })
