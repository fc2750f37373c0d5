/**
 * Imports between folders: in `src`, the table of CONTRIBUTING.md; in the examples of the Worker, which readers copy, public paths only.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { mapOfHouse } from '../../scripts/map.mjs'
import { specifiersIn } from '../support/imports.ts'

const root = join(import.meta.dirname, '../../src')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))

/** From the lowest up. */
const layers =
  'core formats/shared framing assemble prepare ask formats providers cloud-auth browser-model tools messages import client prices page remote chat bindings wraps gateway otel worker test checks'.split(
    ' ',
  )
/** By which users come in. */
const doors = ['index.ts', 'messages/index.ts', 'import/index.ts', 'codec.ts', 'models.ts', 'mcp.ts', 'safe-url.ts']

/** The files of ours that a file imports, types included. */
function importsOf(file: string): string[] {
  return specifiersIn(readFileSync(join(root, file), 'utf8'))
    .filter((to) => to.startsWith('.'))
    .map((to) => relative(root, join(root, dirname(file), to)))
}
const imports = new Map(files.map((file) => [file, importsOf(file)]))

function layerOf(file: string): number {
  return layers.findIndex((layer) => file.startsWith(`${layer}/`))
}

/** The files on the way from the first of these back to itself; `undefined` without a way back. */
function circleFrom(path: readonly string[], seen: Set<string>): readonly string[] | undefined {
  for (const next of imports.get(path.at(-1) ?? '') ?? []) {
    if (next === path[0]) return path
    if (seen.has(next)) continue
    seen.add(next)
    const circle = circleFrom([...path, next], seen)
    if (circle !== undefined) return circle
  }
  return undefined
}

describe('imports', () => {
  it('are found, of values and of types', () => {
    expect(imports.get('index.ts')).toEqual(
      expect.arrayContaining(['client/run.ts', 'core/messages.ts', 'core/errors.ts']),
    )
    expect(imports.get('gateway/all-formats.ts')).toContain('formats/ollama/server/format.ts')
    expect([...imports.values()].flat().filter((file) => !imports.has(file))).toEqual([])
  })

  it('are found in every form', () => {
    const source =
      "import './a'\nimport {\n  b,\n} from './b'\nexport * from './c'\nconst d = await import('./d')\nimport type { E } from './e'"
    expect([...specifiersIn(source)].sort()).toEqual(['./a', './b', './c', './d', './e'])
  })

  // The table of options has the types of all functions that take some.
  const inLayers = files.filter((file) => !doors.includes(file) && file !== 'checks/forms.ts')
  it.each(inLayers)('of %s are of its own layer or of one below', (file) => {
    expect(layerOf(file)).toBeGreaterThanOrEqual(0)
    const upwards = (imports.get(file) ?? []).filter((to) => layerOf(to) > layerOf(file) || doors.includes(to))
    expect(upwards).toEqual([])
  })

  it('are those of docs/evidence/map.svg, as "node scripts/with-node.mjs scripts/map.mjs" draws it', () => {
    expect(readFileSync(join(root, '../docs/evidence/map.svg'), 'utf8')).toBe(mapOfHouse())
  })

  it('of what only a server needs of a format are those of its own path, and of the list of all formats', () => {
    const homes = [...imports].flatMap(([file, found]) =>
      found.filter((to) => /^formats\/[\w-]+\/server\/format\.ts$/.test(to)).map((to) => [file, to] as const),
    )
    const others = homes.filter(([file, to]) => file !== to.replace('server/format.ts', 'index.ts'))
    expect(new Set(others.map(([file]) => file))).toEqual(new Set(['gateway/all-formats.ts']))
  })

  it('go in no circle', () => {
    expect(files.flatMap((file) => circleFrom([file], new Set()) ?? [])).toEqual([])
  })
})

