/** The bindings in their real frameworks, in Chromium: what a server rendered is taken over, an answer streams, and a component goes. */
import type { Browser, Page } from 'playwright-core'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderToString as renderVue } from 'vue/server-renderer'
import { type ChatStore, createChatStore } from '../../src/chat/index.ts'
import { scripted } from '../chat/scripted.ts'
import { inTurn } from '../support/cuts.ts'
import { hasChromium, launchChromium, problemsOf } from './browser.ts'
import { bundle } from './chat/bundle.ts'
import type { Handle } from './chat/main.ts'
import { App } from './chat/react.ts'
import type { handle } from './chat/react-own.ts'
import { history } from './chat/view.ts'
import { app } from './chat/vue.ts'

async function renderSvelte(chat: ChatStore): Promise<string> {
  const code = await bundle(
    `import { render } from 'svelte/server'\nimport App from './App.svelte'\nexport const draw = (chat) => render(App, { props: { chat } }).body`,
    'node',
  )
  const { draw } = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
  return draw(chat)
}

const servers: Readonly<Record<string, (chat: ChatStore) => string | Promise<string>>> = {
  react: (chat) => renderToString(createElement(App, { chat })),
  vue: (chat) => renderVue(app(chat)),
  svelte: renderSvelte,
  solid: () => '',
}

let browser: Browser
beforeAll(async () => {
  if (hasChromium) browser = await launchChromium()
})
afterAll(() => browser?.close())

// The bindings differ by a few lines, which `test/chat/bindings.test.ts` has: in `npm test` one of them runs in a page.
describe.skipIf(!hasChromium).each(inTurn(Object.entries(servers), 4))('%s in a page', (name, serverRender) => {
  let page: Page
  let complaints: string[]
  const texts = () => page.locator('#app li').allInnerTexts()

  beforeAll(async () => {
    page = await browser.newPage()
    complaints = problemsOf(page, /warning|error/)
    const html = await serverRender(createChatStore({ transport: scripted().transport, messages: history }))
    await page.setContent(`<!doctype html><div id="app">${html}</div><div id="own"></div>`)
  })
  afterAll(() => page?.close())

  it('takes over what the server rendered, without a warning and with the same elements', async () => {
    const isRendered = name !== 'solid'
    if (isRendered) await expect.poll(texts).toEqual(['Hi', 'Hello'])
    const first = await page.evaluateHandle(() => document.querySelector('#app li'))
    const content = await bundle(
      `import { start } from './main.ts'\nimport { view } from './${name}.ts'\nstart(view)`,
      'browser',
    )
    await page.addScriptTag({ content, type: 'module' })
    await page.locator('#app p').getByText('2').waitFor()
    await expect.poll(texts).toEqual(['Hi', 'Hello'])
    expect(await page.evaluate((before) => before === document.querySelector('#app li'), first)).toBe(isRendered)
    expect(complaints).toEqual([])
  })

  it('draws an answer as it streams, in two components on one store', async () => {
    await page.evaluate(async () => {
      const { chat, script } = (globalThis as unknown as { handle: Handle }).handle
      void chat.send('More?')
      await script.push({ type: 'message_start' }, { type: 'text_delta', index: 0, text: 'Ye' })
    })
    await page.locator('#app li').getByText('Ye', { exact: true }).waitFor()
    await expect.poll(() => page.locator('#app output').innerText()).toBe('streaming')
    await expect.poll(() => page.locator('#app p').innerText()).toBe('4')
    const last = await page.evaluateHandle(() => document.querySelector('#app li:last-child'))
    await page.evaluate(async () => {
      const { script, answer } = (globalThis as unknown as { handle: Handle }).handle
      await script.push(...answer('Yes'))
      await script.end()
    })
    await page.locator('#app output').getByText('ready').waitFor()
    await expect.poll(texts).toEqual(['Hi', 'Hello', 'More?', 'Yes'])
    expect(await page.evaluate((before) => before === document.querySelector('#app li:last-child'), last)).toBe(true)
    expect(complaints).toEqual([])
  })

  it('does not dispose of a given store when it unmounts, and unsubscribes', async () => {
    const isAborted = await page.evaluate(async () => {
      const { chat, script, unmount } = (globalThis as unknown as { handle: Handle }).handle
      void chat.send('Again?')
      await script.push({ type: 'message_start' })
      unmount()
      await script.push({ type: 'text_delta', index: 0, text: 'late' })
      await new Promise((resolve) => setTimeout(resolve, 60))
      return script.turns.at(-1)?.signal.aborted
    })
    expect(isAborted).toBe(false)
    await expect.poll(texts).toEqual([])
    expect(complaints).toEqual([])
  })

  it('stops the chat that it owns when it unmounts', async () => {
    await page.evaluate(() => {
      const { own } = (globalThis as unknown as { handle: Handle }).handle
      Object.assign(globalThis, { own: own() })
    })
    await page.locator('#own button').click()
    await page.locator('#own output').getByText('submitted').waitFor()
    const [before, after] = await page.evaluate(async () => {
      const { script, unmount } = (globalThis as unknown as { own: ReturnType<Handle['own']> }).own
      const [turn] = script.turns
      const before = turn?.signal.aborted
      unmount()
      await new Promise((resolve) => setTimeout(resolve))
      return [before, turn?.signal.aborted]
    })
    expect([before, after]).toEqual([false, true])
    expect(complaints).toEqual([])
  })
})

