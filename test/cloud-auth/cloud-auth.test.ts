/**
 * Tokens of clouds, from endpoints over real HTTP: https://developers.google.com/identity/protocols/oauth2/service-account,
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow (read 2026-11).
 */
import { exportPKCS8, generateKeyPair } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { entraClient, googleServiceAccount } from '../../src/cloud-auth/index.ts'
import { ApiError, ConnectionError, TimeoutError } from '../../src/core/errors.ts'
import { clientSecret, startTokenServer, type TokenServer } from './token-server.ts'

let server: TokenServer
beforeEach(async () => {
  server = await startTokenServer()
})
afterEach(() => server.stop())

const email = 'robot@my-project.iam.gserviceaccount.com'
const credentials = (pem = server.pem) => ({
  client_email: email,
  private_key: pem,
  private_key_id: 'key-1',
  token_uri: `${server.url}/token`,
})
const entra = (secret = clientSecret) =>
  entraClient({ tenant: 'my tenant', clientId: 'app', clientSecret: secret, authority: server.url })
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

const makers = [
  ['googleServiceAccount', () => googleServiceAccount(credentials())],
  ['entraClient', () => entra()],
] as const

describe.each(makers)('%s', (_, make) => {
  it('asks once, and keeps the token', async () => {
    const token = make()
    expect([await token(), await token(), await token()]).toEqual(['token-1', 'token-1', 'token-1'])
    expect(server.asked).toHaveLength(1)
    expect(server.asked[0]?.type).toMatch(/^application\/x-www-form-urlencoded/)
  })

  it('shares one request among callers that wait at the same time', async () => {
    const token = make()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => token()))
    expect(new Set(tokens)).toEqual(new Set(['token-1']))
    expect(server.asked).toHaveLength(1)
  })

  it.each([3599, '3599'])('renews a minute before the %j seconds are over, and not before', async (lifetime) => {
    server.lifetime = lifetime
    const clock = vi.spyOn(Date, 'now')
    const start = Date.now()
    const token = make()
    expect(await token()).toBe('token-1')
    clock.mockReturnValue(start + 3538_000)
    expect(await token()).toBe('token-1')
    clock.mockReturnValue(start + 3540_000)
    expect(await token()).toBe('token-2')
    expect(await token()).toBe('token-2')
    expect(server.asked).toHaveLength(2)
  })

  it("renews when the clock was turned back: the token's age is then unknown", async () => {
    const clock = vi.spyOn(Date, 'now')
    const token = make()
    const start = Date.now()
    expect(await token()).toBe('token-1')
    clock.mockReturnValue(start - 3_600_000)
    expect(await token()).toBe('token-2')
  })

  it('does not keep a failure', async () => {
    server.answers.push(() => Response.json({ error: 'temporarily_unavailable' }, { status: 503 }))
    const token = make()
    const [one, other] = await Promise.all([caught(token()), caught(token())])
    expect(one).toBeInstanceOf(ApiError)
    expect(one).toMatchObject({ kind: 'server', status: 503, retryable: true })
    expect(other).toBe(one)
    expect(await token()).toBe('token-2')
  })

  it.each([
    ['not JSON', () => new Response('<html>')],
    ['no token', () => Response.json({ expires_in: 3600 })],
    ['no lifetime', () => Response.json({ access_token: 'a' })],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } })],
  ])('refuses an answer with %s', async (_what, answer) => {
    server.answers.push(answer)
    const error = await caught(make()())
    expect(error).toMatchObject({ code: 'api', kind: 'server', message: expect.stringContaining('has no token') })
  })

  it('says that no server answers', async () => {
    const token = make()
    await server.stop()
    const error = await caught(token())
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ message: expect.stringMatching(/^Cannot sign in to .*does not answer/) })
  })

  it('does not wait for an endpoint longer than five seconds, and then asks again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const arrived = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    server.before = () => {
      arrived.resolve()
      return held.promise
    }
    const token = make()
    const late = caught(token())
    await arrived.promise
    server.before = async () => {}
    await vi.advanceTimersByTimeAsync(5_000)
    const error = await late
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({ timeoutMs: 5_000 })
    expect(await token()).toBe('token-2')
    held.resolve()
  })

  it('is refused in a page', () => {
    vi.stubGlobal('document', {})
    expect(make).toThrow(TypeError)
    expect(make).toThrow(/web page.*Worker/)
  })
})

