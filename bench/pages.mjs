/**
 * `node bench/pages.mjs`: the same chat with a tool, by isoglot with a route and with `remote`, by `ai` with `@ai-sdk/react` and by TanStack AI, each with its own route and
 * its own page, in React and in Chromium. All three ask one scripted provider. JSON.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { publicPaths } from '../scripts/built-files.mjs'
import { findChromium, traceTasks } from '../scripts/chromium.mjs'
import { serve } from '../test/support/serve.ts'
import { pause, startUpstream } from '../test/support/upstream.ts'
import { median } from './lib/measure.mjs'
import { out, root } from './lib/subject.mjs'

const names = {
  isoglot: 'isoglot, a route',
  'isoglot-remote': 'isoglot, `remote`',
  'ai-sdk': '`ai`, `@ai-sdk/react`',
  tanstack: '`@tanstack/ai-client`',
}
const folder = join(import.meta.dirname, 'pages')
const deltas = 400
const now = () => performance.timeOrigin + performance.now()

/** isoglot is read from its sources. */
const resolving = {
  name: 'resolving',
  setup({ onResolve }) {
    const paths = publicPaths(root)
    onResolve({ filter: /^isoglot(\/|$)/ }, ({ path }) => ({
      path: join(root, paths[path.slice('isoglot/'.length) || 'index']),
      sideEffects: false,
    }))
  },
}

/** The copy of a peer that its bindings bring, and not another one of this folder. */
const onlyOne = {
  name: 'only-one',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^(ai|zod|@tanstack\/ai(\/client)?)$/ }, ({ path, kind, pluginData }) =>
      pluginData === undefined ? resolve(path, { kind, resolveDir: root, pluginData: 'root' }) : undefined,
    )
  },
}

const provider = await startProvider()
process.env.PROVIDER_URL = provider.url
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] })
const rows = []
for (const name of Object.keys(names)) rows.push(await measure(name))
await browser.close()
provider.stop()
console.log(JSON.stringify(rows))

async function measure(name) {
  const site = await startSite(name)
  try {
    return {
      name: names[name],
      lines: linesOf(name),
      brotli: await weigh(name),
      brotliWithoutZod: await weigh(name, ['zod']),
      flow: await middleOf(3, () => inPage(site, flow)),
      longestTaskMs: await inPage(site, burst),
      cut: await inPage(site, cut('cut')),
      reset: await inPage(site, cut('reset')),
      stop: await inPage(site, stop),
      twice: await inPage(site, twice),
      wrong: await inPage(site, wrong),
    }
  } finally {
    site.stop()
  }
}

/** The run with the median time, of this number of runs. */
async function middleOf(count, run) {
  const runs = []
  while (runs.length < count) runs.push(await run())
  return runs.sort((one, other) => one.medianMs - other.medianMs)[count >> 1]
}

// ---- what is tried ----------------------------------------------------------------------------

async function flow(page, site) {
  const tool = await ask(page, 'weather')
  await page.evaluate(() => (globalThis.renders = 0))
  site.sent.clear()
  const text = await ask(page, 'flow')
  const { renders, seen } = await page.evaluate(() => ({ renders: globalThis.renders, seen: globalThis.seen }))
  const lateMs = Object.entries(seen).map(([mark, at]) => at - site.sent.get(mark))
  return {
    tool: tool.answers.at(-1),
    isWhole: text.answers.at(-1)?.endsWith(`#${deltas}`),
    renders,
    medianMs: median(lateMs),
    worstMs: Math.max(...lateMs),
  }
}

/** The longest task of the page while as many deltas come as fast as they can. */
async function burst(page) {
  const endTrace = await traceTasks(page)
  await ask(page, 'burst')
  return Math.max(...(await endTrace()))
}

function cut(how) {
  return async (page) => {
    const { error, answers } = await ask(page, `slow ${how}`)
    return { error, text: answers.at(-1) }
  }
}

