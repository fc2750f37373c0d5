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
 * @property {readonly Loss[]} prepared Losses of the preparation; their paths are those of the stored conversation.
 * @property {readonly Loss[]} encoded Losses of the encoding; their paths are those of `messages`.
 */

/**
 * @param {WireName} wire
 * @param {Sample} sample
 * @param {string} [modelName]
 * @returns {Encoded}
 */
export function encodeFor(wire, { context, options }, modelName) {
  const { codec, model } = modelOf(wire, modelName)
  const prepared = prepare(context, codec.rules, { model })
  const request = codec.encodeRequest(prepared.context, { ...options, model, stream: true, strict: false })
  return {
    path: request.path,
    headers: { 'content-type': 'application/json', ...codec.headers(undefined), ...request.headers },
    body: request.body,
    messages: prepared.context.messages,
    prepared: prepared.losses,
    encoded: request.losses,
  }
}
