/** The operator's view: who may see it, and what a browser makes of it. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findChromium } from '../../scripts/chromium.mjs'
import { answerAdmin as answer } from '../../src/worker/admin/admin.ts'
import { streamCsv } from '../../src/worker/admin/csv.ts'
import { type Served, serve } from '../support/serve.ts'
import { openAccount } from './on-sqlite.ts'
import { setupOf } from './setup.ts'

const token = 'an-admin-token-of-more-than-32-bytes'
const now = Date.now()
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
const [yesterday, today] = [dayOf(now - 86_400_000), dayOf(now)]

/** Two users, two models, two days; one user's name is an attack on the page. */
const database = new DatabaseSync(':memory:')
openAccount(database) // makes the tables
const live = [
  ['r1', 'ada', 'claude-sonnet-5', 'anthropic', now - 65_000],
  ['r2', '<img src=x onerror=alert(1)>', 'gpt-5', 'ollama', now - 2000],
] as const
for (const [id, user, model, wire, startedAt] of live)
  database
    .prepare("INSERT INTO live VALUES (?, ?, ?, ?, 'p', 5, ?, ?)")
    .run(id, user, model, wire, startedAt, now + 600_000)
const days = [
  [today, 'ada', 'claude-sonnet-5', 3, 1200, 300, 4500],
  [today, 'bob', 'gpt-5', 40, 90_000, 8000, 900_000],
  [yesterday, 'ada', 'gpt-5', 2, 10, 20, 1_250_000],
] as const
for (const row of days) database.prepare('INSERT INTO days VALUES (?, ?, ?, ?, ?, ?, ?)').run(...row)
for (const row of [
  [today, 'overloaded', 2],
  [yesterday, 'rate_limit', 5],
  [yesterday, 'overloaded', 1],
  [today, 'refused: budget', 2],
] as const)
  database.prepare('INSERT INTO errors VALUES (?, ?, ?)').run(...row)

const settings = {
  SESSION_SECRET: 'a-signing-secret-for-tests-of-40-bytes!!',
  ALLOWED_ORIGINS: 'http://127.0.0.1:1',
  RATE_LIMITS: 'off',
  RUNS: { getByName: () => ({}) },
  OLLAMA_MODELS: 'a',
  DEMO: 'loopback',
  DAILY_BUDGET_USD: '1',
  TOTAL_DAILY_BUDGET_USD: '2',
  LIVE_STREAMS: '4',
}
const account = openAccount(database)
const env = { ...settings, ADMIN_TOKEN: token, ACCOUNTS: { getByName: () => account } }
const answerAdmin = (request: Request, settings: object) => answer(request, setupOf(settings))
const ask = (path = '/admin/summary', init: RequestInit = { headers: { authorization: `Bearer ${token}` } }) =>
  new Request(`https://worker.example${path}`, init)

