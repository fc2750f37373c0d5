/**
 * `npm run fuzz -- [--count 1000000] [--seed 1] [--seconds 3600]`: damages streams and reads them, and prints what came of it. The same
 * seed and count give the same cases. Fails at the first ten faults.
 */
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '3600' },
  },
})
const [count, seed, seconds] = [values.count, values.seed, values.seconds].map(Number)
const started = performance.now()
const onProgress = (done) => console.log(`${done} of ${count} cases`)
const { failures, ...report } = fuzz({ count, seed, seconds, onProgress })
console.log({ seed, ...report, seconds: Math.round((performance.now() - started) / 1000) })
for (const failure of failures) console.log(`FAILED ${failure}`)
process.exitCode = failures.length > 0 ? 1 : 0
