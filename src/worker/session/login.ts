/** Makes tokens: decides which requests get one, and its permissions. @module */
import * as v from 'valibot'
import { readBody } from '../../gateway/body.ts'
import type { Config } from '../config.ts'
import { servedId } from '../keys/providers.ts'
import { refuse } from '../refusal.ts'
import { isSame, shownBearer } from './bearer.ts'
import { checkFrom, checkOrigin, isLoopbackDemo } from './origins.ts'
import { type Grant, lifetimeSeconds, readSession, type Session, userId } from './session.ts'
import { checkPerson } from './turnstile.ts'

const natural = v.pipe(v.number(), v.integer(), v.minValue(1))

/** The `User` type of the options as a schema: the fields that your server may send in the body of `POST /session`. */
const order = v.strictObject({
  user: userId,
  models: v.optional(v.array(v.string())),
  maxOutputTokens: v.optional(natural),
  dailyBudgetUsd: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100_000))),
  origin: v.optional(v.string()),
  lifetimeSeconds: v.optional(v.pipe(natural, v.maxValue(lifetimeSeconds))),
})
/** The body of a page's request for a token. */
const plea = v.strictObject({ turnstile: v.optional(v.pipe(v.string(), v.maxLength(2048))) })

/** The maximum size of the body, in bytes: a request has names of models at most, and those of a token have 8 KiB. */
const maxBodyBytes = 64 * 1024

/**
 * Returns the user of a new token, and its permissions. Reads the body only if the request has the secret, or may get a token without it.
 *
 * @throws {ApiError} `not_logged_in` if the request gets no token.
 */
export async function login(request: Request, config: Config): Promise<Grant> {
  const { loginSecret, login: ownLogin, turnstile, demo } = config.minting
  const limits = { ...config.limits, maxBodyBytes: Math.min(maxBodyBytes, config.limits.maxBodyBytes) }
  if (loginSecret !== undefined && (await isSame(shownBearer(request), loginSecret)))
    return grantOrder(readLogin(order, (await readBody(request, limits)).value), config)
  const isDemo = demo === 'open' || isLoopbackDemo(request, config.minting)
  if (ownLogin === undefined && turnstile === undefined && !isDemo) throw refuse('not_logged_in')
  checkOrigin(request, config, true)
  const { value: body } = await readBody(request, limits)
  const user = await ownLogin?.(request, body)
  if (user !== undefined) {
    const grant = grantUser(user, config)
    return { ...grant, origin: grant.origin ?? request.headers.get('origin') ?? undefined }
  }
  if (turnstile === undefined && !isDemo) throw refuse('not_logged_in')
  const { turnstile: answer } = readLogin(plea, body)
  const shown = await readSession(request, config).catch(() => undefined)
  if (shown !== undefined && shown.anonymousSince === undefined)
    throw refuse('not_logged_in', 'only the server that requested this token can renew it')
  if (turnstile !== undefined) await checkPerson(request, answer, turnstile, config.allowedOrigins)
  const fresh: Grant = {
    ...everything(config),
    sub: crypto.randomUUID(),
    // On a developer's own machine, a token is also valid for a terminal and for other clients, which send no `Origin`.
    origin: demo === 'loopback' ? undefined : (request.headers.get('origin') ?? undefined),
    anonymousSince: Math.floor(Date.now() / 1000),
  }
  return shown === undefined ? fresh : renew(shown, fresh)
}

/**
 * Returns the user of a request, if the operator's own check replaces tokens. @throws {ApiError} `not_logged_in` if the check returns no
 * user.
 */
export async function checkUser(request: Request, config: Config): Promise<Session> {
  const user = await config.minting.check?.(request)
  if (user === undefined) throw refuse('not_logged_in')
  const { lifetimeSeconds: _lifetime, ...grant } = grantUser(user, config)
  checkFrom(grant.origin, request, 'not_logged_in')
  if (config.revoked.has(grant.sub)) throw refuse('not_logged_in')
  return { ...grant, jti: '', expiresAt: 0 }
}

/**
 * Reads the user that the operator's own function returned. @throws {TypeError} if that is not a user: the function is wrong, not the
 * client.
 */
function grantUser(user: unknown, config: Config): Grant {
  const result = v.safeParse(order, user, { abortEarly: true })
  if (result.success) return grantOrder(result.output, config)
  throw new TypeError(
    `Cannot read the user: "${v.getDotPath(result.issues[0]) ?? 'user'}" is unknown, missing or wrong`,
  )
}

/** A client with a valid token keeps its user id, so that it keeps its runs. It never gets more permissions than that token has. */
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
  if (unknown !== undefined) throw refuse('invalid_request', '"models" has a model that is not in policy.models')
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

function everything({ models, maxOutputTokens, spending }: Config): Omit<Grant, 'sub' | 'origin' | 'anonymousSince'> {
  const { dailyBudget } = spending
  return { models: models.map(servedId), maxOutputTokens, dailyBudget, lifetimeSeconds }
}

function readLogin<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body, { abortEarly: true })
  if (result.success) return result.output
  throw refuse('invalid_request', `"${v.getDotPath(result.issues[0]) ?? 'body'}" is unknown, missing or wrong`)
}
