/** Facts that users looked for in the documentation and did not find. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { documents, root, sources } from './blocks.ts'

const read = (name: string) => readFileSync(join(root, name), 'utf8')
const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
)

/** The code of the examples. */
const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
  /\.[mt]sx?$/.test(name) && !name.includes('node_modules') ? [`examples/${name.replaceAll('\\', '/')}`] : [],
)

it.each(['reasoning', 'temperature', 'citations', 'topK', 'topP', 'beta', 'unsignedThinking', 'cacheHint'])(
  'the option "%s" is in a guide',
  (option) => {
    const places = guides.filter((name) => !name.startsWith('evidence') && read(`docs/${name}`).includes(`\`${option}`))
    expect(places.length).toBeGreaterThan(0)
  },
)

it.each(['start', 'options', 'troubleshooting', 'glossary', 'files', 'caching'])('there is a guide "%s"', (name) => {
  expect(read('docs/README.md')).toContain(`](${name}.md)`)
})

it.each(['worker', 'browser'])('%s.md says that a user of the page can read the system prompt', (name) => {
  expect(read(`docs/${name}.md`)).toMatch(/user can read and change the system prompt and the tools/)
})

/** What shows a route whose history comes from the page: the documents, the comments of the sources, the examples. */
const routes = [...documents, ...sources, ...examples].filter((path) => /= fromUiMessages\(/.test(read(path)))

it.each(routes)('%s says that a page can invent calls, and what then keeps a tool from running', (path) => {
  expect(read(path)).toMatch(/page[^.]* can (?:invent|send any)/)
  expect(read(path)).toContain('`approval({ secret })`')
})

it('a route whose history comes from the page is in the guide, the comment and the example', () => {
  expect(routes.map((path) => path.split('/')[0])).toEqual(['docs', 'src', 'examples'])
})

it('evidence has a folder of its own', () => {
  expect(guides.filter((name) => /^(handoff|promises|translation|performance|reliability)\.md$/.test(name))).toEqual([])
})

it.each(['warnings', 'maxRounds', 'effort', 'origins'])('llms.txt names "%s"', (word) => {
  expect(read('llms.txt')).toMatch(new RegExp(`\\b${word}\\b`))
})

it.each(['performance', 'reliability'])(
  'evidence/%s.md says how its figures are made, and on which machine',
  (name) => {
    expect(read(`docs/evidence/${name}.md`)).toMatch(/`npm run (?:bench|reliability)/)
    expect(read(`docs/evidence/${name}.md`)).toMatch(/two shared cores|Node 2\d/)
  },
)