describe('the summary of the accounts', () => {
  it('is for requests with the admin token, and is kept nowhere', async () => {
    const answer = await answerAdmin(ask(), env)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({
      ...(await account.summary()),
      limits: { dailyBudget: 1_000_000, totalDailyBudget: 2_000_000, liveStreams: 4 },
    })
  })

  it.each([
    ['no token', {}],
    ['another token', { authorization: `Bearer ${token}x` }],
    ['the beginning of the token', { authorization: `Bearer ${token.slice(0, -1)}` }],
    ['another scheme', { authorization: `Basic ${token}` }],
    ['two tokens', { authorization: `Bearer ${token}, Bearer ${token}` }],
    ['the token in another header', { 'x-api-key': token }],
  ])('is refused to who shows %s, always in the same words', async (_what, headers) => {
    const answer = await answerAdmin(ask('/admin/summary', { headers: headers as HeadersInit }), env)
    expect(answer.status).toBe(401)
    expect(await answer.json()).toEqual({ error: { message: 'The admin token is missing or wrong' } })
  })

  it.each([
    ['no token is set', { ...env, ADMIN_TOKEN: undefined }, '/admin/summary'],
    ['the token that is set is short', { ...env, ADMIN_TOKEN: token.slice(0, 31) }, '/admin/summary'],
    ['the path is another', env, '/admin/summary/x'],
  ])('is nowhere if %s', async (_what, settings, path) => {
    expect((await answerAdmin(ask(path), settings)).status).toBe(404)
  })

  it('B21: is read by pages, by user, model or day, over as many days as its query says', async () => {
    const read = async (query: string) => (await answerAdmin(ask(`/admin/summary?${query}`), env)).json()
    const first = await read('by=model&span=1&limit=2')
    expect(first).toMatchObject({
      days: [
        { day: today, user: 'bob' },
        { day: today, user: 'ada' },
      ],
      usage: { by: 'model', span: 1, count: 2, rows: [{ name: ['gpt-5'] }, { name: ['claude-sonnet-5'] }] },
    })
    const second = await read(`limit=2&after=${encodeURIComponent(first.next)}`)
    expect([second.days, second.next]).toEqual([[expect.objectContaining({ day: yesterday, user: 'ada' })], undefined])
    const all = await read('limit=3')
    expect([all.days.length, all.next]).toEqual([3, undefined]) // a full page, and nothing after it
  })

  it('is exported as CSV, row by row, for requests with the token', async () => {
    const answer = await answerAdmin(ask('/admin/usage.csv'), env)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(answer.headers.get('content-disposition')).toContain('attachment')
    expect((await answer.text()).split('\r\n')).toEqual([
      'day,user,model,requests,inputTokens,outputTokens,usd',
      `${today},"bob","gpt-5",40,90000,8000,0.9`,
      `${today},"ada","claude-sonnet-5",3,1200,300,0.0045`,
      `${yesterday},"ada","gpt-5",2,10,20,1.25`,
      '',
    ])
    const one = await answerAdmin(ask('/admin/usage.csv?span=1'), env)
    expect((await one.text()).split('\r\n')).toHaveLength(4)
    for (const query of ['limit=5', 'span=0', 'by=user'])
      expect((await answerAdmin(ask(`/admin/usage.csv?${query}`), env)).status).toBe(400)
    expect((await answerAdmin(ask('/admin/usage.csv', {}), env)).status).toBe(401)
  })

  it('is exported so that a spreadsheet computes nothing of it', async () => {
    const row = { day: today, model: 'a"b', requests: 1, inputTokens: 1, outputTokens: 1, spent: 1 }
    const users = ['=1+1', '+1', '-1', '@x', 'a,b']
    const page = async () => ({ rows: users.map((user) => ({ ...row, user })) })
    const text = await new Response(streamCsv(page)).text()
    const fields = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.slice(today.length + 1, -',1,1,1,0.000001'.length))
    expect(fields).toEqual([`"'=1+1","a""b"`, `"'+1","a""b"`, `"'-1","a""b"`, `"'@x","a""b"`, `"a,b","a""b"`])
  })

  it.each([
    'limit=0',
    'limit=1001',
    'limit=1.5',
    'limit=1e3',
    'limit=',
    'span=91',
    'span=-1',
    'by=constructor',
    'constructor=1',
    'after=x',
    'after=[]',
    'after=[1,2,3]',
    'user=ada',
  ])('B21: refuses the query %s', async (query) => {
    expect((await answerAdmin(ask(`/admin/summary?${query}`), env)).status).toBe(400)
  })

  it('is not to be written to', async () => {
    const answer = await answerAdmin(ask('/admin/summary', { method: 'POST' }), env)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  })
})

const executablePath = findChromium()
if (!executablePath) console.warn("SKIPPED: the operator's view is not looked at, since no Chromium is installed")
const pictures = process.env.ISOGLOT_SCREENSHOTS

