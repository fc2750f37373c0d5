/** Helpers of the page's tests: a Chromium, a plain server for static files, and a look by axe. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../scripts/chromium.mjs'

export const hasChromium = Boolean(findChromium())
if (!hasChromium) console.warn('SKIPPED: the page is not tested, since no Chromium is installed')

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium() as string,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** Collects whatever a page complains of. `types`: of the messages of its console. */
export function problemsOf(page: Page, types = /^error$/): string[] {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => types.test(message.type()) && problems.push(message.text()))
  return problems
}

/** The chat of the playground, as a user has it. */
export const chatOn = (page: Page) => ({
  answers: () => page.locator('#log article.assistant'),
  async say(text: string) {
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text)
    await page.keyboard.press('Enter')
  },
  /** Until there are this many answers, or any, and none of them is being written. */
  finished: (count?: number) =>
    page.waitForFunction((expected) => {
      const answers = document.querySelectorAll('#log article.assistant').length
      const isThere = expected === undefined ? answers > 0 : answers === expected
      return isThere && !document.querySelector('[role="log"] [aria-busy="true"], #suggestions button:disabled')
    }, count),
})

/** Takes a picture of the page, where pictures are wanted. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.ISOGLOT_SCREENSHOTS
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

export interface Site {
  /** Ends in a slash; the files are not at the server's root. */
  readonly url: string
  stop(): Promise<void>
}

/** As plain as a server can be: files by their names. Like most hosts it answers `/name` with `name.html`, and `/name/` with its index. */
export async function serveFolder(folder: string): Promise<Site> {
  const under = '/some/folder/'
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const name = pathname.slice(under.length).replace(/(^|\/)$/, '$1index.html')
    try {
      if (!pathname.startsWith(under) || request.method !== 'GET') throw new Error('there is nothing')
      const path = join(folder, normalize(`/${name}`))
      const file = existsSync(`${path}.html`) ? `${path}.html` : path
      const bytes = readFileSync(file)
      const type = types[extname(file)] ?? 'application/octet-stream'
      // A browser keeps the files, and the code that it has made of them, between two loads.
      response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=600' }).end(bytes)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${under}`,
    stop: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The findings of axe in the page as it is, or in the element that the selector names, serious and critical: rule and element. */
export async function axeFindings(page: Page, within = 'html'): Promise<string[]> {
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(axeSource)
  return page.evaluate(async (selector) => {
    const { axe } = globalThis as unknown as { axe: Axe }
    // It says no more than once of a rule that it is kept.
    const { violations } = await axe.run(selector, { resultTypes: ['violations'] })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  }, within)
}

interface Axe {
  run(selector: string, options: { readonly resultTypes: readonly string[] }): Promise<AxeResults>
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}
