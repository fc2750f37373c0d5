/** The recipes with a page, each as its one command starts it, in Chromium, over HTTP to the embedded provider. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, launchChromium } from '../page/browser.ts'
import { chatOn } from './chat-page.ts'
import { type Example, runExample } from './run.ts'

describe.skipIf(!hasChromium)('in a page', () => {
  let browser: Browser
  let page: Page
  let example: Example
  const problems: string[] = []
  /** The bodies that the page posted. */
  const posted: string[] = []

  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    await page?.close()
    await example?.stop()
  })

  async function open(name: string): Promise<void> {
    example = runExample(`recipes/${name}`)
    problems.length = posted.length = 0
    page = await browser.newPage()
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('request', (request) => request.method() === 'POST' && posted.push(request.postData() ?? ''))
    await page.goto(await example.url)
  }

  const { answer, finished, say } = chatOn(() => page)

  it('page-tools: tools of the page run there, and the prompt stays on the server', async () => {
    await open('page-tools')
    await say('Weather in Tokyo?')
    await answer().getByText('25 °C and sunny in Tokyo').waitFor()
    await finished()
    await say('Dark, please')
    await answer().getByText('The page is dark now').waitFor()
    expect(await page.evaluate(() => document.documentElement.style.colorScheme)).toBe('dark')
    expect(posted).toHaveLength(4)
    expect(posted.join()).not.toContain('You look after a page')
    expect(problems).toEqual([])
  })

  it('next: the page keeps the conversation sealed, and sends only what is new beside it', async () => {
    await open('next')
    await say('Weather in Oslo?')
    await answer().getByText('25 °C and sunny in Oslo').waitFor()
    await finished()
    await say('Hello')
    await answer().getByText('Hello from the embedded provider').waitFor()
    const [first, second] = posted.map((text) => JSON.parse(text))
    expect(first.sealed).toBeUndefined()
    expect(second.sealed).toEqual(expect.any(String))
    expect(JSON.stringify(second)).not.toContain('Oslo')
    expect(second.messages).toHaveLength(1)
    expect(problems).toEqual([])
  })

  const decisions = [
    ['Allow', '25 °C and sunny in Tokyo'],
    ['Refuse', 'The user does not want it'],
  ] as const
  it.each(decisions)('approval: the call waits for a person, who says: %s', async (button, words) => {
    await open('approval')
    await say('Weather in Tokyo?')
    await page.getByRole('group', { name: 'May get_weather run with {"city":"Tokyo"}?' }).waitFor()
    await finished()
    await expect.poll(() => answer().innerText()).not.toContain('25 °C')
    await page.getByRole('button', { name: button }).click()
    await answer().getByText(words).waitFor()
    await expect.poll(() => page.getByRole('group').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('reload: the answer goes on where it was, and ends once', async () => {
    await open('reload')
    await say('Count slowly')
    await answer().getByText('1, 2, 3').waitFor()
    await page.reload()
    await answer().getByText('1, 2, 3, 4, 5').waitFor()
    await expect.poll(() => page.locator('main').getAttribute('aria-busy')).toBe('true')
    await finished()
    await expect
      .poll(() => page.locator('li').allInnerTexts())
      .toEqual(['Count slowly', Array.from({ length: 30 }, (_, at) => at + 1).join(', ')])
    expect(posted).toHaveLength(1)
    await page.reload()
    await answer().getByText('29, 30').waitFor()
    await finished()
    await expect.poll(() => page.getByRole('alert').isVisible()).toBe(false)
    expect(problems).toEqual([])
  })

  it('reload: Stop after the reload ends the run on the server', async () => {
    await open('reload')
    await say('Count slowly')
    await answer().getByText('1, 2').waitFor()
    const name = await page.evaluate(() => sessionStorage.getItem('isoglot-run:reload'))
    await page.reload()
    await answer().getByText('1, 2').waitFor()
    const ended = page.waitForResponse((response) => response.request().method() === 'DELETE')
    await page.getByRole('button', { name: 'Stop' }).click()
    expect((await ended).status()).toBe(204)
    expect((await fetch(`${await example.url}/api/chat/${name}`)).status).toBe(404)
    expect(problems).toEqual([])
  })

  it('form: fields fill while the model writes, and hold what the schema allows', async () => {
    await open('form')
    await page.getByRole('button', { name: 'Fill' }).click()
    await page.getByText('Please check').waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Ada Lovelace')
    await expect.poll(() => page.getByRole('textbox', { name: 'Born' }).inputValue()).toBe('1815')
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Works' }).inputValue())
      .toBe('Notes; Sketch of the Analytical Engine')
    expect(problems).toEqual([])
  })
})
