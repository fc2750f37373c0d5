/** `examples/resume` as it stands, with a Worker of Miniflare in place of the one of `wrangler dev`, which the project `exhaustive` has. */
import { afterAll, expect, it, vi } from 'vitest'
import { startDemo } from './harness.ts'

vi.mock('../../examples/resume/worker.mjs', () => ({
  async startDemo() {
    const { url, open, stop } = await startDemo()
    return { url, token: await open(), stop }
  },
}))
afterAll(() => vi.restoreAllMocks())

it('continues an answer that is cut, sends it again, and stops another', async () => {
  const printed: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(`${text}`) > 0)
  vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(`${line}\n`))
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  // @ts-expect-error A program exports nothing, and has no types.
  await import('../../examples/resume/resume.mjs')
  expect(printed.join('')).toMatch(/^1, 2, 3, .*, 29, 30\n\nSent again by its name: the same\nStopped after: 1, 2, $/m)
  const [first, ...cuts] = log.mock.calls.flat()
  expect(first).toBe('[asked]')
  expect(cuts).toContainEqual(expect.stringMatching(/^\[cut; continued after event \d+\]$/))
})
