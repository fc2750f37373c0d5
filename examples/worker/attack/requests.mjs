/** Requests for one output token, so that a request that is accepted by mistake costs almost nothing. */
import { wires } from './wires.mjs'

/** A model that is in no table. */
export const noModel = 'isoglot-attack-no-such-model'

/** The headers of a JSON body. */
export const json = { 'content-type': 'application/json' }

/** A request of a wire; `more` are fields of the body. */
export function question(wire, { model = noModel, headers = {}, more = {} } = {}) {
  const { path, body } = wires[wire].request(model)
  return { path, headers: withJson(headers), body: { ...body, ...more } }
}

/** The headers, with the content type of JSON unless they have another one. */
function withJson(headers) {
  if (Array.isArray(headers)) return [['content-type', 'application/json'], ...headers]
  return { ...json, ...headers }
}

export const bearer = (token) => ({ authorization: `Bearer ${token}` })
