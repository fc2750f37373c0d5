/**
 * The options of a Worker that is set up without code: by the variables, secrets and bindings of `wrangler.toml`.
 *
 * @see https://developers.cloudflare.com/workers/configuration/environment-variables/ (read 2026-11)
 * @module
 */

import * as v from 'valibot'
import { compact } from '../core/json.ts'
import { pricesSetting } from './accounts/prices.ts'
import { providers as allProviders, type ProviderName } from './keys/providers.ts'
import { isLongEnough } from './option-kinds.ts'
import type { WorkerOptions } from './options.ts'
import { type Naming, naming } from './read-options.ts'

/** The environment sets up Workers AI only by its binding. Use code for REST. */
const providers = allProviders.filter(({ option }) => option !== 'workersAi')

/** The environment's names of the options, by path. Those of each provider are made of its name. */
const names: Readonly<Record<string, string>> = {
  'session.secret': 'SESSION_SECRET',
  'session.nextSecret': 'SESSION_SECRET_NEXT',
  'session.origins': 'ALLOWED_ORIGINS',
  'session.login': 'LOGIN_SECRET',
  'session.turnstile.secret': 'TURNSTILE_SECRET',
  'session.turnstile.siteKey': 'TURNSTILE_SITE_KEY',
  'session.turnstile.action': 'TURNSTILE_ACTION',
  'session.turnstile.url': 'TURNSTILE_URL',
  'session.turnstile': 'TURNSTILE_SECRET',
  'session.demo': 'DEMO',
  'session.revoked': 'REVOKED',
  'policy.maxOutputTokens': 'MAX_OUTPUT_TOKENS',
  'policy.maxBodyBytes': 'MAX_BODY_BYTES',
  'policy.bodyTimeoutMs': 'BODY_TIMEOUT_MS',
  'policy.wholeAnswers': 'WHOLE_ANSWERS',
  'policy.allow': 'ALLOW',
  'policy.wholeCommitMs': 'WHOLE_COMMIT_MS',
  'policy.headersTimeoutMs': 'HEADERS_TIMEOUT_MS',
  'policy.firstContentTimeoutMs': 'FIRST_CONTENT_TIMEOUT_MS',
  'policy.idleTimeoutMs': 'IDLE_TIMEOUT_MS',
  'policy.totalTimeoutMs': 'TOTAL_TIMEOUT_MS',
  'policy.models.workersAi': 'AI_MODELS',
  'keys.workersAi': 'AI',
  'keys.aiGateway.url': 'AI_GATEWAY_URL',
  'keys.aiGateway.token': 'AI_GATEWAY_TOKEN',
  'accounts.binding': 'ACCOUNTS',
  'accounts.dailyBudgetUsd': 'DAILY_BUDGET_USD',
  'accounts.totalDailyBudgetUsd': 'TOTAL_DAILY_BUDGET_USD',
  'accounts.liveStreams': 'LIVE_STREAMS',
  'accounts.prices': 'PRICES',
  'limits.perUser': 'PER_USER',
  'limits.perNetwork': 'PER_IP',
  limits: 'RATE_LIMITS',
  'runs.binding': 'RUNS',
  'runs.keptMs': 'RUN_KEPT_MS',
  'admin.token': 'ADMIN_TOKEN',
  'page.assets': 'ASSETS',
  ...Object.fromEntries(
    providers.flatMap(({ option }) => {
      const prefix = option.toUpperCase()
      return [
        [`policy.models.${option}`, `${prefix}_MODELS`],
        [`keys.${option}.baseUrl`, `${prefix}_BASE_URL`],
        [`keys.${option}.service`, `${prefix}_SERVICE`],
        [`keys.${option}.access.id`, `${prefix}_ACCESS_ID`],
        [`keys.${option}.access.secret`, `${prefix}_ACCESS_SECRET`],
        [`keys.${option}`, `${prefix}_API_KEY`],
      ]
    }),
  ),
}

