/** The page as static files: no Worker, no model, recordings of ours. In a real Chromium, from a folder of a plain server. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { buildPlayground } from '../../scripts/playground.mjs'
import { facts } from '../formats/index.ts'
import {
  axeFindings,
  chatOn,
  hasChromium,
  launchChromium,
  picture,
  problemsOf,
  type Site,
  serveFolder,
} from './browser.ts'

const recordings = join(import.meta.dirname, '..', '..', 'examples', 'playground', 'recordings')
const views = ['chat', 'wire', 'stream', 'handoff']

describe.skipIf(!hasChromium)('the static page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-playground-'))
  let site: Site
  let browser: Browser
  let page: Page
  let problems: string[]

  beforeAll(async () => {
    site = await serveFolder(buildPlayground(join(folder, 'site')))
    browser = await launchChromium()
    page = await browser.newPage()
    problems = problemsOf(page, /./) // warnings too
    await page.goto(site.url)
    await page.locator('#model:enabled').waitFor()
    await open('stream')
    await page.locator('#timeline svg').waitFor() // a recording to begin with
    expect(problems).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await site?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  // The page is loaded once, since a load costs as much as what most tests do. Each test begins a new chat, with the first
  // sample.
  beforeEach(async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.emulateMedia({ colorScheme: null })
    await page.mouse.move(0, 0)
    problems.length = 0
    await open('stream')
    await page.getByRole('button', { name: 'New chat' }).click()
    await page.locator('#model:enabled').selectOption({ index: 0 })
    await page.evaluate(() => {
      const sample = document.querySelector<HTMLSelectElement>('#wire-sample')
      if (sample) sample.selectedIndex = 0
      sample?.dispatchEvent(new Event('change'))
      const format = document.querySelector<HTMLSelectElement>('#wire-format')
      if (format) format.selectedIndex = 0
    })
    await expect.poll(() => page.locator('#log article').count()).toBe(0)
  })

  const open = (view: string) => page.evaluate((name) => location.assign(`#${name}`), view)
  const choose = (wire: string) => page.getByLabel('Model', { exact: true }).selectOption({ label: label(wire) })
  const label = (wire: string) =>
    ({ Gemini: 'Gemini: gemini-3-pro-preview', Anthropic: 'Anthropic: claude-sonnet-5' })[wire] ?? wire
  const finished = (count: number) => chatOn(page).finished(count)
  const say = (text: string) => page.getByRole('button', { name: text }).click()
  const lanes = () => page.locator('#timeline .lane .label').allTextContents()

  async function drop(name: string, bytes: Buffer) {
    const transfer = await page.evaluateHandle(
      ([fileName, text]) => {
        const data = new DataTransfer()
        data.items.add(new File([text], fileName))
        return data
      },
      [name, bytes.toString()] as const,
    )
    await page.dispatchEvent('main', 'drop', { dataTransfer: transfer })
    await page.waitForFunction((title) => document.querySelector('#take-title')?.textContent === title, name)
  }

  it('shows that recordings answer, and sends no request', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await expect.poll(() => page.locator('#chat-view').innerText()).toContain('without a Worker')
    await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).isVisible()).toBe(false)
    await say('Think: how many r are in strawberry?')
    await finished(1)
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter((url) => !url.startsWith(site.url))).toEqual([])
    expect(problems).toEqual([])
  })

  it('continues in the middle of a conversation from Anthropic to Gemini, tools and all', async () => {
    await choose('Anthropic')
    await say('Compare the weather in Tokyo and Paris')
    await finished(1)
    const first = page.locator('#log article.assistant').first()
    await expect
      .poll(() => first.locator('.tool .result').allTextContents())
      .toEqual(['Tokyo: 24 °C, windy', 'Paris: 21 °C, cloudy'])
    await expect.poll(() => first.locator('> .text').innerText()).toContain('Tokyo is the warmer of the two')
    await choose('Gemini')
    await say('Think: how many r are in strawberry?')
    await finished(2)
    const second = page.locator('#log article.assistant').nth(1)
    await expect.poll(() => second.locator('.reasoning .text').textContent()).toContain('s-t-r-a-w-b-e-r-r-y')
    await expect.poll(() => second.locator('.reasoning').getAttribute('open')).toBeNull()
    await second.getByRole('link', { name: '1 loss' }).click()
    await page.locator('#wire-view:not([hidden])').waitFor()
    await expect.poll(() => page.locator('.request .loss-list').innerText()).toContain('reasoning')
    expect(problems).toEqual([])
  })

  it('draws a live stream with a lane for each block, and its tools as they ran', async () => {
    await choose('Anthropic')
    await say('Compare the weather in Tokyo and Paris')
    await page.locator('#take-ending.proper').waitFor()
    await expect
      .poll(lanes)
      .toEqual([
        'answer 1 · 412 in, 97 out · tool_calls',
        'reasoning',
        'get_weather {"city": "Tokyo"} · ran',
        'get_weather {"city": "Paris"} · ran',
        'answer 2 · 566 in, 44 out · stop',
        'text',
      ])
    await expect.poll(() => page.locator('#timeline .run').count()).toBe(2)
  })

  it('shows the message at any frame of a recording', async () => {
    await page.getByLabel('Recording').selectOption({ label: 'OpenAI Chat: the answer after them' })
    await page.waitForFunction(() => document.querySelector('#take-title')?.textContent?.startsWith('OpenAI Chat'))
    const slider = page.getByRole('slider', { name: 'Moment' })
    await slider.focus()
    await page.keyboard.press('Home')
    await expect.poll(() => page.locator('#position').innerText()).toMatch(/^0 of 12/)
    await expect.poll(() => page.locator('#moment-message .text').count()).toBe(0)
    for (let frame = 0; frame < 3; frame++) await page.keyboard.press('ArrowRight')
    await expect
      .poll(() => page.locator('#moment-message .text').innerText())
      .toBe('Tokyo is the warmer of the two: 24')
    expect(JSON.parse(await page.locator('#moment-data').innerText())).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'Tokyo is the warmer of the two: 24' }],
        response: { id: 'chatcmpl-play2', model: 'gpt-5.6' },
      },
    ])
    await expect.poll(() => page.locator('#moment-raw').innerText()).toContain('"content":" of the two: 24"')
    await expect.poll(() => page.locator('#moment-events').innerText()).toContain('"type": "text_delta"')
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain('3 of 12, frame 3: text_delta')
    await page.keyboard.press('End')
    await expect.poll(() => page.locator('#moment-message .text').innerText()).toMatch(/umbrella to neither\.$/)
    // The pane begins with the frame under the head, and the head does not cover the mark at the end.
    await expect.poll(() => page.locator('#moment-raw .here').innerText()).toBe('data: [DONE]')
    const [pane, here] = await Promise.all(
      ['#moment-raw', '#moment-raw .here'].map((one) => page.locator(one).boundingBox()),
    )
    expect((here?.y ?? 0) - (pane?.y ?? 0)).toBeGreaterThanOrEqual(0)
    expect((here?.y ?? 900) + (here?.height ?? 0)).toBeLessThanOrEqual((pane?.y ?? 0) + (pane?.height ?? 0))
    const isUncovered = await page.evaluate(() => {
      const head = document.querySelector('#timeline .head')
      const mark = document.querySelector('#timeline .mark.end')
      const later = document.querySelector('#timeline .later')?.getBoundingClientRect()
      const isBelow = head && mark && head.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING
      return Boolean(isBelow) && (later?.left ?? 0) >= (mark?.getBoundingClientRect().right ?? 0) - 1
    })
    expect(isUncovered).toBe(true)
  })

  it('plays a recording from its beginning to its end', async () => {
    await page.getByLabel('Recording').selectOption({ label: 'OpenAI Chat: the answer after them' })
    await page.waitForFunction(() => document.querySelector('#take-title')?.textContent?.startsWith('OpenAI Chat'))
    await page.getByRole('button', { name: 'Play' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.getByRole('button', { name: 'Play' }).waitFor()
    const [at, of] = (await page.locator('#position').innerText()).split(/ of |,/)
    expect(at).toBe(of)
  })

  it.each([
    ['think-openai-chat-1.sse', 'OpenAI Chat', ['answer 1 · 41 in, 92 out · stop', 'text']],
    ['think-openai-responses-1.sse', 'OpenAI Responses', ['answer 1 · 28 in, 86 out · stop', 'reasoning', 'text']],
    ['think-anthropic-1.sse', 'Anthropic', ['answer 1 · 38 in, 58 out · stop', 'reasoning', 'text']],
    ['think-gemini-1.sse', 'Gemini', ['answer 1 · 19 in, 33 out · stop', 'reasoning', 'text']],
    ['think-ollama-1.ndjson', 'Ollama', ['answer 1 · 21 in, 57 out · stop', 'reasoning', 'text']],
  ])('guesses that %s, dropped under another name, is %s', async (name, wire, expected) => {
    await drop('dropped', readFileSync(join(recordings, name)))
    await expect.poll(() => page.locator('#take-note').innerText()).toBe(`dropped looks like ${wire}`)
    await expect.poll(() => page.getByLabel('Wire', { exact: true }).locator('option:checked').innerText()).toBe(wire)
    await expect.poll(lanes).toEqual(expected)
  })

  it('keeps the slider of a stream with many blocks visible', async () => {
    const blocks = Array.from({ length: 20 }, (_, index) => [
      { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index, delta: { type: 'text_delta', text: 'words' } },
      { type: 'content_block_stop', index },
    ])
    const events = [{ type: 'message_start', message: { id: 'm', content: [] } }, ...blocks.flat()]
    await drop('many', Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')))
    await expect.poll(lanes).toHaveLength(21)
    const [picture, slider] = await Promise.all(['#timeline', '#scrub'].map((name) => page.locator(name).boundingBox()))
    expect(picture?.height).toBeLessThanOrEqual(360)
    expect((slider?.y ?? 900) + (slider?.height ?? 0)).toBeLessThanOrEqual(900)
  })

  it('lets the user choose the format if the guess is wrong or impossible', async () => {
    await drop('nothing', Buffer.from('data: {"hello":1}\n\n'))
    await expect
      .poll(() => page.locator('#take-note').innerText())
      .toBe('Cannot recognise the format of nothing: choose it')
    await page.getByLabel('Wire', { exact: true }).selectOption({ label: 'Anthropic' })
    await expect.poll(() => page.locator('#take-about').innerText()).toContain('Anthropic')
    await expect
      .poll(() => page.locator('#take-ending').innerText())
      .toBe('Cannot finish the answer: the stream ended before its own end')
  })

  it('shows a stream that was cut in the middle of a call as cut, and does not show the call as complete', async () => {
    const whole = readFileSync(join(recordings, 'compare-anthropic-1.sse')).toString()
    await drop('cut', Buffer.from(whole.slice(0, whole.indexOf('kyo'))))
    await expect.poll(() => page.locator('#take-ending.cut').innerText()).toMatch(/^Cannot finish/)
    expect((await lanes()).at(-1)).toBe('get_weather · truncated')
    expect((await lanes())[0]).toBe('answer 1 · 412 in, 1 out · cut')
  })

  it('shows an error in the middle of a stream as an error, after the text before it', async () => {
    await page.getByLabel('Recording').selectOption({ label: 'Gemini: an error in mid-stream' })
    await page.locator('#take-ending.error').waitFor()
    await expect.poll(() => page.locator('#take-ending').innerText()).toContain('The model is overloaded')
    await expect.poll(() => page.locator('#moment-message .text').innerText()).toBe('So far so good, but')
  })

  it('offers a stream of the chat as a recording, byte for byte', async () => {
    await choose('Anthropic')
    await say('Hang up in mid-sentence')
    await finished(1)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the bytes' }).click(),
    ])
    const saved = readFileSync(await download.path())
    expect(saved.equals(readFileSync(join(recordings, 'cut-anthropic-1.sse')))).toBe(true)
  })

  const column = (at: number) => page.locator('.request').nth(at)

  it('shows what the page sent, what the provider got, and what came back, for each request of an answer', async () => {
    await choose('Anthropic')
    await say('Compare the weather in Tokyo and Paris')
    await finished(1)
    await open('wire')
    const choice = page.getByLabel('Request', { exact: true })
    await expect.poll(() => choice.locator('option').allInnerTexts()).toEqual(['1', '2'])
    await expect.poll(() => choice.inputValue()).toBe('1')
    // The second request has the results of the tools, in the own wire and in Anthropic's.
    await expect.poll(() => column(0).innerText()).toContain('"toolCallId": "toolu_play1"')
    await expect.poll(() => column(1).innerText()).toContain('"tool_use_id": "toolu_play1"')
    await expect.poll(() => column(1).locator('.path').innerText()).toBe('POST /messages')
    const whole = readFileSync(join(recordings, 'compare-anthropic-2.sse')).toString()
    await expect.poll(() => column(2).locator('pre').textContent()).toBe(whole)
    await choice.selectOption('1')
    await expect.poll(() => column(0).innerText()).not.toContain('toolCallId')
    const first = readFileSync(join(recordings, 'compare-anthropic-1.sse')).toString()
    await expect.poll(() => column(2).locator('pre').textContent()).toBe(first)
    expect(problems).toEqual([])
  })

  it('shows a conversation in each format, and highlights what the page did not say', async () => {
    await open('wire')
    const lit = async (format: string) => {
      await page.getByLabel('Format', { exact: true }).selectOption({ label: format })
      await expect.poll(() => column(1).locator('h3').innerText()).toBe(`The Worker asks ${format}`)
      return column(1).locator('mark').allInnerTexts()
    }
    expect(await lit('Gemini')).toEqual(expect.arrayContaining(['"systemInstruction"', '"functionCall"', '"model"']))
    expect(await lit('Anthropic')).toEqual(expect.arrayContaining(['"tool_use_id"', '"input_schema"']))
    expect(await lit('OpenAI Chat')).not.toContain('"messages"')
    for (const { titleOnPage } of Object.values(facts)) expect(await lit(titleOnPage)).not.toContain('"get_weather"')
  })

  it('highlights the same value in other columns', async () => {
    await open('wire')
    await page.locator('.request [data-mark=\'value "Tokyo: 24 °C, windy"\']').first().hover()
    await expect.poll(() => page.locator('.request', { has: page.locator('.same') }).count()).toBe(2)
  })

  it('lists the losses beneath a request', async () => {
    await open('wire')
    await page.locator('#wire-sample').selectOption({ label: 'A picture, a failed tool, a late instruction' })
    await page.getByLabel('Format', { exact: true }).selectOption({ label: 'Ollama' })
    await expect
      .poll(() => column(1).locator('h4').innerText())
      .toBe(`${await column(1).locator('.loss-list li').count()} losses`)
    await expect.poll(() => column(1).locator('.loss-list').innerText()).toContain('toolChoice')
  })

  it('shows what a hand-off in the middle of a tool round changes, and continues there', async () => {
    await open('handoff')
    const result = page.locator('#handoff-result')
    await page.getByLabel('Continues with').selectOption({ label: 'Anthropic: claude-sonnet-5' })
    const stored = result.locator('section').first()
    const sent = result.locator('section').nth(1)
    await expect.poll(() => sent.innerText()).toContain('proof of claude-sonnet-5')
    await page.getByLabel('Continues with').selectOption({ label: 'Gemini: gemini-3-pro-preview' })
    await expect.poll(() => stored.innerText()).toContain('proof of claude-sonnet-5')
    await expect.poll(() => sent.innerText()).not.toContain('proof of')
    await expect.poll(() => result.innerText()).toContain('the call "toolu_02" has no result')
    await page.getByRole('button', { name: 'Continue with Gemini' }).click()
    await expect.poll(() => page.locator('#model option:checked').innerText()).toBe('Gemini: gemini-3-pro-preview')
  })

  it('chooses a target in the table with only the keyboard', async () => {
    await open('handoff')
    await page.locator('#targets button', { hasText: 'Ollama' }).focus()
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.getByLabel('Continues with').locator('option:checked').innerText())
      .toBe('Ollama: qwen3:8b')
    await expect.poll(() => page.locator(':focus').getAttribute('aria-pressed')).toBe('true')
  })

  it('shows one view at a time on a phone, each by its own address, without horizontal overflow', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    for (const view of views) {
      await open(view)
      await page.locator(`#${view}-view:not([hidden])`).waitFor()
      await expect.poll(() => page.locator('main > section:visible').count()).toBe(1)
      const [content, room] = await page
        .locator(`#${view}-view`)
        .evaluate((element) => [element.scrollWidth, element.clientWidth] as const)
      expect(content).toBeLessThanOrEqual(room)
    }
    await page.goBack()
    await expect.poll(() => page.locator('#stream-view').isVisible()).toBe(true)
  })

  // Colours go by the scheme and layout by the width, so each of them once; all four in the project `exhaustive`.
  const looks = [
    ['dark', 1280],
    ['light', 390],
    ['light', 1280],
    ['dark', 390],
  ] as const
  it('has no serious finding of axe in dark and in light, on a desktop and on a phone', async () => {
    await say('Compare the weather in Tokyo and Paris')
    await finished(1)
    await say('Hang up in mid-sentence')
    await finished(2)
    for (const [colorScheme, width] of inject('isExhaustive') ? looks : looks.slice(0, 2)) {
      // On a desktop the chat stands beside each view, and is looked at once with all that is around it.
      const isWide = width > 1000 && !inject('isExhaustive')
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      for (const view of views) {
        await open(view)
        await page.locator(`#${view}-view:not([hidden])`).waitFor()
        const findings = await axeFindings(page, isWide && view !== 'chat' ? `#${view}-view` : 'html')
        expect({ colorScheme, width, view, findings }).toEqual({ colorScheme, width, view, findings: [] })
        await picture(page, `static-${view}-${colorScheme}-${width}`)
      }
    }
  })
})
