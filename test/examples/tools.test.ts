/** The examples of tools run as they stand, on the embedded provider, each in a process of its own. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'isoglot-examples-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The output of an example. It imports the built package, as a reader's copy does. */
async function outputOf(name: string, ...args: string[]): Promise<string> {
  const { ANTHROPIC_API_KEY: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'examples', 'tools', name), ...args], {
    env: { ...env, APPROVAL_SECRET: 'a-secret-of-at-least-32-bytes-in-all' },
  })
  return stdout
}

it.concurrent('weather: one round, with the call, its result and the answer', async ({ expect }) => {
  const output = await outputOf('weather.mjs')
  expect(output).toContain('-> get_weather({"city":"Tokyo"})\n<- 25 °C and sunny in Tokyo\n')
  expect(output).toMatch(/Here is what I found\. 25 °C and sunny in Tokyo\.\n2 rounds, \d+ tokens\n$/)
})

it.concurrent('parallel: both calls start before either ends, and go back in order', async ({ expect }) => {
  const lines = (await outputOf('parallel.mjs')).trim().split('\n')
  expect(lines.filter((line) => !line.startsWith('progress'))).toEqual([
    'start    {"city":"Tokyo"}',
    'start    {"city":"Paris"}',
    'result   25 °C in Paris',
    'result   25 °C in Tokyo',
    'sent     25 °C in Tokyo',
    'sent     25 °C in Paris',
  ])
  expect(lines.filter((line) => line.startsWith('progress'))).toHaveLength(2)
})

describe.concurrent('approval, over three processes', () => {
  const file = join(folder, 'state.json')
  const state = () => JSON.parse(readFileSync(file, 'utf8'))

  it.concurrent('stops for consent, continues with it, and runs the call once', async ({ expect }) => {
    expect(await outputOf('approval.mjs', 'ask', file)).toBe('approval: get_weather({"city":"Tokyo"})\n')
    const waiting = await outputOf('approval.mjs', 'resume', file)
    expect(waiting).toMatch(/^approval: /)
    expect(await outputOf('approval.mjs', 'approve', file)).toBe('approved: 1\n')

    const forged = state()
    forged.messages[1].content.at(-1).arguments = { city: 'Everywhere' }
    const copy = join(folder, 'forged.json')
    writeFileSync(copy, JSON.stringify(forged))
    const [refused, ran] = await Promise.all([copy, file].map((path) => outputOf('approval.mjs', 'resume', path)))
    expect(refused).toMatch(/^approval: /)
    expect(ran).toMatch(/^paid for Tokyo\nanswered: .*25 °C in Tokyo/)
    expect(Object.keys(state().ran)).toEqual([state().pending[0].approvalId.split('.')[0]])
    const again = await outputOf('approval.mjs', 'resume', file)
    expect(again).not.toContain('paid')
    expect(again).toMatch(/^answered: .*25 °C in Tokyo/)
  })
})

it.concurrent('extract: a typed value, drawn as it grows', async ({ expect }) => {
  const lines = (await outputOf('extract.mjs')).trim().split('\n')
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
    name: 'Ada Lovelace',
    born: 1815,
    works: ['Notes', 'Sketch of the Analytical Engine'],
  })
  expect(lines).toContain('Ada Lovelace: 0 works so far')
  expect(lines).toContain('Ada Lovelace: 2 works so far')
})

it.concurrent('mcp: the model calls a tool that a server process runs', async ({ expect }) => {
  expect(await outputOf('mcp.mjs')).toBe('tools: get_weather\nHere is what I found. 25 °C in Paris, says the server.\n')
})
