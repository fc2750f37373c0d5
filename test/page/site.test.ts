/** The site of `npm run site`, walked in a real Chromium: every page, every link, the search, at the widths of a phone and of a desk. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFindings, hasChromium, launchChromium, problemsOf, type Site, serveFolder } from './browser.ts'

const root = join(import.meta.dirname, '..', '..')
const pictures = process.env.ISOGLOT_SCREENSHOTS
/** The folder of `serveFolder`. */
const base = '/some/folder/'

describe.skipIf(!hasChromium)('the site', () => {
  const temporary = mkdtempSync(join(tmpdir(), 'isoglot-site-'))
  const folder = join(temporary, 'site')
  let site: Site
  let browser: Browser
  let page: Page
  let problems: string[]
  const asked: string[] = []

  beforeAll(async () => {
    // In a process of its own, since a test runner is no place for a build for production.
    execFileSync(process.execPath, [join(root, 'scripts', 'site.mjs'), folder, `--base=${base}`], {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production' },
    })
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

  const filesOf = (ending: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith(ending) && !/^(playground|source)\//.test(name),
    )
  const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
  /** The addresses of all pages, such as `providers/xai`. */
  const addresses = () =>
    filesOf('.html')
      .map((name) => name.replace(/(^index)?\.html$/, ''))
      .filter((name) => name !== '404')

  it('has a page for each guide, each provider and each public path, with its Markdown beside it', () => {
    expect(addresses()).toEqual(
      expect.arrayContaining([
        '',
        'tools',
        'options',
        'providers/xai',
        'evidence/performance',
        'examples',
        'changelog',
      ]),
    )
    expect(addresses()).toEqual(expect.arrayContaining(['reference/isoglot', 'reference/chat', 'reference/anthropic']))
    expect(addresses().filter((name) => !existsSync(join(folder, `${name || 'index'}.md`)))).toEqual([])
  })

  it('has a target for each link and each anchor', async () => {
    const pages = new Map<string, { readonly ids: readonly string[]; readonly links: readonly string[] }>()
    for (const name of filesOf('.html')) {
      const found = await page.evaluate((html) => {
        const parsed = new DOMParser().parseFromString(html, 'text/html')
        return {
          ids: [...parsed.querySelectorAll('[id]')].map(({ id }) => id),
          links: [...parsed.querySelectorAll('a[href]')].map((link) => link.getAttribute('href') ?? ''),
        }
      }, textOf(name))
      pages.set(name, found)
    }
    const fileOf = (path: string) =>
      [path, `${path}.html`, posix.join(path, 'index.html')].find(
        (name) => /\.\w+$/.test(name) && existsSync(join(folder, name)),
      )
    const broken = [...pages].flatMap(([name, { links }]) =>
      [...new Set(links)].flatMap((link) => {
        if (/^(https?|mailto):/.test(link)) return []
        const { pathname, hash } = new URL(link, `file://${base}${name}`)
        if (!pathname.startsWith(base)) return [`${name}: ${link}`]
        const to = fileOf(decodeURIComponent(pathname).slice(base.length))
        const isThere =
          to !== undefined && (hash === '' || pages.get(to)?.ids.includes(decodeURIComponent(hash.slice(1))))
        return isThere ? [] : [`${name}: ${link}`]
      }),
    )
    expect(broken).toEqual([])
    const twice = [...pages].filter(([, { ids }]) => new Set(ids).size < ids.length).map(([name]) => name)
    expect(twice).toEqual([])
  })

  it('has a target for each link of the texts for models', () => {
    for (const name of ['llms.txt', 'llms-full.txt', ...filesOf('.md')]) {
      const prose = textOf(name)
        .replace(/^```.*?^```$/gms, '')
        .replace(/`[^`\n]*`/g, '')
      const targets = [...prose.matchAll(/\]\(([^()\s#]+)[^()\s]*\)/g)].map(([, target = '']) => target)
      const missing = targets.filter(
        (target) => !/^[a-z]+:/.test(target) && !existsSync(join(folder, posix.dirname(name), target)),
      )
      expect(missing, name).toEqual([])
    }
    expect(textOf('llms.txt')).toContain('# isoglot')
    for (const name of ['tools', 'streaming', 'worker']) expect(textOf('llms-full.txt')).toContain(textOf(`${name}.md`))
  })

  it('scrolls no page sideways on a phone, breaks no name in a table, and reports no error', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    for (const name of addresses()) {
      const response = await page.goto(`${site.url}${name}`)
      expect(response?.status(), name).toBe(200)
      const found = await page.evaluate(() => ({
        overflow: document.documentElement.scrollWidth - innerWidth,
        broken: [...document.querySelectorAll('.vp-doc td code')].flatMap(({ firstChild, textContent }) =>
          [...`${textContent}`.matchAll(/\w+/g)].flatMap(({ index, 0: name }) => {
            if (!(firstChild instanceof Text)) return []
            const range = new Range()
            range.setStart(firstChild, index)
            range.setEnd(firstChild, index + name.length)
            return range.getClientRects().length > 1 ? [name] : []
          }),
        ),
      }))
      expect({ name, ...found }).toEqual({ name, overflow: 0, broken: [] })
    }
    expect(problems).toEqual([])
    const { origin } = new URL(site.url)
    expect(asked.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([])
  })

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)('is readable at %i pixels, %s', async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const looked = [
      '',
      'guides',
      'tools',
      'options',
      'providers/anthropic',
      'evidence/performance',
      'reference/',
      'reference/anthropic',
    ]
    for (const name of looked) {
      await page.goto(`${site.url}${name}`)
      expect(await axeFindings(page, '#app'), name).toEqual([])
      await look(`${name || 'start'}-${width}-${colorScheme}`)
    }
    await search('approval')
    expect(await axeFindings(page, '.VPLocalSearchBox')).toEqual([])
    await look(`search-${width}-${colorScheme}`)
  })

  async function look(name: string) {
    if (pictures === undefined) return
    mkdirSync(pictures, { recursive: true })
    await page.screenshot({ path: join(pictures, `site-${name.replaceAll('/', '-')}.png`) })
  }

  /** The first hit of a search. */
  async function search(words: string) {
    await page.goto(site.url)
    await page.evaluate(() => sessionStorage.clear()) // which has the words of the search before
    await page.getByRole('button', { name: 'Search' }).click()
    await page.locator('.search-input').fill(words)
    const first = page.locator('.VPLocalSearchBox .result').first()
    return first.getAttribute('href')
  }

  it.each([
    ['approval', 'tools'],
    ['budget', 'tools'],
    ['resume', 'resuming'],
    ['attachments', 'files'],
    ['useChat', 'chat'],
    ['Turnstile', 'worker'],
    ['CORS', 'browser'],
    ['citations', 'citations'],
    ['trimMessages', 'messages'],
    ['DeepSeek', 'providers/deepseek'],
    ['cache', 'caching'],
    ['stream', 'streaming'],
  ])('finds by %s first the page %s', async (words, name) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await search(words)).toMatch(new RegExp(`^${base}${name}(#|$)`))
  })

  it('has the playground, on the start page and on a page of its own', async () => {
    await page.goto(site.url)
    await page.locator('iframe.playground').scrollIntoViewIfNeeded()
    await page.frameLocator('iframe.playground').locator('#model:enabled').waitFor()
    await page.goto(`${site.url}playground/#stream`)
    await page.locator('#timeline svg').waitFor()
    expect(problems).toEqual([])
  })

  it('copies the line that installs it', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(site.url)
    await page.locator('.language-sh button.copy').first().click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('npm install isoglot')
  })
})
