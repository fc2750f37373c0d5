/**
 * The Worker in workerd, killed again and again while it books answers and keeps their streams: each request is booked once or still
 * reserved, and each kept stream has all that its reader had, and asked its provider once.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ended, endingOf, failed } from '../gateway/wire.ts'
import { isExhaustive } from '../support/cuts.ts'
import { seeded } from '../support/random.ts'
import { pause } from '../support/upstream.ts'
import {
  adminToken,
  loginSecret,
  type Rig,
  type Script,
  startRig,
  startUpstream,
  summaryOf,
  tokenFor,
  type Upstream,
} from './harness.ts'
import { headersOf, idOf, partsOf, pieces, userWith } from './kept.ts'

const wire = 'openai-chat'
const users = ['ada', 'bob', 'eve', 'kim']
const kills = isExhaustive ? 20 : 3
const random = seeded(11)
const stateFolder = mkdtempSync(join(tmpdir(), 'isoglot-bookings-'))

interface Sent {
  readonly user: string
  readonly key: string
  readonly isKept: boolean
  /** The name of the kept stream, and the parts of the answer that arrived. */
  id?: string
  readonly parts: string[]
}
const sent: Sent[] = []
const of = <One extends { readonly user: string }>(all: readonly One[], user: string) =>
  all.filter((one) => one.user === user)

let upstream: Upstream
let rig: Rig
const start = () => {
  const settings = { LOGIN_SECRET: loginSecret, ADMIN_TOKEN: adminToken, PRICES: '{"demo-model":[0,1]}' }
  return startRig(upstream.url, settings, { stateFolder })
}

/** A piece every few milliseconds. */
const slowly: Script = async (_, response) => {
  response.writeHead(200, headersOf(wire))
  for (const piece of pieces(wire)) {
    response.write(piece)
    await pause(3)
  }
  response.end()
}

const summary = () => summaryOf(rig)

/** Asks one question after the other until the Worker is gone. Every second answer is kept. */
async function converse(user: string): Promise<void> {
  const token = await tokenFor(rig, user, { maxOutputTokens: 100 })
  const asked = userWith(rig, token)
  for (;;) {
    const one: Sent = { user, key: `<${sent.length}>`, isKept: sent.length % 2 === 0, parts: [] }
    sent.push(one)
    upstream.script(one.key, slowly)
    try {
      const plain = { headers: { authorization: `Bearer ${token}` } }
      const answer = await (one.isKept ? asked.ask(one.key, wire) : rig.ask(wire, one.key, { stream: true }, plain))
      one.id = idOf(answer)
      const reader = answer.body?.getReader()
      const decoder = new TextDecoder()
      let text = ''
      for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
        text += decoder.decode(read.value, { stream: true })
        one.parts.splice(0, Number.POSITIVE_INFINITY, ...partsOf(wire, text).filter((part) => part.endsWith('\n\n')))
      }
    } catch {
      return
    }
  }
}

beforeAll(async () => {
  upstream = await startUpstream()
  rig = await start()
  for (let times = 0; times < kills; times++) {
    const before = sent.length
    const conversations = users.flatMap((user) => [converse(user), converse(user)])
    await vi.waitUntil(() => sent.length > before + 24, { timeout: 60_000, interval: 1 })
    await pause(random() * 30)
    await rig.worker.kill()
    await Promise.all(conversations)
    rig = await start()
  }
}, kills * 40_000) // the Worker starts as often
afterAll(async () => {
  await Promise.all([rig.stop(), upstream.stop()])
  rmSync(stateFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})

/** The accounts of each user, as the object of the whole Worker reports them, asked twice. */
async function checkAccounts(): Promise<void> {
  for (let times = 0; times < 2; times++) {
    const { days, live } = await summary()
    for (const user of users) {
      const booked = of(days, user).reduce((sum, { requests }) => sum + requests, 0)
      const reserved = of(live, user).length
      const asked = of(sent, user).filter(({ key }) => upstream.askedFor(key).length > 0).length
      expect(booked + reserved, `nothing of ${user} is lost`).toBeGreaterThanOrEqual(asked)
      expect(booked + reserved, `nothing of ${user} counts twice`).toBeLessThanOrEqual(of(sent, user).length)
      expect(of(days, user).reduce((sum, { spent }) => sum + spent, 0)).toBe(7 * booked)
    }
  }
}

it('has booked each answer once, or has its reservation', async () => {
  expect(sent.length).toBeGreaterThan(24 * kills)
  await checkAccounts()
})

it('has of each kept stream what its reader had, with one end, and asks for none of them again', async () => {
  const begun = sent.filter(({ isKept, id }) => isKept && id)
  expect(begun.some(({ parts }) => parts.length > 0)).toBe(true)
  for (const { user, key, id = '', parts } of begun) {
    const reader = userWith(rig, await tokenFor(rig, user))
    const text = await (await reader.read(id)).text()
    expect(partsOf(wire, text).slice(0, parts.length)).toEqual(parts)
    expect([ended, failed]).toContainEqual(endingOf(wire, text))
    expect(await (await reader.ask(key, wire)).text()).toBe(text)
    expect(upstream.askedFor(key).length).toBeLessThanOrEqual(1)
  }
  await checkAccounts()
})
