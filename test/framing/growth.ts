/**
 * By how much a process grows while framing reads the same chunk again and again, for `cost.test.ts`: in a process of its own, because each
 * look walks through all that a process holds. Its arguments are the format, the text of a chunk, how often that stands in it, and the number
 * of chunks. It prints the growth at its largest, in bytes, and the name of the error.
 */
import { decodeNdjson, decodeSse } from '../../src/framing/text.ts'

const [format, text = '', repeats, chunks] = process.argv.slice(2)
const chunk = new TextEncoder().encode(text.repeat(Number(repeats)))
const { gc } = globalThis as unknown as { gc: () => void }

/** Without garbage: the size of the process also says when garbage was last collected. */
function held(): number {
  gc()
  gc() // what the first found is freed by the second
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const before = held()
let largest = before
let error: string | undefined
try {
  const machine = (format === 'SSE' ? decodeSse : decodeNdjson)()
  for (let count = 0; count < Number(chunks); count++) {
    machine.push(chunk, [])
    // At each doubling, and then often.
    if ((count & (count - 1)) === 0 || count % 256 === 0) largest = Math.max(largest, held())
  }
} catch (caught) {
  error = (caught as Error).name
}
console.log(JSON.stringify({ bytes: largest - before, error }))
