/** The static page in the other two engines: it loads, chats, and shows the wire, the stream and the hand-off. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPlayground } from '../../scripts/playground.mjs'
import { facts } from '../formats/index.ts'
import { type Site, serveFolder } from './browser.ts'
import { type Driver, drivers, keys } from './drivers.ts'

/** Where screenshots go if they are wanted. */
const pictures = process.env.ISOGLOT_SCREENSHOTS
const folder = mkdtempSync(join(tmpdir(), 'isoglot-browsers-'))
let site: Site

beforeAll(async () => {
  site = await serveFolder(buildPlayground(join(folder, 'site')))
})
afterAll(async () => {
  await site?.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(Object.entries(drivers))('the static page in %s', (name, { isHere, launch }) => {
  let driver: Driver

  beforeAll(async () => {
    if (!isHere) return
    driver = await launch()
    await driver.open(`${site.url}#stream`)
    await until('!document.querySelector("#model").disabled')
  })
  afterAll(() => driver?.close())

  const textOf = (selector: string) => driver.run(`document.querySelector(${JSON.stringify(selector)})?.innerText`)
  const allOf = (selector: string) =>
    driver.run(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.textContent)`)

  /** The page says itself when it is ready, so there is nothing else to wait for. */
  async function until(condition: string) {
    for (let tries = 150; !(await driver.run(condition)); tries--) {
      if (tries === 0) throw new Error(`never came true: ${condition}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async function picture(what: string) {
    if (!pictures) return
    mkdirSync(pictures, { recursive: true })
    writeFileSync(join(pictures, `${name.toLowerCase()}-${what}.png`), await driver.picture())
  }

  it.skipIf(!isHere)('draws a recording immediately, and moves through it by keyboard', async () => {
    await until('document.querySelectorAll("#timeline .lane").length === 4')
    await expect
      .poll(() => allOf('#timeline .label'))
      .toEqual([
        'answer 1 · 412 in, 97 out · tool_calls',
        'reasoning',
        'get_weather {"city": "Tokyo"}',
        'get_weather {"city": "Paris"}',
      ])
    await driver.type('#scrub', keys.home)
    await expect.poll(() => textOf('#position')).toBe('0 of 22')
    await driver.type('#scrub', keys.right.repeat(4))
    await expect.poll(() => textOf('#position')).toBe('4 of 22, frame 4')
    await expect.poll(() => allOf('#moment-message .reasoning .text')).toEqual(['Two cities, one'])
    await picture('stream')
  })

  it.skipIf(!isHere)('chats with recordings, including tools, and draws the stream', async () => {
    await driver.click('#suggestions button')
    await until('document.querySelector("#log [aria-busy=false]") && document.querySelector("#stop").hidden')
    await expect.poll(() => allOf('#log .tool .result')).toEqual(['Tokyo: 24 °C, windy', 'Paris: 21 °C, cloudy'])
    await until('document.querySelector("#take-ending").innerText === "Complete"')
    expect(await driver.run('document.querySelectorAll("#timeline .run").length')).toBe(2)
    await picture('live')
  })

  it.skipIf(!isHere)(
    'shows both requests and the answer, and the chat in each format, with the losses below',
    async () => {
      await driver.click('nav a[href="#wire"]')
      await until('document.querySelectorAll(".request").length === 3')
      await expect
        .poll(() => allOf('.request h3'))
        .toEqual(['The page asks the Worker', 'The Worker asks OpenAI Chat', 'OpenAI Chat answers'])
      await expect.poll(() => textOf('.request:nth-child(3) pre')).toContain('chat.completion.chunk')
      for (const { titleOnPage } of Object.values(facts)) {
        await driver.run(`(() => {
        const choice = document.querySelector('#wire-format')
        choice.value = [...choice.options].find((one) => one.text === ${JSON.stringify(titleOnPage)}).value
        choice.dispatchEvent(new Event('change'))
      })()`)
        await expect.poll(() => textOf('.request:nth-child(2) h3')).toBe(`The Worker asks ${titleOnPage}`)
        await expect.poll(() => textOf('.request:nth-child(2) pre')).toContain('weather in Tokyo')
        expect(await driver.run('!!document.querySelector(".request:nth-child(2) :is(.loss-list, .none)")')).toBe(true)
      }
      await picture('wire')
    },
  )

  it.skipIf(!isHere)('shows what a hand-off would change', async () => {
    await driver.click('nav a[href="#handoff"]')
    await until('document.querySelectorAll("#targets tbody tr").length === 15')
    await expect.poll(() => textOf('#handoff-result')).toContain('As Anthropic: claude-sonnet-5 gets it')
    await picture('handoff')
  })
})
