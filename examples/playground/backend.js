/** The backend of the chat: the Worker, or our recordings if the page is served without a Worker. The page asks both on the own wire. */
import { browserModel } from './isoglot/browser-model.js'
import { remote } from './isoglot/remote.js'
import { recordedWires, replay, scenes } from './recordings.js'
import { permittedModels, session } from './session.js'
import { createTap } from './tap.js'
import { modelOf, ownModelName, providerOf, readName, wires } from './wires.js'

/**
 * @typedef {import('./isoglot/index.js').Model} Model
 *
 * @typedef {{ title: string, names: readonly string[] }} Offer The models of one provider, such as `gemini:demo-model`, or `ownModelName`.
 *
 * @typedef {object} Backend
 * @property {boolean} isRecorded Whether the user can only send the texts of `suggestions`.
 * @property {readonly string[]} suggestions
 * @property {() => Promise<readonly string[]>} models
 * @property {(name: string, ask: string, watch: (send: typeof fetch) => typeof fetch) => Model} model
 */

const url = new URL('answer', document.baseURI).href

/** @type {Backend} */
const worker = {
  isRecorded: false,
  suggestions: [
    'What is the weather in Tokyo?',
    'Compare the weather in Tokyo and Paris',
    'Think: how many r are in strawberry?',
    'Show me code that streams, with its source',
  ],
  models: permittedModels,
  model: (name, _ask, watch) => remote(name, { url, session, fetch: watch((...args) => fetch(...args)) }),
}

/** The server runs in the page: it reads the question, asks the recordings in the format of their provider, and writes the events. @type {Backend} */
const recorded = {
  isRecorded: true,
  suggestions: Object.values(scenes).map(({ ask }) => ask),
  models: async () => recordedWires.map((wire) => `${wire}:${wires[wire].models[0]}`),
  model(name, ask, watch) {
    const { wire, name: modelName } = readName(name) ?? { wire: 'openai-chat', name: '' }
    const recording = replay(wire, ask)
    /** @type {typeof fetch} */
    const answer = async (input, init) => {
      const { answerResponse } = await import('./isoglot/gateway.js')
      const tap = createTap()
      const model = modelOf(wire, modelName, { baseUrl: location.origin, fetch: tap.watch(recording) })
      return tap.tell(await answerResponse(model, new Request(input, init)))
    }
    return remote(name, { url, fetch: watch(answer) })
  },
}

/**
 * One model for the whole page, because it keeps its sessions. Loading it needs a click of the user. Chromium warns if no language is
 * named.
 */
export const ownModel = browserModel({ expectedOutputs: [{ type: 'text', languages: ['en'] }] })

/** The static build writes `none` into this element. */
const marker = document.querySelector('meta[name="isoglot-worker"]')
const server = marker?.getAttribute('content') === 'none' ? recorded : worker

export const backend = {
  ...server,
  /** The models by provider. @returns {Promise<readonly Offer[]>} */
  async offers() {
    const names = await server.models()
    const titles = [...new Set(names.map(providerOf))]
    return titles.map((title) => ({ title, names: names.filter((name) => providerOf(name) === title) }))
  },
  /** The browser's own model, if there is one. Asked late, since a Chromium without its service warns. @returns {Promise<readonly Offer[]>} */
  async ownOffers() {
    const availability = await ownModel.availability()
    const isThere = availability !== 'missing' && availability !== 'unavailable'
    return isThere ? [{ title: 'Without a server', names: [ownModelName] }] : []
  },
  /** @type {Backend['model']} */
  model: (name, ask, watch) => (name === ownModelName ? ownModel : server.model(name, ask, watch)),
}
