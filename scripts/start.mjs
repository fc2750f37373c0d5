/**
 * `npm start`: starts the embedded provider, the Worker that hides its key (in workerd), and the page of `examples/playground`.
 *
 * `PORT` sets the port (default 8787; with `--say` any free one); `ISOGLOT_DEMO_KEY` sets the Worker's key for the embedded provider
 * (default: random). With `OPENAI_API_KEY` or `ANTHROPIC_API_KEY` in `.dev.vars` the Worker calls the real providers.
 *
 * `npm start -- --origin http://192.168.1.5:5173` (may be repeated) allows pages of that origin. Pages on loopback, such as those of your
 * own dev server, are always allowed. `npm start -- --say "…" [--model anthropic:demo-model]` runs that conversation in the terminal and
 * ends.
 */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { endWithParent } from './end-with-parent.mjs'
import { isBuilt, prepare } from './prepare.mjs'

const help = `npm start                       the page, the Worker and the embedded provider, until Ctrl-C
           --origin <origin>    allows pages of another origin, such as http://192.168.1.5:5173; may be repeated.
                                Pages on loopback, such as of your own dev server, are always allowed
npm start -- --say "…"          one conversation through the Worker, in the terminal
           --model <wire:name>  openai-chat:demo-model (default), openai-responses:…, anthropic:…, gemini:…, ollama:…`

/** The clean-up steps, last first. */
const stops = []
let stopping

function stopAll() {
  stopping ??= (async () => {
    for (const stop of stops.reverse()) await stop().catch(() => {})
  })()
  return stopping
}

for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.on(signal, async () => {
    await stopAll()
    process.exit(code)
  })
}

try {
  const { values } = parseArgs({
    options: {
      say: { type: 'string' },
      model: { type: 'string' },
      origin: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean' },
    },
  })
  if (values.help) console.log(help)
  else await run(values)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
  await stopAll()
}

async function run({ say: text, model, origin: others }) {
  for (const origin of others) checkOrigin(origin)
  prepare()
  if (text !== undefined && !isBuilt()) throw new Error('Cannot hold a conversation: the SDK could not be built')
  // Imported only after the packages are installed.
  const { freePort, startWorker } = await import('./worker.mjs')
  const { chooseProvider } = await import('./choose-provider.mjs')
  endWithParent()
  const port = await choosePort(freePort, text === undefined ? '8787' : '0')
  const provider = await chooseProvider(process.env.ISOGLOT_DEMO_KEY)
  stops.push(provider.stop)
  const origins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, ...others].join(',')
  const adminToken = randomSecret()
  const secrets = { SESSION_SECRET: randomSecret(), ADMIN_TOKEN: adminToken }
  const settings = { ...secrets, ALLOWED_ORIGINS: origins, DEMO: 'loopback', ...provider.settings }
  const starting = startWorker({ port, envFiles: provider.envFiles, settings, follows: text === undefined })
  stops.push(async () => (await starting).stop())
  const worker = await starting
  if (stopping) return
  if (text !== undefined) {
    const { say } = await import('./say.mjs')
    await say({ url: worker.url, text, model: model ?? provider.models[0] })
    return stopAll()
  }
  console.log(greeting(worker.url, provider, adminToken))
  await worker.gone
  if (stopping) return
  throw new Error(`The Worker ended by itself\n${worker.log().slice(-2000)}`)
}

function checkOrigin(origin) {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return
  throw new Error(`Cannot allow "${origin}": an origin is a scheme, a host and a port, such as http://localhost:5173`)
}

function randomSecret() {
  return randomBytes(32).toString('base64url')
}

async function choosePort(freePort, fallback) {
  const port = Number(process.env.PORT || fallback)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`Cannot start: PORT "${process.env.PORT}" is not a port`)
  return freePort(port).catch((cause) => {
    throw new Error(`Cannot start on port ${port}: ${cause.code}. Set PORT to another`)
  })
}

function greeting(url, { name, models }, adminToken) {
  return `
isoglot is at ${url}

The page and the Worker run here; the Worker holds the key of ${name}.
${isBuilt() ? '' : 'The SDK could not be built, so the page cannot load it.\n'}
Four things to try:
  1. Open ${url} and ask: What is the weather in Tokyo and Paris?
  2. npm start -- --say "What is the weather in Tokyo?" --model ${models.at(-1)}
     Any model in any wire: openai-chat, openai-responses, anthropic, gemini, ollama.
  3. curl -i ${url}/v1/messages -H 'content-type: application/json' -d '{}'
     No token: 401, and no call to the provider.
  4. Open ${url}/admin with the token ${adminToken}
     It shows the requests, their cost, and the rest of today's budget.

Models: ${models.join(', ')}. Ctrl-C ends it all.`
}
