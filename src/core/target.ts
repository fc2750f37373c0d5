/** What a format takes at one provider, of one model. Types only. @module */

import type { IdRule } from './ids.ts'
import type { ContentBlock, Loss, RequestOptions, ToolDefinition } from './messages.ts'

/** A feature that a format may lack. The first are options. */
export type Feature =
  | 'topK'
  | 'seed'
  | 'stop'
  | 'frequencyPenalty'
  | 'presencePenalty'
  | 'parallelToolCalls'
  | 'user'
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

/** Whom a request is for, and what it takes: `prepare` changes a conversation and its options by it, before a format encodes them. */
export interface Target {
  /** The codec's name: unknown fields, unknown blocks and tools of other formats are left out. */
  readonly format: string
  /** The provider's name: proofs of other providers are left out. */
  readonly provider: string
  /** The provider's name for people, in errors. */
  readonly title: string

  // ---- what it has a field for
  /** The features that it lacks. Default: it takes all that a request can have, also what other formats keep. */
  readonly unsupported?: ReadonlySet<Feature>
  /** The fields of `providerState` that it takes. Default: none. */
  readonly states?: readonly ('previousResponseId' | 'continuationToken' | 'conversationId' | 'containerId')[]
  /** Writes the schemas of tools as it takes them. Default: as they are. */
  readonly fitTool?: ToolFitting

  /** Which ids of calls are legal. */
  readonly callId: IdRule
  /** Which names of tools are legal. */
  readonly toolName: IdRule

  // ---- which messages and blocks it takes
  /** Types of block that a tool's result may hold beside text. Others move to a user message after the results. */
  readonly resultMedia: ReadonlySet<ContentBlock['type']>
  /** Reasoning without a proof that is valid here: `keep` it as reasoning, make it `text`, or `drop` it. */
  readonly foreignReasoning: 'keep' | 'text' | 'drop'
  /** System and developer messages after the first other message: `keep` them there, make them `user` text, or `hoist` them to the head. */
  readonly lateInstructions: 'keep' | 'user' | 'hoist'
  /**
   * Whether system messages with settings or blocks that only this format has stay where they are, such as Anthropic's changes of tools.
   * Default false.
   */
  readonly keepsOwnInstructions?: boolean
  /** Whether a conversation has to begin with a user message. */
  readonly userFirst: boolean
  /** Whether a conversation has to end with a user message or a result. Default false, except for models that do not continue answers. */
  readonly userLast?: boolean
  /** Whether the provider refuses an empty message. */
  readonly refusesEmpty: boolean
  /** When it refuses a call that it ran itself if the result is missing, and a result without its call. Default: never. */
  readonly pairsHosted?: 'always' | 'unless paused'
  /** Whether the provider goes on with a paused answer that is sent back to it. Default false. */
  readonly resumesPaused?: boolean
  /** Whether a result that is an error may hold only text. Default false. */
  readonly textErrors?: boolean
  /** Whether an assistant message must stand between a tool's result and a user message (old Mistral models). Default false. */
  readonly bridgesResults?: boolean
  /**
   * Whether the format can continue from a stored answer. With `providerState.previousResponseId` or `conversationId`, results before the
   * first assistant turn then stay as they are: they answer calls that only the provider has. Default false.
   */
  readonly chains?: boolean
  /**
   * Whether `pause` means that the provider waits for consent to a tool of its own. A run then ends as `manual`. Default false: a run sends
   * the answer back, and the provider goes on.
   */
  readonly pausesForConsent?: boolean
}

/**
 * Fits a definition: the tool with a schema that the host takes, or `undefined` if it cannot be sent. The other tools are sent then.
 * `names` receives the names of parameters that are renamed.
 */
export type ToolFitting = (
  tool: ToolDefinition,
  path: string,
  losses: Losses,
  names: Map<string, ReadonlyMap<string, string>>,
) => ToolDefinition | undefined

/** The losses of one encoding. */
export interface Losses {
  /** The name of the target in error messages, such as `Anthropic`. */
  readonly target: string
  readonly list: Loss[]
  readonly strict: RequestOptions['strict']
  /**
   * Places in the caller's lists, by the place in the encoded lists, for losses that an encoder reports. Empty until the end of `prepare`,
   * which knows the caller's places itself.
   */
  readonly places: Map<string, string>
}
