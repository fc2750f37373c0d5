/** The features that formats can lack, and how `without-lacks.ts` removes and reports them. @module */
import type { Loss } from '../core/model.ts'
import { type Losses, placesIn, reportLoss } from './losses.ts'

/** Options that some wire has no field for. */
export type LackedOption =
  | 'topK'
  | 'seed'
  | 'stop'
  | 'frequencyPenalty'
  | 'presencePenalty'
  | 'parallelToolCalls'
  | 'user'

/** A feature that a format may lack. */
export type Lack =
  | LackedOption
  /** Name, description and strictness of a response format. */
  | 'formatDetails'
  | 'strictTools'
  | 'names'
  /** Cache hints of any kind; `toolCacheHints`: those on definitions of tools; `callCacheHints`: on calls and their results. */
  | 'cacheHints'
  | 'toolCacheHints'
  | 'callCacheHints'
  | 'citations'
  /** Citations of a text that is not the assistant's. */
  | 'inputCitations'
  | 'refusals'
  | 'titles'
  | 'imageDetail'
  | 'filenames'
  | 'transcripts'
  /** Calls that a provider runs itself, and their results. */
  | 'serverTools'
  /** A flag for a result that is an error. */
  | 'errorFlag'

/** A format, as this pass needs it. */
export interface Wire {
  /** The codec's name: unknown fields, unknown blocks and tools of other formats are left out. */
  readonly format: string
  /** The provider's name: proofs of other providers are left out. */
  readonly provider: string
  readonly lacks: ReadonlySet<Lack>
  /** Whether earlier reasoning is sent without its proof where that is another provider's; else the codec decides. */
  readonly keepsReasoning: boolean
  /** The fields of `providerState` that it takes. Default: none. */
  readonly states?: readonly ('previousResponseId' | 'continuationToken' | 'conversationId' | 'containerId')[]
}

/** One pass over a request. */
export interface Task {
  readonly wire: Wire
  /** Calls that this provider ran itself: their results are its own too. */
  readonly ownCalls: Set<string>
  readonly target: { readonly format: string; readonly provider: string; readonly model: string }
  readonly losses: Losses
  /** The content is not the assistant's: no wire has a mark for a refusal there. */
  readonly isInput?: true
  /** Set when the pass is over: the losses of the pass itself count the positions in the caller's lists. */
  readonly places: Map<string, string>
}

/** A path in the encoded request, and the same place in the caller's request. */
export interface Spot {
  readonly here: string
  readonly place: string
}

/** A place that is the same in both. */
export function spot(path: string): Spot {
  return { here: path, place: path }
}

/** The place of a field. */
export function inside({ here, place }: Spot, field: string): Spot {
  return { here: `${here}.${field}`, place: `${place}.${field}` }
}

/** Reports that something is not sent. */
export function drop({ losses }: Task, path: string, reason: string, severity?: Loss['severity']): undefined {
  reportLoss(losses, 'dropped', path, reason, severity)
}

/** The object without some of its fields; the same object if it has none of them. */
export function without<T extends object>(thing: T, ...fields: readonly PropertyKey[]): T {
  if (fields.length === 0) return thing
  return Object.fromEntries(Object.entries(thing).filter(([key]) => !fields.includes(key))) as T
}

/** The entries that are left. Where they stood is remembered, so that other losses find the place that the caller wrote. */
export function fitList<T>(
  list: readonly T[],
  { here, place }: Spot,
  task: Task,
  take: (entry: T, spot: Spot, task: Task) => T | undefined,
): readonly T[] {
  const written = placesIn(list)
  const left: T[] = []
  for (const [at, entry] of list.entries()) {
    const next = { here: `${here}[${left.length}]`, place: written?.[at] ?? `${place}[${at}]` }
    const fitted = take(entry, next, task)
    if (fitted === undefined) continue
    if (next.here !== next.place) task.places.set(next.here, next.place)
    left.push(fitted)
  }
  return left.length === list.length && left.every((entry, at) => entry === list[at]) ? list : left
}
