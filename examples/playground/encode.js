/** A conversation as a request of each format: makes the request that `stream` would send, but does not send it. */
import { prepare } from './isoglot/codec.js'
import { modelOf } from './wires.js'

/**
 * @typedef {import('./isoglot/index.js').Loss} Loss
 * @typedef {import('./isoglot/index.js').Message} Message
 * @typedef {import('./samples.js').Sample} Sample
 * @typedef {import('./wires.js').WireName} WireName
 *
 * @typedef {object} Encoded
 * @property {string} path
 * @property {Readonly<Record<string, string>>} headers
 * @property {unknown} body
 * @property {readonly Message[]} messages The conversation after its preparation for the format.
 * @property {readonly Loss[]} losses Their paths are those of the stored conversation.
 */

/**
 * @param {WireName} wire
 * @param {Sample} sample
 * @param {string} [modelName]
 * @returns {Encoded}
 */
export function encodeFor(wire, { context, options }, modelName) {
  const { codec, model } = modelOf(wire, modelName)
  const asked = { ...options, model, stream: true, strict: false }
  const { path, headers, body, losses } = codec.encodeRequest(context, asked)
  return {
    path,
    headers: { 'content-type': 'application/json', ...codec.headers(undefined), ...headers },
    body,
    messages: prepare(context, codec.rules, asked).context.messages,
    losses,
  }
}
