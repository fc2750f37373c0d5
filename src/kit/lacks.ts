/** The features that formats can lack, and the fields of requests that need them. @module */
import type { Loss } from '../core/model.ts'
import * as reasons from './reasons.ts'

/** Options that some wire has no field for. */
type LackedOption = 'topK' | 'seed' | 'stop' | 'frequencyPenalty' | 'presencePenalty' | 'parallelToolCalls' | 'user'

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

/** The features that a format lacks with a dialect, and what it takes of other formats. */
export interface FormatLacks {
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

/** A field that is removed, and reported, if the format lacks a feature. */
interface LackableField {
  /** The feature. Default: the name of the field. */
  readonly lack?: Lack
  readonly reason: string
  /** The value that says as much as no field, so that its loss is not reported. Default `false`. An empty list is one too. */
  readonly usual?: unknown
  /** Default `dropped`. */
  readonly action?: Loss['action']
  /** Default `info`. */
  readonly severity?: Loss['severity']
  /** The codec says it in other words, so the field stays. */
  readonly isSaid?: true
}

const option = { reason: reasons.option, severity: 'minor' } as const
const detail = { lack: 'formatDetails', reason: 'the target takes the schema only' } as const
const errorFlag = {
  lack: 'errorFlag',
  reason: 'the target has no flag for a failed result: the text says it',
  action: 'changed',
  isSaid: true,
} as const

/** The fields that formats may lack, by the type of the block or by the kind of thing. Results of tools are `tool`, other messages `message`. */
export const lackableFields: Readonly<Record<string, Readonly<Record<string, LackableField>>>> = {
  options: {
    topK: option,
    seed: option,
    stop: option,
    frequencyPenalty: option,
    presencePenalty: option,
    parallelToolCalls: { ...option, usual: true },
    user: { reason: reasons.option },
  },
  responseFormat: { name: detail, description: detail, strict: detail },
  tool_definition: { strict: { lack: 'strictTools', reason: reasons.strictTools, severity: 'minor' } },
  message: {
    name: { lack: 'names', reason: 'the target has no names of participants' },
    split: { reason: 'only "prepare" splits messages' },
  },
  tool: { status: { ...errorFlag, usual: 'success' } },
  text: {
    citations: { reason: reasons.citations, severity: 'minor' },
    refusal: { lack: 'refusals', reason: reasons.refusal, action: 'changed' },
  },
  plain_text: {
    title: { lack: 'titles', reason: reasons.title },
    mimeType: { reason: reasons.mimeType, usual: 'text/plain' },
  },
  image: { detail: { lack: 'imageDetail', reason: 'the target has no levels of detail', usual: 'auto' } },
  audio: { transcript: { lack: 'transcripts', reason: reasons.transcript } },
  file: { filename: { lack: 'filenames', reason: reasons.filename } },
  tool_result: { isError: errorFlag },
}
