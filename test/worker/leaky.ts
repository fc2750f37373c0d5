/** A server that looks like our Worker from outside, and has one chosen weakness. By hand: no code of the Worker is in it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Where it gives way. */
export type Leak = keyof typeof leaks

/** Each with the name of the check that has to see it. */
export const leaks = {
  unconfigured: 'it is configured',
  'any token': 'forged tokens open nothing',
  'alg none': 'forged tokens open nothing',
  'says what is wrong': 'every refusal of a token reads the same',
  'token in the query': 'a token in the address opens nothing',
  'signature unchecked': 'a good token that was changed opens nothing',
  'long tokens': 'tokens are given for minutes, and to be kept nowhere',
  'a guess opens': 'a guess opens no session',
  'a token of a page, anywhere': 'a token of one page is good in no other place',
  'tokens for all': 'tokens are not given to who does not say where from',
  'a demonstration': 'pages on loopback are given no token',
  'any origin': 'other sites are turned away',
  'suffix of an origin': 'other sites are turned away',
  'star for all': 'other sites are turned away',
  'any preflight': 'other sites are allowed nothing in advance',
  'plain text': 'a post without a preflight is turned away',
  'no limit': 'bodies are limited: size, depth, coding',
  compressed: 'bodies are limited: size, depth, coding',
  'size behind the fields': 'a body that is valid except for its size is refused',
  'no length': 'a body that is valid except for its size is refused',
  'an inner address': 'a picture leads to no private address',
  'no counter of users': 'the requests of a user are counted',
  'no counter of networks': 'the requests of a network are counted',
  'two answers': 'what costs by another meter, or is kept, is refused',
  'hosted tools': 'what costs by another meter, or is kept, is refused',
  documents: 'a file with hidden pages is refused',
  'a dead token': 'dead tokens open nothing',
  "another's stream": 'what one user began is not there for another',
  'any model': 'models that are not in the table are not asked',
  'any field': 'nothing in a body chooses the destination',
  echo: 'nothing in a header opens anything, or comes back',
  redirect: 'nothing sends a client elsewhere',
  cookie: 'answers do not reveal the providers',
  'may be stored': 'answers do not reveal the providers',
  'any stream': 'streams of others are not there',
  'any method': 'other methods are refused',
  'a file': 'odd paths lead nowhere',
  'Host decides': 'Host decides nothing',
  'open to admins': "the operator's view is closed",
  'open self-test': "the operator's view is closed",
  drift: 'the platform is as the Worker counts on',
  'drift, well said': 'the platform is as the Worker counts on',
  'no self-test': 'the platform is as the Worker counts on',
  'key in an error': 'no answer, and no file, holds a key',
  'key in a file, coded': 'no answer, and no file, holds a key',
} as const

const model = 'a-model'
/** The operator's token for this server. */
export const adminToken = 'an-admin-token-of-more-than-32-bytes'
const fields = new Set([
  'model',
  'messages',
  'input',
  'contents',
  'stream',
  'options',
  'generationConfig',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
])
const maxBody = 1024 * 1024
/** Requests of a user, and of a network, in a minute: more than all other checks send. */
export const perMinute = 200
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const answers = /^\/(?:v1\/(?:chat\/completions|responses|messages)|api\/chat|v1beta\/models\/[^/:]+:generateContent)$/

export interface Leaky {
  readonly url: string
  stop(): Promise<void>
}

export async function startLeaky(...given: readonly Leak[]): Promise<Leaky> {
  const counts = { users: 0, networks: 0 }
  const server = createServer(
    { joinDuplicateHeaders: true },
    (request, response) => void serve(request, response, new Set(given), counts),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, stop: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()) }
}

