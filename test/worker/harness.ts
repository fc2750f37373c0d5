/** A Worker in real workerd, in front of an upstream that misbehaves on request, or of the embedded provider. */
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll } from 'vitest'
import { type Provider, startProvider } from '../../examples/provider/index.mjs'
import { settingsFor } from '../../scripts/choose-provider.mjs'
import { freePort } from '../../scripts/worker.mjs'
import type { OperatorSummary } from '../../src/worker/accounts/accounts.ts'
import { facts } from '../formats/index.ts'
import { type WireName as AnyWireName, speakers } from '../gateway/provider.ts'
import { ask as askByHand } from '../gateway/wire.ts'
import { canary } from '../support/canary.ts'
import { type Asked, type Upstream as InOrder, startUpstream as startInOrder } from '../support/upstream.ts'
import { type LocalOptions, type LocalWorker, startWorker } from './local.ts'

/** The wires that the Worker has models of. In the others it answers from those, which `clients.test.ts` and `policy.test.ts` ask for. */
export const wireNames = [
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
  'ollama',
] as const satisfies readonly AnyWireName[]
export type WireName = (typeof wireNames)[number]
export { canary, holdsCanary } from '../support/canary.ts'
export type { Asked } from '../support/upstream.ts'

/** The secret that an app's server sends, to get tokens for its users. */
export const loginSecret = 'what-the-server-of-the-app-shows-us-1'
export const sessionSecret = 'a-signing-secret-for-tests-of-40-bytes!!'

/** The behaviour of an upstream for one request. */
export type Script = (asked: Asked, response: ServerResponse) => void | Promise<void>

/** An upstream whose scripts are picked by the text of the first message; `asked` is all it ever got. */
export interface Upstream extends Omit<InOrder, 'answer'> {
  /** All that it got with these words somewhere in it. */
  askedFor(words: string): Asked[]
  script(name: string, play: Script): void
}

export async function startUpstream(): Promise<Upstream> {
  const scripts = new Map<string, Script>()
  // Longer than any test: a connection that closes just as a request arrives is not an isoglot error.
  const { answer, ...upstream } = await startInOrder({ keepAliveTimeout: 120_000 })
  answer((response, asked) => (scripts.get(saidIn(asked.body)) ?? saying('Hi'))(asked, response))
  return {
    ...upstream,
    askedFor: (words) => upstream.asked.filter(({ body }) => JSON.stringify(body).includes(words)),
    script: (name, play) => scripts.set(name, play),
  }
}

/** The first thing that a request of any wire says. */
function saidIn({ messages, input, contents }: ReturnType<typeof JSON.parse>): string {
  const first = messages?.[0]?.content ?? contents?.[0]?.parts?.[0]?.text ?? input?.[0]?.content ?? input
  return Array.isArray(first) ? first[0]?.text : first
}

/** The wire of a request to a provider: each has a path of its own, below a gateway too. */
export function wireOf(path: string): WireName {
  if (path.includes('/v1beta/')) return 'gemini'
  if (path.endsWith('/api/chat')) return 'ollama'
  if (path.endsWith('/responses')) return 'openai-responses'
  return path.endsWith('/messages') ? 'anthropic' : 'openai-chat'
}

/** Answers with this text, in pieces or whole, as it is asked. */
export function saying(text: string): Script {
  return ({ path, body }, response) => {
    const speaker = speakers[wireOf(path)]
    const isStream = speaker.isStream({ path, body })
    response.writeHead(200, { 'content-type': isStream ? typeOf(wireOf(path)) : 'application/json' })
    response.end(isStream ? speaker.pieces({ text }).join('') : JSON.stringify(speaker.whole({ text })))
  }
}

