/**
 * The owner of a run. Two checks protect it, and each is tested by itself: a name is signed for its user before any object is asked, and
 * the object of a run is named after its user.
 */
import { describe, expect, it } from 'vitest'
import { resumeRun, startRun, stopRun } from '../../src/worker/runs/runs.ts'
import type { Session } from '../../src/worker/session/session.ts'
import { configOf, leastEnv } from './setup.ts'

/** Objects that answer every request for any name: so only the checks before them are tested. */
function place() {
  const asked: string[] = []
  const object = { fetch: async () => new Response('the answer'), stop: async () => true }
  const getByName = (name: string) => {
    asked.push(name)
    return object
  }
  return { asked, config: configOf({ ...leastEnv, OLLAMA_MODELS: 'a', RUNS: { getByName } }) }
}
const session = (sub: string): Session => ({
  ...{ sub, jti: 'j', models: ['ollama:a'], maxOutputTokens: 10, dailyBudget: 1 },
  ...{ origin: undefined, anonymousSince: undefined, expiresAt: Date.now() + 60_000 },
})
const begin = (key: string) =>
  new Request('https://worker.example/api/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: '{"model":"a","messages":[{"role":"user","content":"x"}]}',
  })
const resume = new Request('https://worker.example/v1/streams/x')

/** The name of the run that a user's key stands for, as the object is asked by it. */
async function nameFor(sub: string, key: string): Promise<{ owner: string; id: string }> {
  const { asked, config } = place()
  await startRun(begin(key), session(sub), config)
  const [owner = '', id = '', ...more] = asked.join('').split('\n')
  expect(more).toEqual([])
  return { owner, id }
}

describe('a run', () => {
  it('is found by its own user', async () => {
    const { asked, config } = place()
    const { id } = await nameFor('ada', 'k')
    expect(await (await resumeRun(id, resume, { sub: 'ada' }, config)).text()).toBe('the answer')
    expect((await stopRun(id, { sub: 'ada' }, config)).status).toBe(204)
    expect(asked).toEqual([`ada\n${id}`, `ada\n${id}`])
  })

  it("is asked for by no other user's token: no object is looked for under a name that was not signed for them", async () => {
    const { asked, config } = place()
    const { id } = await nameFor('ada', 'k')
    const forged = [id, `${id.slice(0, 16)}${'0'.repeat(16)}`, id.slice(0, 16), `${id}0`, '']
    for (const name of forged)
      for (const attempt of [
        () => resumeRun(name, resume, { sub: 'bob' }, config),
        () => stopRun(name, { sub: 'bob' }, config),
      ])
        await expect(attempt()).rejects.toMatchObject({ status: 404, providerCode: 'unknown_stream' })
    expect(asked).toEqual([])
  })

  it('lives in an object that is named after its user, with another name for another user and for another key', async () => {
    const asked = [
      ['ada', 'k'],
      ['bob', 'k'],
      ['ada', 'l'],
      ['ad', 'ak'],
    ] as const
    const names = await Promise.all(asked.map(([sub, key]) => nameFor(sub, key)))
    expect(names.map(({ owner }) => owner)).toEqual(asked.map(([sub]) => sub))
    expect(new Set(names.map(({ id }) => id)).size).toBe(4)
    expect(new Set(names.map(({ id }) => id.slice(0, 16))).size).toBe(4)
    expect((await nameFor('ada', 'k')).id).toBe(names[0]?.id)
  })
})
