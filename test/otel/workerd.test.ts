/** In workerd no context goes over an `await`: the spans have their parents all the same. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { serveInWorkerd } from '../gateway/workerd.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatBody, json } from '../support/upstream.ts'

const upstream = ownUpstream()

it('writes the spans of two runs at once, each with its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-otel-'))
  const outfile = join(folder, 'worker.js')
  await build({
    entryPoints: [join(import.meta.dirname, 'worker.ts')],
    ...{ outfile, bundle: true, format: 'esm', platform: 'browser', target: 'es2022', logLevel: 'silent' },
  })
  upstream.answer(json(chatBody(null, [['c1', 'f', '{}']])))
  const served = await serveInWorkerd(outfile, upstream.url)
  try {
    const spans = (await (await fetch(served.url)).json()) as unknown[]
    const one = [
      ['chat m', 'invoke_agent'],
      ['execute_tool f', 'invoke_agent'],
      ['invoke_agent', null],
    ]
    expect(spans.map((span) => JSON.stringify(span)).sort()).toEqual(
      [...one, ...one].map((span) => JSON.stringify(span)).sort(),
    )
  } finally {
    await served.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
