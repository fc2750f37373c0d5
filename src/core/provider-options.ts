/**
 * The fields of each format that isoglot has no option for, with the types that the vendors document. Types only: other fields may be given
 * too, and are sent as they are. Words that a vendor lists can grow, so that any text is allowed beside them.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 * @see https://developers.openai.com/api/reference/resources/chat, https://developers.openai.com/api/reference/resources/responses
 * @see https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/interactions
 * @see https://docs.ollama.com/api/chat
 * @see https://docs.cohere.com/reference/chat
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (all read 2026-11)
 * @module
 */
import type { Json, ProviderData } from './blocks.ts'
import type { Known } from './model-names.ts'

/** Fields of a format, under its name: those that are known here have a type, and all others are any JSON. */
export type ProviderOptions = ProviderData & KnownProviderOptions

/** The fields by the names of their formats. A dialect has the fields of its format. */
interface KnownProviderOptions {
  readonly anthropic?: AnthropicFields
  readonly 'openai-chat'?: OpenaiChatFields
  readonly 'openai-responses'?: OpenaiResponsesFields
  readonly gemini?: GeminiFields
  readonly 'gemini-interactions'?: GeminiInteractionsFields
  readonly ollama?: OllamaFields
  readonly cohere?: CohereFields
  readonly 'bedrock-converse'?: BedrockFields
}

/** Other fields are any JSON: `ProviderData` says so of all of them. */
interface Fields {
  [field: string]: unknown
}

interface AnthropicFields extends Fields {
  service_tier?: Known<'auto' | 'standard_only'>
  speed?: Known<'standard' | 'fast'>
  inference_geo?: string
  /** The id of a container that an earlier answer has named, or its settings. */
  container?: string | { [field: string]: Json }
  /** Caching without hints of yours: the API chooses the places. */
  cache_control?: Fields & { type: 'ephemeral'; ttl?: Known<'5m' | '1h'> }
  /** Sent as the header `anthropic-beta`. */
  anthropic_beta?: string[]
}

interface OpenaiChatFields extends Fields {
  n?: number
  logprobs?: boolean
  /** From 0 to 20. */
  top_logprobs?: number
  logit_bias?: { [token: string]: number }
  verbosity?: Known<'low' | 'medium' | 'high'>
  modalities?: Known<'text' | 'audio'>[]
  audio?: Fields & { voice: string; format: Known<'wav' | 'mp3' | 'flac' | 'opus' | 'pcm16'> }
  prediction?: Fields & { type: 'content'; content: Json }
  store?: boolean
  metadata?: { [key: string]: string }
  safety_identifier?: string
  prompt_cache_key?: string
  service_tier?: Known<'auto' | 'default' | 'flex' | 'scale' | 'priority' | 'fast'>
  web_search_options?: Fields & { search_context_size?: Known<'low' | 'medium' | 'high'>; user_location?: Json }
}

interface OpenaiResponsesFields extends Fields {
  /** Whether OpenAI keeps the response, so that the next request can refer to it. */
  store?: boolean
  previous_response_id?: string
  conversation?: string | { id: string }
  include?: Known<
    | 'reasoning.encrypted_content'
    | 'web_search_call.action.sources'
    | 'code_interpreter_call.outputs'
    | 'message.output_text.logprobs'
  >[]
  reasoning?: Fields & {
    summary?: Known<'auto' | 'concise' | 'detailed'>
    context?: Known<'auto' | 'current_turn' | 'all_turns'>
    mode?: Known<'standard' | 'pro'>
  }
  text?: Fields & { verbosity?: Known<'low' | 'medium' | 'high'> }
  top_logprobs?: number
  metadata?: { [key: string]: string }
  service_tier?: Known<'auto' | 'default' | 'flex' | 'scale' | 'priority' | 'fast' | 'ultrafast'>
  prompt_cache_key?: string
  prompt_cache_options?: { [field: string]: Json }
  background?: boolean
  safety_identifier?: string
  context_management?: Json
}

interface GeminiFields extends Fields {
  safetySettings?: {
    category: Known<
      | 'HARM_CATEGORY_HARASSMENT'
      | 'HARM_CATEGORY_HATE_SPEECH'
      | 'HARM_CATEGORY_SEXUALLY_EXPLICIT'
      | 'HARM_CATEGORY_DANGEROUS_CONTENT'
    >
    threshold: Known<'OFF' | 'BLOCK_NONE' | 'BLOCK_ONLY_HIGH' | 'BLOCK_MEDIUM_AND_ABOVE' | 'BLOCK_LOW_AND_ABOVE'>
  }[]
  /** The name of a cache, such as `cachedContents/abc`. */
  cachedContent?: string
  labels?: { [key: string]: string }
  serviceTier?: string
  store?: boolean
  generationConfig?: Fields & {
    candidateCount?: number
    responseLogprobs?: boolean
    logprobs?: number
    responseModalities?: Known<'TEXT' | 'IMAGE' | 'AUDIO'>[]
    mediaResolution?: string
    speechConfig?: { [field: string]: Json }
    imageConfig?: { [field: string]: Json }
    thinkingConfig?: Fields & { includeThoughts?: boolean; thinkingBudget?: number; thinkingLevel?: string }
  }
}

interface GeminiInteractionsFields extends Fields {
  /** Whether Google keeps the interaction, so that the next request can refer to it. */
  store?: boolean
  previous_interaction_id?: string
  background?: boolean
  service_tier?: Known<'flex' | 'standard' | 'priority' | 'deferred'>
  labels?: { [key: string]: string }
  safety_settings?: { type: string; threshold: string; method?: string }[]
  generation_config?: Fields & { thinking_summaries?: Known<'auto' | 'none'> }
}

interface OllamaFields extends Fields {
  /** How long the model stays loaded: `5m`, `-1` for ever, `0` not at all. */
  keep_alive?: string | number
  /** `false`: input that is longer than the window is an error, in place of being cut. */
  truncate?: boolean
  shift?: boolean
  logprobs?: boolean
  top_logprobs?: number
  options?: Fields & {
    /** The window, in tokens. */
    num_ctx?: number
    min_p?: number
    typical_p?: number
    repeat_penalty?: number
    repeat_last_n?: number
    num_keep?: number
  }
}

interface CohereFields extends Fields {
  documents?: (string | { id?: string; data: { [field: string]: string } })[]
  citation_options?: Fields & { mode: Known<'ENABLED' | 'DISABLED' | 'FAST' | 'ACCURATE' | 'OFF'> }
  safety_mode?: Known<'CONTEXTUAL' | 'STRICT' | 'OFF'>
  logprobs?: boolean
  /** 0 comes first. */
  priority?: number
}

interface BedrockFields extends Fields {
  /** Fields of the model's own body. */
  additionalModelRequestFields?: { [field: string]: Json }
  additionalModelResponseFieldPaths?: string[]
  guardrailConfig?: Fields & {
    guardrailIdentifier: string
    guardrailVersion: string
    trace?: Known<'disabled' | 'enabled' | 'enabled_full'>
    streamProcessingMode?: Known<'sync' | 'async'>
  }
  performanceConfig?: Fields & { latency?: Known<'standard' | 'optimized'> }
  serviceTier?: Fields & { type: Known<'default' | 'flex' | 'priority' | 'reserved'> }
  requestMetadata?: { [key: string]: string }
  promptVariables?: { [name: string]: { text: string } }
}
