/** The history that a page stores sealed: it opens unchanged for its owner only, and its length reveals nothing that is hidden. */
import { describe, expect, it } from 'vitest'
import { block, DecodeError, LimitError, type Message, message } from '../../src/index.ts'
import { openMessages, sealMessages } from '../../src/page/response.ts'
import { inTurn } from '../support/cuts.ts'
import { seeded } from '../support/random.ts'

describe('a sealed history', () => {
  const secret = crypto.getRandomValues(new Uint8Array(32))
  const opaque = { provider: 'anthropic', model: 'm', format: 'anthropic', data: { signature: 'sig' } }
  const messages: Message[] = [
    message.user('Hi, how are you? ☂'),
    { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm', opaque }, block.text('Fine')], stopReason: 'stop' },
  ]

  it('opens unchanged, including proofs, and its text reveals nothing', async () => {
    const sealed = await sealMessages(messages, secret, 'user 1, chat 1')
    expect(sealed).toMatch(/^[\w-]+$/)
    expect(atob(sealed.replaceAll('-', '+').replaceAll('_', '/'))).not.toContain('Fine')
    expect(await openMessages(sealed, secret, 'user 1, chat 1')).toEqual(messages)
    expect(await sealMessages(messages, secret, 'user 1, chat 1')).not.toBe(sealed)
  })

  it('opens as versions before sealed it', async () => {
    // Sealed before this version, with 32 bytes of 7.
    const old =
      'ASOqt6t3q3GT0ivWbIUK97ye9CoZAUK-jB4OgOvUAnrk4acG8Y9rrzKipoQIcs85JP0Zs98XoS0iI_z02FOn1qLF4NKCW7qckH9QbdmObPlOrvN_c0L0ktniWwfyvrCf4xRgCoQzcVIA4Mf3bWu9ydG4yg'
    const opened = await openMessages(old, new Uint8Array(32).fill(7), 'user 1, chat 1')
    expect(opened.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Hi ☂'],
      ['assistant', 'Fine'],
    ])
  })

  it('opens with a key of Web Crypto', async () => {
    const key = await crypto.subtle.importKey('raw', secret, 'AES-GCM', false, ['encrypt', 'decrypt'])
    expect(await openMessages(await sealMessages(messages, secret, 'a'), key, 'a')).toEqual(messages)
    expect(await openMessages(await sealMessages(messages, key, 'a'), secret, 'a')).toEqual(messages)
  })

  it('does not open for another chat, with another secret, or with a change in any place', async () => {
    const sealed = await sealMessages(messages.slice(0, 1), secret, 'a')
    await expect(openMessages(sealed, secret, 'b')).rejects.toBeInstanceOf(DecodeError)
    await expect(openMessages(sealed, new Uint8Array(32), 'a')).rejects.toBeInstanceOf(DecodeError)
    for (let at = 0; at < sealed.length - 1; at++) {
      const other = sealed[at] === 'A' ? 'Q' : 'A'
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
      await expect(openMessages(changed, secret, 'a')).rejects.toBeInstanceOf(DecodeError)
    }
    for (const text of ['', 'A', '!', sealed.slice(0, -4)])
      await expect(openMessages(text, secret, 'a')).rejects.toBeInstanceOf(DecodeError)
  })

  it('is refused if it is too long, or the secret is too short', async () => {
    await expect(openMessages('A'.repeat(4 * 1024 * 1024 + 1), secret, 'a')).rejects.toBeInstanceOf(LimitError)
    const bytes = Array.from({ length: 56 }, () => crypto.getRandomValues(Buffer.alloc(65_536)))
    const long = message.user(Buffer.concat(bytes).toString('base64'))
    await expect(sealMessages([long], secret, 'a')).rejects.toBeInstanceOf(LimitError)
    await expect(sealMessages(messages, new Uint8Array(16), 'a')).rejects.toBeInstanceOf(RangeError)
  })
})

/** A history of a page that wrote `said`, with a hidden text in one place. */
const hiding: Readonly<Record<string, (said: string, hidden: string) => readonly Message[]>> = {
  instructions: (said, hidden) => [message.system(hidden), message.user(said)],
  'the result of a tool': (said, hidden) => [
    message.user(said),
    message.assistant([block.toolCall('c1', 'crm', {})]),
    message.tool(hidden, { toolCallId: 'c1' }),
  ],
  'artifacts of a result': (said, hidden) => [
    message.user(said),
    { ...message.tool('ok', { toolCallId: 'c1' }), artifacts: [{ note: hidden }] },
  ],
  'arguments beside a text': (said, hidden) => [
    message.assistant([block.text(said), block.toolCall('c1', 'crm', { note: hidden })]),
  ],
  'reasoning, and its proof': (said, hidden) => [
    message.user(said),
    message.assistant([
      {
        type: 'reasoning',
        text: hidden,
        opaque: { provider: 'p', model: 'm', format: 'f', data: { signature: hidden } },
      },
      block.text('ok'),
    ]),
  ],
  'data of the provider': (said, hidden) => [
    message.user(said),
    { role: 'assistant', content: said, providerData: { p: { trace: hidden } }, response: { id: hidden, model: 'm' } },
  ],
}

describe.each(Object.entries(hiding))('the length of a sealed history: %s', (_, history) => {
  const secret = new Uint8Array(32).fill(1)
  const lengthOf = async (said: string, hidden: string) =>
    (await sealMessages(history(said, hidden), secret, 'a')).length
  const upTo = (end: number, step: number) => Array.from({ length: Math.ceil(end / step) }, (_, at) => at * step)

  it('does not depend on what is hidden, whatever the page writes', async () => {
    const random = seeded(47)
    const word = () => Array.from({ length: 24 }, () => 'abcdefghij0123456789'[Math.floor(random() * 20)]).join('')
    for (let round = 0; round < 20; round++) {
      const [hidden, other] = [word(), word()]
      for (const guess of [hidden, other, hidden.slice(0, 20) + other.slice(20), `${hidden} ${hidden} ${hidden}`]) {
        expect(await lengthOf(guess, hidden)).toBe(await lengthOf(guess, other))
      }
    }
  })

  it('reveals only a coarse step of its length, and the page cannot move the step', async () => {
    const lengths = upTo(2200, 37)
    const none = await lengthOf('', '')
    const steps = await Promise.all(lengths.map(async (length) => (await lengthOf('', 'x'.repeat(length))) - none))
    expect(new Set(steps).size).toBeLessThanOrEqual(14) // some histories have the hidden text twice
    expect(new Set(steps.slice(0, 5)).size).toBeLessThanOrEqual(2) // up to 148 bytes: one bit
    for (const said of inTurn(upTo(512, 31), 4).map((length) => 'y'.repeat(length))) {
      const alone = await lengthOf(said, '')
      for (const [at, length] of lengths.entries()) {
        // Base64 rounds to four characters for three bytes.
        expect(Math.abs((await lengthOf(said, 'x'.repeat(length))) - alone - (steps[at] ?? 0))).toBeLessThan(4)
      }
    }
  })
})
