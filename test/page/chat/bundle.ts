/** Bundles code with the components of this folder. */
import { readFile } from 'node:fs/promises'
import { build, type Plugin } from 'esbuild'
import { compile } from 'svelte/compiler'

const folder = import.meta.dirname

/** Components of Svelte, for the page or for a server. */
function svelte(generate: 'client' | 'server'): Plugin {
  return {
    name: 'svelte',
    setup({ onLoad }) {
      onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
        const { js } = compile(await readFile(path, 'utf8'), { filename: path, generate, dev: true })
        return { contents: js.code, loader: 'js', resolveDir: folder }
      })
    },
  }
}

/** @param contents a module, whose imports are relative to this folder */
export async function bundle(contents: string, platform: 'browser' | 'node'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
    bundle: true,
    write: false,
    platform,
    format: 'esm',
    conditions: platform === 'browser' ? ['browser', 'development'] : ['development'],
    plugins: [svelte(platform === 'browser' ? 'client' : 'server')],
    define: {
      'process.env.NODE_ENV': '"development"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'true',
    },
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}
