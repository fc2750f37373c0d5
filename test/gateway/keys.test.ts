/** No answer contains the keys of a gateway's models, in any spelling and format, in one piece or in two. */

import { describe, expect, it } from 'vitest'
import { httpModel } from '../../src/ask/http-model.ts'
import type { HttpModel } from '../../src/core/question.ts'
import { createScrubber, type GatewayOptions } from '../../src/gateway/index.ts'
import type { Channel } from '../formats/gateway.ts'
import { facts } from '../formats/index.ts'
import { canary, disguises, holdsCanary } from '../support/canary.ts'
import { inTurn, isExhaustive } from '../support/cuts.ts'
import { clients } from '../support/formats.ts'
import { seeded } from '../support/random.ts'
import { contentTypes } from '../support/recorded-model.ts'
import type { Said } from './dialogue.ts'
import { gatewayOf as gatewayWith } from './gateway-of.ts'
import { speakers, toWire, type WireName, wireNames } from './provider.ts'
import { eventsOf } from './wire.ts'

const typeOf = (wire: WireName) => contentTypes[clients[wire].framing]

/** One model of each wire, since the search for its key is made once for each model. */
let answering: () => Response
const settings = { baseUrl: 'https://provider.test', apiKey: canary, fetch: async () => answering() }
const models = wireNames.map((wire) => httpModel(clients[wire], 'm', settings))

/** A gateway whose one model, of this wire, gives the scripted answer, without a network. */
function gatewayOf(wire: WireName, answer: () => Response, options: Partial<GatewayOptions> = {}) {
  answering = answer
  const gateway = gatewayWith({ models: { m: models[wireNames.indexOf(wire)] as HttpModel }, ...options })
  return (client: WireName, stream: boolean, body = {}) => gateway.ask(client, 'm', 'Hello', { body, stream })
}

/** The events of a provider that sends these two pieces of JSON strings one after the other. */
function saying(wire: WireName, channel: Channel, first: string, second: string): string {
  const whole = first + second
  if (channel === 'arguments') {
    const pieces = speakers[wire].pieces({ calls: [{ id: 'c1', name: 'f', args: { a: 'ÄÖ' } }] } as unknown as Said)
    const text = (json: string) => JSON.stringify(json).slice(1, -1)
    return pieces
      .join('')
      .replaceAll(text('{"a":"ÄÖ"}'), `${text('{"a":"')}${whole}${text('"}')}`)
      .replaceAll(`"${text('{"a":')}"`, `"${text('{"a":"')}${first}"`)
      .replaceAll(`"${text('"ÄÖ"}')}"`, `"${second}${text('"}')}"`)
  }
  return speakers[wire]
    .pieces({ [channel]: 'ÄÖ' } as Said)
    .join('')
    .replaceAll('"ÄÖ"', `"${whole}"`)
    .replaceAll('"Ä"', `"${first}"`)
    .replaceAll('"Ö"', `"${second}"`)
}

/** Ways to write a text into JSON; each cut anywhere that leaves two strings. */
const embeddings: Readonly<Record<string, (text: string) => string>> = {
  said: (text) => JSON.stringify(text).slice(1, -1),
  written: (text) => text,
}
function isString(text: string): boolean {
  try {
    return typeof JSON.parse(`"${text}"`) === 'string'
  } catch {
    return false
  }
}
function* cutsOf(text: string, step: number): Generator<[string, string]> {
  for (let at = 1; at < text.length; at += step) {
    const [first, second] = [text.slice(0, at), text.slice(at)]
    if (isString(first) && isString(second)) yield [first, second]
  }
}

/** The event with this text of the answer. */
function frameOf(wire: WireName, text: string): string {
  const pieces = speakers[wire].pieces({ text: 'ÄÖ' })
  return (pieces.find((piece) => piece.includes('"Ä"')) ?? '').replaceAll('"Ä"', JSON.stringify(text))
}

/** The events before and after those with the text. */
function around(wire: WireName): { readonly head: string; readonly tail: string } {
  const pieces = speakers[wire].pieces({ text: 'ÄÖ' })
  const at = pieces.findIndex((piece) => piece.includes('"Ä"'))
  return { head: pieces.slice(0, at).join(''), tail: pieces.slice(at + 2).join('') }
}

function piecesOf(text: string, most: number, random: () => number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const length = 1 + Math.floor(random() * most)
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return pieces
}

const withUsage = { stream_options: { include_usage: true } }
const streamed = (wire: WireName, text: string) => () =>
  new Response(toWire(text), { headers: { 'content-type': typeOf(wire) } })
const escaped = [
  'JSON with \\/',
  'JSON with \\u002b',
  'JSON with \\u002B',
  'JSON, all letters escaped',
  'JSON in JSON',
  'base64 with \\/',
]

