/** Checks the text of all answers. */
import { ask } from './ask.mjs'
import { secretsIn } from './keys.mjs'

/** Checks the headers of all answers of the API so far. */
export function seeHeaders({ seen }) {
  const answers = seen.filter(
    ({ path, status }) => /^\/(?:v1\/|api\/|session)/.test(path) && status > 0 && status !== 404,
  )
  const own = answers.filter(({ method }) => method !== 'OPTIONS')
  const rule = (what, among, isFine) => {
    const bad = among.find((answer) => !isFine(answer.headers))
    return {
      what,
      got: bad === undefined ? `all ${among.length}` : `${bad.method} ${bad.path}: ${bad.status}`,
      ok: bad === undefined && among.length > 0,
    }
  }
  const forbidden = [
    'set-cookie',
    'x-powered-by',
    'openai-organization',
    'openai-processing-ms',
    'access-control-allow-credentials',
  ]
  return [
    rule('cache-control: no-store', own, (headers) => `${headers['cache-control']}`.includes('no-store')),
    rule('x-content-type-options: nosniff', own, (headers) => headers['x-content-type-options'] === 'nosniff'),
    rule('vary: origin', answers, (headers) => /\borigin\b/i.test(`${headers.vary}`)),
    ...forbidden.map((name) => rule(`no ${name}`, answers, (headers) => headers[name] === undefined)),
  ]
}

/** All answers so far, and the files of the page. */
export async function seeKeys(target) {
  await fetchPage(target)
  const bad = target.seen.flatMap(({ path, headers, text }) =>
    secretsIn(`${JSON.stringify(headers)}\n${text}`).map((kind) => ({ what: path, got: kind, ok: false })),
  )
  return bad.length > 0 ? bad : [{ what: 'search', got: `none in ${target.seen.length} answers`, ok: true }]
}

const maxFiles = 60

/** The page, the files that it names, and the files that these name. */
async function fetchPage(target) {
  const known = new Set(['/', '/admin'])
  for (const path of known) {
    const { text, status } = await ask(target, { method: 'GET', path })
    if (status !== 200) continue
    const named = [...text.matchAll(/["'](\.{0,2}\/?[\w./-]+\.(?:js|mjs|css|json|map))["']/g)]
    for (const [, name = ''] of named) {
      const { pathname } = new URL(name, new URL(path, target.base))
      if (known.size < maxFiles) known.add(pathname)
    }
  }
}
