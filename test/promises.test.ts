/** The document of promises is well-formed. That a test shows each promise is checked after the run: `scripts/check-promises.mjs`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allNumbers, brokenLinks, problemsOf, readPromises, shownIn } from './support/promises.ts'

const root = join(import.meta.dirname, '..')

it('links only tests that exist', () => {
  const promises = readPromises(readFileSync(join(root, 'docs', 'evidence', 'promises.md'), 'utf8'))
  expect(promises.length).toBeGreaterThan(200)
  expect(brokenLinks(promises, root)).toEqual([])
  expect(brokenLinks(readPromises('- **0.01** A line. [a](../../test/none.test.ts)'), root)).toEqual([
    '0.01 links test/none.test.ts, which does not exist',
  ])
})

it('names every format, and the functions of clouds', () => {
  const page = readFileSync(join(root, 'docs', 'evidence', 'promises.md'), 'utf8')
  const providers = /^- \*\*3\.01\*\* .*$/m.exec(page)?.[0] ?? ''
  const titles: Readonly<Record<string, string>> = {
    'bedrock-converse': 'Converse',
    'gemini-interactions': 'Interactions',
  }
  for (const folder of readdirSync(join(root, 'src', 'formats'))) {
    if (folder === 'shared') continue
    const word = titles[folder] ?? folder.replace(/^openai-/, '')
    for (const text of [page, providers]) expect(text.toLowerCase()).toContain(word.toLowerCase())
  }
  const named = [...providers.matchAll(/`(\w+)`/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(3)
  const models = readFileSync(join(root, 'src', 'models.ts'), 'utf8')
  for (const name of named) expect(models).toMatch(new RegExp(`\\b${name}\\b`))
})

describe('the check of a run', () => {
  const others = allNumbers.filter((number) => number !== '0.01' && number !== '0.02')
  const reason = 'the wires have changed since then, and what they ask for now is another thing'
  const waived = `- ${others.map((number) => `**${number}** `).join('')}*Superseded:* ${reason}`
  const file = 'test/a.test.ts'
  const line = '- **0.01** **0.02** A question gets an answer. [a](../../test/a.test.ts)'

  /** The problems of these lines, after a run in which tests with these titles ended so. */
  function problems(
    lines: readonly string[],
    tests: readonly [title: string, status: string, promise?: string][] = passed,
  ): readonly string[] {
    const assertionResults = tests.map(([fullName, status, promise]) => ({
      fullName,
      status,
      meta: { ...(promise && { promise }) },
    }))
    const report = { testResults: [{ name: join(root, file), assertionResults }] }
    return problemsOf(readPromises(lines.join('\n')), shownIn(report, root))
  }
  const passed: [string, string, string?][] = [
    ['a group answers', 'passed', '0.01 4.01'],
    ['a row of a table [0.02]', 'passed'],
  ]

  it('counts 321 promises of the descriptions and 6 of our own', () => {
    expect(allNumbers).toHaveLength(327)
    expect([allNumbers[0], allNumbers[89], allNumbers[320], allNumbers.at(-1)]).toEqual([
      '0.01',
      '0.90',
      '4.98',
      '5.06',
    ])
  })

  it('finds nothing where a test with each number has passed', () => {
    expect(problems([waived, line])).toEqual([])
  })

  it.each(['failed', 'skipped', 'pending', 'todo', 'disabled'])('does not count a test that is %s', (status) => {
    expect(
      problems(
        [waived, line],
        [
          ['[0.01] answers', 'passed'],
          ['[0.02] too', status],
        ],
      ),
    ).toEqual(['0.02: no test with this number passed in the files that its line links'])
  })

  it('does not count a test that was never made, or whose file was not run', () => {
    expect(problems([waived, line], [])).toContain(
      `0.01 0.02 links ${file}, where no test with one of its numbers passed`,
    )
    expect(problems([waived, line.replaceAll('a.test', 'b.test')])).toContain(
      '0.01: no test with this number passed in the files that its line links',
    )
  })

  it.each([
    ['a number is missing', [waived, line.replace(' **0.02**', '')], '0.02 is missing'],
    ['a number stands there twice', [waived, line, line], '0.01 is listed twice'],
    ['a number does not exist', [waived, line, `- **0.91** *Superseded:* ${reason}`], '0.91 does not exist'],
    ['a line has no text', [waived, line.replace(' A question gets an answer.', '')], '0.01 0.02 has no text'],
    ['a reason is missing', [waived, '- **0.01** **0.02** *Not adopted:* not needed'], '0.01 0.02 gives no reason'],
    ['there is no link', [waived, '- **0.01** **0.02** A question gets an answer.'], '0.01: no test with this number'],
  ])('fails if %s', (_, lines, problem) => {
    expect(problems(lines).join('\n')).toContain(problem)
  })

  it('fails if a test cites a number that does not exist', () => {
    expect(problems([waived, line], [...passed, ['[4.99] of nothing', 'passed']])).toEqual([
      `${file} cites 4.99, which does not exist`,
    ])
  })
})
