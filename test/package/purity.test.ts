/** The built files need a web-standard runtime and nothing else, and each format's file knows its own format alone. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { codeOf, dist, entries, read, usesOf } from './built.ts'

/** All that a file may take from the runtime: ECMAScript 2022, and what fetch and Web Streams bring. */
const standard = new Set([
  ...['undefined', 'NaN', 'Infinity', 'arguments', 'globalThis'],
  ...['Array', 'BigInt', 'Boolean', 'Date', 'Error', 'Intl', 'Iterator', 'JSON', 'Map', 'Math', 'Number', 'Object'],
  ...['Promise', 'Proxy', 'RangeError', 'Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'SyntaxError', 'TypeError'],
  ...['URIError', 'WeakMap', 'WeakSet', 'Uint8Array', 'ArrayBuffer', 'DataView', 'Uint32Array'],
  ...['isFinite', 'isNaN', 'parseFloat', 'parseInt', 'decodeURIComponent', 'encodeURIComponent'],
  ...['AbortController', 'AbortSignal', 'DOMException', 'Headers', 'Request', 'Response', 'URL', 'URLSearchParams'],
  ...['Blob', 'File', 'FormData', 'ReadableStream', 'TransformStream', 'WritableStream', 'TextDecoder', 'TextEncoder'],
  ...['TextDecoderStream', 'TextEncoderStream', 'atob', 'btoa', 'console', 'crypto', 'fetch', 'structuredClone'],
  ...['setTimeout', 'clearTimeout', 'queueMicrotask', 'performance'],
])
/** Properties of a global that tell one runtime from another. */
const tells = ['userAgent', 'Deno', 'Bun', 'process', 'WebSocketPair', 'EdgeRuntime', 'versions', 'Buffer']

function impurities(code: string): string[] {
  const { globals, imports, properties } = usesOf(code)
  return [
    ...imports.map((name) => `imports ${name}`),
    ...[...globals].filter((name) => !standard.has(name)).map((name) => `uses ${name}`),
    ...tells.filter((name) => properties.has(name)).map((name) => `reads .${name}`),
  ]
}

describe('what a file takes from the runtime', () => {
  it.each(entries)('%s.js: nothing that is not everywhere', (entry) => {
    expect(impurities(read(entry))).toEqual([])
  })

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
    expect(impurities(code)).toContain(impurity)
  })

  it('passes over names that a file gives itself', () => {
    expect(impurities('function process(Buffer) { return Buffer.length }\nexport { process as read }')).toEqual([])
  })
})

/** Words of one format that no other has a use for. */
const words: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['content_block_delta', 'input_json_delta', 'signature_delta', 'anthropic-version', 'redacted_thinking'],
  gemini: ['generationConfig', 'functionDeclarations', 'usageMetadata', 'systemInstruction', 'groundingMetadata'],
  ollama: ['prompt_eval_count', 'done_reason', 'num_predict'],
  'openai-chat': ['finish_reason', 'stream_options', 'reasoning_content'],
  'openai-responses': ['response.output_text.delta', 'function_call_output', 'max_output_tokens'],
}
/** Words that only a server of the format writes: a page that asks a provider has no use for them. */
const serverWords: Readonly<Record<string, readonly string[]>> = {
  'openai-chat': ['chat.completion.chunk'],
  'openai-responses': ['sequence_number'],
}
/** `index.js` reads messages as the official SDKs write them, knows a whole request for what it is, and no more than that. */
const wordsOfMessages = [
  'redacted_thinking',
  'finish_reason',
  'reasoning_content',
  'function_call_output',
  'systemInstruction',
]
const formats = Object.keys(words)
/** What may hold every format's words. */
const allFormats = ['models', 'gateway']

const wordsIn = (code: string, of: readonly string[]) => of.filter((word) => code.includes(word))
const foreignWordsIn = (code: string, own: string | undefined) =>
  formats.filter((format) => format !== own).flatMap((format) => wordsIn(code, words[format] ?? []))
/** Which format's words a file holds all of. */
const formatOf = (code: string) =>
  formats.find((format) => wordsIn(code, words[format] ?? []).length === words[format]?.length)

/** `azure-openai` has `azureOpenai`, its model function, if it is a provider. */
async function modelFunctionOf(entry: string): Promise<string | undefined> {
  const name = entry.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
  return name in (await import(pathToFileURL(join(dist, `${entry}.js`)).href)) ? name : undefined
}

/** A page's program with one provider, bundled. */
async function bundleOf(entry: string): Promise<string> {
  const model = await modelFunctionOf(entry)
  const contents = `import { stream } from './index.js'
import { ${model} as make } from './${entry}.js'
for await (const event of stream({ model: make('m'), prompt: 'Hi' })) console.log(event)`
  const options = {
    bundle: true,
    minifyWhitespace: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
  } as const
  const { outputFiles } = await build({ stdin: { contents, resolveDir: dist }, ...options })
  return outputFiles[0]?.text ?? ''
}

describe('whose words a file holds', () => {
  it.each(formats)('%s.js holds all of its own: the words are words', (format) => {
    const code = codeOf(format)
    const own = [...(words[format] ?? []), ...(serverWords[format] ?? [])]
    expect(wordsIn(code, own)).toEqual(own)
  })

  it.each(allFormats.filter((entry) => entries.includes(entry)))('%s.js holds those of every format', (entry) => {
    const code = codeOf(entry)
    expect(Object.values(words).filter((list) => wordsIn(code, list).length < list.length)).toEqual([])
  })

  it.each(entries.filter((entry) => entry !== 'index' && !allFormats.includes(entry)))(
    '%s.js holds those of one format at most',
    (entry) => {
      const code = codeOf(entry)
      expect(foreignWordsIn(code, formatOf(code))).toEqual([])
    },
  )

  it('index.js holds none but those of messages', () => {
    const found = foreignWordsIn(codeOf('index'), undefined)
    expect(found.filter((word) => !wordsOfMessages.includes(word))).toEqual([])
  })
})

describe('what a page with one provider carries', async () => {
  const found = await Promise.all(entries.map(async (entry) => [entry, await modelFunctionOf(entry)] as const))
  const providers = found.flatMap(([entry, name]) => (name === undefined ? [] : [entry]))

  it('covers all formats and more', () => {
    expect(providers).toEqual(expect.arrayContaining([...formats, 'xai', 'groq', 'xai-responses']))
  })

  it.each(providers)('%s: its own words, and neither those of another nor a server’s', async (entry) => {
    const code = await bundleOf(entry)
    const own = formatOf(code)
    expect(own).toBeDefined()
    expect(foreignWordsIn(code, own)).toEqual([])
    expect(wordsIn(code, Object.values(serverWords).flat())).toEqual([])
  })
})

/** By name, so that a function of ours with that name does not count. */
const later = /\.(toReversed|toSorted|toSpliced|with|findLast|findLastIndex|groupBy|isWellFormed|toWellFormed)\(/g

it.each(entries)('C36: %s.js calls no method that ES2022 lacks', (entry) => {
  expect(codeOf(entry).match(later)).toBeNull()
})
