/** The page in a real browser, in front of the real Worker and the embedded provider. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findChromium } from '../../scripts/chromium.mjs'
import { type Demo, startDemo } from './demo.ts'

const executablePath = findChromium()
if (!executablePath) console.warn('SKIPPED: the page is not tested, since no Chromium is installed')

/** Where screenshots go if somebody wants to look at them. */
const pictures = process.env.ISOGLOT_SCREENSHOTS

describe.skipIf(!executablePath)('the page', () => {
  let demo: Demo
  let browser: Browser
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    demo = await startDemo()
    browser = await chromium.launch({
      executablePath: executablePath as string,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
  })
  afterAll(async () => {
    await browser?.close()
    await demo?.stop()
  })
  beforeEach(async () => {
    await page?.close()
    problems.length = 0
    page = await browser.newPage({ viewport: { width: 900, height: 900 } })
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    await page.goto(demo.url)
    await page.locator('#model:enabled').waitFor()
  })

  const say = (text: string) =>
    page
      .getByRole('textbox', { name: 'Message' })
      .fill(text)
      .then(() => page.keyboard.press('Enter'))
  const answers = () => page.locator('article.assistant')
  const finished = () =>
    page.waitForFunction(
      () => document.querySelector('article.assistant') && !document.querySelector('[aria-busy="true"]'),
    )

  async function picture(name: string) {
    if (!pictures) return
    mkdirSync(pictures, { recursive: true })
    await page.screenshot({ path: join(pictures, `${name}.png`) })
  }

  it.each(['openai-chat', 'anthropic'])('holds a tool round with %s, calls and results in sight', async (wire) => {
    const model = await page.locator(`#model option[value^="${wire}:"]`).first().getAttribute('value')
    await page.getByLabel('Model').selectOption(model)
    await say('What is the weather in Tokyo?')
    await finished()
    const answer = answers().last()
    expect(await answer.locator('.tool h3').innerText()).toMatch(/get_weather[\s\S]*done/)
    expect(await answer.locator('.tool pre').first().innerText()).toContain('Tokyo')
    expect(await answer.locator('.tool .result').innerText()).toMatch(/Tokyo: \d+ °C/)
    expect(await answer.locator('.text').last().innerText()).toContain('Here is what I found')
    expect(await answer.locator('.meta').last().innerText()).toMatch(/\d+ in, \d+ out · stop/)
    expect(problems).toEqual([])
    await picture(`tool-round-${wire}`)
  })

  it('runs parallel calls, goes on in the same conversation with the other provider, and shows reasoning', async () => {
    await say('Compare the weather in Tokyo and Paris')
    await finished()
    expect(await answers().last().locator('.tool').count()).toBe(2)
    const options = await page
      .locator('#model option')
      .evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value))
    await page.getByLabel('Model').selectOption(options.find((name) => name.startsWith('anthropic:')) ?? '')
    await say('Think: how many r are in strawberry?')
    await page.locator('article.assistant').nth(1).waitFor()
    await finished()
    expect(await answers().last().locator('.reasoning .text').innerText()).toContain('s-t-r-a-w')
    expect(await answers().last().locator('> .text').innerText()).toContain('There are three')
    expect(problems).toEqual([])
    await picture('hand-off-with-reasoning')
  })

  it.each(['the stop button', 'Escape'])('stops in mid-stream by %s, and keeps what came', async (how) => {
    await say('Count slowly')
    await answers().last().locator('.text').waitFor()
    if (how === 'Escape') await page.keyboard.press('Escape')
    else await page.getByRole('button', { name: 'Stop' }).click()
    await finished()
    expect(await answers().last().innerText()).toContain('Stopped')
    expect(await answers().last().locator('.text').innerText()).toMatch(/^1/)
    expect(await page.getByRole('button', { name: 'Send' }).isVisible()).toBe(true)
    await say('Hello again')
    await page.locator('article.assistant').nth(1).waitFor()
    await finished()
    expect(await answers().last().innerText()).toContain('embedded provider')
  })

  it.each([
    ['an error in mid-stream', 'Please fail', /.+/],
    ['a connection that is cut', 'Hang up now', /.+/],
  ])('shows %s beside what came before, and offers to try again', async (_what, text, message) => {
    await say(text)
    const alert = page.getByRole('alert')
    await alert.waitFor({ timeout: 15_000 })
    expect(await alert.innerText()).toMatch(message)
    expect(await answers().last().locator('.text').innerText()).not.toBe('')
    expect(await alert.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true)
    await picture(`error-${text.toLowerCase().replaceAll(' ', '-')}`)
  })

  it('fits a phone, and can be used by keyboard alone', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await picture('phone-welcome')
    await page.locator('#suggestions button').first().focus()
    await page.keyboard.press('Enter')
    await finished()
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBe(0)
    await picture('phone-tool-round')
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture('phone-dark')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('prompt')
    expect(problems).toEqual([])
  })

  it('never sees the key', async () => {
    const seen = await page.evaluate(
      () => document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }),
    )
    expect(seen).not.toContain(demo.key)
  })
})