interface Counts {
  users: number
  networks: number
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  given: ReadonlySet<Leak>,
  counts: Counts,
): Promise<void> {
  const body = await readBody(request)
  const { status, said, headers = {} } = decide(request, body, given, counts)
  const { origin } = request.headers
  const fixed = {
    'content-type': 'application/json',
    vary: 'origin',
    'x-content-type-options': 'nosniff',
    ...(!given.has('may be stored') && { 'cache-control': 'no-store' }),
    ...(given.has('star for all') && { 'access-control-allow-origin': '*' }),
    ...(given.has('any origin') && origin && { 'access-control-allow-origin': origin }),
    ...(given.has('cookie') && { 'set-cookie': 'id=1' }),
  }
  response.writeHead(status, { ...fixed, ...headers }).end(typeof said === 'string' ? said : JSON.stringify(said))
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

interface Decision {
  readonly status: number
  readonly said: unknown
  readonly headers?: Record<string, string>
}

const no = (status: number, message = 'no'): Decision => ({ status, said: { error: { message } } })
const yes: Decision = { status: 200, said: { text: 'x' } }

function decide(request: IncomingMessage, body: Buffer, given: ReadonlySet<Leak>, counts: Counts): Decision {
  if (given.has('unconfigured')) return no(503)
  const { url = '', method = '', headers } = request
  const [path = ''] = url.split('?')
  if (given.has('Host decides') && headers.host === 'localhost') return yes
  if (given.has('redirect') && url.startsWith('//')) return { status: 302, said: '', headers: { location: url } }
  if (method === 'GET' && !path.startsWith('/v1') && !path.startsWith('/api')) return showPage(path, headers, given)
  const stream = /^\/v1\/streams\/(\w+)$/.exec(path)?.[1]
  if (stream !== undefined) return showStream(stream, headers, given)
  if (path !== '/session' && !answers.test(path)) return no(404)
  if (path === '/session' && ++counts.networks > perMinute && !given.has('no counter of networks')) return no(429)
  if (path === '/session' && headers.authorization && given.has('a guess opens')) return yes
  const refused = refuseOrigin(request, given)
  if (refused) return refused
  if (method === 'OPTIONS') return permit(headers, given)
  if (method !== 'POST') return given.has('any method') && method === 'PUT' ? yes : no(405)
  if (path === '/session') return open(request, given)
  return answer(request, body, given, counts)
}

/** The name of a stream includes its user, and only that user may read it. */
function showStream(id: string, headers: IncomingMessage['headers'], given: ReadonlySet<Leak>): Decision {
  if (!hasToken(headers, given)) return no(401)
  const isKnown = id === 'of_me' || id === 'of_you'
  const isTheirs = id === `of_${userOf(headers)}` || given.has("another's stream")
  return given.has('any stream') || (isKnown && isTheirs) ? yes : no(404)
}

function userOf({ authorization = '' }: IncomingMessage['headers']): string {
  return parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString()).sub
}

function showPage(path: string, headers: IncomingMessage['headers'], given: ReadonlySet<Leak>): Decision {
  const html = (said: string): Decision => ({ status: 200, said, headers: { 'content-type': 'text/html' } })
  if (path === '/') return html('<script type="module" src="chat.js"></script>')
  const key = `x='${Buffer.from('a key: sk-proj-0123456789abcdefghijkl').toString('base64')}'`
  if (path === '/chat.js') return html(given.has('key in a file, coded') ? key : 'x')
  if (path === '/.dev.vars' && given.has('a file')) return html('nothing')
  if (path === '/admin/summary') return given.has('open to admins') && headers.authorization ? yes : no(401)
  if (path === '/admin/self-test') return selfTest(headers, given)
  return no(path === '/session' ? 405 : 404)
}

function selfTest({ authorization }: IncomingMessage['headers'], given: ReadonlySet<Leak>): Decision {
  if (authorization !== `Bearer ${adminToken}` && !given.has('open self-test')) return no(401)
  if (given.has('no self-test')) return no(404)
  const ok = !given.has('drift') && !given.has('drift, well said')
  return { status: given.has('drift') ? 503 : 200, said: { ok: true, checks: [{ name: 'a flag', ok }] } }
}

function refuseOrigin({ headers, method, url }: IncomingMessage, given: ReadonlySet<Leak>): Decision | undefined {
  const { origin } = headers
  const own = `http://${headers.host}`
  if (given.has('a demonstration') && /^http:\/\/(localhost|127\.0\.0\.1)(:|$)/.test(origin ?? '')) return undefined
  const isOwn = origin === own || (given.has('suffix of an origin') && origin?.startsWith(own))
  const needsOne = method === 'OPTIONS' || (url === '/session' && !given.has('tokens for all'))
  if (given.has('any origin') || (given.has('any preflight') && method === 'OPTIONS')) return undefined
  return (origin === undefined ? needsOne : !isOwn) ? no(403) : undefined
}

