/** Locators and actions of a user, for the pages of examples. */
import type { Locator, Page } from 'playwright-core'

interface ChatPage {
  /** The latest answer. */
  answer(): Locator
  /** Waits until the answer has ended. */
  finished(): Promise<void>
  say(text: string): Promise<void>
}

/** `pageOf` returns the page of the current test. */
export function chatOn(pageOf: () => Page): ChatPage {
  return {
    answer: () => pageOf().locator('li.assistant').last(),
    finished: () => pageOf().locator('main[aria-busy="false"]').waitFor(),
    async say(text) {
      const page = pageOf()
      await page.getByRole('textbox', { name: 'Message' }).fill(text)
      await page.getByRole('button', { name: 'Send' }).click()
      await page.locator('li.user', { hasText: text }).waitFor()
    },
  }
}