describe.skipIf(!executablePath)("the operator's view", () => {
  let house: Served
  let browser: Browser
  beforeAll(async () => {
    house = await serve(answerPage)
    browser = await chromium.launch({
      executablePath: executablePath as string,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
    })
  })
  afterAll(async () => {
    await browser?.close()
    await house?.stop()
  })

  const sizes = { desktop: { width: 1100, height: 900 }, phone: { width: 360, height: 740 } }
  type Look = { readonly size: keyof typeof sizes; readonly colorScheme: 'light' | 'dark' }

  async function open({ size, colorScheme }: Look): Promise<{ page: Page; problems: string[] }> {
    const page = await browser.newPage({ viewport: sizes[size], colorScheme })
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('dialog', (dialog) => problems.push(`dialog: ${dialog.message()}`))
    await page.goto(`${house.url}/admin`)
    return { page, problems }
  }

  async function enter(page: Page, text = token) {
    await page.getByLabel('Admin token').fill(text)
    await page.keyboard.press('Enter')
  }

  it.each<Look>([
    { size: 'desktop', colorScheme: 'light' },
    { size: 'phone', colorScheme: 'dark' },
  ])(
    'shows streams, spend, usage, errors and limits on a $size in $colorScheme, nothing beyond its edge',
    async (look) => {
      const { page, problems } = await open(look)
      await enter(page)
      await page.getByRole('heading', { name: 'Live streams' }).waitFor()
      expect(await page.locator('#live tbody tr').allInnerTexts()).toEqual([
        expect.stringMatching(/ada\s+1 min \d+ s\s+claude-sonnet-5\s+anthropic/),
        expect.stringMatching(/<img src=x onerror=alert\(1\)>\s+\d+ s\s+gpt-5\s+ollama/),
      ])
      expect(await page.locator('#today').innerText()).toMatch(/Live streams\s+2[\s\S]*43[\s\S]*99.5K[\s\S]*\$0.9045/)
      expect(await page.locator('#usage tbody tr').allInnerTexts()).toEqual([
        expect.stringMatching(/ada\s+\$1.25\s+5\s+1,210\s+320/),
        expect.stringMatching(/bob\s+\$0.9000\s+40\s+90,000\s+8,000/),
      ])
      expect(await page.getByRole('img', { name: 'Spent, USD' }).count()).toBe(1)
      expect(await page.locator('#errors tbody tr').allInnerTexts()).toEqual([
        expect.stringMatching(/rate_limit\s+5/),
        expect.stringMatching(/overloaded\s+3/),
        expect.stringMatching(/refused: budget\s+2/),
      ])
      expect(await page.locator('#limits').innerText()).toMatch(/\$1.00[\s\S]*\$2.00[\s\S]*4/)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      expect(problems).toEqual([])
      if (pictures) {
        mkdirSync(pictures, { recursive: true })
        await page.screenshot({ path: join(pictures, `admin-${look.size}.png`), fullPage: true })
      }
      await page.close()
    },
  )

  it('keeps the token only for the tab, and forgets it when asked to', async () => {
    const { page } = await open({ size: 'desktop', colorScheme: 'light' })
    await enter(page)
    await page.locator('#figures').waitFor()
    await page.reload()
    await page.locator('#figures').waitFor()
    expect(await page.evaluate(() => [localStorage.length, document.cookie, location.href])).toEqual([
      0,
      '',
      `${house.url}/admin`,
    ])
    await page.getByRole('button', { name: 'Sign out' }).click()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    expect(await page.locator('#figures').isVisible()).toBe(false)
    await page.close()
  })

  it('says that a token is wrong, to a screen reader too, and asks again', async () => {
    const { page } = await open({ size: 'phone', colorScheme: 'light' })
    await enter(page, `${token}x`)
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').innerText()).toBe('The Worker does not know this token.')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('token')
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    await page.close()
  })

  it('B21: says so where a table has only the first of its rows', async () => {
    const { page } = await open({ size: 'desktop', colorScheme: 'light' })
    await page.route('**/admin/summary**', async (route) => {
      const answer = await (await answerAdmin(ask(), env)).json()
      await route.fulfill({ json: { ...answer, liveCount: 250, usage: { ...answer.usage, count: 16_800 } } })
    })
    await enter(page)
    await page.locator('#figures').waitFor()
    expect(await page.locator('#usage').innerText()).toContain('The first 2 of 16,800.')
    expect(await page.locator('#live').innerText()).toContain('The first 2 of 250.')
    expect(await page.locator('#today').innerText()).toMatch(/Live streams\s+250/)
    await page.close()
  })

  it('can be used with only the keyboard, and every field has a name', async () => {
    const { page } = await open({ size: 'desktop', colorScheme: 'dark' })
    await enter(page)
    await page.locator('#figures').waitFor()
    await page.getByRole('combobox', { name: 'By' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.locator('#usage thead', { hasText: /^\s*Model/ }).waitFor()
    expect(await page.locator('#usage tbody th').allInnerTexts()).toEqual(['gpt-5', 'claude-sonnet-5'])
    await page.getByRole('combobox', { name: 'over' }).selectOption('1')
    await page.locator('#usage tbody tr', { hasText: '$0.0045' }).waitFor()
    expect(await page.locator('#usage tbody tr').count()).toBe(2)
    await page.getByRole('button', { name: 'Pause' }).focus()
    await page.keyboard.press('Space')
    expect(await page.getByRole('button', { name: 'Pause', pressed: true }).count()).toBe(1)
    await page.close()
  })
})

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
}

/** The page's files as the Worker serves them, and its data. */
async function answerPage(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/admin/')) return answerAdmin(request, env)
  const name = pathname === '/admin' ? 'admin.html' : pathname.slice(1)
  const bytes = readFileSync(new URL(`../../examples/browser/${name}`, import.meta.url))
  const headers = {
    'content-type': types[name.split('.').at(-1) ?? ''] ?? 'text/plain',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'",
  }
  return new Response(bytes, { headers })
}
