/** The built files need a web-standard runtime and nothing else, and each format's file contains only its own format. */
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { publicPaths, withImports } from '../../scripts/built-files.mjs'
import { facts } from '../formats/index.ts'
import { dist, entries, modules, modulesOf, read } from './built.ts'
import { codeOf, parse, type Uses, usesOf } from './uses.ts'

const sources: Readonly<Record<string, string>> = publicPaths(join(dist, '..'))

/** All that a file may take from the runtime: ECMAScript 2022, and what fetch and Web Streams bring. */
const standard = new Set([
  ...['undefined', 'NaN', 'Infinity', 'arguments', 'globalThis'],
  ...['Array', 'BigInt', 'Boolean', 'Date', 'Error', 'Intl', 'Iterator', 'JSON', 'Map', 'Math', 'Number', 'Object'],
  ...['Promise', 'Proxy', 'RangeError', 'Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'SyntaxError', 'TypeError'],
  ...['URIError', 'WeakMap', 'WeakSet', 'Uint8Array', 'ArrayBuffer', 'DataView', 'Uint32Array'],
  ...['isFinite', 'isNaN', 'parseFloat', 'parseInt', 'decodeURIComponent', 'encodeURIComponent'],
  ...['AbortController', 'AbortSignal', 'DOMException', 'Headers', 'Request', 'Response', 'URL', 'URLSearchParams'],
  ...['Blob', 'File', 'FormData', 'ReadableStream', 'TransformStream', 'WritableStream', 'TextDecoder', 'TextEncoder'],
  ...[
    'TextDecoderStream',
    'TextEncoderStream',
    'CompressionStream',
    'DecompressionStream',
    'atob',
    'btoa',
    'console',
    'crypto',
    'fetch',
    'structuredClone',
  ],
  ...['setTimeout', 'clearTimeout', 'queueMicrotask', 'performance'],
])
/** Uses that only `isoglot/worker` has: it is for Cloudflare's runtime, and for no other. */
const ofCloudflare = ['imports "cloudflare:workers"', 'uses HTMLRewriter']
/** Properties of a global that differ between runtimes. */
const tells = ['userAgent', 'Deno', 'Bun', 'process', 'WebSocketPair', 'EdgeRuntime', 'versions', 'Buffer']

function impurities({ globals, imports, properties }: Uses): string[] {
  return [
    ...imports.map((name) => `imports ${name}`),
    ...[...globals].filter((name) => !standard.has(name)).map((name) => `uses ${name}`),
    ...tells.filter((name) => properties.has(name)).map((name) => `reads .${name}`),
  ]
}

/** How the imports of other built files are named in a file. */
function ownImports(module: string): ReadonlySet<string> {
  return new Set(
    modules.map((other) => {
      const path = relative(dirname(module), other)
      return `imports "${path.startsWith('.') ? path : `./${path}`}"`
    }),
  )
}

/** The files of the bindings import their framework, which is an optional peer dependency, and no other file does. */
const frameworks: Readonly<Record<string, readonly string[]>> = {
  'production/react.js': ['react'],
  'production/vue.js': ['vue'],
  'production/svelte.js': ['svelte', 'svelte/reactivity'],
  'production/solid.js': ['solid-js'],
}

function frameworksOf(module: string): readonly string[] {
  return (frameworks[module] ?? []).map((name) => `imports "${name}"`)
}

/** Turns the checks of options on. */
const development = 'shared/checks.js'

describe('what a file takes from the runtime', () => {
  it.each(modules)('%s: uses only what every runtime has', (module) => {
    const isOfOurs = (found: string) =>
      ownImports(module).has(found) ||
      frameworksOf(module).includes(found) ||
      (module === 'production/worker.js' && ofCloudflare.includes(found))
    expect(impurities(usesOf(module)).filter((found) => !isOfOurs(found))).toEqual([])
  })

  it('react.js begins with the directive that makes it a client component', () => {
    for (const module of ['react.js', 'production/react.js'])
      expect(read(module).startsWith('"use client";')).toBe(true)
  })

  it.each(entries)('%s.js is the file of production, with the checks of options', (entry) => {
    const lines = [`import "./shared/checks.js";`, `export * from "./production/${entry}.js";`]
    expect(read(`${entry}.js`).replace('"use client";\n', '').trim().split('\n')).toEqual(lines)
  })

  it('each file loads with at least one public path, but not with all of them', () => {
    const loaded = new Set([
      ...entries.flatMap(modulesOf),
      ...withImports(
        dist,
        entries.map((entry) => `${entry}.js`),
      ),
    ])
    expect(modules.filter((module) => !loaded.has(module))).toEqual([])
    expect(entries.filter((entry) => modulesOf(entry).length === modules.length)).toEqual([])
  })

  // package.json names the only ones that have some, and the build removes imports that have no names.
  const plain = modules.filter((module) => !entries.includes(module.slice(0, -'.js'.length)))
  it.each(plain)('%s: has no side effects when it loads', (module) => {
    const { actions } = usesOf(module)
    const isDirective = (action: string) =>
      (module === 'production/react.js' && action === '"use client";') ||
      (module === development && /^\w+\(\w+\);$/.test(action))
    // esbuild's own helper gives a namespace such as `message` its names, each by a getter.
    const givesNames = (action: string) => /^\w+\(\w+,\s*\{(\s*\w+:\s*\(\)\s*=>\s*\w+,?)+\s*\}\);?$/.test(action)
    expect(actions.filter((action) => !givesNames(action) && !isDirective(action))).toEqual([])
  })

  it.each(['import "./chunk.js"', 'globalThis.x = 1', 'start()', 'if (a) b()', 'for (const a of b) a()'])(
    'finds side effects at load: %s',
    (code) => {
      expect(parse(code).actions).toEqual([code])
    },
  )

  it.each([
    ['import fs from "node:fs"', 'imports node:fs'],
    ['import { parse } from "valibot"', 'imports "valibot"'],
    ['export * from "./chunk.js"', 'imports "./chunk.js"'],
    ['const fs = await import("fs")', 'imports import("fs")'],
    ['const { url } = import.meta', 'imports import.meta'],
    ['const fs = require("fs")', 'uses require'],
    ['const key = process.env.KEY', 'uses process'],
    ['const bytes = Buffer.from("a")', 'uses Buffer'],
    ['const one = eval("1")', 'uses eval'],
    ['const one = new Function("return 1")', 'uses Function'],
    ['const isPage = typeof window !== "undefined"', 'uses window'],
    ['const isFirefox = navigator.userAgent.includes("Firefox")', 'reads .userAgent'],
    ['const isDeno = "x" in globalThis.Deno', 'reads .Deno'],
    ['const isBun = globalThis["Bun"] !== undefined', 'reads .Bun'],
    ['const isNode = typeof process === "object"', 'uses process'],
  ])('finds: %s', (code, impurity) => {
    expect(impurities(parse(code))).toContain(impurity)
  })

  it('skips names that a file defines itself', () => {
    const code = 'function process(Buffer) { return Buffer.length }\nexport { process as read }'
    expect(impurities(parse(code))).toEqual([])
  })
})

/** Words of one format that no other has a use for. */
const words = Object.fromEntries(Object.entries(facts).map(([name, { words }]) => [name, words]))
/** Words that only a server of the format writes: a page that asks a provider has no use for them. */
const serverWords: Readonly<Record<string, readonly string[]>> = {
  'openai-chat': ['chat.completion.chunk'],
  'openai-responses': ['sequence_number'],
}
/**
 * Paths of no format. They read messages as the official SDKs write them, and report what is not a message of isoglot, no more. `otel` writes
 * `gen_ai.response.finish_reasons`.
 */
const ofNoFormat = ['index', 'messages', 'import', 'codec', 'wraps', 'otel', 'local-model', 'browser-model']
const wordsOfMessages = [
  'redacted_thinking',
  'finish_reason',
  'reasoning_content',
  'function_call_output',
  'systemInstruction',
]
const formats = Object.keys(words)
/** Files that may have the words of every format. */
const allFormats = ['models', 'gateway', 'worker', 'test']

const wordsIn = (code: string, of: readonly string[]) => of.filter((word) => code.includes(word))
const foreignWordsIn = (code: string, own: string | undefined) =>
  formats.filter((format) => format !== own).flatMap((format) => wordsIn(code, words[format] ?? []))
/** All that loads with a public path: its file and the chunks that it imports. */
const codeWith = (entry: string) => modulesOf(entry).map(codeOf).join('\n')
/** Which format's words a file holds all of. */
const formatOf = (code: string) =>
  formats.find((format) => wordsIn(code, words[format] ?? []).length === words[format]?.length)

/** `azure-openai` has `azureOpenai`, its model function, if it is a provider. */
async function modelFunctionOf(entry: string): Promise<string | undefined> {
  if (!/^src\/(formats|providers|browser-model)\//.test(sources[entry] ?? '')) return undefined
  const name = entry.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
  return !ofNoFormat.includes(entry) && name in (await import(pathToFileURL(join(dist, `${entry}.js`)).href))
    ? name
    : undefined
}

const pageProgram = (entry: string, model: string | undefined) => `import { stream } from './index.js'
import { ${model} as make } from './${entry}.js'
for await (const event of stream({ model: make('m'), prompt: 'Hi' })) console.log(event)`

/** A page's program with one provider, bundled, for each of them: all at once, so that esbuild parses each built file once. */
async function bundlesOf(providers: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const programs: Plugin = {
    name: 'programs',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^program:/ }, ({ path }) => ({ path: path.slice('program:'.length), namespace: 'program' }))
      onLoad({ filter: /.*/, namespace: 'program' }, async ({ path }) => ({
        contents: pageProgram(path, await modelFunctionOf(path)),
        resolveDir: join(dist, 'production'),
      }))
    },
  }
  const { outputFiles } = await build({
    entryPoints: providers.map((entry) => ({ in: `program:${entry}`, out: entry })),
    plugins: [programs],
    outdir: 'programs',
    bundle: true,
    minifyWhitespace: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
  })
  return new Map(outputFiles.map(({ path, text }) => [basename(path, '.js'), text]))
}

