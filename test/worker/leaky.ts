/**
 * A front before our Worker that has one chosen weakness: it answers what the Worker would refuse, or changes what the Worker answers. What
 * shows if a check of the Worker is removed has no leak here: `breaks-outside.test.ts` removes it.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { claimsOf } from './tokens.ts'

interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** The body as JSON, or an empty object. */
  readonly body: Readonly<Record<string, unknown>>
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

interface Weakness {
  /** Requests that get an answer. */
  readonly opens?: (asked: Asked) => boolean
  /** The parts of the Worker's answer that are others. */
  readonly changes?: (asked: Asked, answer: Answer) => Partial<Answer>
}
const opens = (opens: Weakness['opens'] = () => false): Weakness => ({ opens })
const changes = (changes: Weakness['changes'] = () => ({})): Weakness => ({ changes })

export const maxBody = 2 ** 20
const routes = /^\/(?:v1\/(?:chat\/completions|responses|messages)|api\/chat|v1beta\/models\/[^/:]+:generateContent)$/
const isPost = ({ method, url }: Asked, path: RegExp) => method === 'POST' && path.test(url)
const isQuestion = (asked: Asked) => isPost(asked, routes)
const isSession = (asked: Asked) => isPost(asked, /^\/session$/)
const isTooLong = ({ bytes }: Asked) => bytes.length > maxBody
const isOpenTo = (origin: string | undefined) => ({ headers: { 'access-control-allow-origin': origin } })
const ownOrigin = ({ headers }: Asked) => `http://${headers.host}`
const changesAt = (path: string, change: (answer: Answer) => Partial<Answer>) =>
  changes(({ url }, answer) => (url === path ? change(answer) : {}))
const failedSelfTest = JSON.stringify({ ok: true, checks: [{ name: 'a flag', ok: false }] })
const codedKey = Buffer.from('a key: sk-proj-0123456789abcdefghijkl').toString('base64')

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token that lives for a day, in place of the one that was given. */
function withLongLife({ text }: Answer): Partial<Answer> {
  const { token } = JSON.parse(text)
  if (token === undefined) return {}
  const [head, , signature] = token.split('.')
  const claims = claimsOf(token)
  const longer = encode({ ...claims, exp: claims.iat + 86_400 })
  return { text: JSON.stringify({ token: [head, longer, signature].join('.') }) }
}

