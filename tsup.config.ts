import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { defineConfig } from 'tsup'
import { entriesIn, modulesIn, publicPaths, withImports } from './scripts/built-files.mjs'

/** A build that does not clean `dist` leaves the chunks of the build before it. */
function removeOldChunks() {
  const loaded = withImports(
    'dist',
    entriesIn('dist').map((name) => `${name}.js`),
  )
  for (const module of modulesIn('dist').filter((name) => !loaded.includes(name))) {
    rmSync(`dist/${module}`)
    rmSync(`dist/${module}.map`, { force: true })
  }
}

/**
 * esbuild imports a chunk for its side effects where no name of it is needed, and no module has any. Bundlers warn of these imports. An
 * empty line stands in place of each, so that the source map stays right.
 */
function removeBareImports() {
  for (const module of modulesIn('dist')) {
    const code = readFileSync(`dist/${module}`, 'utf8')
    writeFileSync(`dist/${module}`, code.replace(/^import "\.[^"]+";$/gm, ''))
  }
}

/** The package has our sources beside the maps, so that the maps need no copy of them; of what we bundle it has none. */
function trimMaps() {
  for (const module of modulesIn('dist')) {
    const file = `dist/${module}.map`
    const map = JSON.parse(readFileSync(file, 'utf8'))
    const isOurs = (at: number) => /^(\.\.\/)+src\//.test(map.sources[at])
    map.sourcesContent = map.sourcesContent.map((text: string | null, at: number) => (isOurs(at) ? null : text))
    writeFileSync(file, JSON.stringify(map))
  }
}

/** An entry for each public path. What several of them need is in the chunks of `dist/shared`, by relative imports. */
export default defineConfig({
  entry: publicPaths('.'),
  format: ['esm'],
  target: 'es2022',
  platform: 'neutral',
  splitting: true,
  esbuildOptions: (options) => {
    options.chunkNames = 'shared/[name]-[hash]'
  },
  dts: true,
  sourcemap: true,
  clean: true,
  onSuccess: async () => {
    removeOldChunks()
    removeBareImports()
    trimMaps()
  },
  // No bare imports are left in what we ship: it must load by a plain script tag too. `worker.js` alone needs Cloudflare's runtime.
  external: ['cloudflare:workers'],
  noExternal: ['eventsource-parser', 'valibot'],
})
