/**
 * Who gets a token. This is the place for your own login.
 *
 * As it stands there are three ways. Your server, which knows its users, shows `LOGIN_SECRET` and says for whom the token is and what it
 * permits; it hands the token to that user's page. Or a page brings an answer of Turnstile. Or, with neither set and `DEMO` set, every page
 * of an allowed origin gets one: a demonstration.
 *
 * @module
 */
import * as v from 'valibot'
import { isSame, shownBearer } from './bearer.ts'
import type { Config } from './config.ts'
import { checkOrigin, isLoopbackDemo } from './origins.ts'
import { idOf } from './providers.ts'
import { refuse } from './refusal.ts'
import { type Grant, lifetimeSeconds, readSession, type Session, userId } from './session.ts'
import { checkPerson } from './turnstile.ts'

const natural = v.pipe(v.number(), v.integer(), v.minValue(1))

/** What your server may say in the body of `POST /session`. What it leaves out is as much as this Worker allows anybody. */
const order = v.strictObject({
  user: userId,
  models: v.optional(v.array(v.string())),
  maxOutputTokens: v.optional(natural),
  dailyBudgetUsd: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100_000))),
  /** The page that will show the token. */
  origin: v.optional(v.string()),
  lifetimeSeconds: v.optional(v.pipe(natural, v.maxValue(lifetimeSeconds))),
})
/** What a page may say. */
const plea = v.strictObject({ turnstile: v.optional(v.pipe(v.string(), v.maxLength(2048))) })

/**
 * Your login: says for whom a new token is and what it permits. Replace it by what knows your users, such as a cookie that your server
 * reads, or the token of your identity provider, checked with `jwtVerify` of `jose`.
 *
 * @throws {ApiError} `not_logged_in` if there is no token for whoever asks.
 */
export async function login(request: Request, body: unknown, config: Config): Promise<Grant> {
  const { loginSecret, turnstile, demo } = config.minting
  if (loginSecret !== undefined && (await isSame(shownBearer(request), loginSecret))) return grantOrder(body, config)
  const isDemo = demo === 'open' || isLoopbackDemo(request, config.minting)
  if (turnstile === undefined && !isDemo) throw refuse('not_logged_in')
  checkOrigin(request, config, true)
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

function grantOrder(body: unknown, config: Config): Grant {
  const { user, models, maxOutputTokens, dailyBudgetUsd, origin, ...asked } = read(order, body)
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

function everything({ models, maxOutputTokens, spending }: Config): Omit<Grant, 'sub' | 'origin' | 'anonymousSince'> {
  const { dailyBudget } = spending
  return { models: models.map(idOf), maxOutputTokens, dailyBudget, lifetimeSeconds }
}

function read<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body, { abortEarly: true })
  if (result.success) return result.output
  throw refuse('invalid_request', `"${v.getDotPath(result.issues[0]) ?? 'body'}" is unknown, missing or wrong`)
}
