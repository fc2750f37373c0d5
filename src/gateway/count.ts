/**
 * The number of tokens of a request: the provider's own count if the provider counts in the client's wire format, otherwise an estimate.
 *
 * @module
 */
import { parseAnswer, readText, sendText, startDeadline } from '../ask/transport.ts'
import type { DecodedRequest } from '../core/codec.ts'
import type { JsonObject } from '../core/messages.ts'
import type { Counting, GatewayFormat } from '../formats/shared/gateway-format.ts'
import { withKey } from './ask-model.ts'
import { bodyOf } from './body.ts'
import type { Call } from './call.ts'
import { errorAnswer, errorDetailOf, refuseBody, toClientError } from './errors.ts'
import { estimateTokens } from './estimate.ts'
import type { ModelTarget } from './models.ts'
import { bodyFor, passes, passHeaders, pathOf } from './question.ts'
import { withFields } from './splice.ts'

/** The maximum size of a provider's answer with a count, in bytes. */
const maxBytes = 64 * 1024

/** The fields of a call that counting needs. */
export type CountCall = Pick<Call, 'wire' | 'headers' | 'body' | 'request' | 'check' | 'gone' | 'options'>

/** Answers with a count. `x-token-count` says whether it is `exact` or `estimated`. */
export async function answerCount(target: ModelTarget, call: CountCall): Promise<Response> {
  if (!passes(target, call)) return Response.json(estimateFor(call), { headers: { 'x-token-count': 'estimated' } })
  const model = await withKey(target.model)
  const errorDetail = errorDetailOf(target, model, call.options)
  const deadline = startDeadline({ ...call.options.limits?.timeouts, totalMs: 30_000 }, call.gone.signal)
  try {
    const counting = countingOf(call.wire)
    const asked = call.check === undefined ? call.body : bodyOf(counting.ofAnswer(bodyFor(target, call).value))
    const question = {
      path: counting.path(pathOf(target, {})),
      headers: passHeaders(target, call),
      text: withFields(asked.text, counting.fields(asked.value, target.model.model)),
    }
    const response = await sendText(model, question, deadline.signal, {})
    const body = parseAnswer(await readText(response, maxBytes), model)
    return new Response(errorDetail.search.scrub(JSON.stringify(body)), {
      headers: { 'content-type': 'application/json', 'x-token-count': 'exact' },
    })
  } catch (error) {
    return errorAnswer(toClientError(deadline.signal.aborted ? deadline.signal.reason : error, errorDetail), call.wire)
  } finally {
    deadline.clear()
  }
}

/** Only formats with counts have a path for them. */
function countingOf({ counting }: GatewayFormat): Counting {
  return counting as Counting
}

/** @throws {ApiError} with status 400 if the request has messages that cannot be counted. */
function estimateFor(call: CountCall): JsonObject {
  try {
    return estimate(call)
  } catch (error) {
    throw refuseBody(error)
  }
}

function estimate({ wire, request }: CountCall): JsonObject {
  return countingOf(wire).answer(estimateTokens(request))
}

/** A request for a count, decoded with the format's codec. */
export function decodeCounted({ wire, body }: Pick<Call, 'wire' | 'body'>, path: string): DecodedRequest {
  return wire.codec.decodeRequest(countingOf(wire).request?.(body.value) ?? body.value, { path })
}