function permit(headers: IncomingMessage['headers'], given: ReadonlySet<Leak>): Decision {
  const asked = `${headers['access-control-request-headers']}`
  const granted = given.has('any preflight') ? asked : 'authorization, content-type'
  const own = { 'access-control-allow-origin': `${headers.origin}`, 'access-control-allow-methods': 'POST' }
  return { status: 204, said: '', headers: { ...own, 'access-control-allow-headers': granted } }
}

function open(request: IncomingMessage, given: ReadonlySet<Leak>): Decision {
  if (request.headers['content-type'] !== 'application/json' && !given.has('plain text')) return no(415)
  const iat = Math.floor(Date.now() / 1000)
  const exp = iat + (given.has('long tokens') ? 86_400 : 900)
  const scope = { models: [model], origin: request.headers.origin }
  const token = `${encode({ alg: 'HS256' })}.${encode({ iat, exp, sub: nextUser(), scope })}.signed`
  return { status: 200, said: { token } }
}

let users = 0
/** Tokens are given to two users, in turn. */
function nextUser(): string {
  return users++ % 2 === 0 ? 'me' : 'you'
}

/** A token that has ended. */
export const deadToken = `${encode({ alg: 'HS256' })}.${encode({ sub: 'me', exp: 1 })}.signed`

/** Our tokens end in a word of their own, and say that they are for me. */
function hasToken(headers: IncomingMessage['headers'], given: ReadonlySet<Leak>): boolean {
  const shown = /^Bearer ([^\s,]+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
  const [head = '', payload = '', signature] = shown.split('.')
  if (given.has('alg none') && Buffer.from(head, 'base64url').includes('"none"')) return true
  const { sub, exp, scope } = parse(Buffer.from(payload, 'base64url').toString())
  if (scope?.origin !== undefined && scope.origin !== headers.origin && !given.has('a token of a page, anywhere'))
    return false
  const isDead = exp < Date.now() / 1000 && !given.has('a dead token')
  const isLater = exp > Date.now() / 1000 + 1000 && !given.has('long tokens')
  return (
    signature === 'signed' && (given.has('signature unchecked') || (['me', 'you'].includes(sub) && !isLater && !isDead))
  )
}

type Loose = ReturnType<typeof JSON.parse>

function parse(text: string): Loose {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

function answer(
  { headers, url = '' }: IncomingMessage,
  body: Buffer,
  given: ReadonlySet<Leak>,
  counts: Counts,
): Decision {
  if (given.has('echo') && headers['x-upstream']) return no(401, `no upstream ${headers['x-upstream']}`)
  if (given.has('key in an error') && headers['x-debug']) return no(401, 'wrong key sk-ant-api03-0123456789abcdefgh')
  const inQuery = given.has('token in the query') && url.includes('?access_token=')
  if (!given.has('any token') && !inQuery && !hasToken(headers, given))
    return no(401, given.has('says what is wrong') ? `no: ${headers.authorization}` : 'no')
  if (++counts.users > perMinute && !given.has('no counter of users')) return no(429)
  if (headers['content-type'] !== 'application/json') return given.has('plain text') ? yes : no(415)
  if (headers['content-encoding']) return given.has('compressed') ? yes : no(415)
  const isUnsaid = headers['content-length'] === undefined && given.has('no length')
  if (body.length > maxBody && !given.has('size behind the fields') && !isUnsaid)
    return given.has('no limit') ? yes : no(413)
  const asked: Loose = parse(body.toString())
  const isGemini = url.startsWith('/v1beta')
  const name = isGemini ? decodeURIComponent(/models\/([^:]+)/.exec(url)?.[1] ?? '') : asked.model
  if (Array.isArray(asked) || (!isGemini && typeof name !== 'string') || body.includes('[[[')) return no(400)
  if (name !== model) return given.has('any model') ? yes : no(404)
  if (asked.n !== undefined && given.has('two answers')) return yes
  if (asked.tools !== undefined && given.has('hosted tools')) return yes
  if (asked.generationConfig?.candidateCount > 1) return no(400)
  if (body.includes('JVBERi0') && !given.has('documents')) return no(400)
  if (/https:\/\/(?:0x|10\.|169\.254\.|localhost|\[::1\])/.test(`${body}`))
    return given.has('an inner address') ? yes : no(400)
  const isGood = given.has('any field') || Object.keys(asked).every((field) => fields.has(field))
  const kept = headers['idempotency-key'] && { headers: { 'x-isoglot-stream': `of_${userOf(headers)}` } }
  return isGood ? { ...yes, ...kept } : no(400)
}
