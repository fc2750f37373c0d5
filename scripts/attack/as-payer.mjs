/**
 * With a valid token and a model that exists, requests things that cost the owner money. If the Worker accepts one, it costs one output
 * token.
 */
import { randomUUID } from 'node:crypto'
import { ask, askAll, told } from './ask.mjs'
import { among, hungUp, judge, mine, oneWire } from './judge.mjs'
import { bearer, noModel, question, wires } from './requests.mjs'
import { claimsOf } from './tokens.mjs'

/** A model that the token allows, without the name of its provider. */
export function servedModel(token) {
  const name = claimsOf(token).scope?.models?.[0]
  if (typeof name !== 'string') return noModel
  const [prefix, ...rest] = name.split(':')
  return prefix in wires ? rest.join(':') : name
}

/** A request that would pass without the white space after it. */
export async function trySize(target) {
  const { path, headers, body } = question(oneWire(target), {
    model: servedModel(target.token),
    headers: mine(target),
  })
  const text = JSON.stringify(body)
  const padded = text + ' '.repeat(target.maxBody + 1 - text.length)
  const answers = await askAll(target, [[`${padded.length} bytes`, { path, headers, body: padded }]])
  return judge(answers, (answer) => among(413)(answer) || hungUp(answer))
}

/** By format: fields that are billed separately, or that store data at the provider. */
const dear = {
  'openai-chat': {
    'two answers': { n: 2 },
    'a search': { web_search_options: {} },
    stored: { store: true },
    'a dearer tier': { service_tier: 'priority' },
    'a voice': { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } },
  },
  'openai-responses': {
    stored: { store: true },
    'a search': { tools: [{ type: 'web_search' }] },
    'a container': { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    'what was stored': { previous_response_id: 'resp_0123456789abcdef' },
    'in the background': { background: true },
  },
  anthropic: {
    'a search': { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    'a container': { container: 'container_0123456789' },
    'servers of others': { mcp_servers: [{ type: 'url', url: 'https://attack.isoglot.example', name: 'x' }] },
    'a dearer tier': { service_tier: 'auto' },
  },
  gemini: {
    'two answers': { generationConfig: { candidateCount: 2, maxOutputTokens: 1 } },
    'a search': { tools: [{ googleSearch: {} }] },
    code: { tools: [{ codeExecution: {} }] },
    'what was stored': { cachedContent: 'cachedContents/0123456789' },
  },
  ollama: { 'a model kept in memory': { keep_alive: -1 } },
}

export async function tryDear(target) {
  const model = servedModel(target.token)
  const tries = target.routes.flatMap((wire) =>
    Object.entries(dear[wire] ?? {}).map(([what, more]) => [
      `${what}, ${wire}`,
      question(wire, { model, headers: mine(target), more }),
    ]),
  )
  return judge(await askAll(target, tries), among(400, 403, 422))
}

/** Reads one user's run with the token of another user. */
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
