/** A gateway without a server: its `fetch` is all there is. */
import {
  allFormats,
  createGateway,
  type EndReport,
  type GatewayOptions,
  type UsageReport,
} from '../../src/gateway/index.ts'
import type { WireName } from './provider.ts'
import { ask } from './wire.ts'

export const origin = 'http://gateway.test'

/** A request with this body: a text or a stream as it is, anything else as JSON. */
export const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  new Request(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof ReadableStream ? body : JSON.stringify(body),
    ...{ duplex: 'half' },
  })

/** The gateway, in all formats, and what it has reported so far. */
export function gatewayOf<Env = unknown>(options: Partial<GatewayOptions<Env>> & Pick<GatewayOptions<Env>, 'models'>) {
  const reports: EndReport[] = []
  const usages: UsageReport[] = []
  const gateway = createGateway({
    formats: allFormats,
    onEnd: (report) => void reports.push(report),
    onUsage: (report) => void usages.push(report),
    ...options,
  })
  const fetch: typeof globalThis.fetch = (input, init) => gateway.fetch(new Request(input as Request, init))
  return {
    reports,
    usages,
    fetch,
    post: (...[path, body, headers]: Parameters<typeof post>) => fetch(post(path, body, headers)),
    /** As {@link ask} of `wire.ts`. */
    ask: (...[wire, model, prompt, init]: [WireName, string, string?, Parameters<typeof ask>[4]?]) =>
      ask(origin, wire, model, prompt, { ...init, fetch }),
  }
}
