/**
 * WebKit by its own driver: WebKitGTK's small browser, controlled over HTTP.
 *
 * @see https://www.w3.org/TR/webdriver2/ and https://webkitgtk.org (read 2026-11)
 */
import { spawn } from 'node:child_process'
import { freePort } from '../../scripts/worker.mjs'
import { miniBrowser, onPath } from '../runtimes/browsers.mjs'
import type { Driver } from './drivers.ts'

export const hasWebkit = ['WebKitWebDriver', 'xvfb-run', 'xauth'].every(onPath) && Boolean(miniBrowser())

/** The name by which an answer holds an element. */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf'

export async function launchWebkit(): Promise<Driver> {
  const port = await freePort()
  const child = spawn('xvfb-run', ['-a', 'WebKitWebDriver', `--port=${port}`], { stdio: 'ignore', detached: true })
  const gone = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))

  async function stop() {
    try {
      process.kill(-(child.pid as number), 'SIGKILL')
    } catch {
      // The group is empty.
    }
    await gone
  }

  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    const { value } = (await response.json()) as { value: T & { message?: string } }
    if (!response.ok) throw new Error(`Cannot ${method} ${path}: ${value.message}`)
    return value
  }

  try {
    await answers(() => ask('GET', '/status'))
    const options = { binary: miniBrowser(), args: ['--automation'] }
    const { sessionId } = await ask<{ sessionId: string }>('POST', '/session', {
      capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
    })
    const session = `/session/${sessionId}`
    const find = async (selector: string) => {
      const found = await ask<Record<string, string>>('POST', `${session}/element`, {
        using: 'css selector',
        value: selector,
      })
      return `${session}/element/${found[elementKey]}`
    }
    await ask('POST', `${session}/window/rect`, { width: 1280, height: 960 })
    return {
      open: (url) => ask('POST', `${session}/url`, { url }),
      run: (script) => ask('POST', `${session}/execute/sync`, { script: `return ${script}`, args: [] }),
      click: async (selector) => ask('POST', `${await find(selector)}/click`, {}),
      type: async (selector, text) => ask('POST', `${await find(selector)}/value`, { text }),
      picture: async () => Buffer.from(await ask<string>('GET', `${session}/screenshot`), 'base64'),
      async close() {
        await ask('DELETE', session).catch(() => {})
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Until a driver that is starting answers. */
async function answers(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 100; ; tries--) {
    try {
      await ask()
      return
    } catch (error) {
      if (tries === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
