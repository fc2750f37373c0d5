/**
 * Rate limits: the platform's own counters, for each user and each network, or replacements for them. The platform counts roughly, and
 * separately in each Cloudflare location. The accounts count exactly.
 *
 * @see https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ (read 2026-11)
 * @module
 */
import type { Config } from '../config.ts'
import type { RateLimiter } from '../platform.ts'
import { refuse } from '../refusal.ts'

/** The period of the platform's counters, in seconds. They do not report when it ends. */
const period = 60

/** @throws {ApiError} 429 if this network sent too many requests. */
export async function limitNetwork(request: Request, { counters }: Config): Promise<void> {
  await limit(counters?.perNetwork, networkOf(request.headers.get('cf-connecting-ip') ?? 'nowhere'))
}

/** @throws {ApiError} 429 if this user sent too many requests. */
export async function limitUser(sub: string, { counters }: Config): Promise<void> {
  await limit(counters?.perUser, sub)
}

async function limit(counter: RateLimiter | undefined, key: string): Promise<void> {
  if (counter === undefined || (await counter.limit({ key })).success === true) return
  throw refuse('too_many_requests', undefined, period)
}

/** The owner of an IPv6 address has all addresses of its /64, so the /64 is counted. */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = ip.toLowerCase().split('::')
  const groups = head.split(':').filter(Boolean)
  const last = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - last.length)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...last].map((group) => group.replace(/^0+(?=.)/, ''))
  return `${all.slice(0, 4).join(':')}::/64`
}
