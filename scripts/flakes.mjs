/**
 * `npm run flakes -- test/gateway [file …]`: runs each test file ten times in a row beside a busy loop on every core, and reports the runs
 * that failed. A test that passes on an idle machine only is a fault: it waits for a clock where it should wait for an event.
 */
import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { withNode } from './with-node.mjs'

const root = join(import.meta.dirname, '..')
const runs = Number(process.env.ISOGLOT_RUNS ?? 10)
const wanted = process.argv.slice(2)
if (wanted.length === 0) throw new Error('Cannot look for flakes: name test files, or folders of them')
const files = wanted.flatMap((name) =>
  statSync(join(root, name)).isDirectory()
    ? readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => join(name, file))
    : [name],
)

const loops = cpus().map(() => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
for (const loop of loops) {
  loop.unref()
  process.on('exit', () => loop.kill('SIGKILL'))
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

let failed = 0
for (const file of files.sort()) {
  const times = []
  let broken = 0
  for (let run = 1; run <= runs; run++) {
    const started = performance.now()
    const { code, output } = await test(file)
    times.push((performance.now() - started) / 1000)
    if (code === 0) continue
    broken++
    console.log(`${file}: run ${run} failed\n${output}`)
  }
  failed += broken
  console.log(`${file}: ${runs - broken} of ${runs} passed, ${Math.max(...times).toFixed(1)} s at most`)
}
process.exitCode = failed > 0 ? 1 : 0

async function test(file) {
  const projects = ['core', 'worker', 'page', 'examples', 'machines'].map((name) => `--project=${name}`)
  const options = { stdio: ['ignore', 'pipe', 'pipe'], env: { NO_COLOR: '1' } }
  const child = withNode('vitest', ['run', '--reporter=dot', ...projects, file], options)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
  const code = await new Promise((resolve) => child.once('close', resolve).once('error', () => resolve(1)))
  return { code, output }
}
