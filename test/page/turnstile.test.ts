/** The page where the Worker asks for Turnstile: in a real Chromium, with the widget's script by hand, and a siteverify of ours. */
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inTurn } from '../support/cuts.ts'
import { json, startUpstream, type Upstream } from '../support/upstream.ts'
import { chatOn, hasChromium, launchChromium, problemsOf } from './browser.ts'
import { type Demo, startDemo } from './demo.ts'

const secret = 'a-secret-of-turnstile'
const siteKey = '0x4AAAAAAAtest_site-key'
const file = readFileSync(new URL('../../examples/playground/index.html', import.meta.url), 'utf8')
const good = { success: true, hostname: '127.0.0.1', action: 'chat' }

/** A stand-in for Turnstile's script: a widget that answers by itself, each time something else. */
const script = `
  let widgets = 0
  globalThis.shown = []
  globalThis.turnstile = {
    render(place, settings) {
      const id = 'widget-' + ++widgets
      place.append(Object.assign(document.createElement('iframe'), { src: 'https://challenges.cloudflare.com/widget' }))
      shown.push({ sitekey: settings.sitekey, action: settings.action, id, isThere: true })
      setTimeout(() => globalThis.turnstileFails ? settings['error-callback']('110200') : settings.callback('answer-' + widgets))
      return id
    },
    remove(id) { shown.find((one) => one.id === id).isThere = false },
  }`

describe.skipIf(!hasChromium)('the page with Turnstile', () => {
  let siteverify: Upstream
  let demo: Demo
  let plain: Demo
  let browser: Browser
  let page: Page
  let problems: string[]
  let chat: ReturnType<typeof chatOn>
  let loaded: string[] = []
  let failing: Failing = {}

  beforeAll(async () => {
    siteverify = await startUpstream()
    const settings = {
      TURNSTILE_SECRET: secret,
      TURNSTILE_URL: `${siteverify.url}/siteverify`,
      TURNSTILE_ACTION: 'chat',
    }
    const demos = [startDemo({ ...settings, TURNSTILE_SITE_KEY: siteKey }), startDemo(settings)] as const
    ;[demo, plain, browser] = await Promise.all([...demos, launchChromium()])
    page = await browser.newPage()
    problems = problemsOf(page)
    chat = chatOn(page)
    await page.route(/^https:/, (route) => {
      const { pathname, search } = new URL(route.request().url())
      loaded.push(route.request().url())
      if (failing.isBlocked) return route.abort()
      if (pathname === '/widget') return route.fulfill({ contentType: 'text/html', body: 'a widget' })
      if (`${pathname}${search}` !== '/turnstile/v0/api.js?render=explicit') return route.abort()
      const body = failing.fails ? `globalThis.turnstileFails = true\n${script}` : script
      return route.fulfill({ contentType: 'text/javascript', body })
    })
  })
  afterAll(async () => {
    await browser?.close()
    await Promise.all([demo?.stop(), plain?.stop(), siteverify?.stop()])
  })
  // One tab for all, which each test reloads.
  beforeEach(async () => {
    await page.goto('about:blank')
    siteverify.answer(json(good))
    problems.length = 0
    loaded = []
    failing = {}
  })

  const answersShown = () => siteverify.asked.map(({ body }) => body.response)
  /** With an empty chat, since the last one survives a reload. */
  async function ready() {
    await page.locator('#model:enabled').waitFor()
    await page.getByRole('button', { name: 'New chat' }).click()
  }
  it('shows the widget of its key, and gets a token for its answer', async () => {
    await page.goto(demo.url)
    await ready()
    expect(siteverify.asked.map(({ body }) => body)).toEqual([
      expect.objectContaining({ secret, response: 'answer-1' }),
    ])
    expect(await page.evaluate('shown')).toEqual([{ sitekey: siteKey, action: 'chat', id: 'widget-1', isThere: false }])
    await expect.poll(() => page.locator('.person').count()).toBe(0)
    await chat.say('Hello')
    await chat.finished(1)
    await expect.poll(() => page.locator('#log article.assistant').innerText()).toContain('embedded provider')
    expect(answersShown()).toEqual(['answer-1'])
    // A violation of the page's policy would be printed in the console: the script and the frame are all that it needs.
    expect(problems).toEqual([])
    expect(new Set(loaded.map((url) => new URL(url).host))).toEqual(new Set(['challenges.cloudflare.com']))
  })

  const refusals: readonly (readonly [string, string, Failing])[] = [
    ['the widget says no', 'The check that a person is here failed: 110200', { fails: true }],
    ['its script cannot be loaded', 'The check that a person is here cannot be loaded', { isBlocked: true }],
    ['Turnstile refuses', 'this visitor is not logged in or not allowed', { said: { ...good, success: false } }],
  ]
  it.each(inTurn(refusals, 3, 2))('shows a message when %s', async (_, words, how) => {
    failing = how
    if (how.said) siteverify.answer(json(how.said))
    await page.goto(demo.url)
    await page.getByText(words).first().waitFor()
    await expect.poll(() => page.locator('.person').count()).toBe(0)
    expect(siteverify.asked).toHaveLength(how.said ? 1 : 0)
  })

  it('has the key in its head, also if a cache has an older copy', async () => {
    const marker = `<meta name="turnstile-site-key" content="${siteKey}" data-action="chat">`
    const tag = (await fetch(plain.url)).headers.get('etag') ?? ''
    expect(tag).not.toBe('')
    const answer = await fetch(demo.url, { headers: { 'if-none-match': tag } })
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, null])
    expect(await answer.text()).toBe(file.replace('</head>', `${marker}</head>`))
  })

  it('is unchanged without the key, loads no script, and gets an error in place of a token', async () => {
    const answer = await fetch(plain.url)
    expect(await answer.text()).toBe(file)
    await page.goto(plain.url)
    await page.getByText('this visitor is not logged in or not allowed').first().waitFor()
    expect([loaded, siteverify.asked]).toEqual([[], []])
  })

  it('asks for a new answer when the token ends, and stays the same user', async () => {
    const users: string[] = []
    page.on('response', async (response) => {
      if (!response.url().endsWith('/session')) return
      const { token } = (await response.json()) as { token: string }
      users.push(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub)
    })
    // Not restored: it is the last test of the tab.
    await page.clock.install()
    await page.goto(demo.url)
    await ready()
    await page.clock.fastForward('15:00')
    await chat.say('Hello')
    await chat.finished(1)
    expect([users.length, new Set(users).size]).toEqual([2, 1])
    expect(answersShown()).toEqual(['answer-1', 'answer-2'])
    expect(problems).toEqual([])
  })
})

interface Failing {
  readonly fails?: boolean
  readonly isBlocked?: boolean
  readonly said?: object
}
