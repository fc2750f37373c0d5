/**
 * Checks and reads the options. If a required option is missing, or an option is too short, malformed or unsafe, every route answers 503.
 * @module
 */
import * as v from 'valibot'
import { isObject } from '../core/json.ts'
import { isoglotFormat } from '../gateway/isoglot-format.ts'
import { createScrubber } from '../gateway/scrub.ts'
import { capPriceOf, type Price } from '../prices/index.ts'
import type { WorkersAiBinding } from '../providers/workers-ai.ts'
import type { Config, RunStub, Setup } from './config.ts'
import { type Entry, idOf, type Provider, type ProviderName, providers, workersAiUrl } from './keys/providers.ts'
import * as kind from './option-kinds.ts'
import type { SessionOptions, WorkerOptions } from './options.ts'
import { permit } from './policy/permit.ts'

/** @see https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ (read 2026-11) */
const siteverify = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'

const rate = v.pipe(v.number(), v.minValue(0))
const maybe = v.optional(rate)
const rates = {
  ...{ input: maybe, output: maybe, cacheRead: maybe, cacheWrite: maybe, cacheWrite1h: maybe, reasoning: maybe },
  ...{ audioInput: maybe, audioOutput: maybe, confirmed: v.optional(v.literal(false)) },
}
/** `capPriceOf` does not read modes and offers: the Worker sends no request in a mode, and a cap has no offers. */
const price = v.strictObject({
  ...{ ...rates, input: rate, output: rate },
  tiers: v.optional(v.array(v.strictObject({ ...rates, above: rate }))),
  ...{ modes: v.optional(v.unknown()), offers: v.optional(v.unknown()) },
})

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
/** A key as a string, or an object with all settings of a provider. */
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
    allow: v.optional(kind.allowed, []),
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
  admin: v.optional(v.strictObject({ token: kind.secret })),
  page: v.optional(v.strictObject({ assets: kind.fetcher })),
  basePath: v.optional(kind.basePath, ''),
  formats: v.optional(kind.formats, []),
})
type Read = v.InferOutput<typeof schema>

/** Returns the name that the operator knows for an option, from its path, such as `session.secret`. */
export type Naming = (path: string) => string

/** The field of options whose names the operator knows by another {@link Naming}. A copy of the options has it too. */
export const naming: unique symbol = Symbol('naming')

const quoted: Naming = (path) => `"${path}"`

/** Reads options. A problem never contains a value; it names the option as {@link naming} says. */
export function readOptions(given: unknown): Setup {
  const nameOf = (isObject(given) ? (Reflect.get(given, naming) as Naming | undefined) : undefined) ?? quoted
  const result = v.safeParse(schema, given)
  const models = result.success ? entriesOf(result.output) : []
  const problems = result.success ? problemsOf(result.output, models, nameOf) : describe(result.issues, nameOf)
  const config = result.success && problems.length === 0 ? configOf(result.output, models) : undefined
  return {
    given: (isObject(given) ? given : {}) as Partial<WorkerOptions>,
    formats: [isoglotFormat, ...(result.success ? result.output.formats : [])],
    config,
    problems,
  }
}

function describe(issues: readonly v.BaseIssue<unknown>[], nameOf: Naming): string[] {
  return issues.map((issue) => {
    const path = (v.getDotPath(issue) ?? 'options').replace(/(\.\d+)+$/, '')
    if (issue.expected === 'never') return `${nameOf(path)} is not an option`
    // Only our own messages: other messages may contain the value.
    const isOurs = ['check', 'regex', 'every_item'].includes(issue.type)
    return `${nameOf(path)} is missing or unusable${isOurs ? `: it ${issue.message}` : (needs[path] ?? '')}`
  })
}

/** The reasons why parts are required. */
const needs: Readonly<Record<string, string>> = {
  session: ': without it, everybody could use your keys',
  policy: ': it lists the models that clients may use',
  keys: ': it contains the credentials for the providers',
  accounts: ': without a budget, a user can spend without limit; write "off" if you want that',
}

function entriesOf({ policy, keys }: Read): Entry[] {
  return providers.flatMap((provider) =>
    (policy.models[provider.option] ?? []).map((name) => ({ ...placeOf(provider, keys), name })),
  )
}

/** A provider's address and credentials. */
function placeOf(provider: Provider, keys: Read['keys']): Omit<Entry, 'name'> {
  const { option, id } = provider
  const { key, baseUrl, service, access, binding } = keys[option] ?? {}
  const through = gatewayOf(provider, keys)
  const place = through ? `${through.url}${provider.gatewayPath}` : (baseUrl ?? provider.baseUrl)
  return { provider: id, baseUrl: place, apiKey: key, access, service, binding, gatewayToken: through?.token }
}

