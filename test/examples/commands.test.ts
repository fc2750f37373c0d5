/** Each example runs by its one command, in its own runtime, on the embedded provider. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { runExample } from './run.ts'

const root = join(import.meta.dirname, '..', '..')
/** Deno and Bun only in the project `exhaustive`, since they are installed at first; other platforms bring their own. */
const hasRuntimes = inject('isExhaustive') && process.platform === 'linux' && process.arch === 'x64'
const longest = 300_000
/** Deno and Bun are installed by the first that needs them, which no other may do at that time. */
const command = hasRuntimes ? it : it.concurrent

command.for(['node', ...(hasRuntimes ? ['deno', 'bun'] : [])])(
  'scripts/%s holds a tool round',
  { timeout: longest },
  async (runtime, { expect }) => {
    const output = await runExample(`scripts/${runtime}`).output
    expect(output).toMatch(/get_weather \{"city":"Tokyo"\}\nHere is what I found\. 25 °C and sunny in Tokyo\.\n$/)
    if (runtime === 'node') expect(output).not.toContain('Installing')
  },
)

command.for(['node', ...(hasRuntimes ? ['deno', 'bun'] : [])])(
  'codec/%s tests a codec with the runner of the runtime',
  { timeout: longest },
  async (runtime, { expect }) => {
    const { output } = runExample(`codec/${runtime}`)
    // Bun writes its results to the other stream, and ends with 1 if a test fails.
    await expect(output).resolves.toMatch(runtime === 'bun' ? /^bun test/ : /[1-9]\d pass|pass [1-9]\d/)
  },
)

command('words behind the name go to the example', { timeout: longest }, async ({ expect }) => {
  expect(await runExample('scripts/node', 'Weather in Lima and Oslo?').output).toContain('25 °C and sunny in Oslo')
})

command.for(['node', ...(hasRuntimes ? ['deno', 'bun'] : [])])(
  'gateway/%s streams a provider of one wire to a client of another, and stops when asked to',
  { timeout: longest },
  async (runtime, { expect }) => {
    const example = runExample(`gateway/${runtime}`)
    try {
      const response = await fetch(`${await example.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'smart', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
      })
      const text = await response.text()
      expect(text).toContain('"object":"chat.completion.chunk"')
      expect(text).toMatch(/data: \[DONE\]\n\n$/)
    } finally {
      await example.stop()
    }
  },
)

command('a name that there is not is answered with the names that there are', async ({ expect }) => {
  await expect(runExample('constructor').output).rejects.toThrow('There is no example "constructor"')
})

describe('the index', () => {
  const list = execFileSync(process.execPath, [join(root, 'scripts', 'example.mjs')], { encoding: 'utf8' })
  const commandsIn = (text: string) => new Set(text.match(/npm run example [a-z][\w/-]*/g))

  it('has the command of each', () => {
    const index = readFileSync(join(root, 'examples', 'README.md'), 'utf8')
    expect(commandsIn(list).size).toBeGreaterThan(10)
    expect(commandsIn(index)).toEqual(commandsIn(list))
  })
})

// It starts `wrangler dev`, which takes ten seconds.
command.for(inject('isExhaustive') ? ['resume'] : [])(
  '%s continues an answer that is cut, sends it again, and stops another',
  { timeout: longest },
  async (name, { expect }) => {
    expect(await runExample(name).output).toMatch(
      /^1, 2, 3, .*, 29, 30\n\nSent again by its name: the same\nStopped after: 1, 2, $/m,
    )
  },
)
