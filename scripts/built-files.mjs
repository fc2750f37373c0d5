/** The built files: `dist` has an entry for each public path, and `dist/shared` the chunks that these import. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The paths that import a framework, and its name. Only these import another package. */
export const bindings = ['react', 'vue', 'svelte', 'solid']

/**
 * The source of each public path, by its name. Each format and provider has its own path, named after its folder or file.
 *
 * @returns {Record<string, string>}
 */
export function publicPaths(root) {
  const formats = readdirSync(join(root, 'src', 'formats')).filter((name) => name !== 'shared')
  const providers = readdirSync(join(root, 'src', 'providers')).map((name) => name.slice(0, -'.ts'.length))
  return {
    index: 'src/index.ts',
    messages: 'src/messages/index.ts',
    import: 'src/import/index.ts',
    codec: 'src/codec.ts',
    gateway: 'src/gateway/index.ts',
    worker: 'src/worker/index.ts',
    models: 'src/models.ts',
    mcp: 'src/mcp.ts',
    response: 'src/page/response.ts',
    read: 'src/page/read.ts',
    'ui-messages': 'src/page/ui-messages.ts',
    'ag-ui': 'src/page/ag-ui.ts',
    chat: 'src/chat/index.ts',
    'chat-model': 'src/chat/model-transport.ts',
    ...Object.fromEntries(bindings.map((name) => [name, `src/bindings/${name}.ts`])),
    'cloud-auth': 'src/cloud-auth/index.ts',
    'safe-url': 'src/safe-url.ts',
    prices: 'src/prices/index.ts',
    wraps: 'src/wraps/index.ts',
    otel: 'src/otel/index.ts',
    test: 'src/test/index.ts',
    'local-model': 'src/ask/local-model.ts',
    remote: 'src/remote/index.ts',
    'browser-model': 'src/browser-model/index.ts',
    ...Object.fromEntries(formats.map((name) => [name, `src/formats/${name}/index.ts`])),
    ...Object.fromEntries(providers.map((name) => [name, `src/providers/${name}.ts`])),
  }
}

/** The names of the public paths: `index`, `anthropic` … */
export function entriesIn(dist) {
  return readdirSync(dist)
    .filter((name) => name.endsWith('.js'))
    .map((name) => name.slice(0, -'.js'.length))
}

/** The paths that load everywhere. The Worker needs Cloudflare's runtime, and the bindings import a framework. */
export function portableEntriesIn(dist) {
  return entriesIn(dist).filter((name) => name !== 'worker' && !bindings.includes(name))
}

/** All entries and chunks, by their paths in `dist`. */
export function modulesIn(dist) {
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .sort()
}

/** These modules and all modules that they import. esbuild ends each import with `from "…";`. */
export function withImports(dist, modules) {
  const found = new Set(modules)
  for (const module of found) {
    const code = readFileSync(join(dist, module), 'utf8')
    for (const [, path] of code.matchAll(/(?:\bfrom|^import)\s*"(\.{1,2}\/[^"]+\.js)"/gm))
      found.add(join(dirname(module), path))
  }
  return [...found]
}
