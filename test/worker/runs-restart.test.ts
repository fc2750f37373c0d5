/** Stored answers after the end of the process that writes them, and after the end of their storage time. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { facts } from '../formats/index.ts'
import { ended, endingOf, failed } from '../gateway/wire.ts'
import {
  loginSecret,
  type Rig,
  startRig,
  startUpstream,
  tokenFor,
  type Upstream,
  type WireName,
  wireNames,
} from './harness.ts'
import { idOf, partsOf, play, userWith } from './kept.ts'

let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.stop())

const never = new Promise<void>(() => {})

describe('a Worker that is killed', () => {
  const stateFolder = mkdtempSync(join(tmpdir(), 'isoglot-state-'))
  const start = () => startRig(upstream.url, { LOGIN_SECRET: loginSecret }, { stateFolder })

  interface Broken {
    readonly wire: WireName
    readonly key: string
    readonly id: string
    readonly told: string[]
  }
  let broken: Broken[]
  let whole: { readonly id: string; readonly text: string }
  let unanswered: string
  let rig: Rig

  /** Asks for an answer that never ends, and reads what there is. */
  async function begin(wire: WireName, now: number): Promise<Broken> {
    const key = crypto.randomUUID()
    upstream.script(key, play(wire, { now, gate: never }))
    const answer = await userWith(rig, token).ask(key, wire)
    const reader = answer.body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    while (partsOf(wire, text).length < 1) text += decoder.decode((await reader?.read())?.value, { stream: true })
    reader?.read().catch(() => {}) // it is cut off
    return { wire, key, id: idOf(answer), told: partsOf(wire, text) }
  }

  let token: string
  beforeAll(async () => {
    rig = await start()
    token = await tokenFor(rig, 'alice')
    const user = userWith(rig, token)
    const key = crypto.randomUUID()
    upstream.script(key, play('openai-chat'))
    const answer = await user.ask(key, 'openai-chat')
    whole = { id: idOf(answer), text: partsOf('openai-chat', await answer.text()).join('') }
    broken = await Promise.all(
      wireNames.flatMap((wire) => [
        begin(wire, -1),
        begin(wire, -1),
        // Up to its first text: before that, the Worker waits for half a minute.
        begin(wire, facts[wire].gateway.silentPieces + 1),
      ]),
    )
    // The last, since after half a minute it is over.
    unanswered = crypto.randomUUID()
    upstream.script(unanswered, () => {})
    user.ask(unanswered, 'openai-chat', { stream: false }).catch(() => {})
    await vi.waitUntil(() => upstream.askedFor(unanswered).length === 1, { timeout: 60_000 })
    await rig.worker.kill()
    rig = await start()
  })
  afterAll(async () => {
    await rig.stop()
    rmSync(stateFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  })

  it.each(wireNames)('keeps the sent events, ends them with one error, and does not ask again: %s', async (wire) => {
    const user = userWith(rig, token)
    for (const { key, id, told } of broken.filter((one) => one.wire === wire)) {
      const text = await (await user.read(id)).text()
      expect(partsOf(wire, text).slice(0, told.length)).toEqual(told)
      expect(endingOf(wire, text)).toEqual(failed)
      const rest = await (await user.read(id, told.length)).text()
      expect(partsOf(wire, rest)).toEqual(partsOf(wire, text).slice(told.length))
      expect(await (await user.ask(key, wire)).text()).toBe(text)
      expect(upstream.askedFor(key)).toHaveLength(1)
    }
  })

  it('has the complete answers from before, with their own end', async () => {
    const text = await (await userWith(rig, token).read(whole.id)).text()
    expect(partsOf('openai-chat', text).join('')).toBe(whole.text)
    expect(endingOf('openai-chat', text)).toEqual(ended)
  })

  it('refuses requests that had no answer yet, permanently', async () => {
    const refused = await userWith(rig, token).ask(unanswered, 'openai-chat', { stream: false })
    expect(refused.status).toBe(502)
    expect(refused.headers.get('x-should-retry')).toBe('false')
    expect(upstream.askedFor(unanswered)).toHaveLength(1)
  })
})

describe('an answer after its storage time', () => {
  let rig: Rig
  beforeAll(async () => {
    rig = await startRig(upstream.url, { LOGIN_SECRET: loginSecret, RUN_KEPT_MS: '300' })
  })
  afterAll(() => rig.stop())

  it.each(wireNames)('is deleted for its owner, unknown to others, and its key is free again: %s', async (wire) => {
    const [alice, bob] = [userWith(rig, await tokenFor(rig, 'alice')), userWith(rig, await tokenFor(rig, 'bob'))]
    const key = crypto.randomUUID()
    upstream.script(key, play(wire))
    const answer = await alice.ask(key, wire)
    await answer.text()
    const id = idOf(answer)
    await expect.poll(async () => (await alice.read(id)).status).toBe(410)
    expect((await alice.stop(id)).status).toBe(204)
    expect((await bob.read(id)).status).toBe(404)
    expect(endingOf(wire, await (await alice.ask(key, wire)).text())).toEqual(ended)
    expect(upstream.askedFor(key)).toHaveLength(2)
  })
})
