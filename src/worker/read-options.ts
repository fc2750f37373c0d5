/**
 * The options of a Worker: one schema has their checks, their defaults and their names in the environment. If a required option is missing,
 * or an option is too short, malformed or unsafe, every route answers 503.
 * @module
 */
import * as v from 'valibot'
import { field, isObject } from '../core/json.ts'
import type { GatewayFormat } from '../formats/shared/gateway-format.ts'
import { isoglotFormat } from '../gateway/isoglot-format.ts'
import { createScrubber } from '../gateway/scrub.ts'
import { capPriceOf, type Prices } from '../prices/index.ts'
import type { WorkersAiBinding } from '../providers/workers-ai.ts'
import type { Accounts } from './accounts/accounts.ts'
import { pricesOption } from './accounts/prices.ts'
import type { Config, Minting, RunStub, Setup } from './config.ts'
import { either, from, nameIn, optionValue } from './from-env.ts'
import {
  type Provider,
  type ProviderName,
  providers,
  type ServedModel,
  servedId,
  workersAiUrl,
} from './keys/providers.ts'
import * as kind from './option-kinds.ts'
import type * as options from './options.ts'
import type { Fetcher, ObjectNamespace, RateLimiter } from './platform.ts'
import { permit } from './policy/permit.ts'
import { isOrigin } from './session/origins.ts'

/** The entries of a group: the compiler holds them equal to the options that `options.ts` explains. */
type SchemasOf<Options> = { readonly [Name in keyof Options]-?: v.GenericSchema<Options[Name], unknown> }

const siteKey = kind.text(/^[\w-]{8,64}$/, 'must be a site key of Turnstile')
const action = kind.text(/^[\w-]{1,32}$/, 'must be an action of Turnstile')
const turnstile = v.strictObject({
  secret: kind.apiKey,
  siteKey: v.optional(siteKey),
  action: v.optional(action, 'session'),
  url: v.optional(kind.loopbackUrl),
} satisfies SchemasOf<options.TurnstileOptions>)

const ownLogin = kind.callback<NonNullable<Minting['login']>>()
const loginSecret = v.strictObject({ secret: kind.secret })
const loginOption = either((given) => typeof given === 'function', ownLogin, loginSecret)
const origins = kind.list(isOrigin, 'must be a list of exact origins such as https://chat.example')
const session = v.strictObject({
  origins: from('ALLOWED_ORIGINS', v.pipe(origins, v.minLength(1))),
  secret: v.optional(from('SESSION_SECRET', kind.secret)),
  nextSecret: v.optional(from('SESSION_SECRET_NEXT', kind.secret)),
  login: v.optional(from('LOGIN_SECRET', loginOption)),
  turnstile: v.optional(from('TURNSTILE_SECRET', turnstile)),
  demo: v.optional(v.picklist(['open', 'loopback'])),
  revoked: v.optional(v.array(v.string()), []),
  check: v.optional(kind.callback<NonNullable<options.SessionOptions['check']>>()),
} satisfies SchemasOf<options.SessionOptions>)

/** `prefix`: of the provider's names in the environment. */
function forEachProvider<Schema>(make: (prefix: string) => Schema): Record<ProviderName, Schema> {
  const prefixOf = (option: ProviderName) => (option === 'workersAi' ? 'AI' : option.toUpperCase())
  return Object.fromEntries(providers.map(({ option }) => [option, make(prefixOf(option))])) as never
}

/** A `*` is not allowed, because it could mean many models. */
const models = kind.list((name) => /^[\w.:@/-]{1,128}$/.test(name), 'must be a list of model names without "*"')
const fields = kind.list(
  (name) => /^[a-z][a-z-]+\.[\w.]{1,128}$/.test(name),
  'must be a list of names of fields, each after the name of its format, such as "anthropic.context_management"',
)
const policy = v.strictObject({
  models: v.strictObject(forEachProvider((prefix) => v.optional(from(`${prefix}_MODELS`, models)))),
  maxOutputTokens: v.optional(kind.count, 4096),
  maxBodyBytes: v.optional(kind.count, 1024 * 1024),
  bodyTimeoutMs: v.optional(kind.count, 15_000),
  wholeAnswers: v.optional(v.picklist(['whole', 'stream']), 'stream'),
  wholeCommitMs: v.optional(kind.count, 10_000),
  headersTimeoutMs: v.optional(kind.count, 30_000),
  firstContentTimeoutMs: v.optional(kind.count, 60_000),
  idleTimeoutMs: v.optional(kind.count, 30_000),
  totalTimeoutMs: v.optional(kind.count, 600_000),
  allow: v.optional(fields, []),
  check: v.optional(kind.callback<NonNullable<options.PolicyOptions['check']>>()),
} satisfies SchemasOf<options.PolicyOptions>)

