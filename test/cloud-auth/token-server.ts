/** Token endpoints of Google and of Entra over real HTTP. They check what they are sent as the documents say, signatures by `jose`. */
import { exportPKCS8, generateKeyPair, type JWTPayload, jwtVerify } from 'jose'
import { serve } from '../support/serve.ts'

export interface AskedToken {
  readonly path: string
  readonly type: string | null
  readonly form: Readonly<Record<string, string>>
  /** The claims and header of the assertion, if its signature is right. */
  readonly claims?: JWTPayload
  readonly kid?: string | undefined
}

export interface TokenServer {
  readonly url: string
  readonly asked: AskedToken[]
  /** PKCS#8 as PEM; the server has the public half. */
  readonly pem: string
  /** Stands before the next answers. */
  before: () => Promise<void>
  /** The next answers, in place of a token. */
  readonly answers: (() => Response)[]
  /** Lifetime of tokens, in seconds. */
  lifetime: number | string
  stop(): Promise<void>
}

/** The only secret that Entra's endpoint takes. */
export const clientSecret = 'the~secret+of/the=client'

const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })

export async function startTokenServer(): Promise<TokenServer> {
  const refuse = (error: string, words: string) =>
    Response.json({ error, error_description: words }, { status: error === 'invalid_grant' ? 400 : 401 })
  const served = await serve(async (request) => {
    const form = Object.fromEntries(new URLSearchParams(await request.text()))
    const path = new URL(request.url).pathname
    const type = request.headers.get('content-type')
    const one = { path, type, form }
    const checked = form.assertion === undefined ? undefined : await verify(form.assertion)
    server.asked.push(checked instanceof Response ? one : { ...one, ...checked })
    await server.before()
    const scripted = server.answers.shift()
    if (scripted !== undefined) return scripted()
    if (checked instanceof Response) return checked
    if (checked === undefined && form.client_secret !== clientSecret) {
      return refuse('invalid_client', `AADSTS7000215: Invalid client secret provided: ${form.client_secret}`)
    }
    const token = `token-${server.asked.length}`
    return Response.json({ token_type: 'Bearer', expires_in: server.lifetime, access_token: token })
  })

  /** https://developers.google.com/identity/protocols/oauth2/service-account#error-codes */
  async function verify(assertion: string) {
    try {
      const currentDate = new Date(Date.now()) // as a test has set the clock
      const checks = { audience: `${served.url}/token`, algorithms: ['RS256'], currentDate, maxTokenAge: 3600 }
      const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, checks)
      return { claims: payload, kid: protectedHeader.kid }
    } catch {
      return refuse('invalid_grant', `Invalid JWT Signature: ${assertion}`)
    }
  }

  const server: TokenServer = {
    url: served.url,
    asked: [],
    pem: await exportPKCS8(privateKey),
    before: async () => {},
    answers: [],
    lifetime: 3599,
    stop: served.stop,
  }
  return server
}
