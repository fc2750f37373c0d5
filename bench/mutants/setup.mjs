/** Runs before each test file of a run with mutants: turns on the requested mutant, and records which mutants the file reaches. */
import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'

const { ISOGLOT_MUTANT_FILE: activeFile, ISOGLOT_HITS_FILE: hitsFile } = process.env
const active = Number(readFileSync(activeFile, 'utf8'))
/** After this number of evaluations, a mutant counts as an endless loop. */
const mostTimes = 20_000_000
const reached = new Set()
let times = 0

globalThis.$m = (number) => {
  if (active === 0) reached.add(number)
  if (number !== active) return false
  if (++times > mostTimes) throw new Error(`Mutant ${number} loops`)
  return true
}

if (hitsFile) {
  const started = performance.now()
  afterAll(() => {
    const line = {
      file: expect.getState().testPath,
      ms: Math.round(performance.now() - started),
      reached: [...reached],
    }
    appendFileSync(hitsFile, `${JSON.stringify(line)}\n`)
  })
}