const fetcher = kind.binding<Fetcher>('fetch', 'must be a binding with "fetch"')
const key = either((given) => typeof given === 'string', kind.apiKey, kind.storedKey)
const isKey = (given: unknown) => typeof given === 'string' || kind.hasMethod(given, 'get')
const accessTo = (prefix: string) => {
  const settings = v.strictObject({
    key: v.optional(from(`${prefix}_API_KEY`, key)),
    baseUrl: v.optional(kind.baseUrl),
    service: v.optional(fetcher),
    access: v.optional(v.strictObject({ id: kind.apiKey, secret: kind.apiKey })),
  } satisfies SchemasOf<options.ProviderAccess>)
  return v.optional(from(`${prefix}_API_KEY`, either(isKey, key, settings)))
}
const accountId = kind.text(/^[0-9a-f]{32}$/, 'must be the id of an account')
const aiBinding = from('AI', kind.binding<WorkersAiBinding>('run', 'must be a binding of Workers AI'))
const workersAiOption = either(
  (given) => !(isObject(given) && 'binding' in given),
  v.strictObject({ accountId, token: key }),
  v.strictObject({ binding: aiBinding }),
)
const keys = v.strictObject({
  ...forEachProvider(accessTo),
  workersAi: v.optional(from('AI', workersAiOption)),
  aiGateway: v.optional(v.strictObject({ url: kind.baseUrl, token: kind.apiKey })),
} satisfies SchemasOf<options.KeyOptions>)

const accounts = v.strictObject({
  binding: from('ACCOUNTS', kind.binding<Accounts>('getByName', 'must be bound to UserAccount')),
  dailyBudgetUsd: v.optional(kind.money, 1),
  totalDailyBudgetUsd: v.optional(kind.money, 10),
  liveStreams: v.optional(kind.count, 4),
  prices: v.optional(pricesOption, {}),
} satisfies SchemasOf<options.AccountOptions>)

const counter = kind.binding<RateLimiter>('limit', 'must be a rate limiting binding')
const limits = v.strictObject({
  perUser: counter,
  perNetwork: from('PER_IP', counter),
} satisfies SchemasOf<options.LimitOptions>)

const runs = v.strictObject({
  binding: from('RUNS', kind.binding<ObjectNamespace<RunStub>>('getByName', 'must be bound to StreamRun')),
  keptMs: v.optional(from('RUN_KEPT_MS', kind.count), 600_000),
} satisfies SchemasOf<options.RunOptions>)
const admin = v.strictObject({ token: from('ADMIN_TOKEN', kind.secret) } satisfies SchemasOf<options.AdminOptions>)
const page = v.strictObject({ assets: fetcher } satisfies SchemasOf<options.PageOptions>)
const basePath = kind.text(/^(?:\/[\w.~-]+)*$/, 'must begin with "/" and not end with one, such as "/ai"')
const format = v.custom<GatewayFormat>((given) => kind.hasMethod(Reflect.get(Object(given), 'codec'), 'decodeRequest'))

const schema = v.strictObject({
  ...{ session, policy, keys },
  accounts: either((given) => given === 'off', v.literal('off'), accounts),
  limits: v.optional(from('RATE_LIMITS', limits)),
  runs: v.optional(from('RUNS', runs)),
  admin: v.optional(admin),
  page: v.optional(page),
  basePath: v.optional(basePath, ''),
  formats: v.optional(v.array(format), []),
} satisfies SchemasOf<options.WorkerOptions>)
type Read = v.InferOutput<typeof schema>

/** Returns the name that the operator knows for an option, from its path, such as `session.secret`. */
type Naming = (path: string) => string

/** The field of options whose names the operator knows by another {@link Naming}. A copy of the options has it too. */
const naming = Symbol('naming')

/**
 * Reads the options from the variables, secrets and bindings of an environment. The Worker's guide has a table of them. The log reports
 * problems with the name of the variable.
 *
 * @example
 * ```ts
 * import { createWorker, optionsFromEnv } from 'isoglot/worker'
 *
 * // For official clients too: createWorker((env) => ({ ...optionsFromEnv(env), formats: allFormats }))
 * const worker = createWorker(optionsFromEnv)
 * export const { UserAccount, StreamRun } = worker
 * export default { fetch: worker.fetch }
 * ```
 */
