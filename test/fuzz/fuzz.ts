/** Damaged streams through the whole way of every codec: what may come of one is events, or an isoglot error. */

import { contents, writeEvents } from '../../bench/lib/streams.mjs'
import { canRunTools, toolCallsOf } from '../../src/core/content.ts'
import { IsoglotError } from '../../src/core/errors.ts'
import type { AssistantMessage, ToolCall } from '../../src/core/messages.ts'
import { casesOf } from '../support/corpus.ts'
import { type Decoded, decodeChunks } from '../support/decode.ts'
import { type Format, formats } from '../support/formats.ts'
import { cut, seeded } from '../support/random.ts'
import { type Mutation, mutations, type Seed } from './mutate.ts'

/** Longer streams take so long that fewer cases would be tried, in bytes. */
const maxBytes = 6_000
/** A case that takes longer hangs, in milliseconds. Far more than any needs, since machines pause. */
const hangMs = 5000

export interface FuzzOptions {
  readonly seed: number
  readonly count: number
  /** Stops earlier than `count` after this time. */
  readonly seconds?: number
  /** Reports the work done so far, from time to time. */
  readonly onProgress?: (done: number) => void
}

export interface FuzzReport {
  readonly cases: number
  readonly seeds: number
  /** How many ended in which way, by the error's name or `events`. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly slowestMs: number
  /** The failures, each with all that is needed to run it again. */
  readonly failures: readonly string[]
}

/** Runs that many cases. Case `n` of a seed is the same in every run. */
export function fuzz({ seed, count, seconds = Number.POSITIVE_INFINITY, onProgress }: FuzzOptions): FuzzReport {
  const seeds = allSeeds()
  const originals = new Map<Seed, readonly ToolCall[]>()
  const outcomes: Record<string, number> = {}
  const failures: string[] = []
  const before = fingerprint()
  const started = performance.now()
  let slowestMs = 0
  let cases = 0
  for (; cases < count && failures.length < 10; cases++) {
    if (cases % 256 === 0 && performance.now() - started > seconds * 1000) break
    if (cases % 50_000 === 0) onProgress?.(cases)
    const random = seeded(seed * 0x9e3779b1 + cases)
    const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
    const [subject, other, mutation] = [pick(seeds), pick(seeds), pick(mutations)]
    const format = formats.find(({ folder }) => folder === subject.folder) as Format
    const chunks = cut(mutation.apply(subject, other, random), 1 + Math.floor(random() * 4), random)
    const begun = performance.now()
    const decoded = decodeChunks(format.client, chunks)
    const elapsedMs = performance.now() - begun
    slowestMs = Math.max(slowestMs, elapsedMs)
    const outcome = decoded.error?.name ?? 'events'
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    let known = originals.get(subject)
    if (known === undefined) {
      known = callsIn(decodeChunks(format.client, [subject.bytes]))
      originals.set(subject, known)
    }
    const wrong = [
      ...(elapsedMs > hangMs ? [`took ${Math.round(elapsedMs)} ms`] : []),
      ...(fingerprint() === before ? [] : ['a prototype has changed']),
      ...faults(decoded),
      ...strangeCalls(mutation, decoded, known),
    ]
    for (const what of wrong) failures.push(`seed ${seed}, case ${cases}, ${mutation.kind}, ${subject.name}: ${what}`)
  }
  return { cases, seeds: seeds.length, outcomes, slowestMs, failures }
}

function allSeeds(): readonly Seed[] {
  const calls = contents.parallel(400).calls?.slice(0, 6) ?? []
  const said = { text: contents.text(24), arguments: contents.arguments(24), parallel: { calls } }
  const made = ['anthropic', 'gemini', 'ollama', 'openai-chat', 'openai-responses'].flatMap((folder) =>
    Object.entries(said).map(([kind, content]) =>
      seedOf(`${folder}, made up ${kind}`, folder, writeEvents(folder, content).join('')),
    ),
  )
  const recorded = formats.flatMap(({ folder }) =>
    casesOf(folder)
      .filter(({ kind, bytes }) => kind !== 'json' && bytes.length > 0 && bytes.length <= maxBytes)
      .map(({ id, text }) => seedOf(id, folder, text)),
  )
  return [...made, ...recorded]
}

function seedOf(name: string, folder: string, text: string): Seed {
  const events = text.split(folder === 'ollama' ? /(?<=\n)/ : /(?<=\r?\n\r?\n)/)
  return { name, folder, bytes: new TextEncoder().encode(text), events }
}

/** All that pollution of a prototype would change. */
function fingerprint(): string {
  return [Object.prototype, Array.prototype, String.prototype, Function.prototype]
    .map((prototype) => Object.getOwnPropertyNames(prototype).length + Object.keys(prototype).length)
    .join()
}

/** Faults that no stream may cause. */
function faults({ events, error }: Decoded): string[] {
  if (error !== undefined && !(error instanceof IsoglotError)) return [`untyped ${error.name}: ${error.message}`]
  const ends = events.filter(({ type }) => type === 'message_end').length
  const message = messageOf(events, error)
  const found: string[] = []
  if (ends > 1) found.push('two ends')
  if (error === undefined && ends === 0) found.push('neither an end nor an error')
  if (error !== undefined && error.partial === undefined) found.push('an error without what came before it')
  if (error !== undefined && message !== undefined && canRunTools(message)) found.push('a broken answer may run tools')
  if (message !== undefined && JSON.stringify(JSON.parse(JSON.stringify(message))) !== JSON.stringify(message)) {
    found.push('a message that is not plain data')
  }
  for (const call of message === undefined ? [] : toolCallsOf(message)) {
    const isExact = JSON.stringify(JSON.parse(call.argumentsText?.trim() || '{}')) === JSON.stringify(call.arguments)
    if (!isExact) found.push(`a call whose arguments are not its text: ${call.argumentsText}`)
    if (call.name === '' || call.complete !== true) found.push('a call without a name, or that is not complete')
  }
  return found
}

function messageOf(events: Decoded['events'], error: Decoded['error']): AssistantMessage | undefined {
  const end = events.find((event) => event.type === 'message_end')
  return end?.type === 'message_end' ? end.message : error?.partial
}

function callsIn({ events, error }: Decoded): readonly ToolCall[] {
  const message = messageOf(events, error)
  return message === undefined ? [] : toolCallsOf(message)
}

/**
 * Complete calls that the stream never made. A cut may add none and change none. Where an event is lost, doubled or moved, text within a
 * call may be too, which only its wire can show: but no call may have another name, and no more of them may be than were sent.
 */
function strangeCalls({ damage }: Mutation, decoded: Decoded, known: readonly ToolCall[]): string[] {
  const calls = callsIn(decoded)
  const same = (call: ToolCall) =>
    known.some((one) => one.name === call.name && one.argumentsText === call.argumentsText)
  if (damage === 'end') {
    return calls.filter((call) => !same(call)).map((call) => `a cut made the call ${call.name}(${call.argumentsText})`)
  }
  if (damage !== 'events') return []
  const names = new Set(known.map(({ name }) => name))
  return calls.filter(({ name }) => !names.has(name)).map(({ name }) => `a lost event made a call of ${name}`)
}
