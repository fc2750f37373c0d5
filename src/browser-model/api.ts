/**
 * The types of the browsers' Prompt API that isoglot uses. Types only, with the names of the draft, so that a polyfill fits too.
 *
 * @see https://webmachinelearning.github.io/prompt-api/ (read 2026-06)
 * @module
 */

/** Whether a browser has the model. */
export type LanguageModelAvailability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

/** A kind of input or output, and its languages. */
export interface LanguageModelExpected {
  readonly type: 'text' | 'image' | 'audio'
  /** BCP 47 tags, such as `en`. */
  readonly languages?: readonly string[]
}

/** Options of a session. `availability` takes the same options. */
export interface LanguageModelUse {
  readonly expectedInputs?: readonly LanguageModelExpected[]
  readonly expectedOutputs?: readonly LanguageModelExpected[]
}

/** A message of the API. */
export interface LanguageModelMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: readonly { readonly type: 'text' | 'image' | 'audio'; readonly value: string | Blob }[]
}

/** Options of a prompt, apart from the messages. */
export interface LanguageModelPromptOptions {
  readonly responseConstraint?: object
  readonly omitResponseConstraintInput?: boolean
  readonly signal?: AbortSignal
}

/** A session. */
export interface LanguageModelSession {
  /** The number of tokens. */
  readonly contextUsage: number
  readonly contextWindow: number
  promptStreaming(input: readonly LanguageModelMessage[], options?: LanguageModelPromptOptions): ReadableStream<string>
  measureContextUsage(input: readonly LanguageModelMessage[], options?: LanguageModelPromptOptions): Promise<number>
  clone(options?: { readonly signal?: AbortSignal }): Promise<LanguageModelSession>
  destroy(): void
  addEventListener(type: 'contextoverflow', listener: () => void): void
}

/** The type of `globalThis.LanguageModel` in a browser that has the API. */
export interface LanguageModelApi {
  availability(use?: LanguageModelUse): Promise<LanguageModelAvailability>
  create(
    options?: LanguageModelUse & {
      readonly initialPrompts?: readonly LanguageModelMessage[]
      readonly monitor?: (monitor: {
        addEventListener(type: 'downloadprogress', listener: (event: { readonly loaded: number }) => void): void
      }) => void
    },
  ): Promise<LanguageModelSession>
}