describe.each(['worker', 'worker-minimal'])('the Worker of examples/%s', (name) => {
  const folder = join(import.meta.dirname, '../../examples', name)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))

  it('imports public paths, and nothing of this repository beside its folder', () => {
    expect(sources).toContain('index.ts')
    const found = sources.flatMap((file) =>
      specifiersIn(readFileSync(join(folder, file), 'utf8')).map((to) =>
        to.startsWith('.') ? relative(folder, join(folder, dirname(file), to)) : to,
      ),
    )
    expect(found.some((to) => to.startsWith('isoglot/'))).toBe(true)
    expect(found.filter((to) => !/^isoglot(\/[\w-]+)?$/.test(to))).toEqual([])
  })
})

/** The files that a program reaches on the way to an import of this package; types are not loaded. */
function wayTo(name: string, path: readonly string[], seen = new Set<string>()): readonly string[] | undefined {
  const file = path.at(-1) ?? ''
  const code = readFileSync(file, 'utf8').replaceAll(/^(?:im|ex)port type [^;]*? from '[^']*'$/gm, '')
  for (const to of specifiersIn(code)) {
    if (to === name) return path
    const next = join(dirname(file), to)
    if (!to.startsWith('.') || seen.has(next) || !existsSync(next)) continue
    const way = wayTo(name, [...path, next], seen.add(next))
    if (way !== undefined) return way
  }
  return undefined
}

it.each(['translation', 'handoff', 'map'])(
  'scripts/%s.mjs runs without the test runner, with all that it imports',
  (name) => {
    expect(wayTo('vitest', [join(root, '../scripts', `${name}.mjs`)])).toBeUndefined()
  },
)

it('a way to the test runner is found', () => {
  const file = join(root, '../test/support/own-upstream.ts')
  expect(wayTo('vitest', [file])).toEqual([file])
})

/** Pages that have no code of a wire: the files of ours in their bundles, after what they do not need is left out. */
describe('a page', () => {
  const show = 'for await (const text of run.text()) document.body.append(text)'
  it.each<[string, RegExp, string]>([
    [
      'that asks through a server',
      /^(?:formats|providers|prepare|assemble)\//,
      `import { stream } from './index.ts'
import { remote } from './remote/index.ts'
const run = stream({ model: remote('openai:m', { url: '/answer' }), prompt: 'Hello' })
${show}`,
    ],
    [
      'with a tool that asks through a server',
      /^(?:formats|providers|prepare|assemble)\//,
      `import { stream, tool } from './index.ts'
import { remote } from './remote/index.ts'
const tools = [tool({ name: 'weather', parameters: { type: 'object' }, execute: () => 'Sunny' })]
const run = stream({ model: remote('openai:m', { url: '/answer' }), prompt: 'Hello', tools })
${show}`,
    ],
    [
      'with a chat on the Worker',
      /^(?:formats|providers|prepare|assemble)\//,
      `import { createChatStore } from './chat/index.ts'
import { workerTransport } from './chat/model-transport.ts'
const chat = createChatStore({ transport: workerTransport({ url: '/', model: 'openai:m' }) })
await chat.send('Hello')`,
    ],
    [
      'with the model of the browser',
      /^(?:formats\/(?!shared)|providers)\/|^ask\/http-model|^framing\//,
      `import { stream } from './index.ts'
import { browserModel } from './browser-model/index.ts'
const run = stream({ model: browserModel(), prompt: 'Hello' })
${show}`,
    ],
  ])('%s has nothing of %s', async (_what, unwanted, contents) => {
    const { metafile } = await build({
      stdin: { contents, resolveDir: root, loader: 'ts' },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      metafile: true,
    })
    const inputs = Object.values(metafile.outputs)[0]?.inputs ?? {}
    const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    const names = used.map(([file]) => relative(root, join(process.cwd(), file)))
    expect(names).toContain('client/loop.ts')
    expect(names.filter((name) => unwanted.test(name))).toEqual([])
  })
})