describe.skipIf(!hasChromium)('a React component that owns its chat, under StrictMode', () => {
  type Own = { readonly handle: typeof handle }
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    page = await browser.newPage()
    complaints = problemsOf(page, /warning|error/)
    await page.setContent('<!doctype html><div id="app"></div>')
    await page.addScriptTag({
      content: await bundle(`export { handle } from './react-own.ts'`, 'browser'),
      type: 'module',
    })
  })
  afterAll(() => page?.close())

  it('runs a tool with the state of the last render', async () => {
    await page.locator('#count').click()
    await page.locator('#count').getByText('1').waitFor()
    await page.locator('#send').click()
    await page.locator('output').getByText('submitted').waitFor()
    const sent = await page.evaluate(async () => {
      const { script, answer } = (globalThis as unknown as Own).handle
      const facts = { name: 'count', arguments: {}, argumentsText: '{}', index: 0, complete: true } as const
      const call = { type: 'tool_call', id: 'c1', ...facts } as const
      await script.push({ type: 'message_start' }, ...answer([call], { outcome: 'manual', pending: [call] }))
      await script.end()
      while (script.turns.length < 2) await new Promise((resolve) => setTimeout(resolve))
      return script.turns.map(({ chatId, added }) => [chatId, added[0]?.content])
    })
    expect(sent).toEqual([
      ['a', 'Go'],
      ['a', 'The count is 1'],
    ])
  })

  it('is another chat with another id: it stops the one before, and has its own messages and its own place', async () => {
    const left = await page.evaluate(async () => {
      const { script, show } = (globalThis as unknown as Own).handle
      show('b')
      await new Promise((resolve) => script.turns[1]?.signal.addEventListener('abort', resolve))
      return script.turns.length
    })
    await page.locator('h1').getByText('b', { exact: true }).waitFor()
    expect([left, await page.locator('li').allInnerTexts()]).toEqual([2, ['Begin b']])
    await page.locator('#send').click()
    await page.locator('output').getByText('submitted').waitFor()
    const [turn, places] = await page.evaluate(async () => {
      const { script, stored } = (globalThis as unknown as Own).handle
      await new Promise((resolve) => setTimeout(resolve))
      const { chatId, messages } = script.turns[2] ?? {}
      return [{ chatId, contents: messages?.map(({ content }) => content) }, Object.keys(stored)]
    })
    expect([turn, places]).toEqual([{ chatId: 'b', contents: ['Begin b', 'Go'] }, ['a', 'b']])
    expect(complaints).toEqual([])
  })
})
