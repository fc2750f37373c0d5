/** Options, checked and read. A missing, short, malformed or unsafe option closes every route: there is no open mode. @module */
import * as v from 'valibot'
import { isObject } from '../core/lookup.ts'
import { createScrubber } from '../gateway/scrub.ts'
import type { Price } from '../prices/index.ts'
import { capPriceOf } from '../prices/index.ts'
import type { WorkersAiBinding } from '../providers/workers-ai.ts'
import type { Config, RunStub, Setup } from './config.ts'
import { type Entry, idOf, type Provider, type ProviderName, providers, workersAiUrl } from './keys/providers.ts'
import * as kind from './option-kinds.ts'
import type { SessionOptions, WorkerOptions } from './options.ts'
import { permit } from './policy/permit.ts'

/** @see https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ (read 2026-11) */
const siteverify = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'

const amount = v.pipe(v.number(), v.minValue(0))
const rates = { input: amount, output: amount, cacheRead: v.optional(amount), cacheWrite: v.optional(amount) }
const price = v.strictObject({ ...rates, long: v.optional(v.strictObject({ ...rates, above: amount })) })

const key = v.lazy((given) => (typeof given === 'string' ? kind.apiKey : kind.storedKey))
const ofProvider = v.strictObject({
  key: v.optional(key),
  baseUrl: v.optional(kind.baseUrl),
  service: v.optional(kind.fetcher),
  access: v.optional(v.strictObject({ id: kind.apiKey, secret: kind.apiKey })),
})
const byRest = v.pipe(
  v.strictObject({ accountId: kind.accountId, token: key }),
  v.transform(({ accountId, token }) => ({ key: token, baseUrl: workersAiUrl(accountId) })),
)
const byBinding = v.strictObject({ binding: kind.aiBinding })
type Access = v.InferOutput<typeof ofProvider> & { readonly binding?: WorkersAiBinding | undefined }
const workersAi = v.lazy((given) => (isObject(given) && 'binding' in given ? byBinding : byRest)) as v.GenericSchema<
  unknown,
  Access
>
/** A key by itself, or all there is to say of a provider. */
const providerKeys = v.lazy((given) => {
  if (typeof given === 'string') return v.pipe(kind.apiKey, v.transform(asKey))
  return v.is(kind.storedKey, given) ? v.pipe(kind.storedKey, v.transform(asKey)) : ofProvider
}) as v.GenericSchema<unknown, Access>

function asKey<Key>(key: Key): { readonly key: Key } {
  return { key }
}

function forEachProvider<Schema extends v.GenericSchema>(
  schema: Schema,
): Record<ProviderName, v.OptionalSchema<Schema, undefined>> {
  return Object.fromEntries(providers.map(({ option }) => [option, v.optional(schema)])) as never
}

const accounts = v.strictObject({
  binding: kind.objects<never>('UserAccount'),
  dailyBudgetUsd: v.optional(kind.money, 1),
  totalDailyBudgetUsd: v.optional(kind.money, 10),
  liveStreams: v.optional(kind.count, 4),
  prices: v.optional(v.record(v.string(), price), {}),
})

const schema = v.strictObject({
  session: v.strictObject({
    origins: kind.origins,
    secret: v.optional(kind.secret),
    nextSecret: v.optional(kind.secret),
    login: v.optional(
      v.lazy((given) => (typeof given === 'function' ? kind.callback : v.strictObject({ secret: kind.secret }))),
    ),
    turnstile: v.optional(
      v.strictObject({
        secret: kind.apiKey,
        siteKey: v.optional(kind.siteKey),
        action: v.optional(kind.widgetAction, 'session'),
        url: v.optional(kind.loopbackUrl),
      }),
    ),
    demo: v.optional(v.picklist(['open', 'loopback'])),
    revoked: v.optional(v.array(v.string()), []),
    check: v.optional(kind.callback),
  }),
  policy: v.strictObject({
    models: v.strictObject(forEachProvider(kind.modelNames)),
    maxOutputTokens: v.optional(kind.count, 4096),
    maxBodyBytes: v.optional(kind.count, 1024 * 1024),
    bodyTimeoutMs: v.optional(kind.count, 15_000),
    wholeAnswers: v.optional(v.picklist(['whole', 'stream']), 'stream'),
    wholeCommitMs: v.optional(kind.count, 10_000),
    headersTimeoutMs: v.optional(kind.count, 30_000),
    firstContentTimeoutMs: v.optional(kind.count, 60_000),
    idleTimeoutMs: v.optional(kind.count, 30_000),
    totalTimeoutMs: v.optional(kind.count, 600_000),
    check: v.optional(kind.callback),
  }),
  keys: v.strictObject({
    ...forEachProvider(providerKeys),
    workersAi: v.optional(workersAi),
    aiGateway: v.optional(v.strictObject({ url: kind.baseUrl, token: kind.apiKey })),
  }),
  accounts: v.lazy((given) => (given === 'off' ? v.literal('off') : accounts)),
  limits: v.optional(v.strictObject({ perUser: kind.counter, perNetwork: kind.counter })),
  runs: v.optional(
    v.strictObject({ binding: kind.objects<RunStub>('StreamRun'), keptMs: v.optional(kind.count, 600_000) }),
  ),
  realtime: v.optional(
    v.strictObject({
      models: kind.modelNames,
      usd: kind.money,
      seconds: v.optional(v.pipe(kind.count, v.minValue(10), v.maxValue(7200)), 60),
    }),
  ),
  admin: v.optional(v.strictObject({ token: kind.secret })),
  page: v.optional(v.strictObject({ assets: kind.fetcher })),
  basePath: v.optional(kind.basePath, ''),
})
type Read = v.InferOutput<typeof schema>