export function optionsFromEnv(env: Readonly<Record<string, unknown>>): options.WorkerOptions {
  const { session, limits, runs, admin, ...others } = optionValue(schema, env) as v.InferInput<typeof schema>
  const { turnstile, ...withoutTurnstile } = session
  const hasTurnstile = (turnstile?.secret ?? turnstile?.siteKey) !== undefined
  const { RATE_LIMITS: counting = 'on' } = env
  const given = {
    [naming]: (path: string) => nameIn(schema, path),
    session: hasTurnstile ? session : withoutTurnstile,
    ...others,
    // The environment must have these, although code may leave them out.
    runs: { binding: undefined, ...runs },
    ...(counting === 'on' && { limits: { perUser: undefined, perNetwork: undefined, ...limits } }),
    // The check reports this.
    ...(counting !== 'on' && counting !== 'off' && { limits: counting }),
    // A token that is too short turns off only the operator's pages.
    ...(kind.isLongEnough(admin?.token) && { admin }),
  }
  return given as unknown as options.WorkerOptions
}

/** Reads options. A problem never contains a value. */
export function readOptions(given: unknown): Setup {
  const nameOf = (Reflect.get(Object(given), naming) as Naming | undefined) ?? ((path) => `"${path}"`)
  const { success, output, issues } = v.safeParse(schema, given)
  const models = success ? servedModels(output) : []
  const problems = success ? problemsOf(output, models, nameOf) : issues.map((issue) => describe(issue, nameOf))
  return {
    given: isObject(given) ? given : {},
    formats: [isoglotFormat, ...(success ? output.formats : [])],
    config: success && problems.length === 0 ? configOf(output, models) : undefined,
    problems,
  }
}

function describe(issue: v.BaseIssue<unknown>, nameOf: Naming): string {
  const path = (v.getDotPath(issue) ?? 'options').replace(/(\.\d+)+$/, '')
  if (issue.expected === 'never') return `${nameOf(path)} is not an option`
  // Only our own messages: valibot's contain the value.
  const why = issue.message.startsWith('must ') ? `: it ${issue.message}` : (reasonsFor[path] ?? '')
  return `${nameOf(path)} is missing or unusable${why}`
}

/** The reasons why parts are required. */
const reasonsFor: Readonly<Record<string, string>> = {
  session: ': without it, everybody could use your keys',
  policy: ': it lists the models that clients may use',
  keys: ': it contains the credentials for the providers',
  accounts: ': without a budget, a user can spend without limit; write "off" if you want that',
}

function servedModels({ policy, keys }: Read): ServedModel[] {
  return providers.flatMap((provider) =>
    (policy.models[provider.option] ?? []).map((name) => ({ ...placeOf(provider, keys), name })),
  )
}

/** A provider's address and credentials. Its own address takes precedence over the gateway. */
function placeOf({ id, option, gatewayPath, ...provider }: Provider, keys: Read['keys']): Omit<ServedModel, 'name'> {
  const { key, baseUrl, service, access, binding } = accessOf(keys[option])
  const isOwn = baseUrl !== undefined || service !== undefined || gatewayPath === undefined
  const gateway = isOwn ? undefined : keys.aiGateway
  const place = gateway ? `${gateway.url}${gatewayPath}` : (baseUrl ?? provider.baseUrl)
  return { provider: id, baseUrl: place, apiKey: key, access, service, binding, gatewayToken: gateway?.token }
}

type Access = { readonly [Name in 'baseUrl' | 'service' | 'access' | 'binding']?: ServedModel[Name] | undefined } & {
  readonly key?: ServedModel['apiKey']
}

function accessOf(given: Read['keys'][ProviderName]): Access {
  if (typeof given !== 'object') return { key: given }
  return 'accountId' in given ? { key: given.token, baseUrl: workersAiUrl(given.accountId) } : given
}

/** Nothing, or a problem. */
type Problem = string | false | undefined

/** Problems of several options together, which the check of one option cannot find. */
function problemsOf(options: Read, models: readonly ServedModel[], nameOf: Naming): string[] {
  const ids = models.map(servedId)
  const found = [
    ...providers.map((provider) => keyProblem(provider, options, nameOf)),
    ids.length === 0 && 'All lists of models are empty',
    ids.some((id, at) => ids.indexOf(id) !== at) && 'A list names a model twice',
    ...(options.accounts === 'off' ? [] : priceProblems(ids, options.accounts.prices, nameOf)),
    ...sessionProblems(options, nameOf),
    ...equalSecrets(options, nameOf),
  ]
  return found.filter((problem) => typeof problem === 'string')
}

/** If a provider has no row in the table, its models would be free. */
function priceProblems(ids: readonly string[], prices: Prices, nameOf: Naming): string[] {
  const unpriced = ids.filter((id) => !Number.isFinite(capPriceOf(id, prices).input))
  return unpriced.map(
    (id) => `${nameOf('accounts.prices')} has no price for ${id}, and the table of isoglot/prices has none either`,
  )
}

