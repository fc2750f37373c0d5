/** The files of `.github`: what they run is there, what they take from others cannot change, and GitHub can draw the forms. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..', '..')
const folder = (name: string) => join(root, '.github', name)
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const workflows = readdirSync(folder('workflows'))
const forms = readdirSync(folder('ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml')
const textOf = (name: string) => readFileSync(join(folder('workflows'), name), 'utf8')

interface Job {
  readonly steps?: readonly { readonly run?: string }[]
  readonly permissions?: Readonly<Record<string, string>>
}
const jobsOf = (name: string): readonly Job[] => Object.values(parse(textOf(name)).jobs)

describe.each(workflows)('%s', (name) => {
  it('takes actions of others by the hash of a commit, with its version beside it', () => {
    const used = [...textOf(name).matchAll(/uses: (.+)/g)].map(([, action = '']) => action)
    const isPinned = (action: string) => /^\.\/|^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)
    expect(used.length).toBeGreaterThan(0)
    expect(used.filter((action) => !isPinned(action))).toEqual([])
  })

  it('runs scripts that are there, and may write nothing it does not name', () => {
    const runs = jobsOf(name).flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run ?? []))
    const commands = runs.flatMap((run) => [...run.matchAll(/npm run (?:--silent )?([\w:-]+)/g)])
    expect(commands.filter(([, script = '']) => scripts[script] === undefined)).toEqual([])
    expect(parse(textOf(name)).permissions).toEqual({ contents: 'read' })
  })
})

it('the release publishes to JSR and to npm, with provenance, after all tests, from a tag', () => {
  const { on, jobs } = parse(textOf('release.yml'))
  expect([on, jobs.publish.needs]).toEqual([{ push: { tags: ['v*'] } }, 'test'])
  expect(jobs.publish.permissions).toEqual({ contents: 'read', 'id-token': 'write' })
  const runs = jobs.publish.steps.flatMap(({ run }: { run?: string }) => run ?? [])
  expect(runs.slice(-3)).toEqual([
    expect.stringContaining('deno publish'),
    'npm publish --provenance --access public',
    'npm publish ./create --provenance --access public',
  ])
})

// https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-issue-forms (read 2026-11)
it.each(forms)('the form %s is one that GitHub draws', (name) => {
  const { name: title, description, body } = parse(readFileSync(join(folder('ISSUE_TEMPLATE'), name), 'utf8'))
  expect([title, description]).toEqual([expect.any(String), expect.any(String)])
  const fields = body.filter(({ type }: { type: string }) => type !== 'markdown')
  expect(fields.length).toBeGreaterThan(0)
  const ids = fields.map(({ id }: { id: string }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { type, id, attributes } of fields) {
    expect(['input', 'textarea', 'dropdown', 'checkboxes']).toContain(type)
    expect([id, attributes.label]).toEqual([expect.stringMatching(/^[\w-]+$/), expect.any(String)])
  }
  // Forms send the reader to pages that exist.
  const pages = [...readFileSync(join(folder('ISSUE_TEMPLATE'), name), 'utf8').matchAll(/\b(?:docs\/)?[\w-]+\.md\b/g)]
  expect(pages.filter(([page]) => !existsSync(join(root, page)))).toEqual([])
})
