/**
 * Signed tokens: JSON Web Tokens with one algorithm, HS256, and one type. A token with another algorithm or type is refused before its
 * claims are read.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519 and https://www.rfc-editor.org/rfc/rfc8725 (read 2026-11)
 * @module
 */
import { bytesOfBase64, toBase64Url } from '../../core/media.ts'

const algorithm = 'HS256'
const hmac = { name: 'HMAC', hash: 'SHA-256' }
const encoder = new TextEncoder()

/** A signing key, and its id in a token. */
interface SigningKey {
  /** Identifies the secret that signed a token, without revealing it. */
  readonly kid: string
  readonly key: CryptoKey
}

/** Signs `claims`, a JSON value. */
export async function signToken(claims: object, typ: string, secret: Uint8Array<ArrayBuffer>): Promise<string> {
  const { kid, key } = await signingKey(secret)
  const signed = `${toBase64Url(encodeJson({ alg: algorithm, typ, kid }))}.${toBase64Url(encodeJson(claims))}`
  const signature = await crypto.subtle.sign(hmac.name, key, encoder.encode(signed))
  return `${signed}.${toBase64Url(new Uint8Array(signature))}`
}

/** The claims of a token, if one of these secrets signed it. @throws {Error} if no secret fits, or if it is not a token of this type. */
export async function openToken(
  token: string,
  typ: string,
  secrets: readonly Uint8Array<ArrayBuffer>[],
): Promise<unknown> {
  const [head, body, signature, ...more] = token.split('.')
  if (!head || !body || !signature || more.length > 0) throw new TypeError('The token does not have three parts')
  const header = decodeJson(head) as { readonly [name: string]: unknown } | null
  if (header?.alg !== algorithm || header.typ !== typ || 'crit' in header)
    throw new TypeError('The header of the token is not ours')
  const keys = await Promise.all(secrets.map(signingKey))
  const found = keys.find(({ kid }) => kid === header.kid)
  if (found === undefined) throw new TypeError('The token was signed with another key')
  const isGood = await crypto.subtle.verify(
    hmac.name,
    found.key,
    utf8Bytes(signature),
    encoder.encode(`${head}.${body}`),
  )
  if (!isGood) throw new TypeError('The signature does not match the token')
  return decodeJson(body)
}

const imported = new WeakMap<Uint8Array, Promise<SigningKey>>()

/** Each secret is imported only once. */
function signingKey(secret: Uint8Array<ArrayBuffer>): Promise<SigningKey> {
  const known = imported.get(secret)
  if (known !== undefined) return known
  const made = importKey(secret)
  imported.set(secret, made)
  return made
}

async function importKey(secret: Uint8Array<ArrayBuffer>): Promise<SigningKey> {
  const key = await crypto.subtle.importKey('raw', secret, hmac, false, ['sign', 'verify'])
  const mark = new Uint8Array(await crypto.subtle.sign(hmac.name, key, encoder.encode('kid')))
  return { key, kid: [...mark.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('') }
}

function encodeJson(value: object): Uint8Array {
  return encoder.encode(JSON.stringify(value))
}

function decodeJson(text: string): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(utf8Bytes(text)))
}

function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  // Base64 of this length is invalid. Checking it first is cheaper than an exception of `atob`.
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) throw new TypeError('The token is not base64url')
  return bytesOfBase64(text)
}