function keyProblem(provider: Provider, { policy, keys }: Read, nameOf: Naming): Problem {
  const { option, needsKey } = provider
  const { apiKey, binding, gatewayToken } = placeOf(provider, keys)
  const name = nameOf(`keys.${option}`)
  const isMissing = (apiKey ?? binding) === undefined
  if (gatewayToken !== undefined) return !isMissing && `${name} is set, and ${nameOf('keys.aiGateway.url')} too`
  return isMissing && needsKey && policy.models[option]?.length ? `${name} is missing` : undefined
}

/** At least one option must identify users. Unknown visitors need a budget. */
function sessionProblems({ session, accounts, runs }: Read, nameOf: Naming): Problem[] {
  const { secret, turnstile, demo, check } = session
  const name = (option: string) => nameOf(`session.${option}`)
  const ways = (['login', 'turnstile', 'demo'] as const).filter((way) => session[way] !== undefined)
  const lack = secret === undefined && `${name('secret')} is missing`
  const open = turnstile ? 'turnstile' : demo === 'open' && 'demo'
  const ofTokens = [
    lack && `${lack} or unusable: it signs tokens`,
    ways.length === 0 &&
      `${name('login.secret')}, ${name('turnstile.secret')} and ${name('demo')} are missing: without one of them no user can get a token`,
  ]
  const ofCheck = [
    ...ways.map((way) => `${name(way)} gives tokens, but ${name('check')} does not use them: remove one of the two`),
    runs && lack && `${lack}: it signs the names of the answers that ${nameOf('runs')} stores`,
  ]
  return [
    ...(check ? ofCheck : ofTokens),
    accounts === 'off' &&
      open &&
      `${nameOf('accounts')} is off, but ${name(open)} gives tokens to unknown visitors: their spending would have no limit`,
  ]
}

/** The secrets that sign tokens, and those that somebody sends. */
const signingSecrets = ['session.secret', 'session.nextSecret']
const sent = ['session.login.secret', 'session.turnstile.secret', 'admin.token', 'keys.aiGateway.token']

function secretAt(options: Read, path: string): unknown {
  return path.split('.').reduce<unknown>(field, options)
}

/** Two secrets must differ: an attacker who has one would have both. The two signing secrets may be equal. */
function equalSecrets(options: Read, nameOf: Naming): string[] {
  return sent.flatMap((path, at) =>
    [...signingSecrets, ...sent.slice(at + 1)]
      .filter((other) => (secretAt(options, path) ?? other) === secretAt(options, other))
      .map((other) => `${nameOf(path)} is equal to ${nameOf(other)}`),
  )
}

/** @see https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ (read 2026-11) */
const siteverify = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'

function configOf(options: Read, models: readonly ServedModel[]): Config {
  const { session, policy, accounts, limits: counters, runs, page, basePath } = options
  const { secret = '', nextSecret, login, turnstile, demo, check } = session
  const { models: _models, maxOutputTokens, wholeAnswers, allow, check: ownPermit, ...limits } = policy
  const allowed: ReadonlySet<string> = new Set(allow)
  const money = accounts === 'off' ? undefined : accounts
  const ofModels = models.flatMap(({ apiKey, access }) => [apiKey, access?.secret])
  const own = [...signingSecrets, ...sent].map((path) => secretAt(options, path))
  const secrets = [...own, ...ofModels].filter((text) => typeof text === 'string')
  // A copy, since Cloudflare's types say of `encode` that its buffer may be shared.
  const bytesOf = (text: string) => Uint8Array.from(new TextEncoder().encode(text))
  return {
    secrets: {
      session: bytesOf(secret),
      nextSession: nextSecret === undefined ? undefined : bytesOf(nextSecret),
      scrub: createScrubber(secrets),
    },
    allowedOrigins: new Set(session.origins),
    formats: [isoglotFormat, ...options.formats],
    permit: ownPermit ?? ((checked, user) => permit(checked, user, allowed)),
    spending: {
      accounts: money?.binding,
      prices: money?.prices ?? {},
      dailyBudget: money?.dailyBudgetUsd ?? 0,
      totalDailyBudget: money?.totalDailyBudgetUsd ?? 0,
      liveStreams: money?.liveStreams ?? 0,
    },
    minting: {
      loginSecret: typeof login === 'object' ? login.secret : undefined,
      login: typeof login === 'function' ? login : undefined,
      turnstile: turnstile && { ...turnstile, url: turnstile.url ?? siteverify },
      demo: login === undefined && turnstile === undefined ? demo : undefined,
      check,
    },
    revoked: new Set(session.revoked),
    assets: page?.assets,
    ...{ basePath, models, maxOutputTokens, wholeAnswers, limits, counters, runs },
  }
}