const cases = wireNames.flatMap((wire) => Object.keys(disguises).map((name) => [wire, name] as const))

/**
 * One search reads the texts of all wires, so that each disguise is tried on one wire, and the next one on the next. Where the texts of a wire
 * stand is the subject of `keys-in-streams.test.ts`.
 */
const spread = Object.keys(disguises).map((name, at) => [wireNames[at % wireNames.length] as WireName, name] as const)

describe('keys in two pieces', () => {
  it.each(isExhaustive ? cases : spread)('of %s are in no answer, cut anywhere: %s', async (wire, name) => {
    const key = disguises[name]?.(canary) ?? ''
    const other = wire === 'gemini' ? 'openai-chat' : 'gemini'
    const found: string[] = []
    let count = 0
    for (const channel of facts[wire].gateway.channels) {
      for (const how of escaped.includes(name) ? ['said', 'written'] : ['said']) {
        const written = `of ${embeddings[how]?.(key)}.`
        const coarse = Math.max(2, Math.ceil(written.length / 10))
        const step = (channel === 'text' ? 1 : 3) * (isExhaustive ? 1 : coarse)
        for (const [first, second] of cutsOf(written, step)) {
          const text = saying(wire, channel, first, second)
          const asking = gatewayOf(wire, streamed(wire, text), { wholeAnswers: 'stream' })
          const clients = [[wire, true] as const, [other, true] as const]
          // A whole answer and a stream of another wire are written of the same events: cuts of the text are asked for as either, in turn.
          if (channel === 'text' && (isExhaustive || count % 4 < 2))
            clients.splice(isExhaustive ? 2 : 1, 1, [wire, false] as never)
          for (const [client, stream] of clients) {
            const answer = await (await asking(client, stream)).text()
            count++
            if (!answer.includes('[redacted]') || holdsCanary(answer))
              found.push(`${client} ${stream} ${channel} ${how} ${first}|${second}\n${answer}`)
          }
        }
      }
    }
    expect(count).toBeGreaterThan(20)
    expect(found.slice(0, 3)).toEqual([])
  })
})

describe('keys in many pieces', () => {
  it.each(wireNames)('of %s are in no stream that is passed through, in any number of pieces', async (wire) => {
    const random = seeded(14)
    for (const [at, [name, disguise]] of Object.entries(disguises).entries()) {
      const text = `It is ${disguise(canary)}, and ${disguise(canary)} again`
      // As `inTurn`: of the sizes, one is tried on each wire, so that each size of each disguise is tried on one wire or on two.
      const sizes = [1, 3, 12]
      const turn = (at + wireNames.indexOf(wire)) % sizes.length
      for (const most of isExhaustive ? sizes : sizes.slice(turn, turn + 1)) {
        const { head, tail } = around(wire)
        const pieces = piecesOf(text, most, random).map((piece) => frameOf(wire, piece))
        const answer = await (await gatewayOf(wire, streamed(wire, head + pieces.join('') + tail))(wire, true)).text()
        expect(holdsCanary(answer), `${name}, ${most}`).toBe(false)
        expect(answer.match(/\[redacted\]/g)).toHaveLength(2)
      }
    }
  })
})

describe('streams without a key', () => {
  const likes = [
    'sk-',
    'sk-canary',
    'sk-canary/Zq8+',
    'c2stY2FuYXJ5L1px',
    '736b2d63616e',
    '%73%6b',
    '%7',
    '&#1',
    '&amp',
    'R&',
    '\\',
    '\\u00',
    '\\n',
    '5 %',
    ' ',
    'é',
    '🙂',
    's',
    'a',
  ]

  it.each(inTurn(wireNames, 2))(
    'of %s pass unchanged, byte by byte, also if their text is similar to a key',
    async (wire) => {
      const random = seeded(15)
      const pick = () => likes[Math.floor(random() * likes.length)] as string
      for (let round = 0; round < (isExhaustive ? 100 : 40); round++) {
        const text = `${Array.from({ length: 12 }, pick).join('')}!`
        const { head, tail } = around(wire)
        const sent =
          head +
          piecesOf(text, 6, random)
            .map((piece) => frameOf(wire, piece))
            .join('') +
          tail
        const answer = await (await gatewayOf(wire, streamed(wire, sent))(wire, true, withUsage)).text()
        expect(answer).toBe(sent)
      }
    },
  )

  it.each(wireNames)('of %s are not held back: each text arrives before the next one is sent', async (wire) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const sent = around(wire).head + frameOf(wire, 'Yes')
    const bytes = toWire(sent)
    void writer.write(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes)
    const asking = gatewayOf(wire, () => new Response(readable, { headers: { 'content-type': typeOf(wire) } }))
    const reader = (await asking(wire, true)).body?.pipeThrough(new TextDecoderStream()).getReader()
    let seen = ''
    while (seen !== sent) seen += (await reader?.read())?.value ?? ''
    expect(seen).toBe(sent)
    await reader?.cancel()
  })
})

