/** Holds `docs/evidence/promises.md` against a run of the tests: a promise is shown by a test that passed and has its number in `meta.promise`. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'

declare module 'vitest' {
  interface TaskMeta {
    /** The numbers of the promises that the test shows, such as `0.26 4.01`. */
    promise?: string
  }
}

/** One line of the document: its numbers, its text, and the tests that it links. */
export interface Promised {
  readonly numbers: readonly string[]
  readonly text: string
  /** Links, relative to the repository. */
  readonly files: readonly string[]
  /** Superseded or not adopted: such a line gives its reason in place of a test. */
  readonly isWaived: boolean
}

/** A report of vitest's `json` reporter, as far as it is read here. */
export interface Report {
  readonly testResults: readonly {
    /** The file, an absolute path. */
    readonly name: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly meta?: { readonly promise?: string }
    }[]
  }[]
}

/** How many promises each section has: five descriptions of other systems, and what users asked for since. */
const sections: readonly number[] = [90, 31, 33, 69, 98, 6]
/** All numbers: `0.01` to `5.06`. */
export const allNumbers: readonly string[] = sections.flatMap((count, section) =>
  Array.from({ length: count }, (_, at) => `${section}.${String(at + 1).padStart(2, '0')}`),
)

/** The lines `- **0.01** **4.09** Text. [name](../../test/a.test.ts)` of the document. */
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
        files: [...rest.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => join('docs', 'evidence', link ?? '')),
        isWaived: /^\*(Superseded|Not adopted):\*/.test(text),
      },
    ]
  })
}

/**
 * The numbers of the tests that passed, by file of the repository: of `meta.promise`, and `[0.26]` in the title of one row of a table. Vitest runs with `expect.requireAssertions`, so a
 * test that passed has asserted something; a test that was skipped, or was never made, is not in the report as passed.
 */
export function shownIn(report: Report, root: string): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    report.testResults.map(({ name, assertionResults }) => [
      relative(root, name),
      new Set(
        assertionResults
          .filter(({ status }) => status === 'passed')
          .flatMap(({ fullName, meta }) => [
            ...[...fullName.matchAll(/\[(\d+\.\d+)\]/g)].map(([, number]) => number ?? ''),
            ...(meta?.promise?.split(' ') ?? []),
          ]),
      ),
    ]),
  )
}

/** One sentence for each place where the document and the run do not agree. */
export function problemsOf(
  promises: readonly Promised[],
  shown: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const listed = promises.flatMap(({ numbers }) => numbers)
  const known = new Set(allNumbers)
  return [
    ...listed.filter((number) => !known.has(number)).map((number) => `${number} does not exist`),
    ...allNumbers.filter((number) => !listed.includes(number)).map((number) => `${number} is missing`),
    ...[...new Set(listed)]
      .filter((one) => listed.indexOf(one) !== listed.lastIndexOf(one))
      .map((one) => `${one} is listed twice`),
    ...[...shown].flatMap(([file, numbers]) =>
      [...numbers].filter((one) => !known.has(one)).map((one) => `${file} cites ${one}, which does not exist`),
    ),
    ...promises.flatMap((promised) => problemsOfLine(promised, shown)),
  ]
}

/** A waived line gives a reason. Every other number is shown by a linked file, and every linked file shows one of the numbers. */
function problemsOfLine({ numbers, text, files, isWaived }: Promised, shown: ReadonlyMap<string, ReadonlySet<string>>) {
  const line = numbers.join(' ')
  const shows = (file: string, number: string) => shown.get(file)?.has(number) === true
  return [
    ...(text.split(' ').length < 4 ? [`${line} has no text`] : []),
    ...(isWaived && text.split(' ').length < 12 ? [`${line} gives no reason`] : []),
    ...(isWaived ? [] : numbers)
      .filter((number) => !files.some((file) => shows(file, number)))
      .map((number) => `${number}: no test with this number passed in the files that its line links`),
    ...files
      .filter((file) => !numbers.some((number) => shows(file, number)))
      .map((file) => `${line} links ${file}, where no test with one of its numbers passed`),
  ]
}

/** The links of the document that lead to no file, one sentence each. */
export function brokenLinks(promises: readonly Promised[], root: string): readonly string[] {
  return promises.flatMap(({ numbers, files }) =>
    files
      .filter((file) => !existsSync(join(root, file)))
      .map((file) => `${numbers.join(' ')} links ${file}, which does not exist`),
  )
}
