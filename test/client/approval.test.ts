/** A decision counts for one call of one conversation, once. The host gives each call of each turn the id `call_0`, as some hosts do. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { normalizeMessages } from '../../src/import/index.ts'
import {
  type Approval,
  approval,
  generate,
  type Message,
  memoryCallLog,
  message,
  type RunRequest,
  signApproval,
  stream,
  type ToolCall,
  tool,
} from '../../src/index.ts'
import { deserializeMessages, serializeMessages, toolCalls } from '../../src/messages/index.ts'
import { call, mockModel } from '../../src/test/index.ts'

const approvalSecret = 'x'.repeat(40)
let ran = 0
const pay = tool({ name: 'pay', needsApproval: approval({ secret: approvalSecret }), execute: () => ++ran })
const payUnsigned = tool({ name: 'pay', needsApproval: approval(), execute: () => ++ran })
beforeEach(() => {
  ran = 0
})

/** A model that pays, and records the payment. */
const host = () =>
  mockModel(({ context }) =>
    context.messages.at(-1)?.role === 'tool' ? 'done' : { calls: [call('pay', { amount: 100 }, { id: 'call_0' })] },
  )
const ask = (more: Partial<RunRequest>): RunRequest => ({ model: host(), tools: [pay], ...more })
const begin = (prompt = 'pay', more: Partial<RunRequest> = {}) => generate(ask({ prompt, ...more }))
const sign = async (pending: ToolCall | undefined): Promise<Approval[]> => {
  if (pending === undefined) throw new Error('Nothing is pending')
  return [await signApproval(pending, { approved: true }, approvalSecret)]
}

const stores: Readonly<Record<string, (messages: readonly Message[]) => readonly Message[]>> = {
  'plain JSON': (messages) => JSON.parse(JSON.stringify(messages)),
  normalizeMessages: (messages) => normalizeMessages(JSON.parse(JSON.stringify(messages))),
  serializeMessages: (messages) => deserializeMessages(JSON.parse(JSON.stringify(serializeMessages(messages)))),
  'a store that turns keys around': (messages) => JSON.parse(JSON.stringify(messages), turnedAround),
  'other instructions': (messages) => [message.system(`It is ${Date.now()}`), ...messages],
  'metadata of a page': (messages) => messages.map((one) => ({ ...one, metadata: { seen: true } })),
}

