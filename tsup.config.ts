import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { defineConfig } from 'tsup'

/** Each format and dialect is a public path of its own, named for its folder. */
const codecs = readdirSync('src/codecs').filter((name) => existsSync(`src/codecs/${name}/index.ts`))

/** The package has our sources beside the maps, so that the maps need no copy of them; of what we bundle it has none. */
function trimMaps() {
  for (const file of readdirSync('dist').filter((name) => name.endsWith('.js.map'))) {
    const map = JSON.parse(readFileSync(`dist/${file}`, 'utf8'))
    const isOurs = (at: number) => map.sources[at].startsWith('../src/')
    map.sourcesContent = map.sourcesContent.map((text: string | null, at: number) => (isOurs(at) ? null : text))
    writeFileSync(`dist/${file}`, JSON.stringify(map))
  }
}

/** One file for each public path; what they share stands in each, so that a page can load any of them alone. */
export default defineConfig({
  entry: {
    index: 'src/index.ts',
    gateway: 'src/gateway/index.ts',
    ...(existsSync('src/models.ts') && { models: 'src/models.ts' }),
    mcp: 'src/mcp.ts',
    ...Object.fromEntries(codecs.map((name) => [name, `src/codecs/${name}/index.ts`])),
  },
  format: ['esm'],
  target: 'es2022',
  platform: 'neutral',
  splitting: false,
  dts: true,
  sourcemap: true,
  clean: true,
  onSuccess: async () => trimMaps(),
  // No bare imports are left in what we ship: it must load by a plain script tag too.
  noExternal: ['eventsource-parser', 'valibot'],
})
