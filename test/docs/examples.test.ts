/** The code in README and guides does what they say: it compiles, runs on the embedded provider, and prints what it promises. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { examples } from '../../scripts/site/home.mjs'
import { type Block, blocksOf, documents, languagesOf, promisedBy, readDocument } from './blocks.ts'
import { type StandIn, startStandIn } from './provider.ts'
import { runBlock } from './run.ts'
import { typeErrorsOf } from './types.ts'

const startPage = examples.map(({ name, code }) => ({
  place: `the start page of the site: ${name}`,
  language: 'ts' as const,
  code,
  isRun: true,
  rejects: undefined,
}))
const blocks = [...documents.flatMap(blocksOf), ...startPage]
const typed = blocks.filter(({ language }) => language === 'ts')
const running = blocks.filter(({ isRun }) => isRun)

let provider: StandIn
let typeErrors: ReadonlyMap<string, readonly string[]>
beforeAll(async () => {
  vi.stubEnv('ANTHROPIC_API_KEY', 'sk-test')
  provider = await startStandIn()
  typeErrors = typeErrorsOf(typed, 'const apiKey: string')
}, 120_000)
afterAll(() => {
  vi.unstubAllEnvs()
  return provider.stop()
})

/** The output of a block, and the error that it ended with. */
async function outcomeOf(block: Block): Promise<{ printed: string; error: unknown }> {
  const printed: string[] = []
  let error: unknown
  try {
    await runBlock(block, provider.fetch, printed)
  } catch (cause) {
    error = cause
  }
  return { printed: printed.join('\n'), error }
}

describe('the examples', () => {
  it('are many', () => {
    expect(running.length).toBeGreaterThan(30)
  })

  it.each(documents)('%s has blocks in languages that are looked at, or need no looking at', (path) => {
    const known = new Set(['', 'ts', 'sh', 'html', 'toml', 'text'])
    expect(languagesOf(path).filter((word) => !known.has(word))).toEqual([])
  })

  it.each(documents.filter((path) => path.startsWith('docs/')))('%s has no code that scrolls sideways', (path) => {
    const lines = [...readDocument(path).matchAll(/^```\w*\n(.*?)^```$/gms)].flatMap(([, code = '']) =>
      code.split('\n'),
    )
    // An event of a stream is one line.
    expect(lines.filter((line) => line.length > 88 && !line.startsWith('data: '))).toEqual([])
  })

  it.each(typed.map(({ place }) => place))('%s has the types it needs', (place) => {
    expect(typeErrors.get(place) ?? []).toEqual([])
  })

  it.each(running.map((block) => [block.place, block] as const))(
    '%s runs, and prints what it promises',
    async (_, block) => {
      const { printed, error } = await outcomeOf(block)
      if (block.rejects === undefined) expect(error).toBeUndefined()
      else expect(error).toMatchObject({ name: block.rejects })
      let from = 0
      for (const text of promisedBy(block.code)) {
        expect(printed.slice(from)).toContain(text)
        from = printed.indexOf(text, from) + text.length
      }
    },
  )
})
