/** The document of promises holds: each has a test that cites its number, or the reason why it has none. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allNumbers, checkPromises, citationsIn, problemsOf, readPromises } from './support/promises.ts'

it('shows every promise by a test that cites its number, or says why there is none', () => {
  expect(checkPromises(join(import.meta.dirname, '..'))).toEqual([])
})

describe('the check', () => {
  const others = allNumbers.filter((number) => number !== '0.01' && number !== '0.02')
  const reason = 'the wires have moved on since, and what they ask for now is another thing'
  const waived = `- ${others.map((number) => `**${number}** `).join('')}*Superseded:* ${reason}`
  const file = 'test/a.test.ts'
  const shown = '- **0.01** **0.02** A question gets an answer. [a](../test/a.test.ts)'

  function problems(lines: readonly string[], cited = ['0.01', '0.02'], files = [file]): readonly string[] {
    return problemsOf(readPromises(lines.join('\n')), new Map([[file, new Set(cited)]]), (one) => files.includes(one))
  }

  it('counts 321 promises', () => {
    expect(allNumbers).toHaveLength(321)
    expect([allNumbers[0], allNumbers[89], allNumbers.at(-1)]).toEqual(['0.01', '0.90', '4.98'])
  })

  it('finds nothing where all is shown', () => {
    expect(problems([waived, shown])).toEqual([])
  })

  it.each([
    [
      'a number is missing',
      [waived, '- **0.01** A question gets an answer. [a](../test/a.test.ts)'],
      '0.02 is missing',
    ],
    ['a number stands there twice', [waived, shown, shown], '0.01 stands there twice'],
    ['a number does not exist', [waived, shown, `- **0.91** *Superseded:* ${reason}`], '0.91 does not exist'],
    ['a line says nothing', [waived, shown.replace(' A question gets an answer.', '')], '0.01 0.02 says nothing'],
    [
      'there is no link',
      [waived, '- **0.01** **0.02** A question gets an answer.'],
      '0.01 is cited by no test that its',
    ],
    [
      'a reason is missing',
      [waived, '- **0.01** **0.02** *Not adopted:* no need was seen'],
      '0.01 0.02 gives no reason',
    ],
    [
      'a file does not exist',
      [waived, `${shown} [b](../test/b.test.ts)`],
      '0.01 0.02 links test/b.test.ts, which does not exist',
    ],
  ])('fails if %s', (_, lines, problem) => {
    expect(problems(lines).join('\n')).toContain(problem)
  })

  it('fails if no test cites a number, if one cites a number that is none, or if a link shows nothing', () => {
    expect(problems([waived, shown], ['0.01'])).toEqual(['0.02 is cited by no test that its line links'])
    expect(problems([waived, shown], ['0.01', '0.02', '4.99'])).toEqual([`${file} cites 4.99, which does not exist`])
    expect(problems([waived, shown], [])).toContain(`0.01 0.02 links ${file}, which cites none of its numbers`)
  })

  it('reads titles and tables of titles, and neither comments nor bodies nor tests that do not run', () => {
    // Text that is read as a test file would be: nothing of it runs, and what it skips is there to be seen not to count.
    const source = `
      // [0.01]
      describe('a [0.02]', () => {
        it('b [0.03]', () => expect('[0.04]').toBe(x))
        it.each([['[0.05] c', () => '[0.06]']] as const)('%s [0.07]', () => {})
        it.skip('[0.08]', () => {})
        it.skipIf(isAlone)('[0.09]', () => {})
        test(\`[0.10] \${name} [0.11]\`, () => {})
      })
      const text = '[0.12]'`
    expect([...citationsIn(source)].sort()).toEqual(['0.02', '0.03', '0.05', '0.07', '0.10', '0.11'])
  })
})