describe('a stream that ends in the midst of a key', () => {
  const said = async (text: string) => {
    const answer = await gatewayOf('ollama', streamed('ollama', saying('ollama', 'text', text, '')))('ollama', true)
    return eventsOf('ollama', await answer.text())
      .map((event) => event.message.content)
      .join('')
  }

  it('passes on its beginning, because it is not a key', async () => {
    expect(await said('It is sk-canary')).toBe('It is sk-canary')
  })

  it('does not pass on half of it', async () => {
    expect(await said('It is sk-canary/Zq8+W')).toBe('It is [redacted]')
  })
})

/** Half of the key, from which on a part of it is a secret; and in bytes of base64, whose first and last digits have bits of other bytes too. */
const [half, most] = [15, 18]
/** Each part of the key that has this length. */
const partsOf = (length: number) =>
  Array.from({ length: canary.length - length + 1 }, (_, start) => canary.slice(start, start + length))

describe('parts of a key', () => {
  const scrub = createScrubber([canary])
  /** Whether half of the key is in it, in any disguise. */
  const holdsHalf = (text: string) => partsOf(half).some((part) => holdsCanary(text, part))

  it.each(Object.entries(disguises))(
    'from half of it on are cut out of a text, and no other text: %s',
    (name, disguise) => {
      const isBase64 = name.startsWith('base64')
      for (let length = isBase64 ? most : half; length <= canary.length; length += isExhaustive ? 1 : 3) {
        for (const part of partsOf(length)) {
          const clean = scrub(`Incorrect key: "${disguise(part)}", try again`)
          expect(clean).toMatch(/^Incorrect key: "[\w=]{0,4}(?:[&#;%\w\\]*)\[redacted\][\w=+/-]{0,4}", try again$/)
          expect(holdsHalf(clean), part).toBe(false)
        }
      }
    },
  )

  it('of less than half of it stay', () => {
    for (const part of [...partsOf(half - 1), ...partsOf(4), ...partsOf(1)]) {
      const text = `Incorrect key: "${part}", try again`
      expect(scrub(text)).toBe(text)
    }
  })

  it.each([
    ['a line before it', (part: string) => `{"a":"\\n${part}\\n"}`],
    ['a backslash before it', (part: string) => `{"a":"C:\\\\${part}\\\\"}`],
    ['an escape before it', (part: string) => `{"a":"\\u0041${part}\\u0041"}`],
    [
      'escapes of its own letters',
      (part: string) => `{"a":"\\n\\u00${part.charCodeAt(0).toString(16)}${part.slice(1)}"}`,
    ],
  ])('leave valid JSON: %s', (_, write) => {
    for (const key of ['nu0041b\u00e9key-that-is-long', 'n00e9-u0041-name-of-a-key', canary]) {
      for (let start = 0; start <= key.length - half; start++) {
        const clean = createScrubber([key])(write(key.slice(start)))
        expect(clean).toContain('[redacted]')
        expect(() => JSON.parse(clean)).not.toThrow()
      }
    }
  })

  it('of all lengths of keys: a key without its first or its last letter, and half of it', () => {
    const random = seeded(16)
    const letter = () => 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-'[Math.floor(random() * 64)]
    for (const length of [9, 10, 16, 17, 31, 32, 40, 51, 64, 100, 164, 255, 256, 400, 1700]) {
      const key = Array.from({ length }, letter).join('')
      const cut = createScrubber([key])
      const least = Math.max(8, Math.min(128, Math.ceil(length / 2)))
      const start = Math.floor(random() * (length - least))
      for (const part of [key.slice(1), key.slice(0, -1), key.slice(start, start + least), key.slice(-least)])
        expect(cut(`It is ${part}!`), `${length}`).toBe('It is [redacted]!')
    }
  })
})

describe('parts of a key in many pieces', () => {
  it.each(wireNames)('of %s are in no stream that is passed through, whatever they begin with', async (wire) => {
    const random = seeded(50)
    const lengths = [half, 20, 25, canary.length - 1]
    for (let round = 0; round < (isExhaustive ? 60 : 4); round++) {
      const length = lengths[round % lengths.length] ?? 0
      const start = Math.floor(random() * (canary.length - length + 1))
      const said = `It is ${canary.slice(start, start + length)}! And ${canary.slice(0, half - 1)}.`
      const { head, tail } = around(wire)
      const pieces = piecesOf(said, [1, 2, 5, 12][round % 4] ?? 1, random)
      const sent = head + pieces.map((piece) => frameOf(wire, piece)).join('') + tail
      const answer = await (await gatewayOf(wire, streamed(wire, sent))(wire, true)).text()
      for (const part of partsOf(half)) expect(holdsCanary(answer, part), said).toBe(false)
      expect(answer.match(/\[redacted\]/g), said).toHaveLength(1)
    }
  })
})

