/** The declarations, as an editor shows them to who installed the package. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { closedCitations } from '../support/citations.ts'
import { dist, entries } from './built.ts'

const declarations = readdirSync(dist).filter((name) => name.endsWith('.d.ts'))

it('are there for every public path', () => {
  expect(declarations).toEqual(expect.arrayContaining(entries.map((name) => `${name}.d.ts`)))
})

it.each(declarations)('%s cites public documents only', (name) => {
  expect(closedCitations(readFileSync(join(dist, name), 'utf8'))).toEqual([])
})
