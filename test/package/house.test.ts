/** What somebody meets who opens the repository does not grow: `bench/house.json` has the most that each measure may be. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { measure } from '../../bench/house.mjs'

const root = join(import.meta.dirname, '../..')
const rows: Readonly<Record<string, { readonly most: number }>> = JSON.parse(
  readFileSync(join(root, 'bench/house.json'), 'utf8'),
)

it.each(Object.entries(measure(root)))('%s: %d, no more than before', (name, value) => {
  expect(value).toBeLessThanOrEqual(rows[name]?.most ?? 0)
})