/** A provider's own address takes precedence over the gateway. */
function gatewayOf({ option, gatewayPath }: Provider, keys: Read['keys']): Read['keys']['aiGateway'] {
  const { baseUrl, service } = keys[option] ?? {}
  return baseUrl === undefined && service === undefined && gatewayPath !== undefined ? keys.aiGateway : undefined
}

/** Problems of several options together, which the check of one option cannot find. */
function problemsOf(options: Read, models: readonly Entry[], nameOf: Naming): string[] {
  const ids = models.map(idOf)
  return [
    ...providers.flatMap((provider) => keyProblems(provider, options, nameOf)),
    ...(ids.length === 0 ? ['All lists of models are empty'] : []),
    ...(ids.some((id, at) => ids.indexOf(id) !== at) ? ['A list names a model twice'] : []),
    ...(options.accounts === 'off' ? [] : priceProblems(ids, options.accounts.prices as Prices, nameOf)),
    ...sessionProblems(options, nameOf),
    ...equalSecrets(options, nameOf),
  ]
}

type Prices = Readonly<Record<string, Price>>

/** If a provider has no row in the table, its models would be free. */
function priceProblems(ids: readonly string[], prices: Prices, nameOf: Naming): string[] {
  const unpriced = ids.filter((id) => !Number.isFinite(capPriceOf(id, prices).input))
  return unpriced.map(
    (id) => `${nameOf('accounts.prices')} has no price for ${id}, and the table of isoglot/prices has none either`,
  )
}

function keyProblems(provider: Provider, { policy, keys }: Read, nameOf: Naming): string[] {
  const { option, needsKey } = provider
  const through = gatewayOf(provider, keys)
  const hasKey = keys[option]?.key !== undefined || keys[option]?.binding !== undefined
  const isAsked = (policy.models[option] ?? []).length > 0
  if (through && hasKey) return [`${nameOf(`keys.${option}`)} is set, and ${nameOf('keys.aiGateway.url')} too`]
  return isAsked && needsKey && !through && !hasKey ? [`${nameOf(`keys.${option}`)} is missing`] : []
}

/** At least one option must identify users. Unknown visitors need a budget. */
function sessionProblems({ session, accounts, runs }: Read, nameOf: Naming): string[] {
  const { secret, login, turnstile, demo, check } = session
  const problems: string[] = []
  const name = (option: keyof typeof session) => nameOf(`session.${option}`)
  if (check !== undefined) {
    const ways = (['login', 'turnstile', 'demo'] as const).filter((way) => session[way] !== undefined)
    problems.push(
      ...ways.map((way) => `${name(way)} gives tokens, but ${name('check')} does not use them: remove one of the two`),
    )
    if (runs !== undefined && secret === undefined) {
      problems.push(`${name('secret')} is missing: it signs the names of the answers that ${nameOf('runs')} stores`)
    }
  } else {
    if (secret === undefined) problems.push(`${name('secret')} is missing or unusable: it signs tokens`)
    if (login === undefined && turnstile === undefined && demo === undefined) {
      const ways = [nameOf('session.login.secret'), nameOf('session.turnstile.secret'), name('demo')]
      problems.push(
        `${ways.slice(0, -1).join(', ')} and ${ways.at(-1)} are missing: without one of them no user can get a token`,
      )
    }
  }
  const isPublic = turnstile !== undefined || demo === 'open'
  if (accounts === 'off' && isPublic) {
    const way = turnstile === undefined ? name('demo') : name('turnstile')
    problems.push(
      `${nameOf('accounts')} is off, but ${way} gives tokens to unknown visitors: their spending would have no limit`,
    )
  }
  return problems
}

/** Two secrets must differ: an attacker who has one would have both. The two signing secrets may be equal. */
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
  const { models: _models, maxOutputTokens, wholeAnswers, allow, check: ownPermit, ...limits } = policy
  const allowed: ReadonlySet<string> = new Set(allow)
  const money = accounts === 'off' ? undefined : accounts
  const own = [secret, nextSecret, secretOf(login), turnstile?.secret, parts.admin?.token, keys.aiGateway?.token]
  const theirs = models.flatMap(({ apiKey, access }) => [apiKey, access?.secret])
  const isText = (text: unknown) => typeof text === 'string' && text !== ''
  // A copy, since Cloudflare's types say of `encode` that its buffer may be shared.
  const bytesOf = (text: string) => Uint8Array.from(new TextEncoder().encode(text))
  return {
    basePath: parts.basePath,
    secrets: {
      session: bytesOf(secret),
      nextSession: nextSecret === undefined ? undefined : bytesOf(nextSecret),
      scrub: createScrubber([...own, ...theirs].filter(isText) as string[]),
    },
    allowedOrigins: new Set(session.origins),
    models,
    formats: [isoglotFormat, ...parts.formats],
    permit: (ownPermit as Config['permit'] | undefined) ?? ((checked, user) => permit(checked, user, allowed)),
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
    assets: parts.page?.assets,
    wholeAnswers,
  }
}
