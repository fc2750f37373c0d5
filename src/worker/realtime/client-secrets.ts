/**
 * Client secrets for OpenAI's Realtime API. A page sends one to OpenAI instead of a key.
 *
 * @see https://platform.openai.com/docs/api-reference/realtime-sessions/create-realtime-client-secret (read 2026-11)
 * @module
 */
import * as v from 'valibot'
import { readText, sendRequest } from '../../ask/transport.ts'
import type { ApiError } from '../../core/errors.ts'
import { readBody } from '../../gateway/body.ts'
import { reserveAmount, settleAmount } from '../accounts/spend.ts'
import { log } from '../answer.ts'
import type { Config } from '../config.ts'
import { modelOf, realtimeId } from '../keys/providers.ts'

const [description, functionFields, max, name, natural, object, several, text, read] = [] as any

import { refuse } from '../refusal.ts'
import type { Session } from '../session/session.ts'

/** MCP servers are not allowed, because OpenAI would call them. A stored prompt is not allowed, because it may belong to another user. */
const secretRequest = v.strictObject({
  session: v.strictObject({
    type: v.optional(v.literal('realtime'), 'realtime'),
    model: name,
    instructions: v.optional(description),
    output_modalities: v.optional(several(v.picklist(['audio', 'text']), 2)),
    audio: v.optional(object),
    tools: v.optional(
      v.pipe(v.array(v.strictObject({ type: v.literal('function'), ...functionFields })), v.maxLength(max.tools)),
    ),
    tool_choice: v.optional(text),
    max_output_tokens: v.optional(v.union([natural, v.literal('inf')])),
  }),
})

const maxAnswerBytes = 256 * 1024

/**
 * Requests a secret for one user from OpenAI, and returns OpenAI's answer.
 *
 * @throws {ApiError} if the user may not use this model, if the user's daily budget is too small, or if OpenAI refuses.
 */
export async function mintClientSecret(request: Request, session: Session, config: Config): Promise<Response> {
  const { realtime, limits } = config
  const { session: asked } = read(secretRequest, (await readBody(request, limits)).value)
  const model = realtimeId(asked.model)
  if (realtime === undefined || !realtime.models.includes(asked.model) || !session.models.includes(model)) {
    throw refuse('invalid_request', 'your token does not allow the model in "session.model"')
  }
  const { openai, cost, seconds } = realtime
  const purse = { session, config }
  const requestId = crypto.randomUUID()
  await reserveAmount(requestId, model, cost, purse)
  const asker = modelOf({ ...openai, name: asked.model }, 'openai-chat')
  const text = JSON.stringify({ expires_after: { anchor: 'created_at', seconds }, session: asked })
  const headers = { 'content-type': 'application/json', 'openai-safety-identifier': await hashOf(session.sub) }
  const signal = AbortSignal.timeout(limits.headersTimeoutMs)
  const url = `${openai.baseUrl}/realtime/client_secrets`
  const secret = await sendRequest(asker, url, { method: 'POST', headers, body: text, signal })
    .then((answer) => readText(answer, maxAnswerBytes))
    .catch(async (error: unknown) => {
      await settleAmount(requestId, 'no_client_secret', 0, purse)
      const { status = 502, kind } = error as Partial<ApiError>
      log({ requestId, status, outcome: 'no_client_secret', error: kind }, config)
      throw refuse('no_client_secret')
    })
  await settleAmount(requestId, 'client_secret', cost, purse)
  log({ requestId, status: 200, outcome: 'client_secret', model }, config)
  return new Response(config.secrets.scrub(secret), { headers: { 'content-type': 'application/json' } })
}

/** Hashes the name of the user. OpenAI can distinguish users by the hash, but does not see their names. */
async function hashOf(user: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(user))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
