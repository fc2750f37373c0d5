/** Without a token, or with an invalid one. */
import { ask, askAll, told } from './ask.mjs'
import { among, isLoopback, judge, mine, oneWire, stranger } from './judge.mjs'
import { bearer, json, question } from './requests.mjs'
import { claimsOf, forgedTokens, tamperedTokens } from './tokens.mjs'
import { wires } from './wires.mjs'

export function seeTransport({ base }) {
  const ok = base.protocol === 'https:' || isLoopback(base.hostname)
  return [{ what: base.host, got: base.protocol.slice(0, -1), ok }]
}

/** The formats that the Worker serves: an existing path refuses the method, not the path. */
export async function findRoutes(target) {
  const answers = await askAll(
    target,
    Object.keys(wires).map((wire) => [wire, { ...question(wire), body: undefined, method: 'GET' }]),
  )
  target.routes = answers.flatMap(({ what, status }) => (status === 404 ? [] : [what]))
  const found = judge(answers, ({ status }) => status !== 503 && status !== 0)
  return target.routes.length > 0 ? found : [...found, { what: 'answers to models', got: 'no route', ok: false }]
}

/** Tokens of two users, in the way that pages get them, if the Worker gives tokens to every page of an allowed origin. */
export async function mintTokens(target) {
  const minted = await ask(target, { path: '/session', headers: { ...json, origin: target.origin }, body: {} })
  const token = tokenIn(minted)
  if (token === undefined) return
  Object.assign(target, { token, minted })
  target.otherToken ??= tokenIn(
    await ask(target, { path: '/session', headers: { ...json, origin: target.origin }, body: {} }),
  )
}

function tokenIn({ status, text }) {
  try {
    const { token } = JSON.parse(text)
    return status === 200 && typeof token === 'string' ? token : undefined
  } catch {
    return undefined // the Worker requires more than an origin
  }
}

export async function tryForged(target) {
  const tries = target.routes.flatMap((wire) =>
    // All invalid tokens with one format, and the simplest ones with each format.
    (wire === target.routes[0] ? forgedTokens : forgedTokens.slice(0, 4)).map(([what, headers]) => [
      `${what}, ${wire}`,
      question(wire, { headers }),
    ]),
  )
  const twice = [
    ['authorization', 'Bearer a'],
    ['authorization', 'Bearer b'],
  ]
  tries.push(['two headers', question(oneWire(target), { headers: twice })])
  target.refusals = await askAll(target, tries)
  return judge(target.refusals, among(401))
}

/** All refusals of a token in one format must be the same, except for the request's id. */
export function compareRefusals({ refusals = [], routes }) {
  return routes.map((wire) => {
    const texts = refusals
      .filter(({ what, status }) => what.endsWith(`, ${wire}`) && status === 401)
      .map(({ text }) => text)
    const different = new Set(texts.map((text) => text.replace(/[0-9a-f-]{32,36}/gi, 'id')))
    return { what: wire, got: `${different.size} of ${texts.length}`, ok: different.size === 1 }
  })
}

export async function tryTokenInAddress(target) {
  const names = ['token', 'access_token', 'key', 'api_key', 'session']
  const wire = oneWire(target)
  const { path, ...rest } = question(wire, { headers: { origin: target.origin } })
  const tries = names.map((name) => [`?${name}=`, { ...rest, path: `${path}?${name}=${target.token}` }])
  return judge(await askAll(target, tries), among(401))
}

export async function tryTampered(target) {
  const wire = oneWire(target)
  const control = await ask(target, question(wire, { headers: mine(target) }))
  const isGood = { what: 'the token as it is', got: told(control), ok: control.status !== 401 }
  // From its page, since a token of a page would be refused elsewhere, however it was changed.
  const tries = tamperedTokens(target.token).map(([what, headers]) => [
    what,
    question(wire, {
      headers: [...(Array.isArray(headers) ? headers : Object.entries(headers)), ['origin', target.origin]],
    }),
  ])
  const found = judge(await askAll(target, tries), among(401))
  return isGood.ok ? found : [{ ...isGood, got: '401: it is not good, or no longer' }]
}

/** A token that was given to one page, from a client that is not a page. */
export async function tryElsewhere(target) {
  if (claimsOf(target.token).scope?.origin === undefined) return [{ what: 'the token', got: 'of no page', ok: true }]
  const tries = [['without its origin', question(oneWire(target), { headers: bearer(target.token) })]]
  return judge(await askAll(target, tries), among(401))
}

export function seeToken({ token, minted }) {
  const { exp, iat } = claimsOf(token)
  const seconds = exp - iat
  return [
    { what: 'lifetime', got: `${seconds} s`, ok: seconds > 0 && seconds <= 900 },
    keptNowhere('cache-control', minted),
  ]
}

const keptNowhere = (what, { headers }) => {
  const value = headers['cache-control'] ?? 'none'
  return { what, got: value, ok: value.includes('no-store') }
}

export async function askForTokens(target) {
  const tries = [
    ['no origin', { path: '/session', headers: json, body: {} }],
    ['another origin', { path: '/session', headers: { ...json, origin: stranger }, body: {} }],
    ['a GET', { method: 'GET', path: '/session', headers: { origin: target.origin } }],
  ]
  return judge(await askAll(target, tries), among(400, 401, 403, 404, 405))
}

/** The answer of Turnstile's test widgets, letter by letter as its documentation has it. A Worker with a test secret accepts it. */
const testAnswer = 'XXXX.DUMMY.TOKEN.XXXX'

/** As the operator's server, without its secret, and as a person whom Turnstile does not know. */
export async function guessLogin(target) {
  const server = { path: '/session', body: { user: 'attack' } }
  const tries = ['a', '0'.repeat(44), 'changeme'].map((guess) => [
    `the secret "${guess.slice(0, 8)}"`,
    { ...server, headers: { ...json, ...bearer(guess) } },
  ])
  const person = { path: '/session', headers: { ...json, origin: target.origin } }
  // A Worker that gives a token to every page of its origin does not ask Turnstile.
  const open = target.minted ?? (await ask(target, { ...person, body: {} }))
  if (tokenIn(open) === undefined)
    tries.push(['an answer of Turnstile', { ...person, body: { turnstile: testAnswer } }])
  return judge(await askAll(target, tries), among(400, 401, 403, 404, 503))
}

export async function tryAdmin(target) {
  const shown = [
    ['no token', {}],
    ['a guess', bearer('admin')],
    ['another guess', bearer('0'.repeat(32))],
    ['a password', { authorization: 'Basic YWRtaW46YWRtaW4=' }],
    ...(target.token === undefined ? [] : [["a user's token", bearer(target.token)]]),
  ]
  const tries = ['summary', 'self-test'].flatMap((view) =>
    shown.map(([what, headers]) => [`${what}, ${view}`, { method: 'GET', path: `/admin/${view}`, headers }]),
  )
  return judge(await askAll(target, tries), among(401, 403, 404))
}
