/** A chat with a server, in each engine that is here: ten thousand deltas, a connection that breaks, a page that is reloaded. */
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { traceTasks } from '../../scripts/chromium.mjs'
import { stream } from '../../src/index.ts'
import { readChatRequest, toResponse } from '../../src/page/response.ts'
import { mockModel } from '../../src/test/index.ts'
import { type Served, serve } from '../support/serve.ts'
import { hasChromium, launchChromium } from './browser.ts'
import { type Driver, drivers } from './drivers.ts'

const count = 10_000
const words = Array.from({ length: count }, (_, at) => `w${at}`).join(' ')
const slow = Array.from({ length: 200 }, (_, at) => `${at}`).join(' ')
/** By the first word of the question. */
const models = {
  flow: () => mockModel([words]),
  slow: () => mockModel([slow], { delayMs: 20 }),
  cut: () => mockModel([{ cutAfter: 4, of: 'It is sunny in Tokyo' }]),
  hello: () => mockModel(['Hello.']),
}

let served: Served
/** How often each question was asked. */
const asked: string[] = []
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/chat/flow.ts`],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const files: Readonly<Record<string, readonly [string, string]>> = {
    '/': [
      'text/html',
      '<!doctype html><meta charset="utf-8"><div id="app"></div><script type="module" src="/main.js"></script>',
    ],
    '/main.js': ['text/javascript', outputFiles[0]?.text ?? ''],
  }
  served = await serve(async (request) => {
    const { pathname } = new URL(request.url)
    const [type, text] = files[pathname] ?? []
    if (type !== undefined) return new Response(text, { headers: { 'content-type': type } })
    if (pathname !== '/chat') return new Response(null, { status: 404 })
    const { messages } = await readChatRequest(request)
    const question = `${messages.at(-1)?.content ?? 'hello'}` // nothing is new where an answer is asked for again
    const isAgain = asked.includes(question)
    asked.push(question)
    const kind = (isAgain ? 'hello' : question.split(' ')[0]) as keyof typeof models
    return toResponse(stream({ model: models[kind](), prompt: question, retries: 0, signal: request.signal }))
  })
})
afterAll(() => served?.stop())

/** The least that the tests need, by Playwright's page. */
function driverOf(page: Page, close: () => Promise<void>): Driver {
  return {
    open: (url) => page.goto(url),
    run: (expression) => page.evaluate(expression),
    click: (selector) => page.click(selector),
    type: (selector, text) => page.locator(selector).pressSequentially(text),
    picture: () => page.screenshot(),
    close,
  }
}

let chromium: { readonly browser: Browser; readonly page: Page } | undefined
async function launchChromiumDriver(): Promise<Driver> {
  const browser = await launchChromium()
  const page = await browser.newPage()
  chromium = { browser, page }
  return driverOf(page, () => browser.close())
}

/** Firefox and WebKit start in ten seconds each: in the runs that have the site in them too. */
const engines = {
  Chromium: { isHere: hasChromium, launch: launchChromiumDriver },
  ...(inject('isExhaustive') && drivers),
}

describe.each(Object.entries(engines))('a chat with a server, in %s', (name, { isHere, launch }) => {
  let driver: Driver
  beforeAll(async () => {
    if (!isHere) return
    asked.length = 0
    driver = await launch()
    await driver.open(served.url)
    await until('document.querySelector("output") !== null')
  })
  afterAll(() => driver?.close())

  async function until(condition: string): Promise<void> {
    while (!(await driver.run(condition))) await new Promise((resolve) => setTimeout(resolve, 50))
  }

  const say = (text: string) => driver.run(`void chat.send(${JSON.stringify(text)})`)
  // After the page is opened again, nothing is drawn at first.
  const status = 'document.querySelector("output")?.textContent'
  const texts = () => driver.run('[...document.querySelectorAll("li")].map((one) => one.textContent)')

  it.skipIf(!isHere)('draws ten thousand deltas, each once, in many short tasks', async () => {
    const endTrace = chromium && name === 'Chromium' ? await traceTasks(chromium.page) : undefined
    await say('flow')
    await until(`${status} === "ready" && document.querySelectorAll("li").length === 2`)
    await expect.poll(texts).toEqual(['flow', words])
    expect(await driver.run('rendersOf()')).toBeLessThan(count / 10)
    if (endTrace === undefined) return
    const tasks = await endTrace()
    const sum = tasks.reduce((one, other) => one + other, 0)
    // A page that draws all of it at once has one task with most of the work.
    expect(Math.max(...tasks)).toBeLessThan(sum / 10)
  })

  it.skipIf(!isHere)('keeps the received part when the connection breaks, says so, and asks again', async () => {
    await driver.run('chat.clear()')
    await say('cut here')
    await until(`${status} === "error"`)
    const [question, answer] = (await texts()) as string[]
    expect(question).toBe('cut here')
    expect('It is sunny in Tokyo'.startsWith(answer ?? '-')).toBe(true)
    expect(await driver.run('chat.getSnapshot().error.name')).toBe('InterruptedError')
    await driver.run('void chat.retry()')
    await until(`${status} === "ready"`)
    await expect.poll(texts).toEqual(['cut here', 'Hello.'])
  })

  it.skipIf(!isHere)('draws the stored chat after a reload in the middle of an answer, and asks again', async () => {
    await driver.run('chat.clear()')
    await say('hello first')
    await until(`${status} === "ready" && document.querySelectorAll("li").length === 2`)
    await say('slow second')
    await until('document.querySelectorAll("li").length === 4')
    await driver.open(served.url)
    await until('document.querySelectorAll("li").length >= 3')
    const [half = '', ...others] = ((await texts()) as string[]).slice(3)
    expect(((await texts()) as string[]).slice(0, 3)).toEqual(['hello first', 'Hello.', 'slow second'])
    // Firefox and WebKit break the request before the page is gone, so that it stores what came.
    expect([slow.startsWith(half), half.length < slow.length, others]).toEqual([true, true, []])
    expect(await driver.run('chat.getSnapshot().messages.at(-1).state')).toMatch(/^(stopped|failed)$/)
    await driver.run('void chat.regenerate()')
    await until(`${status} === "ready" && document.querySelectorAll("li").length === 4`)
    await expect.poll(texts).toEqual(['hello first', 'Hello.', 'slow second', 'Hello.'])
  })

  // Only Chromium can simulate that the device is offline.
  if (name !== 'Chromium') return
  it.skipIf(!isHere)('fails a message while the device is offline, and sends it after', async () => {
    const context = chromium?.page.context()
    await driver.run('chat.clear()')
    await context?.setOffline(true)
    await say('hello offline')
    await until(`${status} === "error"`)
    expect(await driver.run('chat.getSnapshot().error.name')).toBe('ConnectionError')
    expect(await driver.run('chat.getSnapshot().messages.map(({ state }) => state)')).toEqual(['failed'])
    await context?.setOffline(false)
    await driver.run('void chat.retry()')
    await until(`${status} === "ready"`)
    await expect.poll(texts).toEqual(['hello offline', 'Hello.'])
  })
})
