/** The browser's model in a real Chromium: with the API that it has by itself, without any, and with a fake that follows the draft. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPlayground } from '../../scripts/playground.mjs'
import type { tried as Tried } from '../browser-model/page.ts'
import { hasChromium, launchChromium, problemsOf, type Site, serveFolder } from './browser.ts'

/** A global of the page. */
declare const tried: typeof Tried

describe.skipIf(!hasChromium)("the browser's model in Chromium", () => {
  let browser: Browser
  let site: Site
  let fake: string
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-browser-model-'))

  beforeAll(async () => {
    await build({
      entryPoints: [new URL('../browser-model/page.ts', import.meta.url).pathname],
      outfile: join(folder, 'page.js'),
      bundle: true,
      format: 'esm',
      target: 'es2022',
      logLevel: 'silent',
    })
    writeFileSync(
      join(folder, 'index.html'),
      '<!doctype html><title>.</title><script type="module" src="page.js"></script>',
    )
    const { outputFiles } = await build({
      entryPoints: [new URL('../browser-model/fake.ts', import.meta.url).pathname],
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'faked',
      logLevel: 'silent',
    })
    fake = outputFiles[0]?.text ?? ''
    browser = await launchChromium()
    site = await serveFolder(folder)
  })
  afterAll(async () => {
    await site?.stop()
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function openPage(init?: () => void): Promise<Page> {
    const page = await browser.newPage()
    if (init) await page.addInitScript(init)
    await page.goto(site.url)
    await page.waitForFunction(() => 'tried' in globalThis)
    return page
  }

  it.each([
    ['has the API and no model, or no API', undefined],
    ['has no API', () => void Reflect.deleteProperty(globalThis, 'LanguageModel')],
  ])('a browser that %s says so, and another model answers', async (_name, init) => {
    const page = await openPage(init)
    const told = await page.evaluate(async () => {
      const { browserModel, generate, localModel } = tried
      const other = localModel('other', async function* () {
        yield [{ type: 'text', text: 'Other' }]
      })
      const model = browserModel()
      const error = await generate({ model, prompt: 'Hi' }).catch((thrown) => thrown)
      const { text } = await generate({
        model: (await model.availability()) === 'available' ? model : other,
        prompt: 'Hi',
      })
      return { availability: await model.availability(), name: error.name, kind: error.kind, text }
    })
    expect(told).toEqual({
      availability: expect.stringMatching(/^(?:missing|unavailable)$/),
      name: 'ApiError',
      kind: 'not_found',
      text: 'Other',
    })
    await page.close()
  })

  it('downloads in a click, streams, calls tools, and is cancelled', async () => {
    const page = await openPage()
    const problems = problemsOf(page)
    const told = await page.evaluate(async () => {
      const { browserModel, fakeLanguageModel, generate, stream, t, tool } = tried
      const calls = [...'{"calls":[{"name":"double","arguments":{"n":21}}]}']
      const answers = [['Hel', 'lo'], calls, [...'{"text":"It is 42"}'], 'endless' as const]
      const fake = fakeLanguageModel({ availability: 'downloadable', isActive: true, answers })
      Object.defineProperty(globalThis, 'LanguageModel', { value: fake.api, configurable: true })
      const progress: number[] = []
      const model = browserModel({ onDownload: (loaded) => void progress.push(loaded) })
      await model.prepare()
      const run = stream({ model, prompt: 'Hi' })
      const pieces: string[] = []
      for await (const piece of run.text()) pieces.push(piece)
      const double = tool({ name: 'double', parameters: t.object({ n: t.number() }), execute: ({ n }) => n * 2 })
      const { text, rounds } = await generate({ model, prompt: 'Twice 21?', tools: [double] })
      const stopping = new AbortController()
      const endless = stream({ model, prompt: 'Hi', signal: stopping.signal })
      let reason = ''
      try {
        for await (const _ of endless.text()) stopping.abort(new Error('Enough'))
      } catch (error) {
        reason = (error as Error).message
      }
      return {
        progress,
        pieces,
        text,
        rounds,
        reason,
        partial: endless.partial?.content,
      }
    })
    expect(told).toMatchObject({
      progress: [0, 0.5, 1],
      pieces: ['Hel', 'lo'],
      text: 'It is 42',
      rounds: 2,
      reason: 'Enough',
      partial: [{ type: 'text', text: 'Hm' }],
    })
    expect(problems).toEqual([])
    await page.close()
  })

  it('is offered by the playground where the browser has it, and answers without a server', async () => {
    const playground = await serveFolder(buildPlayground(join(folder, 'playground')))
    try {
      const page = await browser.newPage()
      const problems = problemsOf(page)
      await page.addInitScript(`${fake}
        const script = { isActive: true, availability: 'downloadable', answers: [['Hel', 'lo']] }
        Object.defineProperty(globalThis, 'LanguageModel', { value: faked.fakeLanguageModel(script).api })`)
      await page.goto(playground.url)
      const choice = page.getByLabel('Model', { exact: true })
      await choice.focus() // which asks the browser
      await choice.selectOption({ label: 'This browser’s own model' })
      await page.getByText('The model of this browser is ready').waitFor({ state: 'attached' })
      await page.getByRole('textbox', { name: 'Message' }).fill('Hi')
      await page.keyboard.press('Enter')
      await page.locator('#log article.assistant > .text').getByText('Hello').waitFor()
      await page.locator('#take-ending.proper').waitFor()
      await expect.poll(() => page.locator('#take-about').innerText()).toBe('No wire, live')
      await expect.poll(() => page.locator('#handoff-view option').allInnerTexts()).not.toContain('browser')
      expect(problems).toEqual([])
      await page.close()
    } finally {
      await playground.stop()
    }
  })
})
