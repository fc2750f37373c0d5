/**
 * A provider on loopback for any number of runtimes at once: each test leaves a script of answers under an id of its own, and asks later
 * what was asked. It serves the files under test too, and takes the reports of pages.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { portableEntriesIn } from '../../scripts/built-files.mjs'

const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.map': 'application/json' }
const longestWaitMs = 12_000

/** `root` holds `dist` and `test/runtimes`; `corpora` are folders of recorded answers. */
export async function startServer({ root, corpora }) {
  const entries = portableEntriesIn(join(root, 'dist'))
  const scripts = new Map()
  const reports = new Map()
  const addresses = {}
  const handle = async (request, response) => {
    const url = new URL(request.url, 'http://localhost')
    const [route = '', id = '', ...rest] = url.pathname.slice(1).split('/')
    response.setHeader('cache-control', 'no-store')
    const steps = { script, run, asked, closed, v1: kept, addresses: where, corpus: recorded, report, page, plan }
    await (Object.hasOwn(steps, route) ? steps[route] : file)(request, response, id, rest, url)
  }

  async function script(request, response, id) {
    scripts.set(id, { answers: JSON.parse(await read(request)), asked: [] })
    response.end()
  }

  async function run(request, response, id, way) {
    const one = scripts.get(id)
    const body = await read(request)
    const asked = { method: request.method, path: `/${way.join('/')}`, headers: request.headers, body }
    const ended = new Promise((resolve) => {
      response.once('close', () => resolve({ isCancelled: !response.writableFinished }))
    })
    one.asked.push({ asked, ended })
    const answer = one.answers.length > 1 ? one.answers.shift() : one.answers[0]
    const { events, bytes } = answer
    const rest = events?.slice(Number(request.headers['last-event-id'] ?? 0))
    await play(response, rest === undefined ? answer : { ...answer, stream: rest.join('').slice(0, bytes) })
  }

  /** `/v1/streams/<id>`: what else the script of this id has to answer. */
  function kept(request, response, _streams, [id]) {
    return run(request, response, id, ['kept'])
  }

  function asked(_request, response, id) {
    json(response, scripts.get(id)?.asked.map((one) => one.asked) ?? [])
  }

  async function closed(_request, response, id, [at]) {
    const late = new Promise((resolve) => setTimeout(resolve, longestWaitMs, { isCancelled: false }).unref())
    json(response, await Promise.race([scripts.get(id)?.asked[at]?.ended, late]))
  }

  function where(_request, response) {
    json(response, addresses)
  }

  function recorded(_request, response, format, [name, kind]) {
    if (name === undefined) return json(response, corpora.flatMap(list))
    const files = corpora.map((corpus) => join(corpus, format, name, `response.${kind}`))
    response.end(readFileSync(files.find((one) => existsSync(one))))
  }

  async function report(request, response, id) {
    const result = JSON.parse(await read(request))
    response.end()
    reports.get(id)?.(result)
  }

  function plan(_request, response) {
    json(response, { entries })
  }

  function page(_request, response, id) {
    response.setHeader('content-type', 'text/html')
    response.end(html(entries, id))
  }

  function file(_request, response, _id, _rest, url) {
    const path = join(root, normalize(url.pathname))
    if (!path.startsWith(root) || extname(path) === '' || !existsSync(path)) return response.writeHead(404).end()
    response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream')
    response.end(readFileSync(path))
  }

  const servers = [createServer(handle), createServer(handle)]
  const [base, other] = await Promise.all(servers.map(listen))
  Object.assign(addresses, { other, dead: await deadAddress() })
  return {
    base,
    /** The report of the page with this id. */
    reportOf: (id) => new Promise((resolve) => reports.set(id, resolve)),
    async stop() {
      for (const server of servers) server.closeAllConnections()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

function listen(server) {
  // Longer than any law keeps a runtime too busy to see that a connection was closed.
  server.keepAliveTimeout = 120_000
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`))
  })
}

/** An address without a server. */
async function deadAddress() {
  const server = createServer()
  const address = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return address
}

async function read(request) {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

function json(response, value) {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(value))
}

/**
 * One answer of a script: `status`, `headers`, and `json`, or `stream`, in pieces of `every` bytes that are `gapMs` apart and end as
 * `after` says: `end`, `hang` or `reset`. `{ hang: true }` never answers. In place of a `stream`, `events`: of the events after the
 * requested one, this number of `bytes`.
 */
async function play(
  response,
  { hang, status = 200, headers = {}, json: body, stream, every, gapMs = 0, after = 'end' },
) {
  if (hang) return
  const type = body === undefined ? 'text/event-stream' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers })
  if (stream === undefined) return response.end(body === undefined ? '' : JSON.stringify(body))
  response.socket.setNoDelay(true)
  response.flushHeaders()
  for (const piece of piecesOf(stream, every)) {
    if (response.destroyed) return
    response.write(piece)
    await new Promise((resolve) => (gapMs > 0 ? setTimeout(resolve, gapMs) : setImmediate(resolve)))
  }
  if (after === 'end') response.end()
  if (after === 'reset') response.destroy()
}

function piecesOf(stream, every) {
  if (Array.isArray(stream)) return stream
  const bytes = Buffer.from(stream)
  const size = every ?? bytes.length
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
}

const kinds = ['sse', 'ndjson']

/** The recorded streams: format, name and framing. */
function list(corpus) {
  const folders = readdirSync(corpus, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders.flatMap(({ name: format }) =>
    readdirSync(join(corpus, format)).flatMap((name) =>
      kinds
        .filter((kind) => existsSync(join(corpus, format, name, `response.${kind}`)))
        .map((kind) => ({ format, name, kind })),
    ),
  )
}

/** Each entry by a script tag of its own; the package's names by an import map. */
function html(entries, id) {
  const names = Object.fromEntries(entries.map((file) => [file === 'index' ? 'isoglot' : `isoglot/${file}`, file]))
  const imports = Object.fromEntries(Object.entries(names).map(([name, file]) => [name, `/dist/${file}.js`]))
  const tags = entries.map((file) => `<script type="module" src="/dist/${file}.js" data-file="${file}"></script>`)
  return `<!doctype html>
<meta charset="utf-8">
<script>
  const pageUnderTest = (globalThis.pageUnderTest = ${JSON.stringify({ names, report: `/report/${id}`, tags: {} })})
  for (const type of ['load', 'error']) {
    document.addEventListener(type, ({ target }) => {
      if (target.dataset.file) pageUnderTest.tags[target.dataset.file] = type === 'load'
    }, true)
  }
</script>
<script type="importmap">${JSON.stringify({ imports })}</script>
${tags.join('\n')}
<script type="module" src="/test/runtimes/page.mjs"></script>
`
}
