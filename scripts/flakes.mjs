/**
 * `npm run flakes -- test/gateway [file …]`: runs the test files ten times in a row beside a busy loop on every core, and prints what failed.
 * A test that passes only on an idle machine is wrong: it waits for a clock instead of an event.
 *
 * `ISOGLOT_RUNS`: the number of runs, default ten. `ISOGLOT_LOOPS`: the number of busy loops; 0 if the machine is busy anyway.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { withNode } from './with-node.mjs'

const runs = Number(process.env.ISOGLOT_RUNS ?? 10)
const loops = Number(process.env.ISOGLOT_LOOPS ?? cpus().length)
const wanted = process.argv.slice(2)
if (wanted.length === 0) throw new Error('Cannot look for flakes: name test files, or folders of them')
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

for (let at = 0; at < loops; at++) {
  const loop = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
  loop.unref()
  process.on('exit', () => loop.kill('SIGKILL'))
}

const projects = ['core', 'worker', 'page', 'examples', 'machines'].map((name) => `--project=${name}`)
let failed = 0
for (let run = 1; run <= runs; run++) {
  const child = withNode('vitest', ['run', '--reporter=dot', ...projects, ...wanted], {
    env: { NO_COLOR: '1', ISOGLOT_EVERY_FILE: '1' },
  })
  const [code] = await once(child, 'close')
  if (code !== 0) failed++
  console.log(`run ${run} of ${runs}: ${code === 0 ? 'passed' : 'FAILED'}`)
}
if (failed > 0) console.log(`${failed} of ${runs} runs failed`)
process.exitCode = failed > 0 ? 1 : 0
