/** The examples with a page, each as its one command starts it, in a real browser, over HTTP to the embedded provider. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findChromium } from '../../scripts/chromium.mjs'
import { chatOn } from './chat-page.ts'
import { type Example, runExample } from './run.ts'

const executablePath = findChromium()
if (!executablePath) console.warn('SKIPPED: the components are not tested in a page, since no Chromium is installed')

const names = ['react', 'svelte', 'ai-sdk-ui']
const examples: Partial<Record<string, Example>> = {}
let browser: Browser
beforeAll(async () => {
  if (!executablePath) return
  for (const name of names) examples[name] = runExample(name)
  browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
})
afterAll(async () => {
  await browser?.close()
  await Promise.all(Object.values(examples).map((example) => example?.stop()))
})

describe.skipIf(!executablePath).each(names)('%s', (name) => {
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    page = await browser.newPage()
    page.on('pageerror', (error) => problems.push(error.message))
  })
  afterAll(() => page?.close())
  beforeEach(async () => {
    problems.length = 0
    await page.goto((await examples[name]?.url) ?? '')
  })

  const { answer, finished, say } = chatOn(() => page)

  it('draws a tool round as it streams, and continues with the same conversation', async () => {
    await say('Weather in Tokyo and Paris?')
    await answer().getByText('Here is what I found').waitFor()
    await finished()
    await expect.poll(() => page.locator('li.assistant code').count()).toBe(2)
    await expect.poll(() => answer().innerText()).toContain('25 °C and sunny in Tokyo. 25 °C and sunny in Paris.')
    await say('Think: how many are there?')
    await answer().getByText('There are three').waitFor()
    await finished()
    await expect.poll(() => answer().locator('blockquote').innerText()).toContain('s-t-r-a-w')
    expect(problems).toEqual([])
  })

  it('draws text before it is whole, stops when asked to, and keeps the part that came', async () => {
    await say('Count slowly')
    await answer().getByText('1, 2').waitFor()
    await expect.poll(() => page.locator('main').getAttribute('aria-busy')).toBe('true')
    await page.getByRole('button', { name: 'Stop' }).click()
    await finished()
    await expect.poll(() => answer().innerText()).toMatch(/^1, 2/)
    await expect.poll(() => answer().innerText()).not.toContain('30')
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await say('Hello again')
    await answer().getByText('Hello from the embedded provider').waitFor()
    expect(problems).toEqual([])
  })

  it('shows an error beside what came before it', async () => {
    await say('Please fail')
    await page.getByRole('alert').waitFor()
    await expect.poll(() => answer().innerText()).not.toBe('')
    await finished()
    expect(problems).toEqual([])
  })
})

it.each(['react/Chat.tsx', 'svelte/Chat.svelte'])('%s is of fewer than 60 lines', (file) => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'examples', file), 'utf8')
  expect(text.trimEnd().split('\n').length).toBeLessThan(60)
})

/** In place of WebLLM, which needs a GPU and a gigabyte: an engine that answers as its reference says. */
const fakeWebLlm = `
const chunk = (delta, finish_reason = null) => ({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] })
async function* answer() {
  for (const content of ['Hello from ', 'this page']) yield chunk({ content })
  yield chunk({}, 'stop')
}
export const CreateMLCEngine = async () => ({ interruptGenerate() {}, chat: { completions: { create: async () => answer() } } })
`

it('web-llm: a chat on a model that runs in the page', async () => {
  const example = runExample('web-llm')
  const page = await browser.newPage()
  try {
    const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' }
    await page.route('https://esm.run/**', (route) => route.fulfill({ headers, body: fakeWebLlm }))
    await page.goto(await example.url)
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('li.assistant', { hasText: 'Hello from this page' }).waitFor()
    await expect.poll(() => page.locator('li.user').count()).toBe(1)
  } finally {
    await page.close()
    await example.stop()
  }
})
