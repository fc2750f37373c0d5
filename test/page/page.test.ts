/** The page in a real browser, in front of the real Worker and the embedded provider. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inTurn } from '../support/cuts.ts'
import { axeFindings, chatOn, hasChromium, launchChromium, picture, problemsOf } from './browser.ts'
import { type Demo, startDemo } from './demo.ts'

describe.skipIf(!hasChromium)('the page', () => {
  let demo: Demo
  let browser: Browser
  let page: Page
  let problems: string[]
  let chat: ReturnType<typeof chatOn>

  beforeAll(async () => {
    ;[demo, browser] = await Promise.all([startDemo(), launchChromium()])
    page = await browser.newPage()
    problems = problemsOf(page)
    chat = chatOn(page)
    await page.goto(demo.url)
    await page.locator('#model:enabled').waitFor()
    expect(problems).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await demo?.stop()
  })
  // The page is loaded once, since a load costs as much as what most tests do. Each test begins a new chat, as a user does.
  beforeEach(async () => {
    await page.setViewportSize({ width: 900, height: 900 })
    await page.emulateMedia({ colorScheme: null })
    await page.mouse.move(0, 0)
    problems.length = 0
    await page.evaluate(() => location.assign('#chat'))
    await page.getByRole('button', { name: 'New chat' }).click()
    await page.getByLabel('Model', { exact: true }).selectOption({ index: 0 })
    await expect.poll(() => chat.answers().count()).toBe(0)
  })

  const providers = ['openai-chat', 'anthropic', 'gemini', 'ollama']
  it.each(inTurn(providers, providers.length, 1))(
    'holds a tool round with %s, calls and results in sight',
    async (wire) => {
      const model = await page.locator(`#model option[value^="${wire}:"]`).first().getAttribute('value')
      await page.getByLabel('Model', { exact: true }).selectOption(model)
      await chat.say('What is the weather in Tokyo?')
      await chat.finished()
      const answer = chat.answers().last()
      await expect.poll(() => answer.locator('.tool summary').innerText()).toMatch(/get_weather · Tokyo · done/)
      await expect.poll(() => answer.locator('.tool pre').first().textContent()).toContain('Tokyo')
      await expect.poll(() => answer.locator('.tool .result').textContent()).toMatch(/Tokyo: \d+ °C/)
      await expect.poll(() => answer.locator('.text').last().innerText()).toContain('Here is what I found')
      await expect.poll(() => answer.locator('.meta').last().innerText()).toMatch(/\d+ in, \d+ out · stop/)
      expect(problems).toEqual([])
      await picture(page, `tool-round-${wire}`)
    },
  )

  it('runs parallel calls, continues in the same conversation with the other provider, and shows reasoning', async () => {
    await chat.say('Compare the weather in Tokyo and Paris')
    await chat.finished()
    await expect.poll(() => chat.answers().last().locator('.tool').count()).toBe(2)
    const options = await page
      .locator('#model option')
      .evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value))
    await page
      .getByLabel('Model', { exact: true })
      .selectOption(options.find((name) => name.startsWith('anthropic:')) ?? '')
    await chat.say('Think: how many r are in strawberry?')
    await chat.answers().nth(1).waitFor()
    await chat.finished()
    await expect.poll(() => chat.answers().last().locator('.reasoning .text').textContent()).toContain('s-t-r-a-w')
    await expect.poll(() => chat.answers().last().locator('> .text').innerText()).toContain('There are three')
    expect(problems).toEqual([])
    await picture(page, 'hand-off-with-reasoning')
  })

  it.each(inTurn(['the stop button', 'Escape'], 2, 1))(
    'stops in the middle of a stream by %s, and keeps the received part',
    async (how) => {
      await chat.say('Count slowly')
      await chat.answers().last().locator('.text').waitFor()
      if (how === 'Escape') await page.keyboard.press('Escape')
      else await page.getByRole('button', { name: 'Stop' }).click()
      await chat.finished()
      await expect.poll(() => chat.answers().last().innerText()).toContain('Stopped')
      await expect.poll(() => chat.answers().last().locator('.text').innerText()).toMatch(/^1/)
      await expect.poll(() => page.getByRole('button', { name: 'Send' }).isVisible()).toBe(true)
      await chat.say('Hello again')
      await chat.answers().nth(1).waitFor()
      await chat.finished()
      await expect.poll(() => chat.answers().last().innerText()).toContain('embedded provider')
    },
  )

  it('begins a new chat in the middle of a stream: the next question goes without what was said before', async () => {
    await chat.say('Count slowly')
    await chat.answers().last().locator('.text').waitFor()
    await page.getByRole('button', { name: 'New chat' }).click()
    const asking = page.waitForRequest((request) => request.postData()?.includes('Hello again') === true)
    await chat.say('Hello again')
    expect((await asking).postData()).not.toContain('Count slowly')
    await chat.finished()
    await expect.poll(() => chat.answers().count()).toBe(1)
    await expect.poll(() => chat.answers().last().innerText()).toContain('embedded provider')
  })

  it.each([
    ['an error in mid-stream', 'Please fail', /.+/],
    ['a connection that is cut', 'Hang up now', /.+/],
  ])('shows %s beside what came before, and offers to try again', async (_what, text, message) => {
    await chat.say(text)
    const alert = page.getByRole('alert')
    await alert.waitFor()
    await expect.poll(() => alert.innerText()).toMatch(message)
    await expect.poll(() => chat.answers().last().locator('.text').innerText()).not.toBe('')
    await expect.poll(() => alert.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true)
    await picture(page, `error-${text.toLowerCase().replaceAll(' ', '-')}`)
  })

  it('fits a phone, and can be used with only the keyboard', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await picture(page, 'phone-welcome')
    await page.locator('#suggestions button').first().focus()
    await page.keyboard.press('Enter')
    await chat.finished()
    const overflow = await page.locator('#talk').evaluate((element) => element.scrollWidth - element.clientWidth)
    expect(overflow).toBe(0)
    await picture(page, 'phone-tool-round')
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture(page, 'phone-dark')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('prompt')
    expect(problems).toEqual([])
  })

  it.each([
    [390, 'chat'],
    [1280, 'wire'],
  ])('skips from the wire to the message box by keyboard, %i pixels wide', async (width, view) => {
    await page.setViewportSize({ width, height: 844 })
    await page.evaluate(() => location.assign('#wire'))
    await page.locator('#wire-view').waitFor()
    await page.locator('.skip').focus()
    await page.keyboard.press('Enter')
    await page.locator('#prompt:focus').waitFor()
    await expect.poll(() => page.locator('nav [aria-current]').getAttribute('href')).toBe(`#${view}`)
  })

  it('shows what the page sends, what the Worker sends, and what comes back, as it happens', async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.evaluate(() => location.assign('#wire'))
    await page.getByLabel('Model', { exact: true }).selectOption('gemini:demo-model')
    await chat.say('What is the weather in Tokyo?')
    await chat.finished()
    await expect.poll(() => page.locator('#wire-sample option:checked').innerText()).toBe('This chat')
    const columns = page.locator('.request')
    await expect.poll(() => page.getByLabel('Request', { exact: true }).inputValue()).toBe('1')
    await expect
      .poll(() => columns.locator('h3').allInnerTexts())
      .toEqual(['The page asks the Worker', 'The Worker asks Gemini', 'Gemini answers'])
    await expect.poll(() => columns.nth(0).innerText()).toContain('"model": "gemini:demo-model"')
    await expect.poll(() => columns.nth(1).innerText()).toContain('"functionResponse"')
    await expect.poll(() => columns.nth(1).locator('.path').innerText()).toMatch(/:streamGenerateContent\?alt=sse$/)
    await expect.poll(() => columns.nth(2).innerText()).toContain('"candidates"')
    expect(problems).toEqual([])
    await picture(page, 'live-wire')
  })

  it('shows what a hand-off to a model of the chat would change, as that model is chosen', async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.evaluate(() => location.assign('#handoff'))
    await page.getByLabel('Model', { exact: true }).selectOption('anthropic:demo-model')
    await chat.say('Think: how many r are in strawberry?')
    await chat.finished()
    const sent = page.locator('#handoff-result section').nth(1)
    // Not the provider that has just answered.
    await expect.poll(() => sent.innerText()).toContain('As OpenAI Chat: demo-model gets it')
    await page.getByLabel('Model', { exact: true }).selectOption('gemini:demo-model')
    await expect.poll(() => sent.innerText()).toContain('As Gemini: demo-model gets it')
    await expect.poll(() => page.locator('#handoff-result').innerText()).not.toContain('Nothing is lost')
    await expect
      .poll(() => page.locator('#handoff-result .loss-list').first().innerText())
      .toContain('it is reasoning without a proof')
    await expect.poll(() => page.getByRole('button', { name: 'Continue with Gemini' }).isEnabled()).toBe(true)
    await page.getByLabel('Continues with').selectOption('ollama:qwen3:8b')
    await expect.poll(() => page.getByRole('button', { name: 'Not offered by the chat' }).isDisabled()).toBe(true)
    expect(problems).toEqual([])
  })

  it('draws the stream while it arrives, including tools, and stays at the selected moment', async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.evaluate(() => location.assign('#stream'))
    await chat.say('Count slowly')
    await page.waitForFunction(() => Number(document.querySelector<HTMLInputElement>('#scrub')?.max) > 4)
    await expect.poll(() => page.locator('#take-ending').innerText()).toBe('Streaming …')
    const scrub = page.getByRole('slider', { name: 'Moment' })
    await scrub.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    const seen = Number(await scrub.getAttribute('max'))
    await page.waitForFunction((max) => Number(document.querySelector<HTMLInputElement>('#scrub')?.max) > max, seen)
    await expect.poll(() => scrub.inputValue()).toBe('1')
    await page.getByRole('button', { name: 'Stop' }).click()
    await chat.finished()
    await expect.poll(() => page.locator('#take-ending').innerText()).toBe('Stopped')
    expect(problems).toEqual([])
  })

  it('has no serious finding of axe in a live chat in light and in dark', async () => {
    await chat.say('Compare the weather in Tokyo and Paris')
    await chat.finished()
    await chat.say('Please fail')
    await page.getByRole('alert').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect({ colorScheme, findings: await axeFindings(page) }).toEqual({ colorScheme, findings: [] })
      await picture(page, `live-chat-${colorScheme}`)
    }
  })

  it('never sees the key', async () => {
    const seen = await page.evaluate(
      () => document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }),
    )
    expect(seen).not.toContain(demo.key)
  })
})
