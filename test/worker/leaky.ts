/** A front before our Worker that has one chosen weakness: it answers what the Worker would refuse, or changes what the Worker answers. */
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
  /** The claims of the token, if there is one. */
  readonly claims: { readonly exp?: number } | undefined
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

interface Weakness {
  /** The name of the check that has to see it. */
  readonly seenBy: string
  /** Requests that get an answer. */
  readonly opens?: (asked: Asked) => boolean
  /** The parts of the Worker's answer that are others. */
  readonly changes?: (asked: Asked, answer: Answer) => Partial<Answer>
}

export const maxBody = 2 ** 20
const routes = /^\/(?:v1\/(?:chat\/completions|responses|messages)|api\/chat|v1beta\/models\/[^/:]+:generateContent)$/
const isPost = ({ method, url }: Asked, path: RegExp) => method === 'POST' && path.test(url)
const isQuestion = (asked: Asked) => isPost(asked, routes)
const isSession = (asked: Asked) => isPost(asked, /^\/session$/)
const hasToken = (asked: Asked) => isQuestion(asked) && asked.claims !== undefined
const isTooLong = ({ bytes }: Asked) => bytes.length > maxBody
const isOpenTo = (origin: string | undefined) => ({ headers: { 'access-control-allow-origin': origin } })
const ownOrigin = ({ headers }: Asked) => `http://${headers.host}`
/** Changes the answer at this path. */
const at = (path: string, change: (answer: Answer) => Partial<Answer>): Weakness['changes'] =>
  function changes({ url }, answer) {
    return url === path ? change(answer) : {}
  }
const failedSelfTest = JSON.stringify({ ok: true, checks: [{ name: 'a flag', ok: false }] })
const codedKey = Buffer.from('a key: sk-proj-0123456789abcdefghijkl').toString('base64')

/** A token that lives for a day, in place of the one that was given. */
function withLongLife({ text }: Answer): Partial<Answer> {
  const { token } = JSON.parse(text)
  if (token === undefined) return {}
  const [head, , signature] = token.split('.')
  const claims = claimsOf(token)
  const longer = Buffer.from(JSON.stringify({ ...claims, exp: claims.iat + 86_400 })).toString('base64url')
  return { text: JSON.stringify({ token: [head, longer, signature].join('.') }) }
}

