/** Answers that the Worker keeps: asking for them, and what stands in their streams, by hand. */
import type { ServerResponse } from 'node:http'
import { speakers } from '../gateway/provider.ts'
import { type Rig, type Script, typeOf, type WireName } from './harness.ts'

interface AskMore {
  readonly say?: string
  readonly stream?: boolean
  /** Fields of the body. */
  readonly body?: object
}

/** A user at a Worker. */
export interface User {
  /** Asks by a key; says it too, so that it names the provider's script, if there is nothing else to `say`. */
  ask(key: string, wire: WireName, more?: AskMore): Promise<Response>
  read(id: string, after?: number | string): Promise<Response>
  stop(id: string): Promise<Response>
}

export function userWith(rig: Rig, token: string): User {
  const authorization = `Bearer ${token}`
  const at = (id: string) => `${rig.url}/v1/streams/${id}`
  return {
    ask: (key, wire, { say = key, stream = true, body } = {}) =>
      rig.ask(wire, say, { ...body, stream }, { headers: { authorization, 'idempotency-key': key } }),
    read: (id, after) =>
      fetch(at(id), { headers: { authorization, ...(after !== undefined && { 'last-event-id': `${after}` }) } }),
    stop: (id) => fetch(at(id), { method: 'DELETE', headers: { authorization } }),
  }
}

export const idOf = (response: Response): string => response.headers.get('x-isoglot-stream') ?? ''

export const pieces = (wire: WireName, text = 'Hello there'): string[] => speakers[wire].pieces({ text })

export const headersOf = (wire: WireName): Record<string, string> => ({ 'content-type': typeOf(wire) })

/** A provider that sends some of its answer at once, and the rest when the gate opens. */
export function play(wire: WireName, { now = 1000, gate = Promise.resolve() } = {}): Script {
  return async (_: unknown, response: ServerResponse) => {
    const all = pieces(wire)
    response.writeHead(200, headersOf(wire)).write(all.slice(0, now).join(''))
    await gate
    response.end(all.slice(now).join(''))
  }
}

/** The events, or lines, of a stream, with their numbers; keep-alive comments are left out. */
export function partsOf(wire: WireName, text: string): string[] {
  const parts = wire === 'ollama' ? text.split(/(?<=\n)/) : text.split(/(?<=\n\n)/)
  return parts.map((part) => part.trimStart()).filter((part) => part !== '' && !part.startsWith(':'))
}
