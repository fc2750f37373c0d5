/** Reads the JSON body of a request. @module */

import { checkOptions } from '../core/checks.ts'
import { isObject } from '../core/json.ts'
import type { JsonObject } from '../core/messages.ts'
import { refusal } from './errors.ts'
import type { GatewayLimits } from './types.ts'

/** The body of a request: its original text, and the object in it. */
export interface JsonBody {
  readonly text: string
  readonly value: JsonObject
}

/** A body that the gateway writes itself. */
export function bodyOf(value: JsonObject): JsonBody {
  return { value, text: JSON.stringify(value) }
}

/** Limits of size and time for a body. The defaults are those of {@link GatewayLimits}. */
export type BodyLimits = Pick<GatewayLimits, 'maxBodyBytes' | 'bodyTimeoutMs' | 'maxDepth' | 'maxValues'>

/**
 * Reads the body of a request as the gateway does: it counts bytes, has a time limit, and checks the depth before other code walks the
 * object. Use it for your own routes next to a gateway, such as a login, and to store a request before it is answered.
 *
 * @throws {ApiError} with status 415, 413, 408 or 400.
 */
export async function readJson(request: Request, limits: BodyLimits = {}): Promise<JsonBody> {
  checkOptions('readJson', limits)
  return readBody(request, limits)
}

/** As {@link readJson}. The limits may have others beside these. */
export async function readBody(request: Request, limits: BodyLimits): Promise<JsonBody> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw refusal(415, 'The content type must be application/json')
  if (request.headers.has('content-encoding')) throw refusal(415, 'A compressed body is not supported')
  const text = decode(await readBytes(request, limits))
  const value = parse(text)
  if (!isObject(value)) throw refusal(400, 'The body is not a JSON object')
  const { maxDepth = 128, maxValues = 1_000_000 } = limits
  const excess = boundOf(value, maxDepth, maxValues)
  if (excess !== undefined) throw refusal(400, `The body ${excess}`)
  return { text, value }
}

/** Counts the bytes itself: `content-length` may be missing or wrong. */
async function readBytes(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const { maxBodyBytes = 16 * 1024 * 1024, bodyTimeoutMs = 30_000 } = limits
  const tooLate = () => refusal(408, `The body did not arrive within ${bodyTimeoutMs} ms`)
  const tooLarge = () => refusal(413, `The body is larger than ${maxBodyBytes} bytes`)
  if (Number(request.headers.get('content-length')) > maxBodyBytes) throw tooLarge()
  // Requests in Firefox, such as those of a service worker, have no `body`: they come from the same browser, and are complete.
  const { body } = 'body' in request ? request : new Response(await (request as Request).arrayBuffer())
  const reader = body?.getReader()
  if (reader === undefined) return new Uint8Array()
  const drop = () => void reader.cancel().catch(() => {})
  let isLate = false
  const clock = setTimeout(() => {
    isLate = true
    drop()
  }, bodyTimeoutMs)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      // When a body is cancelled, it ends in some runtimes, and fails in others, such as workerd.
      const { done, value } = await reader.read().catch(() => {
        throw isLate ? tooLate() : refusal(400, 'The body was cut off')
      })
      if (isLate) throw tooLate()
      if (done) return joined(chunks, size)
      size += value.byteLength
      if (size > maxBodyBytes) throw tooLarge()
      chunks.push(value)
    }
  } finally {
    clearTimeout(clock)
    if (size > maxBodyBytes) drop()
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw refusal(400, 'The body is not valid UTF-8')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refusal(400, 'The body is not valid JSON')
  }
}

/** Uses a list in place of recursion, because deep recursion is the problem that this check prevents. */
function boundOf(root: object, maxDepth: number, maxValues: number): string | undefined {
  const waiting: [value: object, depth: number][] = [[root, 1]]
  let values = 1
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, depth] = next
    if (depth > maxDepth) return `is nested deeper than ${maxDepth} levels`
    for (const inner of Object.values(value)) {
      if (++values > maxValues) return `has more than ${maxValues} values`
      if (typeof inner === 'object' && inner !== null) waiting.push([inner, depth + 1])
    }
  }
  return undefined
}
