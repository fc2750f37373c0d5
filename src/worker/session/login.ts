/**
 * Who gets a token. Your server, which knows its users, shows the login secret and says for whom the token is and what it permits; it hands
 * the token to that user's page. Or your own function says so. Or a page brings an answer of Turnstile. Or, with none of them and a
 * demonstration, every page of an allowed origin gets one.
 *
 * @module
 */
import * as v from 'valibot'
import type { Config } from '../config.ts'
import { idOf, realtimeId } from '../keys/providers.ts'
import { refuse } from '../refusal.ts'
import { isSame, shownBearer } from './bearer.ts'
import { checkOrigin, isFrom, isLoopbackDemo } from './origins.ts'
import { type Grant, lifetimeSeconds, readSession, type Session, userId } from './session.ts'
import { checkPerson } from './turnstile.ts'

const natural = v.pipe(v.number(), v.integer(), v.minValue(1))

/** A `User` of the options: what your server may say in the body of `POST /session`. */
const order = v.strictObject({
  user: userId,
  models: v.optional(v.array(v.string())),
  maxOutputTokens: v.optional(natural),
  dailyBudgetUsd: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100_000))),
  origin: v.optional(v.string()),
  lifetimeSeconds: v.optional(v.pipe(natural, v.maxValue(lifetimeSeconds))),
})
/** What a page may say. */
const plea = v.strictObject({ turnstile: v.optional(v.pipe(v.string(), v.maxLength(2048))) })

/** Says for whom a new token is and what it permits. @throws {ApiError} `not_logged_in` if there is no token for whoever asks. */
export async function login(request: Request, body: unknown, config: Config): Promise<Grant> {
  const { loginSecret, login: ownLogin, turnstile, demo } = config.minting
  if (loginSecret !== undefined && (await isSame(shownBearer(request), loginSecret)))
    return grantOrder(read(order, body), config)
  const isDemo = demo === 'open' || isLoopbackDemo(request, config.minting)
  if (ownLogin === undefined && turnstile === undefined && !isDemo) throw refuse('not_logged_in')
  checkOrigin(request, config, true)
  const user = await ownLogin?.(request, body)
  if (user !== undefined) {
    const grant = grantUser(user, config)
    return { ...grant, origin: grant.origin ?? request.headers.get('origin') ?? undefined }
  }
  if (turnstile === undefined && !isDemo) throw refuse('not_logged_in')
  const { turnstile: answer } = read(plea, body)
  const shown = await readSession(request, config).catch(() => undefined)
  if (shown !== undefined && shown.anonymousSince === undefined)
    throw refuse('not_logged_in', 'this token is renewed by the server that ordered it')
  if (turnstile !== undefined) await checkPerson(request, answer, turnstile, config.allowedOrigins)
  const fresh: Grant = {
    ...everything(config),
    sub: crypto.randomUUID(),
    // On one's own machine, a token is also good for a terminal and for other clients, which say no origin.
    origin: demo === 'loopback' ? undefined : (request.headers.get('origin') ?? undefined),
    anonymousSince: Math.floor(Date.now() / 1000),
  }
  return shown === undefined ? fresh : renew(shown, fresh)
}

/** Who asks, where a check of the operator's own takes the place of tokens. @throws {ApiError} `not_logged_in` if it names nobody. */
export async function checkUser(request: Request, config: Config): Promise<Session> {
  const user = await config.minting.check?.(request)
  if (user === undefined) throw refuse('not_logged_in')
  const { lifetimeSeconds: _lifetime, ...grant } = grantUser(user, config)
  const isElsewhere = grant.origin !== undefined && !isFrom(grant.origin, request)
  if (isElsewhere || config.revoked.has(grant.sub)) throw refuse('not_logged_in')
  return { ...grant, jti: '', expiresAt: 0 }
}

/** Of the operator's own function. @throws {TypeError} if it returns what is no user: a mistake in it, and not of the client. */
function grantUser(user: unknown, config: Config): Grant {
  const result = v.safeParse(order, user, { abortEarly: true })
  if (result.success) return grantOrder(result.output, config)
  throw new TypeError(
    `Cannot read the user: "${v.getDotPath(result.issues[0]) ?? 'user'}" is unknown, missing or wrong`,
  )
}

/** Who shows a token that is still good stays who they were, so that what they began is still theirs, and never gets more than it permits. */
function renew(shown: Session, fresh: Grant): Grant {
  return {
    ...fresh,
    sub: shown.sub,
    models: fresh.models.filter((model) => shown.models.includes(model)),
    maxOutputTokens: Math.min(shown.maxOutputTokens, fresh.maxOutputTokens),
    dailyBudget: Math.min(shown.dailyBudget, fresh.dailyBudget),
    origin: shown.origin ?? fresh.origin,
    anonymousSince: shown.anonymousSince,
  }
}

function grantOrder(ordered: v.InferOutput<typeof order>, config: Config): Grant {
  const { user, models, maxOutputTokens, dailyBudgetUsd, origin, ...asked } = ordered
  const most = everything(config)
  const unknown = models?.find((id) => !most.models.includes(id))
  if (unknown !== undefined) throw refuse('invalid_request', '"models" has one that is not here')
  if (origin !== undefined && !config.allowedOrigins.has(origin))
    throw refuse('invalid_request', '"origin" is not allowed')
  return {
    sub: user,
    models: models ?? most.models,
    maxOutputTokens: Math.min(maxOutputTokens ?? most.maxOutputTokens, most.maxOutputTokens),
    dailyBudget: dailyBudgetUsd === undefined ? most.dailyBudget : Math.round(dailyBudgetUsd * 1e6),
    origin,
    anonymousSince: undefined,
    lifetimeSeconds: asked.lifetimeSeconds ?? lifetimeSeconds,
  }
}

function everything({
  models,
  realtime,
  maxOutputTokens,
  spending,
}: Config): Omit<Grant, 'sub' | 'origin' | 'anonymousSince'> {
  const { dailyBudget } = spending
  const ids = [...models.map(idOf), ...(realtime?.models ?? []).map(realtimeId)]
  return { models: ids, maxOutputTokens, dailyBudget, lifetimeSeconds }
}

function read<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body, { abortEarly: true })
  if (result.success) return result.output
  throw refuse('invalid_request', `"${v.getDotPath(result.issues[0]) ?? 'body'}" is unknown, missing or wrong`)
}