describe('keys in one piece', () => {
  it.each(cases)('of %s are in no answer and no error: %s', async (wire, name) => {
    const key = disguises[name]?.(canary) ?? ''
    for (const how of ['said', 'written'] as const) {
      const text = embeddings[how]?.(`of ${key}.`) ?? ''
      if (!isString(text) || (how === 'written' && text === embeddings.said?.(text))) continue
      const put = (body: unknown) => JSON.stringify(body).replaceAll('ÄÖ', text)
      const answers = [
        () =>
          new Response(put(speakers[wire].whole({ text: 'ÄÖ' })), { headers: { 'content-type': 'application/json' } }),
        streamed(wire, speakers[wire].pieces({ text: 'ab' }).join('').replaceAll('"a"', `"${text}"`)),
        streamed(
          wire,
          (speakers[wire].pieces({ text: 'ab' })[0] ?? '') + speakers[wire].errorPiece('ÄÖ').replaceAll('ÄÖ', text),
        ),
        ...[400, 401, 429].map((status) => () => new Response(put(speakers[wire].error(status, 'ÄÖ')), { status })),
      ]
      // Two of the six for each disguise on each wire. So each answer has each disguise on two wires at least, as its code is the same for every
      // disguise, and each answer of each wire has seven disguises at least.
      const turn = Object.keys(disguises).indexOf(name) + wireNames.indexOf(wire)
      for (const [at, answer] of answers.entries()) {
        if (!isExhaustive && at % 3 !== turn % 3) continue
        for (const client of [wire, wire === 'gemini' ? 'ollama' : 'gemini'] as const) {
          const told = await (await gatewayOf(wire, answer)(client, at === 1 || at === 2)).text()
          expect(holdsCanary(told), `${how} ${at} ${client}`).toBe(false)
          if (at < 2) expect(told).toContain('[redacted]')
          if (at === 0) expect(() => JSON.parse(told)).not.toThrow()
        }
      }
    }
  })
})

describe('short keys', () => {
  it.each([8, 11, 12])('of %i characters are cut out', (length) => {
    const key = 'aB3xK9zQ7mW2'.slice(0, length)
    const scrub = createScrubber([key])
    expect(scrub(`It is ${key}!`)).toBe('It is [redacted]!')
    for (const name of ['hex', 'percent-encoded, all letters', 'base64']) {
      expect(scrub(`It is ${disguises[name]?.(key)}!`)).toContain('[redacted]')
    }
  })

  it('of less than 8 characters are words, and stay', () => {
    expect(createScrubber(['ollama'])('The ollama server')).toBe('The ollama server')
  })
})

describe('the scrubber', () => {
  it.each(Object.entries(disguises))('cuts out a key %s, and no other text', (_, disguise) => {
    const clean = createScrubber([canary])(`Incorrect key: "${disguise(canary)}", try again`)
    expect(clean).toMatch(/^Incorrect key: "\w?\w?\w?\[redacted\][\w=]{0,3}", try again$/)
  })

  it.each([
    ['a line before it', '{"a":"\\nname-of-a-key-1"}', 'name-of-a-key-1'],
    ['a backslash before it', '{"a":"C:\\\\name-of-a-key-1"}', 'name-of-a-key-1'],
    ['what looks like an escape before it', '{"a":"at %abcdef0123456"}', 'abcdef0123456'],
    ['escapes of all kinds around it', '{"a":"\\u0041\\\\%41&amp;key%2dof-mine-1\\n\\""}', 'key-of-mine-1'],
  ])('keeps JSON valid: %s', (_, text, key) => {
    const clean = createScrubber([key])(text)
    expect(clean).toContain('[redacted]')
    expect(clean).not.toContain(key)
    expect(() => JSON.parse(clean)).not.toThrow()
  })

  it('takes time in the length of the text, whatever is in it: the square of it would take hours', () => {
    const scrub = createScrubber([canary])
    for (const part of ['\\', '%', '%25', '&amp;', '&', 'sk-', 'sk-canary', '\\u0073', '&#0', 'a']) {
      const text = part.repeat(300_000 / part.length)
      expect(scrub(text)).toBe(text)
    }
  })
})
