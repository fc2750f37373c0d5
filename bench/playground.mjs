/**
 * `npm run bench -- playground`: the longest task of the playground's page while 10,000 deltas arrive, in each browser that is here. The view
 * of the wire is open beside the chat, then that of the stream. The page is the static one, and a recording of 10,000 deltas is in the
 * place of its own. JSON.
 *
 * In Chromium, a task is the work of the page's own thread; in Firefox and WebKit, it is the time between two timers, and other programs count.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { findChromium, traceTasks } from '../scripts/chromium.mjs'
import { buildPlayground } from '../scripts/playground.mjs'
import { serveFolder } from '../test/page/browser.ts'
import { drivers } from '../test/page/drivers.ts'
import { chatText, pause } from '../test/support/upstream.ts'
import { out } from './lib/subject.mjs'

const deltas = 10_000
const folder = buildPlayground(join(out, 'playground'))
const words = Array.from({ length: deltas }, (_, at) => (at % 40 === 39 ? `w${at}\n\n` : `w${at} `))
writeFileSync(join(folder, 'recordings', 'think-openai-chat-1.sse'), chatText(...words).join(''))
const paced = join(folder, 'recordings.js')
writeFileSync(paced, readFileSync(paced, 'utf8').replace(/const paceMs = \d+/, 'const paceMs = 0'))
const site = await serveFolder(folder)

const watch = `{
  let last = performance.now()
  globalThis.longest = 0
  const tick = () => {
    const now = performance.now()
    globalThis.longest = Math.max(globalThis.longest, now - last)
    last = now
    setTimeout(tick)
  }
  tick()
}`
const ask = `[...document.querySelectorAll('#suggestions button')].find((one) => one.textContent.startsWith('Think')).click()`
const isDone = `!document.querySelector('#log [aria-busy=true]') && document.querySelector('#log').innerText.includes('w${deltas - 1}')`

const rows = []
for (const [name, run] of [
  ['Chromium', inChromium],
  ...Object.keys(drivers).map((name) => [name, (view) => inOther(name, view)]),
])
  for (const view of ['wire', 'stream'])
    rows.push(await run(view).then((longestMs) => ({ browser: name, view, longestMs: Math.round(longestMs) })))
site.stop()
rmSync(folder, { recursive: true })
console.log(JSON.stringify(rows))

async function inChromium(view) {
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] })
  const page = await browser.newPage()
  await page.goto(`${site.url}#${view}`)
  await page.locator('#model:enabled').waitFor()
  const endTrace = await traceTasks(page)
  await page.evaluate(ask)
  await page.evaluate((hash) => location.assign(hash), `#${view}`)
  while (!(await page.evaluate(isDone))) await pause(1000)
  const longest = (await endTrace()).reduce((most, one) => Math.max(most, one), 0)
  await browser.close()
  return longest
}

async function inOther(name, view) {
  const driver = await drivers[name].launch()
  await driver.open(`${site.url}#${view}`)
  while (await driver.run('document.querySelector("#model").disabled')) await pause(100)
  await driver.run(`(() => { ${watch}; ${ask}; location.assign('#${view}') })()`)
  while (!(await driver.run(isDone))) await pause(1000)
  const longest = await driver.run('globalThis.longest')
  await driver.close()
  return longest
}
