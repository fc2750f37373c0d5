import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { defineConfig } from 'tsup'
import { modulesIn, publicPaths, withImports } from './scripts/built-files.mjs'

/** A build that does not clean `dist` leaves the chunks of the build before it. */
function removeOldChunks() {
  const entries = Object.keys(publicPaths('.')).map((name) => `production/${name}.js`)
  const loaded = withImports('dist', [...entries, 'shared/checks.js'])
  for (const module of modulesIn('dist').filter((name) => !loaded.includes(name))) {
    rmSync(`dist/${module}`)
    rmSync(`dist/${module}.map`, { force: true })
  }
}

/**
 * esbuild imports a chunk for its side effects where no name of it is needed, and no module has any. Bundlers warn of these imports. Blanks
 * stand in place of each, so that the source map stays right. The package has no maps, since they and the sources that they lead to are larger
 * than the code, so no file names one: `npm run build` makes them again for a version, to read a stack trace with.
 */
function cleanModules() {
  for (const module of modulesIn('dist')) {
    const code = readFileSync(`dist/${module}`, 'utf8')
      .replace(/\bimport\s*"\.[^"]+"/g, (found) => found.replace(/./g, ' '))
      .replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n')
    writeFileSync(`dist/${module}`, code)
  }
}

/**
 * The files that programs import: each turns the checks of options on. Bundlers that build for production, as Vite, webpack and Next do, take
 * those of `production` in their place: see `exports` of package.json. All imports are relative: what we ship loads without a bundler too.
 */
function writeEntries() {
  for (const name of Object.keys(publicPaths('.'))) {
    const code = readFileSync(`dist/production/${name}.js`, 'utf8')
    const directive = code.startsWith('"use client"') ? '"use client";\n' : ''
    writeFileSync(
      `dist/${name}.js`,
      `${directive}import "./shared/checks.js";\nexport * from "./production/${name}.js";\n`,
    )
  }
}

/**
 * An entry for each public path. What several of them need is in the chunks of `dist/shared`, by relative imports. The schemas of `t` are in
 * a file of their own: bundlers keep the object of a namespace that shares its file with other code, also in programs that do not use it.
 */
export default defineConfig({
  entry: {
    ...Object.fromEntries(Object.entries(publicPaths('.')).map(([name, file]) => [`production/${name}`, file])),
    'shared/t': 'src/tools/schema-builder.ts',
    'shared/checks': 'src/checks/on.ts',
  },
  format: ['esm'],
  target: 'es2022',
  platform: 'neutral',
  splitting: true,
  // esbuild would leave out `@__PURE__` with the spaces, and bundles of users would hold more. Names of functions stay, for stack traces.
  minify: 'terser',
  terserOptions: {
    sourceMap: true,
    compress: false,
    keep_fnames: true,
    keep_classnames: true,
    // Node prints the whole line that an uncaught error comes from.
    format: { preserve_annotations: true, max_line_len: 120 },
  },
  esbuildOptions: (options) => {
    options.chunkNames = 'shared/[name]-[hash]'
  },
  dts: { entry: publicPaths('.') },
  sourcemap: true,
  clean: true,
  onSuccess: async () => {
    removeOldChunks()
    cleanModules()
    writeEntries()
  },
  // No bare imports are left in what we ship: it must load by a plain script tag too. `worker.js` alone needs Cloudflare's runtime.
  external: ['cloudflare:workers'],
  noExternal: ['eventsource-parser', 'valibot'],
})
