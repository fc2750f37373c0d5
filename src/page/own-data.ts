/**
 * Values of the application for the page, among the events of a run: a status, sources, metadata of the message. No model gets them.
 *
 * @module
 */

import { applyEvent } from '../client/apply-event.ts'
import type { RunData, RunRequest } from '../client/request.ts'
import type { RunResult, StreamEvent } from '../client/result.ts'
import { checkOptions } from '../core/checks.ts'
import { IsoglotError } from '../core/errors.ts'
import { compact } from '../core/json.ts'
import type { AssistantMessage, Message, Metadata } from '../core/messages.ts'
import type { AnyData, DataEvent, DataOf, DataWriter } from '../tools/types.ts'
import { jsonOf } from './page-blocks.ts'

/** Options of `ownData`. */
export interface OwnDataOptions<Data extends object = AnyData> {
  /**
   * Called with the result of the run, before the page gets the end of the events. What it writes still belongs to the last answer: a cost, or
   * the id under which a database has it. It is awaited. If it throws, the run fails with this error. A run that fails does not call it.
   */
  readonly onResult?: (result: RunResult, data: DataWriter<Data>) => void | Promise<void>
}

/** The `data` of one run: what is written arrives among the events of the run. */
export interface OwnData<Data extends object = AnyData> extends DataWriter<Data>, RunData {}

/**
 * Makes the `data` of one run. What is written before the run begins is its first event. A kept value is in the message of the answer: it
 * survives a reload, a storage and a sealed history, and no model gets it. A run that ends without an answer keeps nothing. What is written
 * after the end of the run is dropped.
 *
 * Type parameter: the values by their names, for pages too: `useChat<typeof tools, Data>`.
 *
 * @example
 * ```ts
 * const data = ownData<{ status: string; sources: string[] }>()
 * data.write('status', 'Searching …', { transient: true })
 * data.write('sources', ['https://example.com'])
 * const answer = () => toResponse(stream({ model, prompt: text, data }))
 * ```
 */
export function ownData<Data extends object = AnyData>(options?: OwnDataOptions<DataOf<Data>>): OwnData<DataOf<Data>>
export function ownData(options: OwnDataOptions = {}): OwnData {
  checkOptions('ownData', options)
  let isUsed = false
  let written: StreamEvent[] = []
  let wake = () => {}

  async function* weave(events: Batches, host: Host): AsyncGenerator<readonly StreamEvent[]> {
    if (isUsed) throw new TypeError('Cannot use the data: it belongs to another run; call ownData() for each run')
    isUsed = true
    const answers = answersWithData(host)
    const source = events[Symbol.asyncIterator]()
    let next: Promise<IteratorResult<readonly StreamEvent[]>> | undefined
    try {
      for (;;) {
        if (written.length > 0) {
          const batch = answers.take(written)
          written = []
          if (batch.length > 0) yield batch
          continue
        }
        next ??= source.next()
        const woken = new Promise<void>((resolve) => {
          wake = resolve
        })
        await Promise.race([next.catch(() => {}), woken])
        if (written.length > 0) continue
        const { done, value } = await next
        next = undefined
        if (done) return
        const [event] = value
        if (event?.type === 'done') {
          await options.onResult?.(event.result, data)
          written.push(event)
        } else yield answers.take(value)
      }
    } catch (cause) {
      answers.settle()
      const last = host.added.at(-1)
      if (cause instanceof IsoglotError && cause.partial && last?.role === 'assistant') cause.partial = last
      throw cause
    } finally {
      await source.return?.()
      answers.settle()
    }
  }

  const data = writer((event) => {
    written.push(event) // after the run, nobody reads it
    wake()
  })
  return { ...data, to: writer, weave }
}

type Batches = AsyncIterable<readonly StreamEvent[]>
type Host = { readonly request: RunRequest; readonly added: Message[]; result: RunResult | undefined }

