import { defineConfig } from 'vitest/config'

export default defineConfig({
  // What workerd alone has, for tests that run the handler of the Worker in this process.
  resolve: { alias: { 'cloudflare:workers': new URL('test/support/cloudflare-workers.ts', import.meta.url).pathname } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more workers only wait for one another.
    maxWorkers: 2,
  },
})
