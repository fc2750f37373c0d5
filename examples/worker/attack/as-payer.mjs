/**
 * With a valid token and a model that exists, requests things that cost the owner money. If the Worker accepts one, it costs one output
 * token.
 */
import { randomUUID } from 'node:crypto'
import { ask, askAll, told } from './ask.mjs'
import { among, hungUp, judge, mine, oneWire } from './judge.mjs'
import { bearer, json, noModel, question } from './requests.mjs'
import { claimsOf } from './tokens.mjs'
import { wires } from './wires.mjs'

/** A model that the token allows, without the name of its provider. */
export function servedModel(token) {
  const name = claimsOf(token).scope?.models?.[0]
  if (typeof name !== 'string') return noModel
  const [prefix, ...rest] = name.split(':')
  return prefix in wires ? rest.join(':') : name
}

/** Requests that would pass, without the white space after them. */
export async function trySize(target) {
  const { path, headers, body } = question(oneWire(target), {
    model: servedModel(target.token),
    headers: mine(target),
  })
  const text = JSON.stringify(body)
  const padded = text + ' '.repeat(target.maxBody + 1 - text.length)
  const answers = await askAll(target, [
    [`${padded.length} bytes`, { path, headers, body: padded }],
    [
      `${padded.length} bytes of no declared length`,
      { path, headers: { ...headers, 'transfer-encoding': 'chunked' }, body: padded },
    ],
  ])
  return judge(answers, (answer) => among(413)(answer) || hungUp(answer))
}

/** The user of these requests, if there are two: all requests of one user would be more than a user has in a minute. */
const payer = (target) => ({ ...target, token: target.otherToken ?? target.token })

export function tryDear(target) {
  return tryAll(target, ({ dear }) => dear)
}

/** Addresses that a provider must not be sent to: by number, by name, in brackets, and in a form that hides it. */
const insideAddresses = [
  'https://0xa9fea9fe/x.png',
  'https://10.0.0.1/x.png',
  'https://169.254.169.254/x.png',
  'https://localhost/x.png',
  'https://[::1]/x.png',
]

/** All addresses in one wire, and one in each of the others. */
export function tryAddresses(target) {
  const withAll = wires[oneWire(target)].picture ? oneWire(target) : 'openai-chat'
  return tryAll(target, ({ picture }, wire) => {
    const addresses = picture ? insideAddresses.slice(0, wire === withAll ? insideAddresses.length : 1) : []
    return Object.fromEntries(addresses.map((url) => [url, picture(url)]))
  })
}

export function tryDocuments(target) {
  return tryAll(target, ({ document }) => (document ? { 'a document': document } : {}))
}

async function tryAll(target, requestsOf) {
  const user = payer(target)
  const model = servedModel(user.token)
  const tries = target.routes.flatMap((wire) =>
    Object.entries(requestsOf(wires[wire], wire)).map(([what, more]) => [
      `${what}, ${wire}`,
      question(wire, { model, headers: mine(user), more }),
    ]),
  )
  return judge(await askAll(target, tries), among(400, 403, 422))
}

/** More requests than a user has in a minute, which is as it was given. */
export async function tryUserRate(target) {
  return countTo(target, target.perUser, question(oneWire(target), { headers: mine(target) }))
}

/** The same of a network: requests for tokens, since those with a token count for their user too. */
export async function tryNetworkRate(target) {
  return countTo(target, target.perNetwork, { path: '/session', headers: json, body: {} })
}

/** Asks until it is refused for its rate. A minute may begin again in between, so twice as many have to be enough. */
async function countTo(target, most, request) {
  let asked = 0
  while (asked <= 2 * most + 1) {
    const answers = await askAll(
      target,
      Array.from({ length: 6 }, () => ['asked', request]),
    )
    asked += answers.length
    if (answers.some(({ status }) => status === 429)) return [{ what: 'refused', got: `within ${asked}`, ok: true }]
    const silent = answers.find(({ status }) => status === 0)
    if (silent) return [{ what: 'asked', got: told(silent), ok: false }]
  }
  return [{ what: `${asked} requests`, got: 'none was refused', ok: false }]
}

/** Asks for the run of one user with the token of another. */
export async function tryOthers(target) {
  const { token, otherToken, origin } = target
  if (claimsOf(token).sub === claimsOf(otherToken).sub) {
    return [{ what: 'the tokens', got: 'both are of one user', ok: false }]
  }
  const wire = oneWire(target)
  const asked = question(wire, {
    model: servedModel(token),
    headers: { ...mine(target), 'idempotency-key': randomUUID() },
  })
  const begun = await ask(target, asked)
  const id = begun.headers['x-isoglot-stream']
  // The Worker does not store runs, so a user cannot get those of another user.
  if (typeof id !== 'string') return [{ what: 'an answer that is kept', got: `none: ${told(begun)}`, ok: true }]
  const headers = { ...bearer(otherToken), origin }
  const path = `/v1/streams/${id}`
  const tries = ['GET', 'DELETE'].map((method) => [`${method} of another's`, { method, path, headers }])
  const found = judge(await askAll(target, tries), among(404))
  const still = await ask(target, { method: 'GET', path, headers: mine(target) })
  return [...found, { what: 'its owner reads it', got: told(still), ok: among(200, 204)(still) }]
}

/** The given tokens that have expired or were revoked. */
export async function tryDead(target) {
  const tries = target.deadTokens.flatMap((token, at) =>
    target.routes.map((wire) => [
      `token ${at + 1}, ${wire}`,
      question(wire, { headers: { ...bearer(token), origin: target.origin } }),
    ]),
  )
  return judge(await askAll(target, tries), among(401))
}
