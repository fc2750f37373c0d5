/** `src/core/model-names.ts` has the models of the table of prices. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { modelNames } from '../../scripts/model-names.mjs'

it('are those of the prices, as "node scripts/with-node.mjs scripts/model-names.mjs" writes them', () => {
  expect(readFileSync(join(import.meta.dirname, '../../src/core/model-names.ts'), 'utf8')).toBe(modelNames())
})
