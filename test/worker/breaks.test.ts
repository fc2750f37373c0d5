/** The table of `npm run breaks` fits the source: each check of the Worker is found once, and so are the tests that protect it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findBreaks } from '../../bench/mutants/breaks.mjs'

const root = join(import.meta.dirname, '..', '..')
const breaks = findBreaks(root, root)

it('has 27 breaks or more', () => {
  expect(new Set(breaks.map(({ name }) => name)).size).toBeGreaterThanOrEqual(27)
})

it.each(breaks)('$name: its tests exist', ({ tests }) => {
  expect(tests.map(({ file }) => existsSync(file))).toEqual(tests.map(() => true))
})