function writer(push: (event: DataEvent) => void): DataWriter {
  const add = (name: string, value: unknown, rest: Pick<DataEvent, 'id' | 'transient' | 'metadata'>) => {
    const copy = jsonOf(value)
    if (typeof name !== 'string' || name === '' || name === 'cacheHint' || name === 'dataParts')
      throw new TypeError(`Cannot write ${JSON.stringify(name)} for the page: it is not a name for own data`)
    if (copy === undefined)
      throw new TypeError(`Cannot write "${name}" for the page: its value is ${typeof value}, which has no JSON`)
    push({ type: 'data', name, value: copy, ...rest })
  }
  return {
    write(name, value, { id, transient } = {}) {
      add(name, value, compact({ id, transient: transient ? true : undefined }))
    },
    setMetadata(name, value) {
      add(name, value, { metadata: true })
    },
  }
}

/** The answers of a run as a page has them, with their data. */
function answersWithData(run: Host) {
  let shown: readonly Message[] = []
  /** Data that no answer has yet. */
  let waiting: readonly DataEvent[] = []
  /** An answer has begun: by its own event, or by data that arrived before that. */
  let open: 'by itself' | 'by data' | undefined
  let isSettled = false
  const prompt = new Set(run.added)

  function add(events: readonly StreamEvent[]): readonly StreamEvent[] {
    for (const event of events) shown = applyEvent(shown, event)
    return events
  }

  function begin(event: Extract<StreamEvent, { type: 'message_start' }>, by: typeof open): readonly StreamEvent[] {
    const [isBegun, held] = [open === 'by data', waiting]
    open = by
    waiting = []
    return [...(isBegun ? [] : add([event])), ...add(held)]
  }

  function next(event: StreamEvent): readonly StreamEvent[] {
    switch (event.type) {
      case 'message_start':
        return begin(event, 'by itself')
      case 'data': {
        if (event.transient || shown.some(isAnswer)) return add([event])
        waiting = [...waiting, event]
        // A run that goes on with calls begins with their results, which belong to the answer before it.
        return run.request.approvals === undefined ? begin({ type: 'message_start' }, 'by data') : []
      }
      case 'message_end': {
        if (open === undefined) shown = [...shown, { role: 'assistant', content: [] }] // of a run that is read whole
        open = undefined
        const before = shown
        add([event])
        if (shown.length === before.length) return [event]
        // The model is asked again: the data of its empty answer go to another one.
        const moved = eventsOf(before.at(-1)?.metadata)
        if (shown.some(isAnswer)) return [event, ...add(moved)]
        waiting = [...waiting, ...moved]
        return [event]
      }
      case 'done':
        settle()
        return [run.result === undefined ? event : { ...event, result: run.result }]
      default:
        return add([event])
    }
  }

  function settle(): void {
    if (!isSettled) giveData(run, prompt, shown)
    isSettled = true
  }

  return { take: (events: readonly StreamEvent[]) => events.flatMap(next), settle }
}

/** Gives the messages and the result of a run the data that the page has of its answers. Those of the prompt get none. */
function giveData(run: Host, prompt: ReadonlySet<Message>, shown: readonly Message[]): void {
  const own = shown.filter(isAnswer).map(({ metadata }) => metadata)
  const changed = new Map<Message, Message>()
  for (const [at, message] of run.added.entries()) {
    const metadata = isAnswer(message) && !prompt.has(message) ? own.shift() : undefined
    if (metadata === undefined) continue
    const whole = { ...message, metadata: { ...message.metadata, ...metadata } }
    changed.set(message, whole)
    run.added[at] = whole
  }
  const { result } = run
  if (result === undefined) return
  const current = <One extends Message>(message: One) => (changed.get(message) ?? message) as One
  const { message, messages, context } = result
  run.result = {
    ...result,
    message: current<AssistantMessage>(message),
    messages: messages.map(current),
    context: { ...context, messages: context.messages.map(current) },
  }
}

function isAnswer({ role }: Message): boolean {
  return role === 'assistant'
}

/** The events that make this metadata. */
function eventsOf({ dataParts = [], ...fields }: Metadata = {}): readonly DataEvent[] {
  return [
    ...dataParts.map(({ at: _, ...part }): DataEvent => ({ type: 'data', ...part })),
    ...Object.entries(fields).map(([name, value]): DataEvent => {
      return { type: 'data', name, value: value as DataEvent['value'], metadata: true }
    }),
  ]
}
