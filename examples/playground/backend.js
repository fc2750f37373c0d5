/** The backend of the chat: the Worker, or our recordings if the page is served without a Worker. */
import { browserModel } from './isoglot/browser-model.js'
import { recordedWires, replay, scenes } from './recordings.js'
import { permittedModels, sessionToken } from './session.js'
import { modelOf, ownModelName, readName, wireNames, wires } from './wires.js'

/**
 * @typedef {import('./isoglot/index.js').Model} Model
 *
 * @typedef {{ title: string, names: readonly string[] }} Offer Names begin with a format that the page knows, such as `gemini:demo-model`, or are `ownModelName`.
 *
 * @typedef {object} Backend
 * @property {boolean} isRecorded Whether the user can only send the texts of `suggestions`.
 * @property {readonly string[]} suggestions
 * @property {() => Promise<readonly Offer[]>} models
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
  models: async () => offersOf(await permittedModels()),
  model(name, _ask, watch) {
    const read = readName(name)
    if (read === undefined) throw new Error(`Cannot ask "${name}": the page does not know its format`)
    const baseUrl = location.origin + wires[read.wire].base
    return modelOf(read.wire, read.name, { apiKey: sessionToken, baseUrl, fetch: watch((...args) => fetch(...args)) })
  },
}

/**
 * Every model in every format, since the Worker translates. In its own format, a model is asked by its name, in other formats by its whole
 * id.
 *
 * @param {readonly string[]} ids Such as `anthropic:claude-haiku-4-5`.
 * @returns {Offer[]}
 */
function offersOf(ids) {
  return wireNames.map((wire) => {
    const all = ids.map((id) => {
      const own = readName(id)
      const isOwn = own ? isOwnWire(own.wire, wire) : wire === 'openai-chat'
      return { isOwn, name: `${wire}:${isOwn && own ? own.name : id}` }
    })
    const names = all.sort((one, next) => Number(next.isOwn) - Number(one.isOwn)).map(({ name }) => name)
    return { title: wires[wire].title, names }
  })
}

/** OpenAI has two formats. @param {string} provider @param {string} wire */
const isOwnWire = (provider, wire) => provider === wire || (provider === 'openai-chat' && wire === 'openai-responses')

/** @type {Backend} */
const recorded = {
  isRecorded: true,
  suggestions: Object.values(scenes).map(({ ask }) => ask),
  models: async () => [{ title: 'Recorded', names: recordedWires.map((wire) => `${wire}:${wires[wire].models[0]}`) }],
  model(name, ask, watch) {
    const { wire, name: modelName } = readName(name) ?? { wire: 'openai-chat', name: '' }
    return modelOf(wire, modelName, { baseUrl: location.origin, fetch: watch(replay(wire, ask)) })
  },
}

/** One model for the whole page, because it keeps its sessions. Loading it needs a click of the user. */
export const ownModel = browserModel()

/** Adds the browser's own model, if there is one. @param {Backend} from @returns {Backend} */
function withOwnModel(from) {
  return {
    ...from,
    async models() {
      const [offers, availability] = await Promise.all([from.models(), ownModel.availability()])
      const isThere = availability !== 'missing' && availability !== 'unavailable'
      return isThere ? [...offers, { title: 'Without a server', names: [ownModelName] }] : offers
    },
    model: (name, ask, watch) => (name === ownModelName ? ownModel : from.model(name, ask, watch)),
  }
}

/** The static build writes `none` into this element. */
const marker = document.querySelector('meta[name="isoglot-worker"]')
export const backend = withOwnModel(marker?.getAttribute('content') === 'none' ? recorded : worker)
