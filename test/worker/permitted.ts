/** What the Worker's policy lets through, as the provider of the client's format would get it. */
import type { ClientCodec, DecodedRequest } from '../../src/core/codec.ts'
import type { JsonObject } from '../../src/core/messages.ts'
import { isoglotFormat } from '../../src/gateway/isoglot-format.ts'
import { translateRequest } from '../../src/gateway/translate.ts'
import type { WireName } from '../../src/gateway/types.ts'
import { permit } from '../../src/worker/policy/permit.ts'
import { clients } from '../support/formats.ts'
import { formatsByName } from '../support/formats-by-name.ts'

/** The request that the policy returns. @throws {ApiError} if it refuses it. */
export function permittedRequest(
  wire: WireName,
  body: object,
  allow: readonly string[] = [],
  path?: string,
): DecodedRequest {
  const request = decode(wire, body, path)
  return permit({ wire, kind: 'answer', request, body: body as JsonObject, caller: undefined }, 'ada', new Set(allow))
}

function decode(wire: WireName, body: object, path = '/v1beta/models/m:generateContent'): DecodedRequest {
  const { codec } = wire === 'isoglot' ? isoglotFormat : formatsByName[wire]
  return codec.decodeRequest(body as JsonObject, { path })
}

/** The body of an answer's request for a provider. @throws {ApiError} if the policy refuses it. */
export function permitted(wire: WireName, body: object, allow: readonly string[] = []): JsonObject {
  return sentFor(wire, permittedRequest(wire, body, allow))
}

/** The same without a policy. */
export const sentAs = (wire: WireName, body: object): JsonObject => sentFor(wire, decode(wire, body))

function sentFor(wire: WireName, request: DecodedRequest): JsonObject {
  if (wire === 'isoglot') return JSON.parse(JSON.stringify({ context: request.context, options: request.options }))
  const from = { name: wire, decodeRequest: () => request }
  const client: ClientCodec = clients[wire]
  const { body } = translateRequest(undefined, from, client, { model: request.options.model ?? 'm' })
  return JSON.parse(JSON.stringify(body))
}