/** Asks for a token. */
export const askForToken = (url: string, body: object, headers: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** A token for a user, with what else the server says of them. */
export async function tokenFor(
  { url }: Pick<Rig, 'url'>,
  user: string,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await askForToken(url, { user, ...more }, { authorization: `Bearer ${loginSecret}`, ...headers })
  if (!answer.ok) throw new Error(`There is no token for ${user}: ${answer.status}`)
  return ((await answer.json()) as { token: string }).token
}

/** A token as a page of the Worker's own origin gets it from a demonstration. */
export async function pageToken(url: string): Promise<string> {
  return ((await (await askForToken(url, {}, { origin: url })).json()) as { token: string }).token
}

/** The operator's token, where a test sets it. */
export const adminToken = 'what-the-operator-shows-us-0123456789'
/** What the accounts of a Worker say to its operator. */
export async function summaryOf({ url }: Pick<Rig, 'url'>, query = ''): Promise<OperatorSummary> {
  const headers = { authorization: `Bearer ${adminToken}` }
  return (await (await fetch(`${url}/admin/summary${query}`, { headers })).json()) as OperatorSummary
}

/** The content type of a stream of this wire. */
export function typeOf(wire: WireName): string {
  return wire === 'ollama' ? 'application/x-ndjson' : 'text/event-stream'
}

export interface Rig {
  readonly url: string
  readonly worker: LocalWorker
  /** A fresh token. */
  open(): Promise<string>
  /** Asks a `/v1` route with a token; the body is merged into a minimal one of that wire, whose first message is `say`. */
  ask(wire: WireName, say: string, body?: AskBody, init?: AskInit): Promise<Response>
  stop(): Promise<void>
}

interface AskBody {
  readonly stream?: boolean
  readonly [field: string]: unknown
}

interface AskInit {
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

const smallest = (wire: WireName, say = '') => facts[wire].gateway.minimal('demo-model', say, false)
/** The smallest body of a request for a whole answer. */
export const minimal = (wire: WireName, say: string): Record<string, unknown> => ({ ...smallest(wire, say).minimal })
/** Where it is asked for. */
export const paths = Object.fromEntries(wireNames.map((wire) => [wire, smallest(wire).path])) as Record<
  WireName,
  string
>

/** Limits that no test reaches by accident. */
const roomy = { RATE_LIMITS: 'off', LIVE_STREAMS: '1000', DAILY_BUDGET_USD: '1000', TOTAL_DAILY_BUDGET_USD: '100000' }

/** Settings of a Worker whose providers are all at `upstreamUrl`. */
export function settingsAt(upstreamUrl: string, origin: string): Record<string, string> {
  return {
    SESSION_SECRET: sessionSecret,
    ALLOWED_ORIGINS: origin,
    DEMO: 'loopback',
    OPENAI_API_KEY: canary,
    OPENAI_BASE_URL: `${upstreamUrl}/v1`,
    OPENAI_MODELS: 'demo-model',
    ANTHROPIC_API_KEY: canary,
    ANTHROPIC_BASE_URL: `${upstreamUrl}/v1`,
    ANTHROPIC_MODELS: 'demo-model',
    GEMINI_API_KEY: canary,
    GEMINI_BASE_URL: `${upstreamUrl}/v1beta`,
    GEMINI_MODELS: 'demo-model',
    OLLAMA_API_KEY: canary,
    OLLAMA_BASE_URL: upstreamUrl,
    OLLAMA_MODELS: 'demo-model',
    ...roomy,
  }
}

/** A Worker whose providers are all at `upstreamUrl`. */
export async function startRig(
  upstreamUrl: string,
  settings: Record<string, string | undefined> = {},
  options: Omit<LocalOptions, 'port'> = {},
): Promise<Rig> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const worker = await startWorker({ ...settingsAt(upstreamUrl, origin), ...settings }, { ...options, port })
  const { url } = worker
  const open = () => pageToken(url)
  let token: string | undefined
  async function ask(
    wire: WireName,
    say: string,
    body: AskBody = {},
    { headers, ...init }: AskInit = {},
  ): Promise<Response> {
    token ??= await open()
    const { stream = false, ...more } = body
    const shown = { authorization: `Bearer ${token}`, ...headers }
    return askByHand(url, wire, 'demo-model', say, { stream, body: more, headers: shown, ...init })
  }
  return { url, worker, open, ask, stop: worker.stop }
}

/** The same with an upstream, for all tests of a file. */
export async function openRig(
  settings: Record<string, string | undefined> = {},
  options: Omit<LocalOptions, 'port'> = {},
): Promise<{ readonly upstream: Upstream; readonly rig: Rig }> {
  const upstream = await startUpstream()
  const rig = await startRig(upstream.url, settings, options)
  afterAll(() => Promise.all([rig.stop(), upstream.stop()]))
  return { upstream, rig }
}

/** Posts JSON over a connection of its own, with these lines in its head. */
export function postByHand(url: string, path: string, lines: readonly string[], body: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
  const head = [`POST ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json', ...lines]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  return socket
}

/** Options with which {@link startRig} asks its upstream as Cloudflare's AI Gateway, at this path: a token, and no provider's key. */
export function throughGateway(upstreamUrl: string, path = '/v1/my-account/my-gateway') {
  const none = ['OPENAI', 'ANTHROPIC', 'GEMINI'].flatMap((name) => [`${name}_API_KEY`, `${name}_BASE_URL`])
  return {
    ...Object.fromEntries(none.map((name) => [name, undefined])),
    OLLAMA_API_KEY: undefined,
    AI_GATEWAY_URL: upstreamUrl + path,
    AI_GATEWAY_TOKEN: canary,
  }
}

/** A Worker in front of the embedded provider. */
export async function startDemo(
  settings: Record<string, string> = {},
  options: Omit<LocalOptions, 'port'> = {},
): Promise<Rig & { readonly provider: Provider }> {
  const provider = await startProvider({ key: canary })
  const rig = await startRig(provider.url, { ...settingsFor(provider.url, canary), ...settings }, options)
  const stop = async () => {
    await rig.stop()
    await provider.stop()
  }
  return { ...rig, provider, stop }
}

/** All that a client can see of an answer. */
export async function everythingOf(answer: Response): Promise<string> {
  const headers = [...answer.headers].map((pair) => pair.join(': '))
  return [answer.status, answer.statusText, ...headers, await answer.text()].join('\n')
}
