/** In the bindings too, no order of what happens loses a message, doubles one, or puts it in another's place: in Chromium. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isExhaustive } from '../support/cuts.ts'
import { hasChromium, launchChromium, problemsOf } from './browser.ts'
import { bundle } from './chat/bundle.ts'
import type { findWrong } from './chat/orders.ts'

describe.skipIf(!hasChromium)('a chat that a component owns', () => {
  let browser: Browser
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    browser = await launchChromium()
    page = await browser.newPage()
    complaints = problemsOf(page, /warning|error/)
    await page.setContent('<!doctype html>')
    await page.addScriptTag({
      content: await bundle(`export { findWrong } from './orders.ts'`, 'browser'),
      type: 'module',
    })
  })
  afterAll(() => browser?.close())

  it.each(['react', 'react, StrictMode', 'vue', 'svelte', 'solid'])('by %s', async (name) => {
    const found = await page.evaluate(
      ([binding, numRuns]) => (globalThis as unknown as { findWrong: typeof findWrong }).findWrong(binding, numRuns),
      [name, isExhaustive ? 1000 : 10] as const,
    )
    expect([found, complaints]).toEqual([undefined, []])
  })
})
