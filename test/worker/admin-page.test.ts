/** The operator's view in Chromium: its tables, its token, the keyboard, and its size on a phone. */
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, launchChromium, picture, problemsOf } from '../page/browser.ts'
import { type Served, serve } from '../support/serve.ts'
import { env, token } from './admin-account.ts'

describe.skipIf(!hasChromium)("the operator's view", () => {
  let house: Served
  let browser: Browser
  beforeAll(async () => {
    house = await serve(answerPage)
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await house?.stop()
  })

  const sizes = { desktop: { width: 1100, height: 900 }, phone: { width: 360, height: 740 } }
  type Look = { readonly size: keyof typeof sizes; readonly colorScheme: 'light' | 'dark' }

  async function open({ size, colorScheme }: Look): Promise<{ page: Page; problems: string[] }> {
    const page = await browser.newPage({ viewport: sizes[size], colorScheme })
    const problems = problemsOf(page)
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
      await expect
        .poll(() => page.locator('#live tbody tr').allInnerTexts())
        .toEqual([
          expect.stringMatching(/ada\s+1 min \d+ s\s+claude-sonnet-5\s+anthropic/),
          expect.stringMatching(/<img src=x onerror=alert\(1\)>\s+\d+ s\s+gpt-5\s+ollama/),
        ])
      await expect
        .poll(() => page.locator('#today').innerText())
        .toMatch(/Live streams\s+2[\s\S]*43[\s\S]*99.5K[\s\S]*\$0.9045/)
      await expect
        .poll(() => page.locator('#usage tbody tr').allInnerTexts())
        .toEqual([
          expect.stringMatching(/ada\s+\$1.25\s+5\s+1,210\s+320/),
          expect.stringMatching(/bob\s+\$0.9000\s+40\s+90,000\s+8,000/),
        ])
      await expect.poll(() => page.getByRole('img', { name: 'Spent, USD' }).count()).toBe(1)
      await expect
        .poll(() => page.locator('#errors tbody tr').allInnerTexts())
        .toEqual([
          expect.stringMatching(/rate_limit\s+5/),
          expect.stringMatching(/overloaded\s+3/),
          expect.stringMatching(/refused: budget\s+2/),
        ])
      await expect.poll(() => page.locator('#limits').innerText()).toMatch(/\$1.00[\s\S]*\$2.00[\s\S]*4/)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      expect(problems).toEqual([])
      await picture(page, `admin-${look.size}`)
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
    await expect.poll(() => page.locator('#figures').isVisible()).toBe(false)
    await page.close()
  })

  it('says that a token is wrong, to a screen reader too, and asks again', async () => {
    const { page } = await open({ size: 'phone', colorScheme: 'light' })
    await enter(page, `${token}x`)
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByRole('alert').innerText()).toBe('The Worker does not know this token.')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('token')
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    await page.close()
  })

  it('can be used with only the keyboard, and every field has a name', async () => {
    const { page } = await open({ size: 'desktop', colorScheme: 'dark' })
    await enter(page)
    await page.locator('#figures').waitFor()
    await page.getByRole('combobox', { name: 'By' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.locator('#usage thead', { hasText: /^\s*Model/ }).waitFor()
    await expect.poll(() => page.locator('#usage tbody th').allInnerTexts()).toEqual(['gpt-5', 'claude-sonnet-5'])
    await page.getByRole('combobox', { name: 'over' }).selectOption('1')
    await page.locator('#usage tbody tr', { hasText: '$0.0045' }).waitFor()
    await expect.poll(() => page.locator('#usage tbody tr').count()).toBe(2)
    await page.getByRole('button', { name: 'Pause' }).focus()
    await page.keyboard.press('Space')
    await expect.poll(() => page.getByRole('button', { name: 'Pause', pressed: true }).count()).toBe(1)
    await page.close()
  })
})

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
}

/** The page's files, as the platform has them for the Worker. */
const ASSETS = {
  async fetch({ url }: Request) {
    const { pathname } = new URL(url)
    const name = pathname === '/admin' ? 'admin.html' : pathname.slice(1)
    const bytes = readFileSync(new URL(`../../examples/playground/${name}`, import.meta.url))
    return new Response(bytes, { headers: { 'content-type': types[name.split('.').at(-1) ?? ''] ?? 'text/plain' } })
  },
}

/** Imported by a name the compiler does not follow: the Worker is typed for Workers, this file for Node. */
const worker = (await import('../../examples/worker/index.ts' as string)).default
const answerPage = async (request: Request): Promise<Response> =>
  worker.fetch(request, { ...env, ASSETS }, { waitUntil() {} })