/** How an option is called where it was set, by its path, such as `session.secret`. */
export type Naming = (path: string) => string

const quoted: Naming = (path) => `"${path}"`

/** Reads options. Problems are named by `nameOf`, and say nothing of a value. */
export function readOptions(given: unknown, nameOf: Naming = quoted): Setup {
  const result = v.safeParse(schema, given)
  const models = result.success ? entriesOf(result.output) : []
  const problems = result.success ? holesOf(result.output, models, nameOf) : describe(result.issues, nameOf)
  const config = result.success && problems.length === 0 ? configOf(result.output, models) : undefined
  return { given: (isObject(given) ? given : {}) as Partial<WorkerOptions>, config, problems }
}

function describe(issues: readonly v.BaseIssue<unknown>[], nameOf: Naming): string[] {
  return issues.map((issue) => {
    const path = (v.getDotPath(issue) ?? 'options').replace(/(\.\d+)+$/, '')
    if (issue.expected === 'never') return `${nameOf(path)} is not an option`
    // Only our own words: others may contain the value.
    const isOurs = ['check', 'regex', 'every_item'].includes(issue.type)
    return `${nameOf(path)} is missing or unusable${isOurs ? `: it ${issue.message}` : (needs[path] ?? '')}`
  })
}

/** Why a part has to be there. */
const needs: Readonly<Record<string, string>> = {
  session: ': without it everybody could ask, with your keys',
  policy: ': it names the models that may be asked',
  keys: ': it has what the providers are shown',
  accounts: ': without a budget a user may spend all you have; "off" says that you want that',
}

function entriesOf({ policy, keys }: Read): Entry[] {
  return providers.flatMap((provider) =>
    (policy.models[provider.option] ?? []).map((name) => ({ ...placeOf(provider, keys), name })),
  )
}

/** Where a provider is, and what it is shown. */
function placeOf(provider: Provider, keys: Read['keys']): Omit<Entry, 'name'> {
  const { option, id } = provider
  const { key, baseUrl, service, access, binding } = keys[option] ?? {}
  const through = gatewayOf(provider, keys)
  const place = through ? `${through.url}${provider.gatewayPath}` : (baseUrl ?? provider.baseUrl)
  return { provider: id, baseUrl: place, apiKey: key, access, service, binding, gatewayToken: through?.token }
}

const [openai] = providers as [Provider]

/** A place of one's own goes before the gateway. */
function gatewayOf({ option, gatewayPath }: Provider, keys: Read['keys']): Read['keys']['aiGateway'] {
  const { baseUrl, service } = keys[option] ?? {}
  return baseUrl === undefined && service === undefined && gatewayPath !== undefined ? keys.aiGateway : undefined
}

/** Problems between options, which the check of one option cannot find. */
function holesOf(options: Read, models: readonly Entry[], nameOf: Naming): string[] {
  const ids = models.map(idOf)
  return [
    ...providers.flatMap((provider) => keyHoles(provider, options, nameOf)),
    ...(ids.length === 0 && options.realtime === undefined ? ['All lists of models are empty'] : []),
    ...(ids.some((id, at) => ids.indexOf(id) !== at) ? ['A list names a model twice'] : []),
    ...(options.accounts === 'off' ? [] : priceHoles(ids, options.accounts.prices as Prices, nameOf)),
    ...(options.realtime !== undefined && options.keys.openai?.key === undefined
      ? [`${nameOf('keys.openai')} is missing: ${nameOf('realtime')} orders secrets with it`]
      : []),
    ...sessionHoles(options, nameOf),
    ...equalSecrets(options, nameOf),
  ]
}

type Prices = Readonly<Record<string, Price>>

/** A model of a provider that the table has no row of is free otherwise. */
function priceHoles(ids: readonly string[], prices: Prices, nameOf: Naming): string[] {
  const unpriced = ids.filter((id) => !Number.isFinite(capPriceOf(id, prices).input))
  return unpriced.map((id) => `${nameOf('accounts.prices')} has no price for ${id}, and no table has one`)
}

function keyHoles(provider: Provider, { policy, keys }: Read, nameOf: Naming): string[] {
  const { option, needsKey } = provider
  const through = gatewayOf(provider, keys)
  const hasKey = keys[option]?.key !== undefined || keys[option]?.binding !== undefined
  const isAsked = (policy.models[option] ?? []).length > 0
  if (through && hasKey) return [`${nameOf(`keys.${option}`)} is set, and ${nameOf('keys.aiGateway.url')} too`]
  return isAsked && needsKey && !through && !hasKey ? [`${nameOf(`keys.${option}`)} is missing`] : []
}

