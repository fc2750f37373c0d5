/** In tests, what imports the package by its name gets its source, for example an example; and what only workerd has gets a stand-in. */
import { publicPaths } from '../../scripts/built-files.mjs'

const root = new URL('../../', import.meta.url).pathname
const entries = Object.entries(publicPaths(root)).map(([name, source]) => [
  name === 'index' ? 'isoglot' : `isoglot/${name}`,
  root + source,
])

/** The file of each name, the longest name first: a loader that looks at beginnings finds the right one. */
export const sources = new Map([
  ...entries.sort(([one], [other]) => other.length - one.length),
  ['cloudflare:workers', `${root}test/support/cloudflare-workers.ts`],
])
