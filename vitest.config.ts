import { defineConfig } from 'vitest/config'

const here = new URL('./', import.meta.url).pathname

export default defineConfig({
  resolve: {
    alias: [
      // What imports the package by its name, as the examples do, gets its source.
      { find: /^isoglot$/, replacement: `${here}src/index.ts` },
      { find: /^isoglot\/(models|mcp)$/, replacement: `${here}src/$1.ts` },
      { find: /^isoglot\/gateway$/, replacement: `${here}src/gateway/index.ts` },
      { find: /^isoglot\/(.+)$/, replacement: `${here}src/codecs/$1/index.ts` },
      // What workerd alone has, for tests that run the handler of the Worker in this process.
      { find: 'cloudflare:workers', replacement: `${here}test/support/cloudflare-workers.ts` },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    expect: { requireAssertions: true },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more workers only wait for one another.
    maxWorkers: 2,
  },
})