export const leaks = {
  unconfigured: { seenBy: 'it is configured', changes: () => ({ status: 503 }) },
  'any token': { seenBy: 'forged tokens open nothing', opens: isQuestion },
  'alg none': {
    seenBy: 'forged tokens open nothing',
    opens: ({ headers }) => Buffer.from(`${headers.authorization}`.split(/[ .]/)[1] ?? '', 'base64').includes('"none"'),
  },
  'says what is wrong': {
    seenBy: 'every refusal of a token reads the same',
    changes: ({ headers }, { status }) => (status === 401 ? { text: `no: ${headers.authorization}` } : {}),
  },
  'token in the query': {
    seenBy: 'a token in the address opens nothing',
    opens: ({ url }) => url.includes('?access_token='),
  },
  'signature unchecked': { seenBy: 'a good token that was changed opens nothing', opens: hasToken },
  'long tokens': {
    seenBy: 'tokens are given for minutes, and to be kept nowhere',
    changes: at('/session', withLongLife),
  },
  'a guess opens': {
    seenBy: 'a guess opens no session',
    opens: (asked) => isSession(asked) && asked.headers.authorization !== undefined,
  },
  'a token of a page, anywhere': {
    seenBy: 'a token of one page is good in no other place',
    opens: (asked) => hasToken(asked) && asked.headers.origin === undefined,
  },
  'tokens for all': {
    seenBy: 'tokens are not given to who does not say where from',
    opens: (asked) => isSession(asked) && asked.headers.origin === undefined,
  },
  'a demonstration': {
    seenBy: 'pages on loopback are given no token',
    opens: (asked) => isSession(asked) && asked.headers.host === 'chat.attack.example',
  },
  'any origin': { seenBy: 'other sites are turned away', changes: ({ headers }) => isOpenTo(headers.origin) },
  'suffix of an origin': {
    seenBy: 'other sites are turned away',
    changes: (asked) => (asked.headers.origin?.startsWith(ownOrigin(asked)) ? isOpenTo(asked.headers.origin) : {}),
  },
  'star for all': { seenBy: 'other sites are turned away', changes: () => isOpenTo('*') },
  'any preflight': {
    seenBy: 'other sites are allowed nothing in advance',
    changes: ({ method, headers }) => (method === 'OPTIONS' ? { status: 204, ...isOpenTo(headers.origin) } : {}),
  },
  'plain text': {
    seenBy: 'a post without a preflight is turned away',
    opens: ({ method, headers }) => method === 'POST' && headers['content-type'] !== 'application/json',
  },
  'no limit': { seenBy: 'bodies are limited: size, depth, coding', opens: isTooLong },
  compressed: {
    seenBy: 'bodies are limited: size, depth, coding',
    opens: ({ headers }) => headers['content-encoding'] !== undefined,
  },
  'size behind the fields': {
    seenBy: 'a body that is valid except for its size is refused',
    opens: (asked) => isTooLong(asked) && asked.body.model !== undefined,
  },
  'no length': {
    seenBy: 'a body that is valid except for its size is refused',
    opens: (asked) => isTooLong(asked) && asked.headers['content-length'] === undefined,
  },
  'an inner address': {
    seenBy: 'a picture leads to no private address',
    opens: ({ bytes }) => /https:\/\/(?:0x|10\.|169\.254\.|localhost|\[::1\])/.test(`${bytes}`),
  },
  // The Worker behind the front has no counters.
  'no counter of users': { seenBy: 'the requests of a user are counted' },
  'no counter of networks': { seenBy: 'the requests of a network are counted' },
  'two answers': {
    seenBy: 'what costs by another meter, or is kept, is refused',
    opens: ({ body }) => body.n !== undefined,
  },
  'hosted tools': {
    seenBy: 'what costs by another meter, or is kept, is refused',
    opens: ({ body }) => body.tools !== undefined,
  },
  documents: { seenBy: 'a file with hidden pages is refused', opens: ({ bytes }) => bytes.includes('JVBERi0') },
  'a dead token': {
    seenBy: 'dead tokens open nothing',
    opens: (asked) => hasToken(asked) && Number(asked.claims?.exp) < Date.now() / 1000,
  },
  "another's stream": {
    seenBy: 'what one user began is not there for another',
    opens: ({ url }) => url.startsWith('/v1/streams/'),
  },
  'any model': { seenBy: 'models that are not in the table are not asked', opens: hasToken },
  'any field': {
    seenBy: 'nothing in a body chooses the destination',
    opens: ({ body }) => body.base_url !== undefined,
  },
  echo: {
    seenBy: 'nothing in a header opens anything, or comes back',
    changes: ({ headers }) => (headers['x-upstream'] ? { text: `no upstream ${headers['x-upstream']}` } : {}),
  },
  redirect: {
    seenBy: 'nothing sends a client elsewhere',
    changes: ({ url }) => (url.startsWith('//') ? { status: 302, headers: { location: url } } : {}),
  },
  cookie: {
    seenBy: 'answers do not reveal the providers',
    changes: () => ({ headers: { 'set-cookie': 'id=1' } }),
  },
  'may be stored': {
    seenBy: 'answers do not reveal the providers',
    changes: () => ({ headers: { 'cache-control': 'public' } }),
  },
  'any stream': { seenBy: 'streams of others are not there', opens: ({ url }) => url.startsWith('/v1/streams/') },
  'any method': { seenBy: 'other methods are refused', opens: ({ method }) => method === 'PUT' },
  'a file': { seenBy: 'odd paths lead nowhere', opens: ({ url }) => url === '/.dev.vars' },
  'Host decides': { seenBy: 'Host decides nothing', opens: ({ headers }) => headers.host === 'localhost' },
  'open to admins': {
    seenBy: "the operator's view is closed",
    opens: ({ url, headers }) => url === '/admin/summary' && headers.authorization !== undefined,
  },
  'open self-test': { seenBy: "the operator's view is closed", opens: ({ url }) => url === '/admin/self-test' },
  drift: {
    seenBy: 'the platform is as the Worker counts on',
    changes: at('/admin/self-test', () => ({ status: 503 })),
  },
  'drift, well said': {
    seenBy: 'the platform is as the Worker counts on',
    changes: at('/admin/self-test', () => ({ text: failedSelfTest })),
  },
  'no self-test': {
    seenBy: 'the platform is as the Worker counts on',
    changes: at('/admin/self-test', () => ({ status: 404, text: '' })),
  },
  'key in an error': {
    seenBy: 'no answer, and no file, holds a key',
    changes: ({ headers }) => (headers['x-debug'] ? { text: 'wrong key sk-ant-api03-0123456789abcdefgh' } : {}),
  },
  'key in a file, coded': {
    seenBy: 'no answer, and no file, holds a key',
    changes: at('/', ({ text }) => ({ text: `${text} x='${codedKey}'` })),
  },
} as const satisfies Readonly<Record<string, Weakness>>
export type Leak = keyof typeof leaks

/** Starts a front before the Worker at this address. */
export async function startLeaky(workerUrl: string, ...given: readonly Leak[]) {
  const weaknesses: readonly Weakness[] = given.map((leak) => leaks[leak])
  const server = createServer({ joinDuplicateHeaders: true }, async (incoming, outgoing) => {
    const bytes = await readAll(incoming)
    const { method = '', url = '', headers, rawHeaders } = incoming
    const asked = { method, url, headers, bytes, body: jsonIn(`${bytes}`), claims: claimsIn(headers) }
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

function claimsIn({ authorization = '' }: IncomingHttpHeaders): Asked['claims'] {
  const [, payload] = /^Bearer [\w-]+\.([\w-]+)\.[\w-]*$/.exec(authorization) ?? []
  return payload === undefined ? undefined : jsonIn(Buffer.from(payload, 'base64url').toString())
}