async function stop(page) {
  await say(page, 'slow')
  await page.getByText('#3 ').waitFor()
  const asked = provider.asked.at(-1)
  const ended = asked.closed.then(() => (asked.isCancelled ? now() : undefined))
  const before = now()
  await page.getByRole('button', { name: 'Stop' }).click()
  const at = await Promise.race([ended, pause(10_000)])
  await page.locator('main[aria-busy=false]').waitFor()
  return { cancelledMs: at && at - before, ...(await shown(page)) }
}

/** The second while the first is answered. */
async function twice(page) {
  const before = provider.asked.length
  await say(page, 'one')
  await say(page, 'two')
  await page.waitForTimeout(500)
  await page.locator('main[aria-busy=false]').waitFor()
  await page.waitForTimeout(500)
  await page.locator('main[aria-busy=false]').waitFor()
  const problem = page.problems.at(-1)
  return { requests: provider.asked.length - before, ...(await shown(page)), problem }
}

async function wrong(page) {
  const { answers, error } = await ask(page, 'wrong')
  const ran = await page.evaluate(() => globalThis.ran)
  return { ran, answer: answers.at(-1), error }
}

// ---- the page ---------------------------------------------------------------------------------

async function inPage(site, attempt) {
  const page = Object.assign(await browser.newPage(), { problems: [] })
  page.on('pageerror', (error) => page.problems.push(`${error.name}: ${error.message}`))
  page.setDefaultTimeout(20_000)
  try {
    await page.goto(site.url)
    return await attempt(page, site)
  } catch (error) {
    return { failed: String(error.message).split('\n')[0] }
  } finally {
    await page.close()
  }
}

async function say(page, text) {
  await page.locator('input').fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

/** Says something and waits for the end: the page is not busy for a quarter of a second. */
async function ask(page, text) {
  await say(page, text)
  await page.locator('li.user', { hasText: text }).waitFor()
  for (let quiet = 0; quiet < 5; ) {
    await page.waitForTimeout(50)
    quiet = (await page.locator('main[aria-busy=false]').count()) > 0 ? quiet + 1 : 0
  }
  return shown(page)
}

function shown(page) {
  return page.evaluate(() => {
    const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.innerText)
    return { questions: texts('li.user'), answers: texts('li.assistant'), error: texts('[role=alert]')[0] }
  })
}

/** Beside the component: it counts what is rendered, and notes when a mark of the server is drawn. */
function main(name) {
  return `
import { createRoot } from 'react-dom/client'
import { Chat } from './${name}/page.jsx'
Object.assign(globalThis, { renders: 0, ran: [], seen: {} })
function Counted() {
  globalThis.renders++
  return Chat()
}
const painted = new MessageChannel()
let waiting = []
painted.port1.onmessage = () => {
  for (const mark of waiting.splice(0)) globalThis.seen[mark] ??= performance.timeOrigin + performance.now()
}
let last = 0
new MutationObserver(() => {
  const text = document.querySelector('ol').lastElementChild?.textContent ?? ''
  const drawn = Number(text.match(/#(\\d+) (?!.*#\\d+ )/)?.[1] ?? 0)
  if (drawn <= last) return
  while (last < drawn) waiting.push('#' + ++last + ' ')
  requestAnimationFrame(() => painted.port2.postMessage(0))
}).observe(document, { subtree: true, childList: true, characterData: true })
createRoot(document.getElementById('app')).render(<Counted />)
`
}

async function bundle(contents, options) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder, loader: 'jsx' },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    target: 'es2022',
    logLevel: 'error',
    plugins: [resolving, onlyOne],
    ...options,
  })
  return outputFiles[0].contents
}

/** The size of all that the page loads beside React, in bytes of brotli. */
async function weigh(name, others = []) {
  const external = ['react', 'react-dom', 'react/jsx-runtime', ...others]
  return brotliCompressSync(await bundle(`export { Chat } from './${name}/page.jsx'`, { external })).length
}

