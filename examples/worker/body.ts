/**
 * Reads a JSON body: counted, timed and bounded in depth before anyone walks it.
 *
 * @module
 */
import type { Limits } from './config.ts'
import { Refusal } from './refusal.ts'

/** Objects and arrays inside one another. Official SDKs send about 20; a recursive walk dies at about 4,000. */
const maxDepth = 64
/** Values in all. */
const maxNodes = 50_000

/** @throws {Refusal} 415, 413, 408 or 400. */
export async function readJsonBody(request: Request, limits: Limits): Promise<Record<string, unknown>> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json' || request.headers.has('content-encoding'))
    throw new Refusal('unsupported_media_type')
  const text = decode(await readBytes(request, limits))
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isShallow(value))
    throw new Refusal('invalid_json')
  return value as Record<string, unknown>
}

/** Counts for itself: `content-length` may be missing or a lie. */
async function readBytes(
  request: Request,
  { maxBodyBytes: maxBytes, bodyTimeoutMs: timeoutMs }: Limits,
): Promise<Uint8Array> {
  const tooLarge = new Refusal('body_too_large', `the limit is ${maxBytes} bytes`)
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge
  if (!request.body) return new Uint8Array()
  const reader = request.body.getReader()
  const late = AbortSignal.timeout(timeoutMs)
  late.addEventListener('abort', () => void reader.cancel().catch(() => {}))
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (late.aborted) throw new Refusal('body_too_slow')
    if (done) return concat(chunks, size)
    size += value.byteLength
    if (size > maxBytes) {
      void reader.cancel().catch(() => {})
      throw tooLarge
    }
    chunks.push(value)
  }
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
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
    throw new Refusal('invalid_json')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('invalid_json')
  }
}

/** Level by level, since recursion is what this is here to protect. */
function isShallow(root: object): boolean {
  let level: unknown[] = [root]
  let nodes = 0
  for (let depth = 0; level.length; depth++) {
    nodes += level.length
    if (depth > maxDepth || nodes > maxNodes) return false
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
  return true
}
