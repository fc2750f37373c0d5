/**
 * `npm run agents`: runs three open-source coding agents of npm through a gateway, each with providers of five formats: Codex CLI, gemini-cli, and
 * pi in its four formats, which makes 30 pairs. Each agent must run a command in its shell and send back what it writes, with the provider's
 * signature. Prints a table, and exits with 1 if a pair fails. Installs the agents first (`scripts/agents`, 730 MB); with `--if-installed`, it
 * only says that they are not there.
 *
 * `npm run agents -- [--verbose] [word …]`: only the pairs whose names have all the words, such as `pi anthropic`.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { allFormats, createGateway } from '../src/gateway/index.ts'
import { serve } from '../test/support/serve.ts'
import { agents } from './agents/agents.mjs'
import { expectsProof, said, startProvider, wires, written } from './agents/provider.mjs'
import { hasAll, installAll } from './install.mjs'

const folder = join(import.meta.dirname, 'agents')
const options = { 'if-installed': { type: 'boolean', default: false }, verbose: { type: 'boolean', default: false } }
const { values, positionals } = parseArgs({ options, allowPositionals: true })
/** Most of the time of an agent is its start. */
const atOnce = 2
const timeoutMs = 120_000

if (values['if-installed'] && !hasAll(folder)) {
  console.log('The agents are not installed: `npm run agents` installs and runs them')
} else {
  installAll(folder)
  const pairs = Object.keys(agents).flatMap((agent) => wires.map((wire) => ({ agent, wire })))
  const wanted = pairs.filter(({ agent, wire }) => positionals.every((word) => `${agent} ${wire}`.includes(word)))
  const rows = []
  const queue = [...wanted]
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let pair = queue.shift(); pair !== undefined; pair = queue.shift()) rows.push(await runPair(pair))
    }),
  )
  conclude(wanted.map(({ agent, wire }) => rows.find((row) => row.agent === agent && row.wire === wire)))
}

/** Runs one agent with one provider behind the gateway, in a new folder and without a network but loopback. */
async function runPair({ agent, wire }) {
  const home = mkdtempSync(join(tmpdir(), 'isoglot-agent-'))
  const work = join(home, 'work')
  mkdirSync(work)
  const provider = await startProvider(wire)
  const reports = []
  const gateway = createGateway({
    formats: allFormats,
    models: { any: { model: provider.model, aliases: ['*'] } },
    onEnd: (report) => void reports.push(report),
  })
  const served = await serve((request) => gateway.fetch(request))
  const started = performance.now()
  try {
    const prompt = 'Run a command in your shell that shows a number, and say what it wrote.'
    const { args, env } = agents[agent].start({ home, url: served.url, key: 'key-of-the-client', prompt })
    const { code, output, errors } = await run(args, { env, home, work })
    const faults = [
      ...(code === 0 ? [] : [`exit code ${code}`]),
      ...provider.state.wrong,
      ...reports
        .filter(({ outcome }) => outcome !== 'answered')
        .map(({ outcome, error }) => `${outcome} ${JSON.stringify(error)}`),
      ...(provider.state.results.some((result) => result.includes(written))
        ? []
        : ['the provider did not get the result']),
      ...(output.includes(said) && output.includes(written) ? [] : ['the agent did not print the last answer']),
    ]
    if (values.verbose || faults.length > 0) console.log(`== ${agent}, ${wire}\n${output}\n${errors}`.slice(-4000))
    const { hasProof } = provider.state
    if (expectsProof(wire, agents[agent]) && !hasProof) faults.push('the signature of the thought did not come back')
    const passed = reports.every((report) => report.passed) ? 'passed' : 'translated'
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    return {
      agent,
      wire,
      how: passed,
      signature: hasProof ? 'came back' : '-',
      asked: provider.asked.length,
      seconds,
      faults,
    }
  } finally {
    await served.stop()
    await provider.stop()
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

function run(args, { env, home, work }) {
  const nowhere = 'http://127.0.0.1:9'
  const child = spawn(process.execPath, args, {
    cwd: work,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ PATH: process.env.PATH, HOME: home, TMPDIR: home, LANG: 'C.UTF-8', TERM: 'dumb', NO_COLOR: '1', CI: '1' },
      ...{ HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NO_PROXY: '127.0.0.1,localhost' },
      ...env,
    },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  const texts = { output: '', errors: '' }
  child.stdout.on('data', (bytes) => (texts.output += bytes))
  child.stderr.on('data', (bytes) => (texts.errors += bytes))
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code: code ?? signal, ...texts }))
    child.once('error', (error) => resolve({ code: error.message, ...texts }))
  })
}

function conclude(rows) {
  console.log(
    'agent (its format) | provider | answers | signature | requests | seconds | result\n--- | --- | --- | --- | --- | --- | ---',
  )
  for (const { agent, wire, how, signature, asked, seconds, faults } of rows)
    console.log([agent, wire, how, signature, asked, seconds, faults.join('; ') || 'ok'].join(' | '))
  const failed = rows.filter(({ faults }) => faults.length > 0).length
  console.log(`${rows.length - failed} of ${rows.length} pairs passed`)
  process.exitCode = failed > 0 || rows.length === 0 ? 1 : 0
}
