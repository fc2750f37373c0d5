/** Sends requests like a page of another site. */
import { askAll, told } from './ask.mjs'
import { among, isLoopback, judge, mine, oneWire, stranger } from './judge.mjs'
import { json, noModel, question } from './requests.mjs'

/** Origins that are similar to the right one, and others. All of them must be refused. */
function otherOrigins({ origin }) {
  const { protocol, host, hostname, port } = new URL(origin)
  const otherPort = port === '8443' ? '8444' : '8443'
  // A demonstration on this machine allows every page on this machine.
  const isHere = isLoopback(hostname)
  return [
    stranger,
    'null',
    `${protocol}//${host}.attack.example`,
    `${protocol}//attack-${host}`,
    `${protocol}//attack.${host}`,
    ...(isHere ? [] : [`${protocol}//${hostname}:${otherPort}`, ...loopbackOrigins]),
    // Not on loopback: `wrangler dev` replaces the Origin of its own host, including the scheme.
    ...(protocol === 'https:' ? [`http://${host}`] : []),
    `${origin}/`,
    `${origin}, ${stranger}`,
    `${protocol}//${host.slice(0, 1)}\u0430${host.slice(1)}`.normalize(),
  ].map((name) => Buffer.from(name).toString('latin1'))
}

/** Pages on a visitor's own machine. A demonstration that was deployed by mistake would allow them. */
const loopbackOrigins = ['http://localhost:8787', 'http://127.0.0.1:8787', 'http://localhost:5173', 'http://[::1]:8787']

/** Tries to get tokens for pages on loopback from a Worker that is not on loopback, at its own address and under another name. */
export async function tryDemonstration(target) {
  const host = isLoopback(target.base.hostname) ? { host: 'chat.attack.example' } : {}
  const tries = loopbackOrigins.map((origin) => [
    `a token from ${origin}`,
    { path: '/session', headers: { ...json, ...host, origin }, body: {} },
  ])
  return judge(await askAll(target, tries), among(400, 401, 403, 404))
}

const grants = ({ headers }, origin) => {
  const allowed = headers['access-control-allow-origin']
  if (headers['access-control-allow-credentials'] !== undefined) return 'allows credentials'
  if (allowed === '*' || allowed === origin) return `allows ${allowed}`
  return undefined
}

export async function tryOrigins(target) {
  const origins = otherOrigins(target)
  const paths = target.routes.slice(0, 1).map((wire) => ['ask', (origin) => question(wire, { headers: { origin } })])
  paths.push(['token', (origin) => ({ path: '/session', headers: { ...json, origin }, body: {} })])
  const found = []
  for (const [name, requestOf] of paths) {
    const answers = await askAll(
      target,
      origins.map((origin) => [`${name} from ${origin}`, requestOf(origin)]),
    )
    const isFine = (answer, at) => among(403)(answer) && grants(answer, origins[at]) === undefined
    found.push(
      ...answers.map((answer, at) => ({
        what: answer.what,
        got: grants(answer, origins[at]) ?? told(answer),
        ok: isFine(answer, at),
      })),
    )
  }
  return found
}

const preflightOf = (path, origin, method = 'POST', names = 'authorization,content-type') => ({
  method: 'OPTIONS',
  path,
  headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': names },
})

export async function tryPreflights(target) {
  const wire = oneWire(target)
  const { path } = question(wire)
  const origins = otherOrigins(target)
  const answers = await askAll(
    target,
    origins.map((origin) => [`from ${origin}`, preflightOf(path, origin)]),
  )
  const [odd, header] = await askAll(target, [
    ['DELETE from its own page', preflightOf(path, target.origin, 'DELETE')],
    ['x-attack from its own page', preflightOf(path, target.origin, 'POST', 'x-attack')],
  ])
  const methods = `${odd.headers['access-control-allow-methods'] ?? ''}`
  const names = `${header.headers['access-control-allow-headers'] ?? ''}`
  return [
    ...answers.map((answer, at) => {
      const granted = grants(answer, origins[at])
      return { what: answer.what, got: granted ?? told(answer), ok: granted === undefined && answer.status !== 0 }
    }),
    { what: odd.what, got: methods || told(odd), ok: !/DELETE|\*/.test(methods) },
    { what: header.what, got: names || told(header), ok: !/x-attack|\*/i.test(names) },
  ]
}

/** Requests that a form of another site could send, from an allowed page and from another one. */
export async function trySimplePosts(target) {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
  ]
  const paths = ['/session', ...target.routes.slice(0, 1).map((wire) => question(wire).path)]
  const tries = paths.flatMap((path) =>
    types.map((type) => {
      const own = target.token === undefined ? { origin: target.origin } : mine(target)
      return [
        `${type} to ${path}`,
        { path, headers: { ...own, 'content-type': type }, body: JSON.stringify({ model: noModel }) },
      ]
    }),
  )
  return judge(await askAll(target, tries), among(401, 403, 415))
}
