/**
 * The path of a loss counts the caller's own lists, whatever was dropped, moved or joined before: a block that cannot be sent has its own place.
 *
 * Conversations are made at random: turns that failed, blank texts, results out of order and of no call, and media in messages and results.
 */
import { describe, expect, it } from 'vitest'
import type { ContentBlock, Message } from '../../src/core/messages.ts'
import { toolCall } from '../../src/messages/block.ts'
import { wires } from '../support/answers.ts'
import { isExhaustive } from '../support/cuts.ts'
import { clients } from '../support/formats.ts'
import { seeded } from '../support/random.ts'

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