describe('googleServiceAccount', () => {
  it('signs what the document asks for', async () => {
    const before = Math.floor(Date.now() / 1000)
    await googleServiceAccount(credentials())()
    const [asked] = server.asked
    expect(asked?.path).toBe('/token')
    expect(asked?.form.grant_type).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    expect(asked?.kid).toBe('key-1')
    const { iat = 0, exp = 0, ...claims } = asked?.claims ?? {}
    expect(claims).toEqual({
      iss: email,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: `${server.url}/token`,
    })
    expect(exp - iat).toBe(3600)
    // A clock that is a minute ahead of Google's does not make it a token of the future.
    expect(iat).toBeLessThanOrEqual(before - 59)
  })

  it('asks for the given scopes', async () => {
    await googleServiceAccount(credentials(), { scopes: ['a', 'b'] })()
    expect(server.asked[0]?.claims?.scope).toBe('a b')
  })

  it('reads a key whose line ends are written as two characters', async () => {
    expect(await googleServiceAccount(credentials(server.pem.replaceAll('\n', '\\n')))()).toBe('token-1')
    expect(server.asked[0]?.claims?.iss).toBe(email)
  })

  it('says what Google says of a wrong key, without what was signed', async () => {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const error = await caught(googleServiceAccount(credentials(await exportPKCS8(privateKey)))())
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      kind: 'authentication',
      status: 400,
      retryable: false,
      providerCode: 'invalid_grant',
      message: 'Cannot sign in to Google Cloud: invalid_grant: Invalid JWT Signature: [redacted] (status 400)',
    })
    expect(server.asked[0]?.claims).toBeUndefined()
  })

  it.each([
    ['nothing', {}, /"client_email" and "private_key"/],
    ['an older key', { client_email: email, private_key: '-----BEGIN RSA PRIVATE KEY-----\nAAAA' }, /PKCS#8/],
  ])('refuses %s at once', (_what, given, words) => {
    expect(() => googleServiceAccount(given as never)).toThrow(TypeError)
    expect(() => googleServiceAccount(given as never)).toThrow(words)
  })

  it.each(['AAAA', '?', 'an elliptic curve'])('refuses what is not an RSA key: %s', async (text) => {
    const curve = async () => exportPKCS8((await generateKeyPair('ES256', { extractable: true })).privateKey)
    const pem = text.startsWith('an ')
      ? await curve()
      : `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----`
    const error = await caught(googleServiceAccount(credentials(pem))())
    expect(error).toBeInstanceOf(TypeError)
    expect((error as TypeError).message).toContain('is not an RSA key')
    expect((error as TypeError).cause).toBeUndefined() // it could quote the key
    expect(server.asked).toHaveLength(0)
  })
})

describe('entraClient', () => {
  it('sends what the document asks for', async () => {
    await entra()()
    expect(server.asked).toEqual([
      {
        path: '/my%20tenant/oauth2/v2.0/token',
        type: expect.any(String),
        form: {
          grant_type: 'client_credentials',
          client_id: 'app',
          client_secret: clientSecret,
          scope: 'https://cognitiveservices.azure.com/.default',
        },
      },
    ])
  })

  it('says what Entra says of a wrong secret, without the secret', async () => {
    expect(await caught(entra('wrong~secret')())).toMatchObject({
      code: 'api',
      kind: 'authentication',
      status: 401,
      retryable: false,
      providerCode: 'invalid_client',
      message:
        'Cannot sign in to Microsoft Entra: invalid_client: AADSTS7000215: Invalid client secret provided: [redacted] (status 401)',
    })
  })

  it.each(['tenant', 'clientId', 'clientSecret'])('needs "%s"', (name) => {
    const settings = { tenant: 't', clientId: 'c', clientSecret: 's', [name]: '' }
    expect(() => entraClient(settings)).toThrow(TypeError)
  })
})
