/**
 * The path of a loss counts the caller's own lists, whatever was dropped, moved or joined before: a block that cannot be sent has its own place.
 *
 * Conversations are made at random: turns that failed, blank texts, results out of order and of no call, and media in messages and results.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ContentBlock, Loss, Message } from '../../src/core/messages.ts'
import { toolCall } from '../../src/messages/block.ts'
import { facts } from '../formats/index.ts'
import { wires } from '../support/answers.ts'
import { tidy, untidy } from '../support/conversations.ts'
import { isExhaustive } from '../support/cuts.ts'
import { clients } from '../support/formats.ts'
import { madeRequests } from '../support/made-requests.ts'
import { seeded } from '../support/random.ts'
import { type Asked, sendFor } from '../support/silence.ts'

const trials = isExhaustive ? 300 : 30
const url = 'https://example.com/a'
const media: Readonly<Record<string, ContentBlock>> = {
  'a picture by its address': { type: 'image', url: `${url}.png` },
  'a picture': { type: 'image', mimeType: 'image/tiff', data: 'SUkqAA==' },
  'a sound': { type: 'audio', mimeType: 'audio/flac', data: 'ZkxhQw==' },
  'a film': { type: 'video', mimeType: 'video/mp4', data: 'AAAA' },
  'a file by its address': { type: 'file', url: `${url}.bin`, mimeType: 'application/octet-stream' },
  'a block of a format that there is not': { type: 'unknown', format: 'zz', providerType: 'z', value: {} },
}

/** A conversation, and the places of the medium in it. */
function conversation(medium: ContentBlock, random: () => number): { messages: Message[]; places: Set<string> } {
  const pick = (count: number) => Math.floor(random() * count)
  const messages: Message[] = []
  const places = new Set<string>()
  const content = (most = 6): ContentBlock[] =>
    Array.from({ length: 1 + pick(most) }, (_, at) => {
      const kind = pick(5)
      if (kind < 2) {
        places.add(`messages[${messages.length}].content[${at}]`)
        return medium
      }
      return { type: 'text', text: kind === 2 ? ' ' : `words ${at}` }
    })
  for (let turn = 0; turn < 4; turn++) {
    if (pick(3) === 0) messages.push({ role: 'assistant', content: [], stopReason: 'error' })
    messages.push({ role: 'user', content: content() })
    const calls = Array.from({ length: pick(3) }, (_, at) =>
      toolCall(`call_${turn}_${at}`, 'f', { a: at }, { index: at }),
    )
    messages.push({ role: 'assistant', content: [{ type: 'text', text: 'Wait' }, ...calls] })
    for (const { id } of pick(2) === 0 ? calls : calls.toReversed())
      messages.push({ role: 'tool', toolCallId: id, name: 'f', content: content() })
    if (pick(4) === 0) messages.push({ role: 'tool', toolCallId: 'none', content: content() })
  }
  messages.push({ role: 'user', content: [...content(), { type: 'text', text: 'Go on' }] })
  return { messages, places }
}

describe.each(wires)('%s', (wire) => {
  const codec = clients[wire]
  const encode = (messages: readonly Message[]) =>
    codec.encodeRequest({ messages }, { model: 'm', strict: false }).losses

  it.each(Object.entries(media))('%s that cannot be sent has its own place', (_what, medium) => {
    const random = seeded(20_261_129)
    for (let trial = 0; trial < trials; trial++) {
      const { messages, places } = conversation(medium, random)
      const lost = encode(messages).filter(({ action, severity }) => action === 'dropped' && severity === 'major')
      for (const { path } of lost) {
        const [place = path] = /^messages\[\d+\]\.content\[\d+\]/.exec(path) ?? []
        expect([...places], `trial ${trial}: ${path}`).toContain(place)
      }
      expect(new Set(lost.map(({ path }) => path)).size, `trial ${trial}`).toBe(lost.length)
    }
  })
})

/** What stands at the path of the caller's request; `undefined` if it has no such place. */
function valueAt(asked: Asked, path: string): unknown {
  const steps = path.split(/\.|\[(\d+)\]\.?/).filter((step) => step !== undefined && step !== '')
  const whole: unknown = { ...asked.context, options: asked.options }
  return steps.reduce((value, step) => (value as Record<string, unknown> | undefined)?.[step], whole)
}

/** The losses whose path is no place of the request. What was invented may be missing in it, but not the thing that has it. */
function lostElsewhere(asked: Asked, losses: readonly Loss[]): string[] {
  const isThere = ({ path, action }: Loss) =>
    valueAt(asked, path) !== undefined ||
    (action === 'invented' && valueAt(asked, path.replace(/(?:^|\.)[^.[]*$/, '') || 'messages') !== undefined)
  return losses.filter((loss) => !isThere(loss)).map(({ path, reason }) => `${path}: ${reason}`)
}

const contexts = fc.sample(fc.oneof(untidy, tidy), { numRuns: isExhaustive ? 1000 : 100, seed: 20_261_129 })

describe.each(wires)('%s', (wire) => {
  it('names only places that the request has', () => {
    const [model] = facts[wire].models
    const made = [
      ...madeRequests(model),
      ...contexts.map((messages): Asked => ({ context: { messages }, options: { model } })),
    ]
    const found = made.flatMap((asked) =>
      lostElsewhere(asked, sendFor(clients[wire])(asked).losses).map((what) => `${what} of ${JSON.stringify(asked)}`),
    )
    expect(found).toEqual([])
  })
})
