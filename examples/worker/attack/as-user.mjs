/** With a valid token, requests that the token does not allow. They are fewer than a user's limit for a minute. */

import { servedModel } from './as-payer.mjs'
import { askAll } from './ask.mjs'
import { among, hungUp, judge, mine, oneWire, stranger } from './judge.mjs'
import { noModel, question } from './requests.mjs'
import { claimsOf } from './tokens.mjs'

export async function tryBodies(target) {
  const wire = oneWire(target)
  const { path, headers, body } = question(wire, { headers: mine(target) })
  const text = JSON.stringify(body)
  const send = (what, bytes, more = {}) => [what, { path, headers: { ...headers, ...more }, body: bytes }]
  const deep = `{"model":"${noModel}","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const answers = await askAll(target, [
    send(`${target.maxBody + 1} bytes`, `${text.slice(0, -1)},"x":"${'x'.repeat(target.maxBody - text.length)}"}`),
    send('compressed', Buffer.from('1f8b0800000000000003030000000000', 'hex'), { 'content-encoding': 'gzip' }),
    send('100,000 deep', deep),
    send('not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
    send('a list', '[]'),
    send('a word', '"x"'),
    send('no JSON', '{"model":'),
    send('nothing', ''),
  ])
  // A server may close the connection before it has read a body that is too large.
  return judge(answers, (answer) => among(400, 413, 415)(answer) || hungUp(answer))
}

const oddModels = [
  noModel,
  '../../v1/files',
  '..%2f..%2ffiles',
  `${noModel}?key=x`,
  `${noModel}#`,
  'x@attack.example',
  'https://attack.example/v1',
  ' ',
  '\u202e\u0000',
  'constructor',
  '__proto__',
  'x'.repeat(10_000),
]

export async function tryModels(target) {
  const tries = target.routes.flatMap((wire) =>
    modelsFor(wire, target).map((model) => [
      `${model.slice(0, 30)}, ${wire}`,
      question(wire, { model, headers: mine(target) }),
    ]),
  )
  // Models that only the other user has.
  const own = claimsOf(target.token).scope?.models
  const others = claimsOf(target.otherToken).scope?.models ?? []
  const notOwn = Array.isArray(own) ? others.filter((model) => !own.includes(model)).slice(0, 2) : []
  for (const model of notOwn)
    tries.push([`${model}, of another`, question(oneWire(target), { model, headers: mine(target) })])
  return judge(await askAll(target, tries), among(400, 403, 404, 414))
}

/** All attacks with one format; attacks on the path if the model is in the path; the simplest attacks with the other formats. */
function modelsFor(wire, target) {
  if (wire === oneWire(target)) return oddModels
  return wire === 'gemini' ? oddModels.slice(1, 6) : oddModels.slice(0, 1)
}

const destinations = [
  'api_base',
  'base_url',
  'baseUrl',
  'endpoint',
  'host',
  'proxy',
  'url',
  'upstream',
  'provider',
  'custom_host',
]
const others = [
  'api_key',
  'apiKey',
  'headers',
  'extra_headers',
  'extra_body',
  'webhook_url',
  'callback_url',
  'litellm_params',
]

/** With a model that the Worker serves: if it accepts one of these requests, that costs one output token. */
export async function tryFields(target) {
  const model = servedModel(target.token)
  const tries = [...destinations, ...others].map((field) => [
    field,
    question(oneWire(target), { model, headers: mine(target), more: { [field]: `${stranger}/v1` } }),
  ])
  return judge(await askAll(target, tries), among(400, 403, 404, 422))
}

export async function tryStreams(target) {
  const ids = ['0'.repeat(32), 'f'.repeat(32), '0123456789abcdef'.repeat(2)]
  const tries = ids.flatMap((id) =>
    ['GET', 'DELETE'].map((method) => [
      `${method} of ${id}`,
      { method, path: `/v1/streams/${id}`, headers: mine(target) },
    ]),
  )
  // Stopping a run that does not exist may succeed; reading it must be an error.
  const isFine = ({ what, status }) =>
    among(404)({ status }) || (what.startsWith('DELETE') && [204, 405].includes(status))
  return judge(await askAll(target, tries), isFine)
}
