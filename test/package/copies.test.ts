/** A program with two copies of the package: each public path bundled by itself, as some CDNs and bundlers do it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dist } from './built.ts'

const folder = mkdtempSync(join(tmpdir(), 'isoglot-copies-'))
beforeAll(() =>
  build({
    entryPoints: ['index', 'openai-chat'].map((entry) => join(dist, `${entry}.js`)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    target: 'es2022',
  }),
)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const load = (entry: string) => import(pathToFileURL(join(folder, `${entry}.mjs`)).href)

it('an error of the other copy is retried, is an instance of its class, and has no key in it', async () => {
  const [{ ApiError, generate }, { openaiChat }] = await Promise.all([load('index'), load('openai-chat')])
  const apiKey = 'sk-a-key-that-nobody-may-read'
  const statuses = [503, 401]
  const fetch = async () =>
    new Response(JSON.stringify({ error: { message: `No: ${apiKey}` } }), { status: statuses.shift() ?? 500 })
  const model = openaiChat('m', { apiKey, fetch })
  const error = await generate({ model, prompt: 'Hi', retries: 1 }).catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ kind: 'authentication', status: 401 })
  expect(JSON.stringify([error.message, error.body, error.stack])).not.toContain(apiKey)
})

it('each error is printed with the name of its class, which the build makes shorter', async () => {
  const exported: Readonly<Record<string, unknown>> = await load('index')
  const classes = Object.entries(exported).flatMap(([name, value]) =>
    typeof value === 'function' && value.prototype instanceof Error && 'code' in value ? [[name, value.name]] : [],
  )
  expect(classes.length).toBeGreaterThan(0)
  expect(classes.filter(([name, printed]) => name !== printed)).toEqual([])
})
