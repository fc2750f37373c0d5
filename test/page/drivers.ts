/** The least that a test needs of a browser, so that one test runs in Firefox and in WebKit, which are driven in different ways. */
import { firefox } from 'playwright-core'
import { onPath } from '../runtimes/browsers.mjs'
import { hasWebkit, launchWebkit } from './webkit.ts'

export interface Driver {
  open(url: string): Promise<unknown>
  /** The value of an expression in the page. */
  run(expression: string): Promise<unknown>
  click(selector: string): Promise<unknown>
  /** Keys, into an element. WebDriver's code points stand for those that are not letters. */
  type(selector: string, text: string): Promise<unknown>
  picture(): Promise<Uint8Array>
  close(): Promise<void>
}

/** Keys that are not letters, as WebDriver spells them. */
export const keys = { home: '\uE011', right: '\uE014' }
const names: Readonly<Record<string, string>> = { [keys.home]: 'Home', [keys.right]: 'ArrowRight' }

const firefoxFile = onPath('firefox-esr') ?? onPath('firefox')

async function launchFirefox(): Promise<Driver> {
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath: firefoxFile as string })
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  return {
    open: (url) => page.goto(url),
    run: (expression) => page.evaluate(expression),
    click: (selector) => page.click(selector),
    async type(selector, text) {
      await page.focus(selector)
      for (const key of text) await page.keyboard.press(names[key] ?? key)
    },
    picture: () => page.screenshot(),
    close: () => browser.close(),
  }
}

/** Each browser: whether it is here, and how to start it. */
export const drivers: Readonly<Record<string, { isHere: boolean; launch(): Promise<Driver> }>> = {
  Firefox: { isHere: firefoxFile !== undefined, launch: launchFirefox },
  WebKit: { isHere: hasWebkit, launch: launchWebkit },
}
for (const [name, { isHere }] of Object.entries(drivers)) {
  if (!isHere) console.warn(`SKIPPED: the page is not tested in ${name}, which is not installed`)
}
