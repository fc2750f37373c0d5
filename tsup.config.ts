import { existsSync, readdirSync } from 'node:fs'
import { defineConfig } from 'tsup'

/** Each format and dialect is a public path of its own, named for its folder. */
const codecs = readdirSync('src/codecs').filter((name) => existsSync(`src/codecs/${name}/index.ts`))

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
  // No bare imports are left in what we ship: it must load by a plain script tag too.
  noExternal: ['eventsource-parser', 'valibot'],
})
