import { describe, expect, it } from 'vitest'
import { type Approval, approval, memoryCallLog, signApproval, verifyApproval } from '../../src/index.ts'
import { call } from './calls.ts'

const secret = 'a-secret-of-at-least-32-bytes-in-all'
const pay = { ...call('pay', '{"to":"bob","amount":{"eur":5}}', 'call_1'), approvalId: 'random.digest' }

const approved = () => signApproval(pay, { approved: true }, secret)

describe('a signed decision', () => {
  it('counts for exactly its own call, also after JSON', async () => {
    const approval = await approved()
    const [storedCall, stored] = JSON.parse(JSON.stringify([pay, approval]))
    expect(await verifyApproval(storedCall, stored, secret)).toBe(true)
  })

  it('counts if a database returns the keys of the arguments in another order', async () => {
    const approval = await approved()
    expect(await verifyApproval({ ...pay, arguments: { amount: { eur: 5 }, to: 'bob' } }, approval, secret)).toBe(true)
  })

  it.each([
    ['another id', { ...pay, id: 'call_2' }],
    ['another tool', { ...pay, name: 'transfer' }],
    ['other text of arguments', { ...pay, argumentsText: '{"to":"bob","amount":{"eur":5000}}' }],
    ['other arguments behind the same text', { ...pay, arguments: { to: 'eve', amount: { eur: 5 } } }],
    ['another conversation', { ...pay, approvalId: 'random.other' }],
    ['a call without a conversation', call('pay', '{"to":"bob","amount":{"eur":5}}', 'call_1')],
    ['a list where an object was', { ...pay, arguments: { to: 'bob', amount: ['eur', 5] } }],
  ])('does not count for %s', async (_what, other) => {
    const approval = await approved()
    expect(await verifyApproval(other, { ...approval, toolCallId: other.id }, secret)).toBe(false)
    expect(await verifyApproval(other, approval, secret)).toBe(false)
  })

  it.each<[string, Partial<Approval>]>([
    ['turned into its opposite', { approved: true }],
    ['given another reason', { reason: 'fine' }],
    ['made to last longer', { expiresAt: '2255-03-13T16:00:00Z' }],
    ['moved to another conversation', { approvalId: 'random.other' }],
    ['stripped of its proof', { proof: '' }],
    ['given a proof that is not valid base64', { proof: '%%%' }],
    ['given a shortened proof', { proof: 'AAAA' }],
  ])('does not count once it was %s', async (_what, change) => {
    const refusal = { approved: false, reason: 'no', expiresAt: '2223-07-06T10:13:20Z' }
    const approval = await signApproval(pay, refusal, secret)
    expect(await verifyApproval(pay, approval, secret)).toBe(true)
    expect(await verifyApproval(pay, { ...approval, ...change }, secret)).toBe(false)
  })

  it('does not count under another secret', async () => {
    const approval = await approved()
    expect(await verifyApproval(pay, approval, `${secret}!`)).toBe(false)
  })

  it('counts until it expires, to the millisecond', async () => {
    const approval = await signApproval(pay, { approved: true, expiresAt: '1970-01-01T00:16:40Z' }, secret)
    expect(await verifyApproval(pay, approval, secret, 999_999)).toBe(true)
    expect(await verifyApproval(pay, approval, secret, 1_000_000)).toBe(false)
    const soon = { toolCallId: 'call_1', approved: true, expiresAt: 'soon' }
    expect(await verifyApproval(pay, soon, undefined)).toBe(false)
  })

  it('is plain data without a name or arguments in it', async () => {
    const approval = await approved()
    expect(approval).toEqual({
      toolCallId: 'call_1',
      approvalId: 'random.digest',
      approved: true,
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      proof: expect.stringMatching(/^[\w-]{43}$/),
    })
  })

  it('counts for an hour, unless it says otherwise', async () => {
    const approval = await approved()
    expect(await verifyApproval(pay, approval, secret, Date.now() + 3_590_000)).toBe(true)
    expect(await verifyApproval(pay, approval, secret, Date.now() + 3_601_000)).toBe(false)
  })

  it('cannot be made with a secret that is too short', async () => {
    await expect(signApproval(pay, { approved: true }, 'short')).rejects.toThrow(RangeError)
    const approval = await approved()
    await expect(verifyApproval(pay, approval, 'short')).rejects.toThrow(/fewer than 32 bytes/)
  })

  it.each(['short', '', undefined, null])(
    'is required with the secret %j, so that one that is missing is an error',
    (none) => {
      expect(() => approval({ secret: none as never })).toThrow(/fewer than 32 bytes/)
    },
  )
})

