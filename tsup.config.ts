import { defineConfig } from 'tsup'

/** One file for each public path; what they share stands in each, so that a page can load any of them alone. */
export default defineConfig({
  entry: {
    index: 'src/index.ts',
    anthropic: 'src/codecs/anthropic/index.ts',
    'openai-chat': 'src/codecs/openai-chat/index.ts',
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