/** Some option must identify users, and unknown visitors need a limit. */
function sessionHoles({ session, accounts, runs }: Read, nameOf: Naming): string[] {
  const { secret, login, turnstile, demo, check } = session
  const holes: string[] = []
  const name = (option: keyof typeof session) => nameOf(`session.${option}`)
  if (check !== undefined) {
    const ways = (['login', 'turnstile', 'demo'] as const).filter((way) => session[way] !== undefined)
    holes.push(
      ...ways.map((way) => `${name(way)} gives tokens, and ${name('check')} takes none: leave one of them out`),
    )
    if (runs !== undefined && secret === undefined) {
      holes.push(`${name('secret')} is missing: it signs the names of the answers that ${nameOf('runs')} keeps`)
    }
  } else {
    if (secret === undefined) holes.push(`${name('secret')} is missing or unusable: it signs tokens`)
    if (login === undefined && turnstile === undefined && demo === undefined) {
      const ways = [nameOf('session.login.secret'), nameOf('session.turnstile.secret'), name('demo')]
      holes.push(
        `${ways.slice(0, -1).join(', ')} and ${ways.at(-1)} are missing: without one of them no user can get a token`,
      )
    }
  }
  const isPublic = turnstile !== undefined || demo === 'open'
  if (accounts === 'off' && isPublic) {
    const way = turnstile === undefined ? name('demo') : name('turnstile')
    holes.push(
      `${nameOf('accounts')} is off, and ${way} gives tokens to unknown visitors: nothing would limit their spending`,
    )
  }
  return holes
}

/**
 * Two secrets must differ: with one, an attacker would have the other. While one signing secret replaces the other, those two may be equal.
 */
function equalSecrets({ session, admin, keys }: Read, nameOf: Naming): string[] {
  const { secret, nextSecret, login, turnstile } = session
  const signing: [string, string | undefined][] = [
    ['session.secret', secret],
    ['session.nextSecret', nextSecret],
  ]
  const shown: [string, string | undefined][] = [
    ['session.login.secret', secretOf(login)],
    ['session.turnstile.secret', turnstile?.secret],
    ['admin.token', admin?.token],
    ['keys.aiGateway.token', keys.aiGateway?.token],
  ]
  return shown.flatMap(([path, value], at) =>
    [...signing, ...shown.slice(at + 1)]
      .filter(([, other]) => value !== undefined && value === other)
      .map(([other]) => `${nameOf(path)} is equal to ${nameOf(other)}`),
  )
}

function secretOf(login: Read['session']['login']): string | undefined {
  return typeof login === 'object' ? login.secret : undefined
}

function configOf({ session, policy, keys, accounts, ...parts }: Read, models: readonly Entry[]): Config {
  const { secret = '', nextSecret, login, turnstile, demo, check } = session
  const { models: _models, maxOutputTokens, wholeAnswers, check: ownPermit, ...limits } = policy
  const money = accounts === 'off' ? undefined : accounts
  const own = [secret, nextSecret, secretOf(login), turnstile?.secret, parts.admin?.token, keys.aiGateway?.token]
  const realtime = parts.realtime && { ...parts.realtime, openai: placeOf(openai, keys) }
  const theirs = [...models, ...(realtime ? [realtime.openai] : [])].flatMap(({ apiKey, access }) => [
    apiKey,
    access?.secret,
  ])
  const isText = (text: unknown) => typeof text === 'string' && text !== ''
  return {
    basePath: parts.basePath,
    secrets: {
      session: kind.encode(secret),
      nextSession: nextSecret === undefined ? undefined : kind.encode(nextSecret),
      scrub: createScrubber([...own, ...theirs].filter(isText) as string[]),
    },
    allowedOrigins: new Set(session.origins),
    models,
    permit: (ownPermit as Config['permit'] | undefined) ?? permit,
    maxOutputTokens,
    spending: {
      accounts: money?.binding as Config['spending']['accounts'],
      prices: (money?.prices ?? {}) as Prices,
      dailyBudget: money?.dailyBudgetUsd ?? 0,
      totalDailyBudget: money?.totalDailyBudgetUsd ?? 0,
      liveStreams: money?.liveStreams ?? 0,
    },
    limits,
    minting: {
      loginSecret: secretOf(login),
      login: typeof login === 'function' ? (login as kind.Callback as Config['minting']['login']) : undefined,
      turnstile: turnstile && { ...turnstile, siteKey: turnstile.siteKey, url: turnstile.url ?? siteverify },
      demo: login === undefined && turnstile === undefined ? demo : undefined,
      check: check as SessionOptions['check'],
    },
    revoked: new Set(session.revoked),
    counters: parts.limits,
    runs: parts.runs,
    realtime: realtime && { ...realtime, cost: realtime.usd },
    assets: parts.page?.assets,
    wholeAnswers,
  }
}
