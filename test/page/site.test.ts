/** The site of `npm run site`, walked in a real Chromium: every page, every link, at the widths of a phone and of a desk. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSite } from '../../scripts/site.mjs'
import { axeFindings, hasChromium, launchChromium, problemsOf, type Site, serveFolder } from './browser.ts'

const pictures = process.env.ISOGLOT_SCREENSHOTS

describe.skipIf(!hasChromium)('the site', () => {
  const temporary = mkdtempSync(join(tmpdir(), 'isoglot-site-'))
  const folder = join(temporary, 'site')
  let site: Site
  let browser: Browser
  let page: Page
  let problems: string[]
  const asked: string[] = []

  beforeAll(async () => {
    await buildSite(folder)
    site = await serveFolder(folder)
    browser = await launchChromium()
    page = await browser.newPage()
    problems = problemsOf(page)
    page.on('request', (request) => asked.push(request.url()))
  })
  afterAll(async () => {
    await browser?.close()
    await site?.stop()
    rmSync(temporary, { recursive: true, force: true })
  })

  const htmlFiles = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
  /** Anchors of the playground are views, which its own tests open. */
  const isOfPlayground = (name: string) => /^playground\/|^media\/index\.html$/.test(name)

  it('has a target for each link and each anchor', async () => {
    const pages = new Map<string, { readonly ids: readonly string[]; readonly links: readonly string[] }>()
    for (const name of htmlFiles()) {
      await page.setContent(readFileSync(join(folder, name), 'utf8').replaceAll(/<script.*?<\/script>/gs, ''))
      const found = await page.evaluate(() => ({
        ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
        links: [...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href') ?? ''),
      }))
      pages.set(name, found)
    }
    expect(pages.size).toBeGreaterThan(200)
    const broken = [...pages].flatMap(([name, { links }]) =>
      [...new Set(links)].flatMap((link) => {
        if (/^(https?|mailto):/.test(link)) return []
        const { pathname, hash } = new URL(link, `file:///${name}`)
        const to = fileURLToPath(`file://${pathname}`).slice(1)
        const target = pages.get(to)
        if (target === undefined) return existsSync(join(folder, to)) ? [] : [`${name}: ${link}`]
        const id = decodeURIComponent(hash.slice(1))
        return id === '' || target.ids.includes(id) || isOfPlayground(to) ? [] : [`${name}: ${link}`]
      }),
    )
    expect(broken).toEqual([])
  })

  it('sends no request to another address, and reports no error', async () => {
    for (const name of ['index.html', 'modules/isoglot.html', ...guides().slice(0, 5)]) {
      const response = await page.goto(`${site.url}${encodeURI(name)}`)
      expect(response?.status(), name).toBe(200)
    }
    await page.locator('nav a', { hasText: 'isoglot/anthropic' }).first().waitFor({ state: 'attached' })
    expect(problems).toEqual([])
    const { origin } = new URL(site.url)
    expect(asked.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([])
  })

  const guides = () => htmlFiles().filter((name) => name.startsWith('documents/'))

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)('is readable at %i pixels, %s', async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    for (const name of ['index.html', 'documents/Tools.html', 'functions/isoglot.stream.html']) {
      await page.goto(`${site.url}${name}`)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), name).toBeLessThanOrEqual(0)
      expect(await axeFindings(page), name).toEqual([])
      if (pictures !== undefined) {
        mkdirSync(pictures, { recursive: true })
        await page.screenshot({ path: join(pictures, `site-${name.replaceAll('/', '-')}-${width}-${colorScheme}.png`) })
      }
    }
  })

  it('finds a guide and a function by a search', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${site.url}index.html`)
    await page.locator('#tsd-search-trigger').click()
    await page.locator('#tsd-search-input').pressSequentially('trimMessages')
    await page.locator('#tsd-search-results a', { hasText: 'trimMessages' }).first().waitFor()
    expect(problems).toEqual([])
  })

  it('has the playground, which runs', async () => {
    await page.goto(`${site.url}playground/index.html#stream`)
    await page.locator('#timeline svg').waitFor()
    expect(problems).toEqual([])
  })

  it('has the guides for models', () => {
    const all = readFileSync(join(folder, 'llms-full.txt'), 'utf8')
    for (const name of ['tools', 'streaming', 'worker'])
      expect(all).toContain(readFileSync(join(import.meta.dirname, '../../docs', `${name}.md`), 'utf8'))
    expect(readFileSync(join(folder, 'llms.txt'), 'utf8')).toContain('# isoglot')
  })
})