describe('a signed decision', () => {
  it('does not count in another conversation whose call has the same id, name and arguments', async () => {
    const one = await begin()
    const approvals = await sign(one.pending[0])
    await generate(ask({ messages: one.messages, approvals }))
    for (const prompt of ['pay', 'another conversation']) {
      const two = await begin(prompt)
      const { outcome, pending } = await generate(ask({ messages: two.messages, approvals }))
      expect([outcome, pending.length]).toEqual(['approval', 1])
    }
    expect(ran).toBe(1)
  })

  it.each([
    ['with a call log', memoryCallLog()],
    ['without', undefined],
  ])('does not count again in a later turn of the same conversation, %s', async (_, callLog) => {
    const more = callLog === undefined ? {} : { callLog }
    const one = await begin('pay', more)
    const approvals = await sign(one.pending[0])
    const two = await generate(ask({ ...more, messages: one.messages, approvals }))
    const past = [...one.messages, ...two.messages]
    const three = await generate(ask({ ...more, messages: past, prompt: 'again' }))
    const all = [...past, ...three.messages]
    expect((await generate(ask({ ...more, messages: all, approvals }))).outcome).toBe('approval')
    expect(ran).toBe(1)
    await generate(ask({ ...more, messages: all, approvals: await sign(three.pending[0]) }))
    expect(ran).toBe(2)
  })

  it('runs once of two runs at the same time that share a call log', async () => {
    const callLog = memoryCallLog()
    const { messages, pending } = await begin()
    const approvals = await sign(pending[0])
    const runs = [1, 2].map(() => generate(ask({ messages, approvals, callLog })))
    expect((await Promise.all(runs)).map(({ outcome }) => outcome)).toEqual(['answered', 'answered'])
    expect(ran).toBe(1)
  })

  it('counts in each conversation of one call log', async () => {
    const callLog = memoryCallLog()
    for (const expected of [1, 2]) {
      const { messages, pending } = await begin()
      await generate(ask({ messages, approvals: await sign(pending[0]), callLog }))
      expect(ran).toBe(expected)
    }
  })

  it.each(Object.entries(stores))('counts for the history as it comes back from %s', async (_, stored) => {
    const { messages, pending } = await begin()
    await generate(ask({ messages: stored(messages), approvals: await sign(pending[0]) }))
    expect(ran).toBe(1)
  })

  it.each<[string, (messages: readonly Message[]) => readonly Message[]]>([
    ['what the user asked', ([, ...rest]) => [message.user('pay nothing'), ...rest]],
    ['what came before', (messages) => ['before', ...messages] as Message[]],
    ['the beginning, trimmed away', (messages) => messages.slice(1)],
    ['which conversation it is', (messages) => JSON.parse(JSON.stringify(messages).replace(/"approvalId":"./, '$&x'))],
  ])('does not count once the history was changed: %s', async (_, change) => {
    const { messages, pending } = await begin()
    const changed = change(messages)
    const result = await generate(ask({ messages: changed, approvals: await sign(pending[0]) }))
    expect([result.outcome, ran]).toEqual(['approval', 0])
    // The run asks again, and the new decision counts for the changed history.
    await generate(ask({ messages: changed, approvals: await sign(result.pending[0]) }))
    expect(ran).toBe(1)
  })

  it('can be made from the call of any part of a run', async () => {
    const run = stream(ask({ prompt: 'pay' }))
    const calls: (ToolCall | undefined)[] = []
    for await (const event of run) {
      if (event.type === 'approval_request') calls.push(event.call)
      if (event.type === 'message_end') calls.push(...toolCalls(event.message))
    }
    const { messages, pending, message: last, responses } = await run.response
    calls.push(
      pending[0],
      toolCalls(last)[0],
      ...messages.flatMap(toolCalls),
      ...toolCalls(responses[0]?.message ?? ''),
    )
    expect(new Set(calls.map((one) => one?.approvalId)).size).toBe(1)
    expect(calls).toHaveLength(6)
    await generate(ask({ messages, approvals: await sign(calls[0]) }))
    expect(ran).toBe(1)
  })

  it('never reaches the provider', async () => {
    const model = host()
    const { messages, pending } = await begin('pay', { model })
    await generate(ask({ model, messages, approvals: await sign(pending[0]) }))
    const bodies = model.requests.map(({ body }) => JSON.stringify(body))
    expect(bodies).toHaveLength(2)
    expect(bodies.join()).not.toContain('approvalId')
  })
})

describe('an unsigned decision', () => {
  it('counts in its own conversation only, where it names it', async () => {
    const unsigned = (pending: ToolCall | undefined): Partial<RunRequest> => ({
      approvals: [{ toolCallId: 'call_0', approvalId: pending?.approvalId, approved: true }],
    })
    const request = (more: Partial<RunRequest>) => ask({ tools: [payUnsigned], ...more })
    const one = await begin()
    const two = await begin()
    expect((await generate(request({ messages: two.messages, ...unsigned(one.pending[0]) }))).outcome).toBe('approval')
    expect(ran).toBe(0)
    await generate(request({ messages: two.messages, ...unsigned(two.pending[0]) }))
    expect(ran).toBe(1)
  })

  it('counts by the id of its call on a page without Web Crypto', async () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    try {
      const request = ask({ tools: [payUnsigned] })
      const { messages, pending } = await generate({ ...request, prompt: 'pay' })
      expect(pending).toMatchObject([{ id: 'call_0' }])
      await generate({ ...request, messages, approvals: [{ toolCallId: 'call_0', approved: true }] })
      expect(ran).toBe(1)
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

function turnedAround(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toReversed())
}