/** The environment's name of an option: its own, or that of the option that contains it. */
export const envName: Naming = (path) => {
  const found = Object.hasOwn(names, path) ? names[path] : undefined
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')))
  return found ?? (parent === '' ? path : envName(parent))
}

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
export function optionsFromEnv(env: Readonly<Record<string, unknown>>): WorkerOptions {
  const text = (path: string) => env[envName(path)] as string | undefined
  const group = (
    part: string,
    keys: readonly string[],
    read: (given: unknown, path: string) => unknown = (given) => given,
  ) => Object.fromEntries(keys.map((key) => [key, read(text(`${part}.${key}`), `${part}.${key}`)]))
  const hasTurnstile = text('session.turnstile.secret') !== undefined || text('session.turnstile.siteKey') !== undefined
  const hasGateway = text('keys.aiGateway.url') !== undefined || text('keys.aiGateway.token') !== undefined
  const loginSecret = text('session.login')
  const token = text('admin.token')
  const isCounted = env.RATE_LIMITS === undefined || env.RATE_LIMITS === 'on'
  const limits = isCounted ? group('limits', ['perUser', 'perNetwork']) : env.RATE_LIMITS
  const options = {
    [naming]: envName,
    session: {
      ...group('session', ['secret', 'nextSecret', 'demo']),
      ...group('session', ['origins', 'revoked'], splitList),
      ...compact({
        login: loginSecret === undefined ? undefined : { secret: loginSecret },
        turnstile: hasTurnstile ? group('session.turnstile', ['secret', 'siteKey', 'action', 'url']) : undefined,
      }),
    },
    policy: {
      models: Object.fromEntries(
        allProviders.map(({ option }) => [option, splitList(text(`policy.models.${option}`) ?? '')]),
      ),
      wholeAnswers: text('policy.wholeAnswers'),
      ...group('policy', ['allow'], splitList),
      ...group('policy', counts, toCount),
    },
    keys: {
      ...Object.fromEntries(providers.map(({ option }) => [option, accessFrom(env, option)])),
      ...compact({
        workersAi: env.AI === undefined ? undefined : { binding: env.AI },
        aiGateway: hasGateway ? group('keys.aiGateway', ['url', 'token']) : undefined,
      }),
    },
    accounts: {
      binding: text('accounts.binding'),
      ...group('accounts', ['dailyBudgetUsd', 'totalDailyBudgetUsd'], toAmount),
      ...group('accounts', ['liveStreams'], toCount),
      prices: toPrices(text('accounts.prices')),
    },
    runs: { binding: text('runs.binding'), ...group('runs', ['keptMs'], toCount) },
    ...compact({
      limits: env.RATE_LIMITS === 'off' ? undefined : limits,
      // A token that is too short turns off only the operator's pages.
      admin: isLongEnough(token) ? { token } : undefined,
      page: env.ASSETS === undefined ? undefined : { assets: env.ASSETS },
    }),
  }
  return options as unknown as WorkerOptions
}

const counts = [
  ...['maxOutputTokens', 'maxBodyBytes', 'bodyTimeoutMs', 'wholeCommitMs', 'headersTimeoutMs'],
  ...['firstContentTimeoutMs', 'idleTimeoutMs', 'totalTimeoutMs'],
]

function accessFrom(env: Readonly<Record<string, unknown>>, option: ProviderName): object {
  const of = (name: string) => env[`${option.toUpperCase()}_${name}`]
  const [id, secret] = [of('ACCESS_ID'), of('ACCESS_SECRET')]
  const access = id === undefined && secret === undefined ? undefined : { id, secret }
  return { key: of('API_KEY'), baseUrl: of('BASE_URL'), service: of('SERVICE'), ...compact({ access }) }
}

/** Words with commas between them. A value that is not a text stays as it is: the check of the options reports it. */
function splitList(given: unknown): unknown {
  if (typeof given !== 'string') return given
  return given
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}

function toCount(given: unknown): unknown {
  return typeof given === 'string' && /^[1-9]\d{0,8}$/.test(given) ? Number(given) : given
}

/** An amount in dollars, with at most six digits after the decimal point. */
function toAmount(given: unknown): unknown {
  return typeof given === 'string' && /^\d{1,6}(\.\d{1,6})?$/.test(given) ? Number(given) : given
}

/** A value that is not a table also stays as it is. */
function toPrices(given: unknown): unknown {
  const result = v.safeParse(pricesSetting, given)
  return result.success ? result.output : given
}
