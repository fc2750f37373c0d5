/** In tests, what imports the package by its name gets its source, for example an example; and what only workerd has gets a stand-in. */
import { registerHooks } from 'node:module'
import { publicPaths } from '../../scripts/built-files.mjs'

const root = new URL('../../', import.meta.url)
const files = Object.entries(publicPaths(root.pathname)).map(([name, source]) => [
  name === 'index' ? 'isoglot' : `isoglot/${name}`,
  source,
])
const sources = new Map([...files, ['cloudflare:workers', 'test/support/cloudflare-workers.ts']])

registerHooks({
  resolve(specifier, context, next) {
    const source = sources.get(specifier)
    return source === undefined ? next(specifier, context) : { url: new URL(source, root).href, shortCircuit: true }
  },
})
