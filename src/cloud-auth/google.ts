/**
 * The access token of a Google service account, for a JWT that Web Crypto signs.
 *
 * @see https://developers.google.com/identity/protocols/oauth2/service-account#httprest (read 2026-11)
 * @module
 */
import { checkOptions } from '../core/checks.ts'
import { compact } from '../core/json.ts'
import { toBase64Url } from '../core/media.ts'
import { cachedToken, refusePage, requestToken } from './token.ts'

/** The fields of a service account's key file that isoglot reads. Other fields are ignored. */
export interface GoogleCredentials {
  readonly client_email: string
  /** PKCS#8, as PEM. Line ends may be written as `\n`, as in an environment variable. */
  readonly private_key: string
  readonly private_key_id?: string
  /** Default: `https://oauth2.googleapis.com/token`. */
  readonly token_uri?: string
}

/** Options of {@link googleServiceAccount}, apart from the credentials. */
export interface GoogleTokenSettings {
  /** Default: `https://www.googleapis.com/auth/cloud-platform`. */
  readonly scopes?: readonly string[]
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

const title = 'Google Cloud'
/** The longest lifetime that Google accepts, in seconds. */
const tokenSeconds = 3600
/**
 * The token's start time is this much earlier than now, in seconds: if the local clock is ahead, Google would refuse a time in the future.
 */
const tolerance = 60

/**
 * Signs in as a service account. The token is valid for an hour, and is renewed a minute before its end.
 *
 * @param credentials The key file, parsed. It must not be in a page.
 * @returns A function that returns a valid token, for `apiKey`. It rejects with an `ApiError` of the kind `authentication` if Google
 * refuses the key, and with a `TypeError` if the key cannot be read.
 * @throws {TypeError} in a page, and if the credentials are not the key file of a service account.
 * @example
 * ```ts
 * const apiKey = googleServiceAccount(JSON.parse(env.GOOGLE_CREDENTIALS))
 * const model = vertexGemini('gemini-3-flash', { project: 'my-project', location: 'europe-west1', apiKey })
 * ```
 */
export function googleServiceAccount(
  credentials: GoogleCredentials,
  options: GoogleTokenSettings = {},
): () => Promise<string> {
  checkOptions('googleServiceAccount', options)
  const { scopes = ['https://www.googleapis.com/auth/cloud-platform'], fetch } = options
  refusePage(title)
  const { client_email: email, private_key: pem, private_key_id: kid } = credentials
  const { token_uri: url = 'https://oauth2.googleapis.com/token' } = credentials
  if (!email || !pem) {
    throw new TypeError(`Cannot sign in to ${title}: the credentials need "client_email" and "private_key"`)
  }
  if (!pem.includes('-----BEGIN PRIVATE KEY-----')) {
    throw new TypeError(`Cannot sign in to ${title}: "private_key" is not PKCS#8 ("-----BEGIN PRIVATE KEY-----")`)
  }
  let key: Promise<CryptoKey> | undefined
  return cachedToken(title, async () => {
    key ??= importKey(pem)
    const iat = Math.floor(Date.now() / 1000) - tolerance
    const claims = { iss: email, scope: scopes.join(' '), aud: url, iat, exp: iat + tokenSeconds }
    const assertion = await signJwt(claims, await key, kid)
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }
    return requestToken({ title, url, fetch, secret: assertion }, form)
  })
}

const algorithm = 'RSASSA-PKCS1-v1_5'

async function importKey(pem: string): Promise<CryptoKey> {
  const base64 = pem
    .replaceAll('\\n', '\n')
    .replace(/-----[^-]+-----/g, '')
    .replace(/\s+/g, '')
  try {
    const der = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return await crypto.subtle.importKey('pkcs8', der, { name: algorithm, hash: 'SHA-256' }, false, ['sign'])
  } catch {
    throw new TypeError(`Cannot sign in to ${title}: "private_key" is not an RSA key`) // the cause could quote it
  }
}

async function signJwt(claims: object, key: CryptoKey, kid: string | undefined): Promise<string> {
  const header = { alg: 'RS256', typ: 'JWT', ...compact({ kid }) }
  const unsigned = [header, claims].map((part) => toBase64Url(new TextEncoder().encode(JSON.stringify(part)))).join('.')
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(unsigned))
  return `${unsigned}.${toBase64Url(new Uint8Array(signature))}`
}
