/**
 * The names of models, for completion in an editor: those of the table of prices, from which a script makes this file. Types only.
 *
 * @module
 */

/** One of these words, which an editor proposes, or any other text. */
export type Known<Word extends string> = Word | (string & {})

/** The models of `openai` in the table of prices. */
export type OpenaiModel =
  | 'gpt-6-astra'
  | 'gpt-6-sol'
  | 'gpt-6-luna'
  | 'gpt-6.1-sol'
  | 'gpt-6.1-terra'
  | 'gpt-5.6'
  | 'gpt-5.6-sol'
  | 'gpt-5.6-terra'
  | 'gpt-5.6-luna'
  | 'gpt-5.5'
  | 'gpt-5.5-pro'
  | 'gpt-5.4'
  | 'gpt-5.4-pro'
  | 'gpt-5.4-mini'
  | 'gpt-5.4-nano'
  | 'gpt-5.3-codex'
  | 'gpt-5.2'
  | 'gpt-5.2-codex'
  | 'gpt-5.2-pro'
  | 'gpt-5.1'
  | 'gpt-5.1-codex-mini'
  | 'gpt-5'
  | 'gpt-5-pro'
  | 'gpt-5-mini'
  | 'gpt-5-nano'
  | 'gpt-4.1'
  | 'gpt-4.1-mini'
  | 'gpt-4.1-nano'
  | 'gpt-4o'
  | 'gpt-4o-2024-05-13'
  | 'gpt-4o-mini'
  | 'o1-pro'
  | 'o3'
  | 'o3-pro'
  | 'o3-deep-research'
  | 'o4-mini'
  | 'o4-mini-deep-research'

/** The models of `anthropic` in the table of prices. */
export type AnthropicModel =
  | 'claude-fable-5'
  | 'claude-fable-5-1'
  | 'claude-mythos-5'
  | 'claude-mythos-5-1'
  | 'claude-opus-5-5'
  | 'claude-opus-5'
  | 'claude-opus-4-8'
  | 'claude-opus-4-7'
  | 'claude-opus-4-6'
  | 'claude-opus-4-5'
  | 'claude-opus-4-1'
  | 'claude-sonnet-5-5'
  | 'claude-sonnet-5'
  | 'claude-sonnet-4-6'
  | 'claude-sonnet-4-5'
  | 'claude-haiku-5-5'
  | 'claude-haiku-4-5'

/** The models of `gemini` in the table of prices. */
export type GeminiModel =
  | 'gemini-3.8-flash'
  | 'gemini-3.7-flash'
  | 'gemini-3.5-flash'
  | 'gemini-3.5-flash-lite'
  | 'gemini-3.1-pro'
  | 'gemini-3.1-flash-lite'
  | 'gemini-3-pro'
  | 'gemini-3-flash'
  | 'gemini-2.5-pro'
  | 'gemini-2.5-flash'
  | 'gemini-2.5-flash-lite'

/** The models of `xai` in the table of prices. */
export type XaiModel =
  | 'grok-4.7'
  | 'grok-4.6'
  | 'grok-4.5'
  | 'grok-4.3'
  | 'grok-4.20'
  | 'grok-4.20-multi-agent'
  | 'grok-build-0.1'
  | 'grok-4'
  | 'grok-4-1-fast'
  | 'grok-4-fast'
  | 'grok-code-fast-1'
