/**
 * With a token that is good and a model that is there, for what its owner would pay for: if something is let through, one token of output is
 * what it costs.
 */
import { randomUUID } from 'node:crypto'
import { ask, askAll, told } from './ask.mjs'
import { among, hungUp, judge, mine, oneWire } from './judge.mjs'
import { bearer, noModel, question, wires } from './requests.mjs'
import { claimsOf } from './tokens.mjs'

/** A model that the token is good for, without the name of its provider. */
export function servedModel(token) {
  const name = claimsOf(token).scope?.models?.[0]
  if (typeof name !== 'string') return noModel
  const [prefix, ...rest] = name.split(':')
  return prefix in wires ? rest.join(':') : name
}

/** A request that would pass, without the white space after it. */
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

/** By wire: what is paid by another meter, or is kept at the provider. */
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
  cohere: { 'a dearer tier': { priority: 0 }, 'a search': { connectors: [{ id: 'web-search' }] } },
  'gemini-interactions': {
    stored: { store: true },
    'a search': { tools: [{ type: 'google_search' }] },
    'in the background': { background: true },
    'what was stored': { previous_interaction_id: 'v1_0123456789' },
  },
  'bedrock-converse': {
    'a dearer tier': { serviceTier: { type: 'priority' } },
    'limits of its own': { additionalModelRequestFields: { max_tokens: 100_000 } },
  },
}

/** The user of these requests, if there are two: all requests of one user would be more than a user has in a minute. */
const payer = (target) => ({ ...target, token: target.otherToken ?? target.token })

export function tryDear(target) {
  return tryAll(target, dear)
}

/** An address of a cloud's metadata, in a form that hides it. */
const inner = 'https://0xa9fea9fe/latest/meta-data/'
const document = { type: 'application/pdf', data: 'JVBERi0xLjQK' }
const said = (content) => ({ messages: [{ role: 'user', content }] })

/** By wire: pictures at addresses that only the provider reaches, and files: a few bytes of them can be many pages. */
const files = {
  'openai-chat': {
    'an inner address': said([{ type: 'image_url', image_url: { url: inner } }]),
    'a document': said([
      { type: 'file', file: { filename: 'a', file_data: `data:application/pdf;base64,${document.data}` } },
    ]),
  },
  'openai-responses': {
    'an inner address': { input: [{ role: 'user', content: [{ type: 'input_image', image_url: inner }] }] },
  },
  anthropic: {
    'an inner address': said([{ type: 'image', source: { type: 'url', url: inner } }]),
    'a document': said([
      { type: 'document', source: { type: 'base64', media_type: document.type, data: document.data } },
    ]),
  },
  gemini: {
    'an inner address': { contents: [{ role: 'user', parts: [{ fileData: { fileUri: inner } }] }] },
    'a document': {
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType: document.type, data: document.data } }] }],
    },
  },
  ollama: {
    'a document': {
      messages: [{ role: 'user', content: 'x', images: [`data:${document.type};base64,${document.data}`] }],
    },
  },
  cohere: { 'an inner address': said([{ type: 'image_url', image_url: { url: inner } }]) },
  'gemini-interactions': {
    'an inner address': { input: [{ type: 'image', uri: inner, mime_type: 'image/png' }] },
  },
  'bedrock-converse': {
    'a document': said([{ document: { format: 'pdf', name: 'a', source: { bytes: document.data } } }]),
  },
}

export function tryFiles(target) {
  return tryAll(target, files)
}

async function tryAll(target, table) {
  const user = payer(target)
  const model = servedModel(user.token)
  const tries = target.routes.flatMap((wire) =>
    Object.entries(table[wire] ?? {}).map(([what, more]) => [
      `${what}, ${wire}`,
      question(wire, { model, headers: mine(user), more }),
    ]),
  )
  return judge(await askAll(target, tries), among(400, 403, 422))
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
  // Nothing is kept here, so there is nothing of another to be had.
  if (typeof id !== 'string') return [{ what: 'an answer that is kept', got: `none: ${told(begun)}`, ok: true }]
  const headers = { ...bearer(otherToken), origin }
  const path = `/v1/streams/${id}`
  const tries = ['GET', 'DELETE'].map((method) => [`${method} of another's`, { method, path, headers }])
  const found = judge(await askAll(target, tries), among(404))
  const still = await ask(target, { method: 'GET', path, headers: mine(target) })
  return [...found, { what: 'its owner reads it', got: told(still), ok: among(200, 204)(still) }]
}

/** Tokens that were good once, or that were revoked, as they were given. */
export async function tryDead(target) {
  const tries = target.deadTokens.flatMap((token, at) =>
    target.routes.map((wire) => [
      `token ${at + 1}, ${wire}`,
      question(wire, { headers: { ...bearer(token), origin: target.origin } }),
    ]),
  )
  return judge(await askAll(target, tries), among(401))
}
