/** Serves an example that is a page: its bundle, and a gateway that has the key. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { allFormats, createGateway } from 'isoglot/gateway'
import { openaiChat } from 'isoglot/openai-chat'
import { listen } from '../gateway/listen.mjs'

const folder = join(import.meta.dirname, '..', process.argv[2] ?? '')
const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = process.env
const model = openaiChat('gpt-5-mini', { apiKey, baseUrl })
const gateway = createGateway({ formats: allFormats, models: { 'gpt-5-mini': model } })

/** A small version of a bundler's plugin for Svelte. */
const svelte = {
  name: 'svelte',
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { compile } = await import('svelte/compiler')
      const { js } = compile(await readFile(path, 'utf8'), { filename: path, css: 'injected' })
      return { contents: js.code, loader: 'js' }
    })
  },
}

const { outputFiles } = await build({
  entryPoints: [join(folder, 'main.jsx')],
  bundle: true,
  write: false,
  minify: true,
  format: 'esm',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [svelte],
  logLevel: 'error',
})
const script = outputFiles[0].text
const style = await readFile(join(import.meta.dirname, 'style.css'), 'utf8')
const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>isoglot</title>
<link rel="icon" href="data:,">
<style>${style}</style>
<div id="app"></div>
<script type="module" src="/main.js"></script>
</html>`

const route = join(folder, 'route.ts')
/** A function for each method, like the routes of frameworks, or `chat`, which gets the model. */
const { chat, ...methods } = existsSync(route) ? await import(pathToFileURL(route).href) : {}

listen(async (request) => {
  const { pathname } = new URL(request.url)
  if (pathname === '/') return answer(html, 'text/html')
  if (pathname === '/main.js') return answer(script, 'text/javascript')
  const handle = /^\/api\/chat(?:\/|$)/.test(pathname) && (chat ?? methods[request.method])
  if (!handle) return gateway.fetch(request)
  // Frameworks do the same when a route throws.
  return handle(request, model).catch((error) => {
    console.error(error)
    return new Response('The route failed', { status: 500 })
  })
})

function answer(body, type) {
  return new Response(body, { headers: { 'content-type': `${type}; charset=utf-8` } })
}
