/**
 * `npm run example <name>`: runs an example with the built package and the embedded provider. It first installs and builds missing parts.
 * Without a name, or with an unknown one, it lists the examples. Further arguments go to the example.
 *
 * With `OPENAI_API_KEY` or `ANTHROPIC_API_KEY` set, examples ask the real providers.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { endWithParent } from './end-with-parent.mjs'
import { bunFile, denoFile, installRuntimes } from './install-runtimes.mjs'
import { modernNode } from './modern-node.mjs'
import { prepare } from './prepare.mjs'

const root = join(import.meta.dirname, '..')

const node = () => [modernNode(), '--no-warnings']
const deno = () => [fromNpm(denoFile, 'deno'), 'run', '--no-prompt', '--allow-net', '--allow-env']
const denoTest = () => [fromNpm(denoFile, 'deno'), 'test', '--no-prompt', '--no-check', '--allow-env', '--allow-read']
const bunTest = () => [fromNpm(bunFile, 'bun'), 'test']
const bun = () => [fromNpm(bunFile, 'bun'), 'run']

/** For each example: a description, the runtime, and the file with its arguments. */
const examples = {
  'scripts/node': ['a tool round on Node', node, 'scripts/ask.mjs'],
  'scripts/deno': ['a tool round on Deno', deno, 'scripts/ask.mjs'],
  'scripts/bun': ['a tool round on Bun', bun, 'scripts/ask.mjs'],
  'codec/node': ['the laws of a codec of your own, on Node', node, 'codec/acme.test.ts'],
  'codec/deno': ['the same on Deno', denoTest, 'codec/acme.test.ts'],
  'codec/bun': ['the same on Bun', bunTest, 'codec/acme.test.ts'],
  react: ['a chat component for React', node, 'page/serve.mjs', 'react'],
  svelte: ['a chat component for Svelte', node, 'page/serve.mjs', 'svelte'],
  'web-llm': ['a model that runs in the page, by WebLLM', node, 'page/serve.mjs', 'web-llm'],
  'ai-sdk-ui': ['useChat of the AI SDK over a run', node, 'page/serve.mjs', 'ai-sdk-ui'],
  'recipes/page-tools': ['a prompt on the server, and tools in the page', node, 'page/serve.mjs', 'recipes/page-tools'],
  'recipes/next': ['a route and a page, as in Next.js', node, 'page/serve.mjs', 'recipes/next'],
  'recipes/approval': ['a tool that waits for a person, in the page', node, 'page/serve.mjs', 'recipes/approval'],
  'recipes/reload': ['an answer that survives a reload', node, 'page/serve.mjs', 'recipes/reload'],
  'recipes/form': ['a form that is filled while the model writes', node, 'page/serve.mjs', 'recipes/form'],
  'recipes/worker': ['your own Worker, and a page’s side of it', node, 'recipes/worker/ask.mjs'],
  'gateway/node': ['a gateway on Node', node, 'gateway/node.mjs'],
  'gateway/deno': ['a gateway on Deno', deno, 'gateway/deno.ts'],
  'gateway/bun': ['a gateway on Bun', bun, 'gateway/bun.ts'],
  'tools/weather': ['one round of a tool', node, 'tools/weather.mjs'],
  'tools/parallel': ['two calls at the same time, with progress', node, 'tools/parallel.mjs'],
  'tools/extract': ['a typed value out of text', node, 'tools/extract.mjs'],
  'tools/approval': ['a call that waits for a person: ask, approve, resume', node, 'tools/approval.mjs'],
  resume: ['a stream that is cut and goes on, by a Worker', node, 'resume/resume.mjs'],
  'tools/mcp': ['the tools of an MCP server', node, 'tools/mcp.mjs'],
}

const [name = '', ...words] = process.argv.slice(2)
if (Object.hasOwn(examples, name)) await run(examples[name])
else list()

async function run([, runner, file, ...args]) {
  prepare()
  const { startProvider } = await import('../examples/provider/index.mjs')
  const provider = await startProvider({ key: 'demo' })
  const [command, ...flags] = runner()
  const child = spawn(command, [...flags, join(root, 'examples', file), ...args, ...words], {
    stdio: 'inherit',
    env: { ...addressOf(provider), APPROVAL_SECRET: 'a secret for a demonstration, of 32 bytes', ...process.env },
  })
  // Ctrl-C also reaches the example. The example decides when it ends, and this process ends with it.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill())
  endWithParent()
  child.on('exit', (code) => end(code ?? 1))
  child.on('error', ({ code }) => {
    console.error(`Cannot run ${command}: ${code}`)
    end(1)
  })

  function end(code) {
    process.exitCode = code
    provider.stop()
  }
}

/** The provider's address and key for the example, in the variables of providers that have no key. */
function addressOf({ url }) {
  const wires = ['OPENAI', 'ANTHROPIC'].filter((wire) => !process.env[`${wire}_API_KEY`])
  return Object.fromEntries(
    wires.flatMap((wire) => [
      [`${wire}_API_KEY`, 'demo'],
      [`${wire}_BASE_URL`, `${url}/v1`],
    ]),
  )
}

/** The runtime that npm installed here, otherwise the one on the PATH. */
function fromNpm(file, command) {
  installRuntimes()
  return existsSync(file) ? file : command
}

function list() {
  if (name !== '') console.error(`There is no example "${name}".`)
  for (const [one, [what]] of Object.entries(examples)) console.log(`npm run example ${one.padEnd(18)} ${what}`)
  process.exitCode = name === '' ? 0 : 1
}
