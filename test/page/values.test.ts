/** `useObject` of each framework in Chromium: the value grows, is whole, and stops with its component. React runs under StrictMode. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, launchChromium, problemsOf } from './browser.ts'
import { bundle } from './chat/bundle.ts'
import type { handle } from './chat/values.ts'

type Own = { readonly handle: typeof handle }
let browser: Browser
let code: string
beforeAll(async () => {
  if (!hasChromium) return
  browser = await launchChromium()
  code = await bundle(`export { handle } from './values.ts'`, 'browser')
})
afterAll(() => browser?.close())

describe.skipIf(!hasChromium).each(['react', 'vue', 'svelte', 'solid'])('%s', (name) => {
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    page = await browser.newPage()
    complaints = problemsOf(page, /warning|error/)
    await page.setContent('<!doctype html><div id="app"></div>')
    await page.addScriptTag({ content: code, type: 'module' })
    await page.waitForFunction(() => 'handle' in globalThis)
    await page.evaluate((which) => (globalThis as unknown as Own).handle.draw(which), name)
  })
  afterAll(() => page?.close())
  const sees = (text: string) => page.locator('output').getByText(text, { exact: true }).waitFor()
  const grow = (text: string) =>
    page.evaluate(async (piece) => {
      const { push } = (globalThis as unknown as Own).handle
      await push({ type: 'message_start' }, { type: 'text_delta', index: 0, text: piece })
    }, text)

  it('draws a value while it grows, and whole at its end', async () => {
    await sees('ready: undefined')
    await page.locator('button').click()
    await sees('submitted: undefined')
    await grow('{"title":"Lasa')
    await sees('streaming: {"title":"Lasa"}')
    await page.evaluate(() => (globalThis as unknown as Own).handle.end('{"title":"Lasagne"}'))
    await sees('done: {"title":"Lasagne"}')
    expect(complaints).toEqual([])
  })

  it('stops a value when its component goes', async () => {
    await page.locator('button').click()
    await grow('{"title":"La')
    await sees('streaming: {"title":"La"}')
    expect(await page.evaluate(() => (globalThis as unknown as Own).handle.isStopped())).toBe(false)
    await page.evaluate(() => (globalThis as unknown as Own).handle.remove())
    await page.waitForFunction(() => (globalThis as unknown as Own).handle.isStopped())
    expect(complaints).toEqual([])
  })
})
