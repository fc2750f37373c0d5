/**
 * The number of tokens of a request: the provider's own count if the provider counts in the client's wire format, otherwise an estimate.
 *
 * @see https://platform.claude.com/docs/en/api/messages-count-tokens (read 2026-11)
 * @see https://ai.google.dev/api/tokens (read 2026-11)
 *
 * @module
 */
import { startDeadline } from '../client/deadline.ts'
import { readBody, readText, sendText } from '../client/transport.ts'
import type { DecodedRequest } from '../core/codec.ts'
import { blocksOf } from '../core/content.ts'
import { field, isObject } from '../core/lookup.ts'
import type { JsonObject } from '../core/model.ts'
import { countTokensApproximately } from '../messages/count-tokens-approximately.ts'
import { errorDetailOf, withKey } from './ask.ts'
import type { Call } from './call.ts'
import { errorAnswer, toClientError } from './errors.ts'
import type { Target } from './models.ts'
import { passes, passHeaders } from './question.ts'
import { withFields } from './splice.ts'

/** The maximum size of a provider's answer with a count, in bytes. */
const maxBytes = 64 * 1024

/** The fields of a call that counting needs. */
export type CountCall = Pick<Call, 'wire' | 'headers' | 'body' | 'request' | 'gone' | 'options'>

/** Answers with a count. `x-token-count` says whether it is `exact` or `estimated`. */
export async function answerCount(target: Target, call: CountCall): Promise<Response> {
  if (!passes(target, call)) return Response.json(estimate(call), { headers: { 'x-token-count': 'estimated' } })
  const model = await withKey(target.model)
  const errorDetail = errorDetailOf(target, model, call.options)
  const deadline = startDeadline({ ...call.options.limits?.timeouts, totalMs: 30_000 }, call.gone.signal)
  try {
    const question = {
      path: pathOf(target, call.wire.name),
      headers: passHeaders(target, call),
      text: textOf(target, call),
    }
    const response = await sendText(model, question, deadline.signal, {})
    const body = readBody(await readText(response, maxBytes), model)
    return new Response(errorDetail.search.scrub(JSON.stringify(body)), {
      headers: { 'content-type': 'application/json', 'x-token-count': 'exact' },
    })
  } catch (error) {
    return errorAnswer(toClientError(deadline.signal.aborted ? deadline.signal.reason : error, errorDetail), call.wire)
  } finally {
    deadline.clear()
  }
}

function pathOf({ model: { codec, model } }: Target, wire: string): string {
  if (wire !== 'gemini') return '/messages/count_tokens'
  const { path } = codec.encodeRequest({ messages: [] }, { model })
  return path.replace(/:\w+$/, ':countTokens')
}

/** The table decides the model, wherever the client's body names one. */
function textOf({ model: { model } }: Target, { wire, body }: CountCall): string {
  if (wire.name !== 'gemini') return withFields(body.text, { model: JSON.stringify(model) })
  const name = model.includes('/') ? model : `models/${model}`
  const inner = field(body.value, 'generateContentRequest')
  return withFields(body.text, {
    ...(field(body.value, 'model') !== undefined && { model: JSON.stringify(name) }),
    ...(isObject(inner) && { generateContentRequest: JSON.stringify({ ...inner, model: name }) }),
  })
}

/** An estimate from the number of characters: see {@link countTokensApproximately}, which also describes its error. */
function estimate({ wire, request }: CountCall): JsonObject {
  const { system, messages, tools } = request.context
  const head = blocksOf(system ?? null).length > 0 ? [{ role: 'system' as const, content: system ?? '' }] : []
  const count = countTokensApproximately([...head, ...messages], tools === undefined ? {} : { tools })
  return wire.name === 'gemini' ? { totalTokens: count } : { input_tokens: count }
}

/** Gemini's count also takes a whole request, in the field `generateContentRequest`. */
export function countedBody(value: JsonObject): JsonObject {
  const inner = field(value, 'generateContentRequest')
  return isObject(inner) ? inner : value
}

/** A request for a count, decoded with the format's codec. */
export function decodeCounted(call: Pick<Call, 'wire' | 'body'>, path: string): DecodedRequest {
  return call.wire.codec.decodeRequest(countedBody(call.body.value), { path })
}
