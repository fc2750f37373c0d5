/** Reads `docs/promises.md` and the titles of tests, and tells where the two do not agree. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'

/** One line of the document: what it promises under these numbers, and where that is shown. */
export interface Promised {
  readonly numbers: readonly string[]
  readonly text: string
  /** Links, relative to the repository. */
  readonly files: readonly string[]
  /** Superseded or not adopted: such a line gives its reason instead of a test. */
  readonly isWaived: boolean
}

/** How many promises each section has. */
const sections: readonly number[] = [90, 31, 33, 69, 98]
/** All numbers there are: `0.01` to `4.98`. */
export const allNumbers: readonly string[] = sections.flatMap((count, section) =>
  Array.from({ length: count }, (_, at) => `${section}.${String(at + 1).padStart(2, '0')}`),
)

/** The lines `- **0.01** **4.09** Text. [name](../test/a.test.ts)` of the document. */
export function readPromises(markdown: string): readonly Promised[] {
  return markdown.split('\n').flatMap((line) => {
    const [head, numbers] = /^- ((?:\*\*[^*]+\*\* )+)/.exec(line) ?? []
    if (head === undefined || numbers === undefined) return []
    const rest = line.slice(head.length)
    const text = rest.replace(/\[[^\]]*\]\([^)]*\)/g, '').trim()
    return [
      {
        numbers: [...numbers.matchAll(/\*\*([^*]+)\*\*/g)].map(([, number]) => number ?? ''),
        text,
        files: [...rest.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => join('docs', link ?? '')),
        isWaived: /^\*(Superseded|Not adopted):\*/.test(text),
      },
    ]
  })
}

// ---- titles -----------------------------------------------------------------------------------

/** The numbers in the titles of a test file, tables of titles included, comments and bodies not. Tests that may not run do not count. */
export function citationsIn(source: string): ReadonlySet<string> {
  const found = new Set<string>()
  const file = ts.createSourceFile('a.test.ts', source, ts.ScriptTarget.Latest, true)
  const visit = (node: ts.Node): void => {
    const words = ts.isCallExpression(node) ? wordsOf(node.expression) : []
    if (!ts.isCallExpression(node) || !['it', 'test', 'describe'].includes(words[0] ?? '')) {
      ts.forEachChild(node, visit)
      return
    }
    if (words.some((word) => /^(skip|todo|fails)/.test(word))) return
    collect(node.expression, found)
    for (const argument of node.arguments) {
      if (ts.isFunctionLike(argument)) visit(argument)
      else collect(argument, found)
    }
  }
  visit(file)
  return found
}

/** `it.each(table)` as `['it', 'each']`; empty if it is no chain of names. */
function wordsOf(callee: ts.Expression): readonly string[] {
  if (ts.isIdentifier(callee)) return [callee.text]
  if (ts.isPropertyAccessExpression(callee)) return [...wordsOf(callee.expression), callee.name.text]
  if (ts.isCallExpression(callee) || ts.isParenthesizedExpression(callee) || ts.isAsExpression(callee))
    return wordsOf(callee.expression)
  return []
}

/** Texts in titles and in tables of them; functions in a table are no titles. */
function collect(node: ts.Node, found: Set<string>): void {
  if (ts.isFunctionLike(node)) return
  if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
    for (const [, number] of node.text.matchAll(/\[(\d+\.\d+)\]/g)) found.add(number ?? '')
  }
  ts.forEachChild(node, (child) => collect(child, found))
}

/** What each test file cites, by its path in the repository. */
export function readCitations(root: string): ReadonlyMap<string, ReadonlySet<string>> {
  const folder = join(root, 'test')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
  return new Map(
    files.sort().flatMap((name) => {
      const source = readFileSync(join(folder, name), 'utf8')
      return /\[\d+\.\d+\]/.test(source) ? [[relative(root, join(folder, name)), citationsIn(source)] as const] : []
    }),
  )
}

// ---- the check --------------------------------------------------------------------------------

/** Where document and tests do not agree, a sentence each; `exists` tells whether the repository has a file. */
export function problemsOf(
  promises: readonly Promised[],
  citations: ReadonlyMap<string, ReadonlySet<string>>,
  exists: (file: string) => boolean,
): readonly string[] {
  const listed = promises.flatMap(({ numbers }) => numbers)
  const known = new Set(allNumbers)
  return [
    ...listed.filter((number) => !known.has(number)).map((number) => `${number} does not exist`),
    ...allNumbers.filter((number) => !listed.includes(number)).map((number) => `${number} is missing`),
    ...repeated(listed).map((number) => `${number} stands there twice`),
    ...[...citations].flatMap(([file, numbers]) =>
      [...numbers]
        .filter((number) => !known.has(number))
        .map((number) => `${file} cites ${number}, which does not exist`),
    ),
    ...promises.flatMap((promised) => problemsOfLine(promised, citations, exists)),
  ]
}

function repeated(numbers: readonly string[]): readonly string[] {
  return [...new Set(numbers.filter((number, at) => numbers.indexOf(number) !== at))]
}

/** What is waived says why; of all else, each number is cited by a file that is linked, and each link shows a number. */
function problemsOfLine(
  { numbers, text, files, isWaived }: Promised,
  citations: ReadonlyMap<string, ReadonlySet<string>>,
  exists: (file: string) => boolean,
): readonly string[] {
  const line = numbers.join(' ')
  const cites = (file: string, number: string) => citations.get(file)?.has(number) === true
  const gone = files.filter((file) => !exists(file))
  const idle = files.filter((file) => exists(file) && !numbers.some((number) => cites(file, number)))
  const untested = isWaived ? [] : numbers.filter((number) => !files.some((file) => cites(file, number)))
  return [
    ...(text.split(' ').length < 4 ? [`${line} says nothing`] : []),
    ...(isWaived && text.split(' ').length < 12 ? [`${line} gives no reason`] : []),
    ...gone.map((file) => `${line} links ${file}, which does not exist`),
    ...idle.map((file) => `${line} links ${file}, which cites none of its numbers`),
    ...untested.map((number) => `${number} is cited by no test that its line links`),
  ]
}

/** What is wrong in a repository. */
export function checkPromises(root: string): readonly string[] {
  const promises = readPromises(readFileSync(join(root, 'docs', 'promises.md'), 'utf8'))
  return problemsOf(promises, readCitations(root), (file) => existsSync(join(root, file)))
}
