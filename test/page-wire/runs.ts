/** Runs for a page, from recorded answers and from events of a test. */

import { expect } from 'vitest'
import { type Run, type RunRequest, type RunResult, type StreamEvent, stream } from '../../src/index.ts'
import type { PageRules } from '../../src/page/response.ts'
import { type CorpusCase, casesOf } from '../support/corpus.ts'
import { type Format, formats } from '../support/formats.ts'
import { bodyOf } from '../support/makers.ts'
import { recordedAnswer, recordedModel } from '../support/recorded-model.ts'

/** A page that may see all that a page can see. */
export const everything: PageRules = { usage: true, model: true, warnings: true, tools: 'all', serverTools: 'all' }

export const start = { type: 'message_start' } as const
export const text = (piece: string) => ({ type: 'text_delta', index: 0, text: piece }) as const
/** A piece of the arguments of a call of `f`. */
export const callChunk = (argumentsDelta: string, index = 0) =>
  ({ type: 'tool_call_chunk', index, chunk: { type: 'tool_call_chunk', id: 'c', name: 'f', argumentsDelta } }) as const

/** Every recorded stream, with the format that reads it. */
export const recorded: readonly (readonly [id: string, format: Format, one: CorpusCase])[] = formats.flatMap((format) =>
  casesOf(format.folder)
    .filter(({ kind }) => kind !== 'json')
    .map((one) => [one.id, format, one] as const),
)

/** A run with a recorded answer in chunks of 50 bytes. */
export function recordedRun({ client }: Format, one: CorpusCase, request: Partial<RunRequest> = {}): Run {
  const model = { ...recordedModel(client, one), fetch: async () => recordedAnswer(one, inChunks(one.bytes, 50)) }
  return stream({ model, prompt: 'Hi', retries: 0, strict: false, ...request })
}

/** Bytes as a body that arrives in chunks of this size. */
export function inChunks(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  return bodyOf(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size)),
  )
}

/** All bytes of a response. */
export async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer())
}

export interface Outcome {
  readonly events: readonly StreamEvent[]
  readonly result?: RunResult
  /** The exception, of any class. */
  readonly error?: unknown
}

/** Reads a run to its end. */
export async function outcomeOf(run: Run): Promise<Outcome> {
  const events: StreamEvent[] = []
  try {
    for await (const event of run) events.push(event)
    return { events, result: await run.response }
  } catch (error) {
    return { events, error }
  }
}

/** A run of these events, one a batch. It throws `error` at its end if there is one, and never ends at `null`. */
export function scripted(events: readonly (StreamEvent | null)[], error?: unknown): Run & { readonly isLeft: boolean } {
  const state = { isLeft: false, isStopped: (_: unknown) => {} }
  const stopped = new Promise((_, reject) => {
    state.isStopped = reject
  })
  stopped.catch(() => {})
  async function* batches() {
    let isDone = false
    try {
      for (const event of events) {
        if (event === null) await stopped
        else yield [event]
      }
      isDone = true
      if (error !== undefined) throw error
    } finally {
      state.isLeft = !isDone
    }
  }
  return {
    batches,
    async *[Symbol.asyncIterator]() {
      for await (const batch of batches()) yield* batch
    },
    async *text() {},
    response: new Promise(() => {}),
    messages: [],
    partial: undefined,
    streamId: undefined,
    async stop() {
      state.isStopped(new DOMException('stopped', 'AbortError'))
    },
    get isLeft() {
      return state.isLeft
    },
  }
}

/** A chunk of the UI message stream. */
export interface UiChunk {
  readonly type: string
  readonly [field: string]: unknown
}

/** The chunks of a response for `useChat`, without the mark of its end. */
export async function uiChunksOf(response: Response): Promise<readonly UiChunk[]> {
  const blocks = (await response.text()).split('\n\n').slice(0, -1)
  expect(blocks.at(-1)).toBe('data: [DONE]')
  return blocks.slice(0, -1).map((block) => JSON.parse(block.slice('data: '.length)))
}