/** By the check that has to see it. */
const leaksOf: Readonly<Record<string, Readonly<Record<string, Weakness>>>> = {
  'it is configured': { unconfigured: changes(() => ({ status: 503 })) },
  'forged tokens open nothing': {
    'any token': opens(isQuestion),
    'alg none': opens(({ headers }) =>
      `${headers.authorization}`.startsWith(`Bearer ${encode({ alg: 'none' }).slice(0, 15)}`),
    ),
  },
  'every refusal of a token reads the same': {
    'says what is wrong': changes(({ headers }, { status }) =>
      status === 401 ? { text: `no: ${headers.authorization}` } : {},
    ),
  },
  'a token in the address opens nothing': { 'token in the query': opens(({ url }) => url.includes('?access_token=')) },
  'tokens are given for minutes, and to be kept nowhere': { 'long tokens': changesAt('/session', withLongLife) },
  'tokens are not given to who does not say where from': {
    'tokens for all': opens((asked) => isSession(asked) && !('origin' in asked.headers)),
  },
  'pages on loopback are given no token': {
    'a demonstration': opens((asked) => isSession(asked) && asked.headers.host === 'chat.attack.example'),
  },
  'other sites are turned away': {
    'suffix of an origin': changes((asked) =>
      asked.headers.origin?.startsWith(ownOrigin(asked)) ? isOpenTo(asked.headers.origin) : {},
    ),
    'star for all': changes(() => isOpenTo('*')),
  },
  'other sites are allowed nothing in advance': {
    'any preflight': changes(({ method, headers }) => (method === 'OPTIONS' ? isOpenTo(headers.origin) : {})),
  },
  'a post without a preflight is turned away': {
    'plain text': opens(({ method, headers }) => method === 'POST' && headers['content-type'] !== 'application/json'),
  },
  'bodies are limited: size, depth, coding': {
    'no limit': opens(isTooLong),
    compressed: opens(({ headers }) => 'content-encoding' in headers),
  },
  'a body that is valid except for its size is refused': {
    'no length': opens((asked) => isTooLong(asked) && !('content-length' in asked.headers)),
  },
  'what costs by another meter, or is kept, is refused': {
    'hosted tools': opens(({ body }) => body.tools !== undefined),
  },
  'a file with hidden pages is refused': { documents: opens(({ bytes }) => bytes.includes('JVBERi0')) },
  'what one user began is not there for another': {
    "another's stream": opens(({ url }) => url.startsWith('/v1/streams/')),
  },
  'nothing in a body chooses the destination': { 'any field': opens(({ body }) => body.base_url !== undefined) },
  'nothing in a header opens anything, or comes back': {
    echo: changes(({ headers }) => ('x-upstream' in headers ? { text: `no upstream ${headers['x-upstream']}` } : {})),
  },
  'nothing sends a client elsewhere': {
    redirect: changes(({ url }) => (url.startsWith('//') ? { status: 302, headers: { location: url } } : {})),
  },
  'answers do not reveal the providers': {
    cookie: changes(() => ({ headers: { 'set-cookie': 'id=1' } })),
    'may be stored': changes(() => ({ headers: { 'cache-control': 'public' } })),
  },
  'streams of others are not there': { 'any stream': opens(({ url }) => url.startsWith('/v1/streams/')) },
  'other methods are refused': { 'any method': opens(({ method }) => method === 'PUT') },
  'odd paths lead nowhere': { 'a file': opens(({ url }) => url === '/.dev.vars') },
  'Host decides nothing': { 'Host decides': opens(({ headers }) => headers.host === 'localhost') },
  "the operator's view is closed": {
    'open self-test': opens(({ url }) => url === '/admin/self-test'),
  },
  'the platform is as the Worker counts on': {
    drift: changesAt('/admin/self-test', () => ({ status: 503 })),
    'drift, well said': changesAt('/admin/self-test', () => ({ text: failedSelfTest })),
    'no self-test': changesAt('/admin/self-test', () => ({ status: 404, text: '' })),
  },
  'no answer, and no file, holds a key': {
    'key in an error': changes(({ headers }) =>
      'x-debug' in headers ? { text: 'wrong key sk-ant-api03-0123456789abcdefgh' } : {},
    ),
    'key in a file, coded': changesAt('/', ({ text }) => ({ text: `${text} x='${codedKey}'` })),
  },
}

/** Each leak, with the check that has to see it. */
export const leaks: readonly (Weakness & { readonly name: string; readonly seenBy: string })[] = Object.entries(
  leaksOf,
).flatMap(([seenBy, own]) => Object.entries(own).map(([name, weakness]) => ({ name, seenBy, ...weakness })))

/** Starts a front before the Worker at this address. */
export async function startLeaky(workerUrl: string, weaknesses: readonly Weakness[]) {
  const server = createServer({ joinDuplicateHeaders: true }, async (incoming, outgoing) => {
    const bytes = await readAll(incoming)
    const { method = '', url = '', headers, rawHeaders } = incoming
    const asked = { method, url, headers, bytes, body: jsonIn(`${bytes}`) }
    const behind = request(workerUrl, { method, path: url, headers: rawHeaders, setHost: false, agent: false })
    behind.on('error', () => outgoing.destroy())
    behind.on('response', async (response) => {
      const { 'content-length': _, 'transfer-encoding': __, ...own } = response.headers
      const text = `${await readAll(response)}`
      let answer: Answer = { status: response.statusCode ?? 0, headers: own, text }
      for (const { opens, changes } of weaknesses) {
        if (opens?.(asked)) answer = { ...answer, status: 200 }
        const { headers, ...more } = changes?.(asked, answer) ?? {}
        answer = { ...answer, ...more, headers: { ...answer.headers, ...headers } }
      }
      const shown = Object.entries(answer.headers).filter(([, value]) => value !== undefined)
      outgoing.writeHead(answer.status, Object.fromEntries(shown)).end(answer.text)
    })
    behind.end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function jsonIn(text: string): Asked['body'] {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
