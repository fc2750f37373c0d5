/** Who answers the chat: the Worker, or, where the page is served without one, recordings of ours. */
import { replay, scenes } from './recordings.js'
import { permittedModels, sessionToken } from './session.js'
import { modelOf, readName, wireNames, wires } from './wires.js'

/**
 * @typedef {import('./isoglot/index.js').Model} Model
 *
 * @typedef {object} Backend
 * @property {boolean} isRecorded Whether only what is in `suggestions` can be said.
 * @property {readonly string[]} suggestions
 * @property {() => Promise<readonly string[]>} models Such as `gemini:demo-model`, of wires that the page speaks.
 * @property {(name: string, ask: string, watch: (send: typeof fetch) => typeof fetch) => Model} model
 */

/** @type {Backend} */
const worker = {
  isRecorded: false,
  suggestions: [
    'What is the weather in Tokyo?',
    'Compare the weather in Tokyo and Paris',
    'Think: how many r are in strawberry?',
    'Count to thirty, slowly',
  ],
  models: async () => (await permittedModels()).filter((name) => readName(name) !== undefined),
  model(name, _ask, watch) {
    const read = readName(name)
    if (read === undefined) throw new Error(`Cannot ask "${name}": the page does not speak its wire`)
    const baseUrl = location.origin + wires[read.wire].base
    return modelOf(read.wire, read.name, { apiKey: sessionToken, baseUrl, fetch: watch((...args) => fetch(...args)) })
  },
}

/** @type {Backend} */
const recorded = {
  isRecorded: true,
  suggestions: Object.values(scenes).map(({ ask }) => ask),
  models: async () => wireNames.map((wire) => `${wire}:${wires[wire].models[0]}`),
  model(name, ask, watch) {
    const { wire, name: modelName } = readName(name) ?? { wire: wireNames[0] ?? 'openai-chat', name: '' }
    return modelOf(wire, modelName, { baseUrl: location.origin, fetch: watch(replay(wire, ask)) })
  },
}

/** The static build writes `none` there. */
const marker = document.querySelector('meta[name="isoglot-worker"]')
export const backend = marker?.getAttribute('content') === 'none' ? recorded : worker