describe('the proof of a call that waits', () => {
  const rule = approval({ secret })
  const asked = async () => (await rule.ask(pay)).approvalProof ?? ''

  it('makes the decision of a page count, for this call and for an hour', async () => {
    const decision = { toolCallId: 'call_1', approved: true, proof: await asked() }
    expect(await rule.counts(pay, decision)).toBe(true)
    // The history of a page may lack what was said before, so that the digest is another one.
    expect(await rule.counts({ ...pay, approvalId: 'random.other' }, decision)).toBe(true)
    expect(await verifyApproval(pay, decision, secret, Date.now() + 3_590_000)).toBe(true)
    expect(await verifyApproval(pay, decision, secret, Date.now() + 3_601_000)).toBe(false)
    expect(await verifyApproval(pay, decision, `${secret}!`)).toBe(false)
  })

  it.each<[string, Partial<typeof pay>]>([
    ['another id', { id: 'call_2' }],
    ['another tool', { name: 'transfer' }],
    ['other arguments', { arguments: { to: 'eve', amount: { eur: 5 } } }],
    ['the random part of another call', { approvalId: 'other.digest' }],
  ])('does not count for a call with %s', async (_, change) => {
    const other = { ...pay, ...change }
    expect(await rule.counts(other, { toolCallId: other.id, approved: true, proof: await asked() })).toBe(false)
  })

  it.each([
    ['a later time', (proof: string) => proof.replace(/^\d+/, '9999999999')],
    ['no time', (proof: string) => proof.replace(/^\d+/, '')],
    ['a shorter signature', (proof: string) => proof.slice(0, -4)],
    ['another signature', (proof: string) => proof.replace(/\..*/, '.AAAA')],
  ])('does not count with %s', async (_, change) => {
    const proof = change(await asked())
    expect(await rule.counts(pay, { toolCallId: 'call_1', approved: true, proof })).toBe(false)
  })

  it('is neither made nor accepted if only the server decides, and not made without a secret', async () => {
    const strict = approval({ secret, decidedBy: 'server' })
    expect([await strict.ask(pay), await approval().ask(pay)]).toEqual([pay, pay])
    const decision = { toolCallId: 'call_1', approved: true, proof: await asked() }
    expect(await strict.counts(pay, decision)).toBe(false)
    expect(await strict.counts(pay, await signApproval(pay, { approved: true }, secret))).toBe(true)
  })
})

it('counts unsigned if no secret is required, for the call with its id, in its own conversation only where it names one', async () => {
  expect(await verifyApproval(pay, { toolCallId: 'call_1', approved: true }, undefined)).toBe(true)
  expect(await verifyApproval(pay, { toolCallId: 'call_2', approved: true }, undefined)).toBe(false)
  const decision = { toolCallId: 'call_1', approvalId: 'random.digest', approved: true }
  expect(await verifyApproval(pay, decision, undefined)).toBe(true)
  expect(await verifyApproval({ ...pay, approvalId: 'random.other' }, decision, undefined)).toBe(false)
  expect(await verifyApproval(call('pay', '{}', 'call_1'), decision, undefined)).toBe(false)
})

it('is the same signature that any other HMAC-SHA-256 makes', async () => {
  const { createHmac } = await import('node:crypto')
  const expiresAt = '2223-07-06T10:13:20Z'
  const bound = JSON.stringify([
    ...['isoglot-approval-2', 'random.digest', 'call_1', 'pay', '{"to":"bob","amount":{"eur":5}}'],
    ...[{ amount: { eur: 5 }, to: 'bob' }, true, null, expiresAt],
  ])
  const { proof } = await signApproval(pay, { approved: true, expiresAt }, secret)
  expect(proof).toBe(createHmac('sha256', secret).update(bound).digest('base64url'))
})

it('lets each call be claimed once, and stores its result', async () => {
  const callLog = memoryCallLog()
  expect([callLog.claim('a'), callLog.claim('b'), callLog.claim('a')]).toEqual([true, true, false])
  const result = { role: 'tool', toolCallId: 'a', content: 'paid' } as const
  await callLog.keep?.('a', result)
  expect([callLog.claim('a'), callLog.claim('b')]).toEqual([result, false])
})