describe('whose words a file holds', () => {
  it.each(formats)('%s.js contains all words of its own format', (format) => {
    const code = codeWith(format)
    const own = [...(words[format] ?? []), ...(serverWords[format] ?? [])]
    expect(wordsIn(code, own)).toEqual(own)
  })

  it('models.js holds those of every format', () => {
    const code = codeWith('models')
    expect(Object.values(words).filter((list) => wordsIn(code, list).length < list.length)).toEqual([])
  })

  it.each(entries.filter((entry) => !ofNoFormat.includes(entry) && !allFormats.includes(entry)))(
    '%s.js contains the words of at most one format',
    (entry) => {
      const code = codeWith(entry)
      expect(foreignWordsIn(code, formatOf(code))).toEqual([])
    },
  )

  it.each(ofNoFormat)('%s.js contains only the words of messages', (entry) => {
    const found = foreignWordsIn(codeWith(entry), undefined)
    expect(found.filter((word) => !wordsOfMessages.includes(word))).toEqual([])
  })
})

describe('the code in a page with one provider', async () => {
  const found = await Promise.all(entries.map(async (entry) => [entry, await modelFunctionOf(entry)] as const))
  const providers = found.flatMap(([entry, name]) => (name === undefined ? [] : [entry]))

  it('covers all formats and more', () => {
    expect(providers).toEqual(expect.arrayContaining([...formats, 'xai', 'groq', 'xai-responses']))
  })

  const bundles = await bundlesOf(providers)

  it.each(providers)('%s: its own words, and neither those of another nor a server’s', async (entry) => {
    const code = bundles.get(entry) ?? ''
    const own = formatOf(code)
    const isOfNone = ofNoFormat.includes(entry)
    expect(own === undefined).toBe(isOfNone)
    expect(foreignWordsIn(code, own).filter((word) => !isOfNone || !wordsOfMessages.includes(word))).toEqual([])
    expect(wordsIn(code, Object.values(serverWords).flat())).toEqual([])
  })
})

/** By name, so that a function of ours with that name does not count. */
const later = /\.(toReversed|toSorted|toSpliced|with|findLast|findLastIndex|groupBy|isWellFormed|toWellFormed)\(/g

it.each(modules)('%s calls no method that ES2022 lacks', (module) => {
  expect(codeOf(module).match(later)).toBeNull()
})
