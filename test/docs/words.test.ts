/** The check of words in `npm run lint` finds hard words where people read, and nowhere else. */
import { expect, it } from 'vitest'
import { findingsIn } from '../../scripts/words.mjs'

it.each([
  ['/** What the page sends. */', ['What']],
  ['/** The page sends what is new. */', []],
  ['/** The chunk is no JSON. */', ['is no JSON']],
  ['/** `undefined` if there is no such model. */', []],
  ['/** `undefined` if there is no model, or there is none yet. */', ['there is no model', 'is none']],
  ['/**\n * A chunk that is\n * none.\n */', ['is none']],
  ['// the model is told why', ['told']],
  ['// it tells one from another apart', []],
  ['/** Results go behind their calls. */', ['behind']],
  ['/** A Worker behind a proxy. */', []],
  ['/** The text alone. */', ['alone']],
  ['/** Read by nobody but `alone`. */', ['nobody']],
  ["throw new TypeError('Cannot send: the page has not.')", ['has not']],
  ["const mode = 'alone'", []],
  ['it did cost() // not a comment: "it did cost" is code', ['did cost']],
  ['/** An answer that broke off is asked for anew. */', ['broke off', 'anew']],
  ['/** Sent after so many events, but for the last. */', ['so many', 'but for']],
  ['/** Not so many as before, and so long as it lasts. */', []],
  ['/** Most bytes of an answer. */', ['Most bytes of']],
  ['/** Most models answer at once. */', []],
  ['/** Text alone. words: kept, since this is a test */', []],
])('in code: %s', (code, words) => {
  expect(findingsIn('src/example.ts', code).map((line) => line.split('"')[1])).toEqual(words)
})

it('reads titles of tests, and no other strings of theirs', () => {
  const code = `it('tells the wire', () => {\n  ask('Tell me who tells whom what they told')\n})`
  expect(findingsIn('test/example.test.ts', code)).toEqual([
    'test/example.test.ts:1: "tells"; write: reports, says, returns, sends',
  ])
})

it('reads Markdown outside of code', () => {
  expect(findingsIn('docs/a.md', '# A\n\n```ts\n// text alone\n```\n\nText alone, or `alone`. What is it?')).toEqual([
    'docs/a.md:7: "alone"; write: only; by itself',
  ])
})
