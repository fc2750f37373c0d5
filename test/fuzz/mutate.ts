/** Ways in which a stream can be damaged. Each is a function of the stream and of a seeded generator, so any case can be run again. */

export type Random = () => number

/** A stream to damage: of the wire of one codec. */
export interface Seed {
  readonly name: string
  readonly folder: string
  readonly bytes: Uint8Array
  /** Its events, or lines, with their ends. */
  readonly events: readonly string[]
}

/** The parts of a stream that a kind of damage changes. */
export type Damage = 'bytes' | 'values' | 'events' | 'end'

export interface Mutation {
  readonly kind: string
  readonly damage: Damage
  readonly apply: (seed: Seed, other: Seed, random: Random) => Uint8Array
}

const encoder = new TextEncoder()
const below = (count: number, random: Random) => Math.floor(random() * count)

function withEvents(change: (events: string[], random: Random, other: Seed) => void): Mutation['apply'] {
  return ({ events }, other, random) => {
    const copy = [...events]
    const times = 1 + below(3, random)
    for (let count = 0; count < times && copy.length > 0; count++) change(copy, random, other)
    return encoder.encode(copy.join(''))
  }
}

function withBytes(change: (bytes: number[], random: Random) => void): Mutation['apply'] {
  return ({ bytes }, _, random) => {
    const copy = Array.from(bytes)
    const times = 1 + below(6, random)
    for (let count = 0; count < times; count++) change(copy, random)
    return Uint8Array.from(copy)
  }
}

const deep = (depth: number): unknown => {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const oddities: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  2 ** 53,
  '',
  ' ',
  'constructor',
  '__proto__',
  '\ud800',
  '\u0000',
  '{"a":',
  '{}',
  [],
  [null],
  [[]],
  {},
  { type: 'tool_use' },
  { toString: 1, constructor: null },
  deep(70),
]

/** Puts something odd in the place of one value of the JSON in an event, takes the value away, or gives it another key. */
function oddValue(event: string, random: Random): string {
  const start = event.search(/[{[]/)
  if (start < 0) return event
  const end = event.trimEnd().length
  let json: unknown
  try {
    json = JSON.parse(event.slice(start, end))
  } catch {
    return event
  }
  const places: { holder: Record<string, unknown>; key: string }[] = []
  collect(json, places)
  const place = places[below(places.length, random)]
  if (place === undefined) return event
  const { holder, key } = place
  const choice = random()
  const value = holder[key]
  if (choice < 0.7) holder[key] = oddities[below(oddities.length, random)]
  else delete holder[key]
  if (choice > 0.85) Object.defineProperty(holder, '__proto__', { value, enumerable: true, configurable: true })
  return event.slice(0, start) + JSON.stringify(json) + event.slice(end)
}

function collect(value: unknown, places: { holder: Record<string, unknown>; key: string }[]): void {
  if (typeof value !== 'object' || value === null) return
  const holder = value as Record<string, unknown>
  for (const key of Object.keys(holder)) {
    places.push({ holder, key })
    collect(holder[key], places)
  }
}

export const mutations: readonly Mutation[] = [
  {
    kind: 'flip a bit',
    damage: 'bytes',
    apply: withBytes((bytes, random) => {
      const at = below(bytes.length, random)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8, random))
    }),
  },
  {
    kind: 'delete bytes',
    damage: 'bytes',
    apply: withBytes((bytes, random) => bytes.splice(below(bytes.length, random), 1 + below(8, random))),
  },
  {
    kind: 'insert a byte',
    damage: 'bytes',
    apply: withBytes((bytes, random) => bytes.splice(below(bytes.length, random), 0, below(256, random))),
  },
  {
    kind: 'splice with another wire',
    damage: 'bytes',
    apply: ({ bytes }, other, random) => {
      const head = bytes.subarray(0, below(bytes.length, random))
      const tail = other.bytes.subarray(below(other.bytes.length, random))
      const spliced = new Uint8Array(head.length + tail.length)
      spliced.set(head)
      spliced.set(tail, head.length)
      return spliced
    },
  },
  {
    kind: 'put events of another wire between',
    damage: 'bytes',
    apply: withEvents((events, random, other) => {
      const strange = other.events[below(other.events.length, random)] ?? ''
      events.splice(below(events.length, random), 0, strange)
    }),
  },
  {
    kind: 'put an odd value',
    damage: 'values',
    apply: withEvents((events, random) => {
      const at = below(events.length, random)
      events[at] = oddValue(events[at] ?? '', random)
    }),
  },
  {
    kind: 'drop an event',
    damage: 'events',
    apply: withEvents((events, random) => events.splice(below(events.length, random), 1)),
  },
  {
    kind: 'send an event twice',
    damage: 'events',
    apply: withEvents((events, random) => {
      const at = below(events.length, random)
      events.splice(at, 0, events[at] ?? '')
    }),
  },
  {
    kind: 'swap neighbours',
    damage: 'events',
    apply: withEvents((events, random) => {
      const at = below(events.length, random)
      events.splice(at, 0, ...events.splice(at + 1, 1))
    }),
  },
  {
    kind: 'cut the end off',
    damage: 'end',
    apply: ({ bytes }, _, random) => bytes.subarray(0, below(bytes.length, random)),
  },
]