/** Of route and page, without empty lines. */
function linesOf(name) {
  const count = (file) => readFileSync(join(folder, name, file), 'utf8').match(/\S.*$/gm).length
  return Object.fromEntries(readdirSync(join(folder, name)).map((file) => [file.split('.')[0], count(file)]))
}

// ---- the servers ------------------------------------------------------------------------------

/** The page and its route. A question with "cut" or "reset" loses its connection after the third mark, with and without a normal end. */
async function startSite(name) {
  const script = await bundle(main(name))
  const route = join(out, `pages-${name}.mjs`)
  await build({
    entryPoints: [join(folder, name, 'route.mjs')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    plugins: name.startsWith('isoglot') ? [resolving] : [],
    outfile: route,
    logLevel: 'error',
  })
  const { POST } = await import(pathToFileURL(route).href)
  const page = '<!doctype html><div id="app"></div><script type="module" src="/main.js"></script>'
  const sent = new Map()
  const server = await serve(async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/') return new Response(page, { headers: { 'content-type': 'text/html' } })
    if (pathname === '/main.js') return new Response(script, { headers: { 'content-type': 'text/javascript' } })
    if (pathname !== '/api/chat') return new Response(null, { status: 404 })
    const [body, { signal }] = [await request.text(), request]
    const headers = { 'content-type': 'application/json' }
    const answer = await POST(new Request(request.url, { method: 'POST', headers, body, signal }))
    const watched = answer.body.pipeThrough(watching(sent, /slow (cut|reset)/.exec(body)?.[1]))
    return new Response(watched, { status: answer.status, headers: answer.headers })
  })
  return { ...server, sent }
}

/** Notes when each mark is sent, and breaks off after the third one. */
function watching(sent, ending) {
  return new TransformStream({
    async transform(chunk, controller) {
      const marks = Buffer.from(chunk).toString().match(/#\d+ /g) ?? []
      for (const mark of marks) if (!sent.has(mark)) sent.set(mark, now())
      controller.enqueue(chunk)
      if (ending === undefined || !marks.includes('#3 ')) return
      await pause(50)
      if (ending === 'cut') controller.terminate()
      else controller.error(new Error('The connection is reset'))
    },
  })
}

/** Chat Completions, by the last word that the user said. */
async function startProvider() {
  const upstream = await startUpstream()
  upstream.answer(async (response, { body: { messages } }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (delta, finish_reason = null) =>
      response.write(
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-5', choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
      )
    const last = messages.at(-1)
    const text = textOf(messages.findLast(({ role }) => role === 'user').content)
    const isCall = /weather|wrong/.test(text) && last.role !== 'tool'
    if (isCall) {
      const args = JSON.stringify({ city: text.includes('wrong') ? 7 : 'Tokyo' })
      const call = { index: 0, id: `call_${upstream.asked.length}`, type: 'function' }
      send({ role: 'assistant', tool_calls: [{ ...call, function: { name: 'get_weather', arguments: args } }] })
    } else
      for await (const piece of piecesFor(text, last)) response.destroyed || send({ role: 'assistant', content: piece })
    send({}, isCall ? 'tool_calls' : 'stop')
    response.end('data: [DONE]\n\n')
  })
  return upstream
}

async function* piecesFor(text, last) {
  if (last.role === 'tool') return yield `The tool said: ${textOf(last.content)}`
  if (text.includes('burst')) return yield* Array.from({ length: 10_000 }, (_, at) => `w${at} `)
  const [count, gapMs] = text.includes('flow') ? [deltas, 10] : text.includes('slow') ? [60, 100] : [5, 100]
  for (let at = 1; at <= count; at++) {
    yield text.includes('flow') || text.includes('slow') ? `word #${at} ` : `${text}${at} `
    await pause(gapMs)
  }
}

function textOf(content) {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')
}
