/** A Worker in real workerd, in front of an upstream that misbehaves on request, or of the embedded provider. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Provider, startProvider } from '../../scripts/provider/index.mjs'
import { freePort, type RunningWorker, startWorker } from '../../scripts/worker.mjs'

/** The key that must never leave; unlike any other text. */
export const canary = 'sk-canary/Zq8+Wn3~Lk5.Jh7-Bv9='
export const sessionSecret = 'a-signing-secret-for-tests-of-40-bytes!!'

export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: Record<string, unknown>
  /** Resolves when the connection of the answer closed: true if before its end. */
  readonly closedEarly: Promise<boolean>
}

/** What an upstream does with one request. */
export type Script = (asked: Asked, response: ServerResponse) => void | Promise<void>

/** An upstream whose scripts are picked by the text of the first message; `asked` is all it ever got. */
export interface Upstream {
  readonly url: string
  readonly asked: Asked[]
  script(name: string, play: Script): void
  stop(): Promise<void>
}

export async function startUpstream(): Promise<Upstream> {
  const asked: Asked[] = []
  const scripts = new Map<string, Script>()
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const body = text ? JSON.parse(text) : {}
    const closedEarly = new Promise<boolean>((resolve) => response.on('close', () => resolve(!response.writableEnded)))
    const entry = {
      path: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body,
      closedEarly,
    }
    asked.push(entry)
    const play = scripts.get(body.messages?.[0]?.content)
    if (play) await play(entry, response)
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(wholeAnswer(entry.path)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    script: (name, play) => scripts.set(name, play),
    stop: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
  }
}

export function wholeAnswer(path: string): unknown {
  return path.endsWith('/messages')
    ? {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text: 'Hi' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      }
    : {
        id: 'c1',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      }
}

export interface Rig {
  readonly url: string
  readonly worker: RunningWorker
  /** A fresh token. */
  open(): Promise<string>
  /** Asks a `/v1` route with a token; the body is merged into a minimal one of that wire, whose first message is `say`. */
  ask(wire: WireName, say: string, body?: Record<string, unknown>, init?: AskInit): Promise<Response>
  stop(): Promise<void>
}

export type WireName = 'openai-chat' | 'anthropic'

interface AskInit {
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

export const paths: Record<WireName, string> = { 'openai-chat': '/v1/chat/completions', anthropic: '/v1/messages' }
export const wireNames: readonly WireName[] = ['openai-chat', 'anthropic']

/** A Worker whose two providers are at `upstreamUrl`. */
export async function startRig(upstreamUrl: string, settings: Record<string, string> = {}): Promise<Rig> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const worker = await startWorker({
    port,
    settings: {
      SESSION_SECRET: sessionSecret,
      ALLOWED_ORIGINS: origin,
      OPENAI_API_KEY: canary,
      OPENAI_BASE_URL: `${upstreamUrl}/v1`,
      OPENAI_MODELS: 'demo-model',
      ANTHROPIC_API_KEY: canary,
      ANTHROPIC_BASE_URL: `${upstreamUrl}/v1`,
      ANTHROPIC_MODELS: 'demo-model',
      ...settings,
    },
  })
  const { url } = worker
  async function open(): Promise<string> {
    const answer = await fetch(`${url}/session`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: '{}',
    })
    return ((await answer.json()) as { token: string }).token
  }
  let token: string | undefined
  async function ask(wire: WireName, say: string, body = {}, { headers, ...init }: AskInit = {}): Promise<Response> {
    token ??= await open()
    return fetch(url + paths[wire], {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...minimal(wire, say), ...body }),
      ...init,
    })
  }
  return { url, worker, open, ask, stop: worker.stop }
}

export function minimal(wire: WireName, say: string): Record<string, unknown> {
  return {
    model: 'demo-model',
    messages: [{ role: 'user', content: say }],
    ...(wire === 'anthropic' && { max_tokens: 100 }),
  }
}

/** A Worker in front of the embedded provider. */
export async function startDemo(): Promise<Rig & { readonly provider: Provider }> {
  const provider = await startProvider({ key: canary })
  const rig = await startRig(provider.url)
  const stop = async () => {
    await rig.stop()
    await provider.stop()
  }
  return { ...rig, provider, stop }
}

/** Whether a text has the canary in it, in any of the disguises we scrub. */
export function holdsCanary(text: string): boolean {
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from('\0'.repeat(offset) + canary)
      .toString('base64')
      .slice(4, -4),
  )
  return [canary, encodeURIComponent(canary), JSON.stringify(canary).slice(1, -1), ...base64].some((needle) =>
    text.includes(needle),
  )
}

/** All that a client can see of an answer. */
export async function everythingOf(answer: Response): Promise<string> {
  const headers = [...answer.headers].map((pair) => pair.join(': '))
  return [answer.status, answer.statusText, ...headers, await answer.text()].join('\n')
}
