import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Upstream } from '../support/upstream.ts'
import { greeting } from './dialogue.ts'
import { keys } from './models.ts'
import { startProviders, wireNames } from './provider.ts'
import { ask, ended, endingOf } from './wire.ts'

const folder = new URL('../../examples/gateway/', import.meta.url).pathname

describe('the example for Node', () => {
  let providers: Upstream
  let child: ChildProcess
  let url = ''
  beforeAll(async () => {
    providers = await startProviders()
    child = spawn(process.execPath, ['--import', loader, `${folder}node.mjs`], {
      env: {
        PORT: '0',
        ANTHROPIC_BASE_URL: `${providers.url}/anthropic/v1`,
        ANTHROPIC_API_KEY: keys.anthropic,
        GEMINI_BASE_URL: `${providers.url}/gemini/v1beta`,
        GEMINI_API_KEY: keys.gemini,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    url = await new Promise((resolve, reject) => {
      child.stdout?.once('data', (bytes) => resolve(String(bytes).trim()))
      child.once('exit', () => reject(new Error('The example ended')))
    })
  })
  afterAll(async () => {
    child.kill()
    await providers.stop()
  })

  it.each(wireNames)('streams to a client of %s', async (wire) => {
    for (const model of ['smart', 'fast']) {
      const response = await ask(url, wire, model)
      expect(endingOf(wire, await response.text())).toEqual(ended)
    }
  })

  it('answers in whole, lists its models, and is left when its client leaves', async () => {
    const whole = await ask(url, 'openai-chat', 'gpt-5', 'Hello', { stream: false })
    expect((await whole.json()).choices[0].message.content).toBe(greeting)
    expect((await (await fetch(`${url}/v1/models`)).json()).data).toHaveLength(3)
    providers.asked.length = 0
    const left = new AbortController()
    const response = await ask(url, 'ollama', 'smart', 'endless', { signal: left.signal })
    await response.body?.getReader().read()
    left.abort()
    await providers.asked[0]?.closed
    expect(providers.asked[0]?.isCancelled).toBe(true)
  })
})

it.each(['node.mjs', 'deno.ts', 'bun.ts', 'models.mjs'])('%s is of fewer than 30 lines', (file) => {
  expect(
    readFileSync(folder + file, 'utf8')
      .trimEnd()
      .split('\n').length,
  ).toBeLessThan(30)
})

/** Finds `isoglot/…` in the source, which need not be built for it. */
const loader = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module'
const source = ${JSON.stringify(new URL('../../src/', import.meta.url).href)}
registerHooks({
  resolve(name, context, next) {
    const path = /^isoglot\\/(.+)$/.exec(name)?.[1]
    if (path === undefined) return next(name, context)
    return next(source + (path === 'gateway' ? path : 'formats/' + path) + '/index.ts', context)
  },
})`)}`
