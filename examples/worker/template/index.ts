/** A Worker that has your keys, and a page that uses it. Each part is independent: if you remove a part, it is off. */
import { createWorker, type Fetcher, type ObjectNamespace, type RateLimiter } from 'isoglot/worker'

interface Env {
  ORIGIN: string
  SESSION_SECRET: string
  OPENAI_API_KEY: string
  /** Without it, `npm run dev` gives tokens to pages on this machine, and a deployed Worker gives none. */
  TURNSTILE_SECRET?: string
  /** The URL of OpenAI's API, if it is not the default one. */
  OPENAI_BASE_URL?: string
  ASSETS: Fetcher
  ACCOUNTS: ObjectNamespace
  RUNS: ObjectNamespace
  PER_USER: RateLimiter
  PER_IP: RateLimiter
}

const worker = createWorker((env: Env) => ({
  session: {
    origins: [env.ORIGIN],
    secret: env.SESSION_SECRET,
    ...(env.TURNSTILE_SECRET ? { turnstile: { secret: env.TURNSTILE_SECRET } } : { demo: 'loopback' }),
  },
  policy: { models: { openai: ['gpt-5-mini'] }, maxOutputTokens: 2000 },
  keys: { openai: { key: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL } },
  accounts: { binding: env.ACCOUNTS, dailyBudgetUsd: 0.5, totalDailyBudgetUsd: 5 },
  limits: { perUser: env.PER_USER, perNetwork: env.PER_IP },
  runs: { binding: env.RUNS },
  page: { assets: env.ASSETS },
}))

export const { UserAccount, StreamRun } = worker
export default { fetch: worker.fetch }
