/** With headers, methods, paths and hosts that real clients do not send. */
import { askAll, told } from './ask.mjs'
import { among, judge, oneWire, refused, stranger } from './judge.mjs'
import { question } from './requests.mjs'

const hostile = {
  'x-api-base': stranger,
  'x-base-url': stranger,
  'x-upstream': stranger,
  'x-portkey-custom-host': stranger,
  'x-portkey-provider': 'openai',
  'x-litellm-api-base': stranger,
  'x-forwarded-host': 'attack.isoglot.example',
  'x-forwarded-for': '127.0.0.1',
  'x-real-ip': '127.0.0.1',
  'cf-connecting-ip': '127.0.0.1',
  'x-original-url': '/',
  'x-rewrite-url': '/',
  'x-http-method-override': 'GET',
  'x-admin': 'true',
  'x-debug': '1',
  'openai-organization': 'org-attack',
  'x-goog-user-project': 'attack',
  te: 'trailers',
  forwarded: 'for=127.0.0.1;host=attack.isoglot.example',
}

export async function tryHeaders(target) {
  const wire = oneWire(target)
  const tries = [
    ...Object.entries(hostile).map(([name, value]) => [name, question(wire, { headers: { [name]: value } })]),
    ['all of them', question(wire, { headers: hostile })],
  ]
  const answers = await askAll(target, tries)
  // A proxy may refuse headers that only the proxy may set.
  const isRefused = among(400, 401, 403)
  return answers.map((answer) => {
    const isEcho = `${JSON.stringify(answer.headers)}${answer.text}`.includes('attack.isoglot.example')
    return { what: answer.what, got: isEcho ? 'comes back' : told(answer), ok: isRefused(answer) && !isEcho }
  })
}

export async function tryRedirects(target) {
  const elsewhere = [
    '//attack.example',
    '/%2f%2fattack.example',
    '/\\attack.example',
    '/%5cattack.example',
    '/v1//attack.example',
  ]
  const given = elsewhere.map((path) => [path, { method: 'GET', path }])
  given.push(['?url=', { method: 'GET', path: `/?url=${stranger}&next=${stranger}&redirect=${stranger}` }])
  const answers = [
    ...(await askAll(target, given)),
    ...target.seen.filter(({ path }) => /^\/(?:v1|api|session)/.test(path)),
  ]
  const bad = answers.filter(({ headers, status }) => leadsAway(target, headers.location, status))
  if (bad.length === 0) return [{ what: `${answers.length} answers`, got: 'none', ok: true }]
  return bad.map(({ path, headers }) => ({ what: path, got: `to ${headers.location}`, ok: false }))
}

function leadsAway({ base }, location, status) {
  if (status < 300 || status >= 400 || location === undefined) return false
  return !URL.canParse(location, base) || new URL(location, base).host !== base.host
}

export async function tryMethods(target) {
  const paths = ['/session', ...target.routes.map((wire) => question(wire).path)]
  const methods = ['GET', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']
  const tries = paths.flatMap((path) => methods.map((method) => [`${method} ${path}`, { method, path }]))
  return judge(await askAll(target, tries), among(404, 405, 400, 403, 501))
}

const secretPaths = [
  '/.env',
  '/.dev.vars',
  '/.git/config',
  '/wrangler.toml',
  '/package.json',
  '/%2e%2e/%2e%2e/.dev.vars',
  '/index.ts',
]

export async function tryPaths(target) {
  const wire = oneWire(target)
  const { path, ...rest } = question(wire)
  const odd = [
    `/${path}`,
    `${path}/`,
    path.toUpperCase(),
    `${path};x=1`,
    `${path}%00`,
    `${path}%0d%0ax-attack:1`,
    `/x/..${path}`,
    `/x/%2e%2e${path}`,
    `${path}/${'x'.repeat(8000)}`,
    '/v1/files',
    '/v1/proxy/chat/completions',
    '/v1/responses/resp_1',
    '/metrics',
    '/debug',
    '/__scheduled',
  ]
  const tries = [
    ...odd.map((name) => [name.slice(0, 40), { ...rest, path: name }]),
    ...secretPaths.map((name) => [name, { method: 'GET', path: name }]),
  ]
  return judge(await askAll(target, tries), refused)
}

export async function tryHosts(target) {
  const wire = oneWire(target)
  const { path, headers, body } = question(wire)
  const as = (what, host, to = path) => [what, { path: to, headers: { ...headers, host }, body }]
  const evil = 'attack.isoglot.example'
  const answers = await askAll(target, [
    as('another', evil),
    as('a path in it', `${target.base.host}/session?`),
    as('a user in it', `x@${evil}`),
    as('an empty one', ''),
    as('localhost', 'localhost'),
    as('absolute form', target.base.host, `http://${evil}${path}`),
    ['two of them', { path, headers: [['host', target.base.host], ['host', evil], ...Object.entries(headers)], body }],
  ])
  const isFine = (answer) => refused(answer) && !answer.text.includes(evil)
  return judge(answers, isFine)
}
