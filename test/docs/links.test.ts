/** The targets of links in documents exist: files, headings, scripts and commands. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { blocksOf, documents, readDocument, root } from './blocks.ts'

/** Links to files and headings of ours; what stands in code is not a link. */
function linksOf(path: string): readonly string[] {
  const prose = readDocument(path)
    .replace(/^```.*?^```$/gms, '')
    .replace(/`[^`\n]*`/g, '')
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return [...new Set(targets)].filter((target) => !/^(?:https?|mailto):/.test(target))
}

/** The problem of a link; `undefined` if its target exists. */
function problemOf(place: string, target: string): string | undefined {
  const [file = '', anchor] = target.split('#')
  const path = file === '' ? place : join(dirname(place), file)
  if (!existsSync(join(root, path))) return `${target}: there is no such file`
  return anchor === undefined || anchorsOf(path).includes(anchor) ? undefined : `${target}: there is no such heading`
}

/** How GitHub names a heading. */
function anchorsOf(path: string): readonly string[] {
  const headings = readDocument(path)
    .replace(/^```.*?^```$/gms, '')
    .matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe('links', () => {
  it.each(documents)('of %s lead somewhere', (path) => {
    expect(linksOf(path).flatMap((target) => problemOf(path, target) ?? [])).toEqual([])
  })

  it('reach every guide from the list of guides', () => {
    const listed = linksOf('docs/README.md').map((target) => `docs/${target}`)
    const guides = documents.filter((path) => path.startsWith('docs/') && path !== 'docs/README.md')
    expect(guides.filter((path) => !listed.includes(path))).toEqual([])
  })
})

const { name, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string
  readonly scripts: Readonly<Record<string, string>>
}

/** A shell's words, without quotes. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, one, two, three]) => one ?? two ?? three ?? '')
}

/** Whether the script among the words is there. */
function isFileNamed(words: readonly string[]): boolean {
  const file = words.find((word) => /\.[mc]?[jt]s$/.test(word))
  return file !== undefined && existsSync(join(root, file))
}

/** Whether a command of the documents can work here: what it names is there. */
const commands: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  npm: ([verb = '', ...rest]) =>
    verb === 'install'
      ? rest.includes(name) || rest.some((word) => existsSync(join(root, 'node_modules', word)))
      : (verb === 'create' && existsSync(join(root, 'create', 'templates', String(rest[1])))) ||
        ['pack', 'init', 'pkg'].includes(verb) ||
        Object.hasOwn(scripts, verb === 'run' ? String(rest[0]) : verb),
  npx: ([tool = '']) => existsSync(join(root, 'node_modules', '.bin', tool)),
  node: (words) => isFileNamed(words),
  deno: (words) => words[0] === 'run' && isFileNamed(words),
  bun: (words) => isFileNamed(words),
  openssl: ([verb]) => verb === 'rand',
  curl: (words) => words.some((word) => word.startsWith('http')),
  git: ([verb]) => verb === 'clone',
  cd: () => true,
}

const shells = documents.flatMap(blocksOf).filter(({ language }) => language === 'sh')
const lines = shells.flatMap(({ place, code }) =>
  code
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter(Boolean)
    .map((line) => ({ place, line })),
)

describe('commands', () => {
  it.each(shells)('of $place are what a shell can read', ({ code }) => {
    expect(spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' }).stderr).toBe('')
  })

  it.each(lines)('of $place name what there is: $line', ({ line }) => {
    const [command = '', ...words] = wordsOf(line.replace(/^(?:[A-Z_]+=\S+ )+/, ''))
    expect(Object.keys(commands)).toContain(command)
    expect(commands[command]?.(words)).toBe(true)
  })
})

describe('the documents', () => {
  it.each(documents)('%s names no file outside the repository', (path) => {
    expect(readDocument(path)).not.toMatch(/(?:^|[\s(`'"])\/(?:home|Users|work|root|tmp)\//m)
  })
})
