/** Starts the Worker in workerd and sends a request like a page: `npm run example recipes/worker "Weather in Lima?"`. */
import { join } from 'node:path'
import { build } from 'esbuild'
import { message } from 'isoglot'
import { readEvents } from 'isoglot/read'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

const { outputFiles } = await build({
  entryPoints: [join(import.meta.dirname, 'worker.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  logLevel: 'error',
})
const { OPENAI_API_KEY, OPENAI_BASE_URL } = process.env
let logged = () => {}
const isLogged = new Promise((resolve) => {
  logged = resolve
})
const worker = new Miniflare(
  convertV4MiniflareOptions({
    modules: true,
    script: outputFiles[0].text,
    compatibilityDate: '2026-11-01',
    bindings: { OPENAI_API_KEY, ...(OPENAI_BASE_URL && { OPENAI_BASE_URL }) },
    handleStructuredLogs({ message }) {
      console.log(`\nThe Worker says: ${message}`)
      logged()
    },
  }),
)
try {
  const prompt = process.argv.slice(2).join(' ') || 'Weather in Tokyo?'
  const body = JSON.stringify({ chatId: 'c1', messages: [message.user(prompt)] })
  for await (const event of readEvents(fetch(await worker.ready, { method: 'POST', body }))) {
    if (event.type === 'tool_call') console.log(event.call.name, event.call.argumentsText)
    if (event.type === 'text_delta') process.stdout.write(event.text)
  }
  await isLogged // the Worker's log may come after its answer
} finally {
  await worker.dispose()
}
