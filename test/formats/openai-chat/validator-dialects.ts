/**
 * The rules of Chat Completions servers that differ from OpenAI: only from dialects.md, by the name of the provider.
 *
 * @see wire/dialects.md
 */
import { words } from '../validator.ts'

export interface ChatRules {
  /** §1 `toolIds`. */
  readonly callId?: RegExp
  /** §1 `systemRole`: only OpenAI's own reasoning models know `developer`. */
  readonly developer?: true
  /** §1 `multipleSystem`: one, and first. */
  readonly oneSystem?: true
  /** §1 `toolResultName`. */
  readonly resultName?: 'needed' | 'refused'
  /** §6: after `tool` must come `assistant` or `tool`. */
  readonly bridgesResults?: true
  /** §6: the last must be user or tool, "or Assistant with prefix True". Perplexity: "Last message must have role `user`" (litellm#3918). */
  readonly lastIsUser?: true | 'or prefix'
  /** §11: user and assistant in turns. */
  readonly alternates?: true
  /** §11: it has no tools. */
  readonly withoutTools?: true
  /** §4: no image parts. §11 (Cerebras): text. */
  readonly textOnly?: true
  /** §1 `reasoningOut`: fields of an assistant message beside the common ones. */
  readonly reasoning?: ReadonlySet<string>
  /** §4: `reasoning_content`, be it empty, on every assistant turn with calls and after. §11, Moonshot: on every turn with calls. */
  readonly needsReasoning?: 'from first calls' | 'with calls'
  /** §6: `thinking` parts in an assistant's content. */
  readonly thinkingParts?: true
  /** Part types of user messages beside text, image_url, input_audio and file. */
  readonly parts?: ReadonlySet<string>
  /** Part types of those that are not taken. */
  readonly withoutParts?: ReadonlySet<string>
  /** §1 `maxTokensField`. */
  readonly maxTokens: 'max_completion_tokens' | 'max_tokens'
  /** §1 `strictField`. */
  readonly strict?: 'absent' | 'boolean' | 'uniform'
  /** ollama.md §8: images only as base64, results as a string. */
  readonly inlineImages?: true
  /** OpenAI's own fields (`store` … `prompt_cache_*`). */
  readonly openai?: true
}

const common: ChatRules = { maxTokens: 'max_tokens' }
const openai: ChatRules = {
  maxTokens: 'max_completion_tokens',
  developer: true,
  callId: /^.{1,40}$/, // openai-chat.md §2.4
  resultName: 'refused', // openai-chat.md §2.1
  openai: true,
}

const special: Readonly<Record<string, ChatRules>> = {
  openai,
  'azure-openai': openai,
  xai: common, // §3: reasoning is not replayed
  deepseek: {
    ...common,
    textOnly: true,
    reasoning: words('reasoning_content'),
    needsReasoning: 'from first calls',
    strict: 'absent',
  },
  groq: { ...common, reasoning: words('reasoning') },
  mistral: {
    ...common,
    callId: /^[A-Za-z0-9]{9}$/,
    oneSystem: true,
    resultName: 'needed',
    bridgesResults: true,
    lastIsUser: 'or prefix',
    thinkingParts: true,
    parts: words('document_url'),
    withoutParts: words('file'),
  },
  openrouter: {
    ...common,
    reasoning: words('reasoning reasoning_details'),
    parts: words('video_url'),
  },
  'vercel-gateway': { ...common, reasoning: words('reasoning reasoning_details') },
  'gemini-chat': common,
  gemini: common,
  ollama: { ...common, reasoning: words('reasoning'), inlineImages: true, withoutParts: words('file input_audio') },
  vllm: { ...common, oneSystem: true, reasoning: words('reasoning reasoning_content') },
  moonshot: { ...common, reasoning: words('reasoning_content'), needsReasoning: 'with calls' },
  llamacpp: { ...common, reasoning: words('reasoning_content') },
  cerebras: { ...common, textOnly: true, reasoning: words('reasoning'), strict: 'uniform' },
  lmstudio: { ...common, strict: 'boolean' },
  perplexity: { ...common, alternates: true, withoutTools: true, oneSystem: true, lastIsUser: true },
}

export function chatRulesOf(provider: string): ChatRules {
  return Object.hasOwn(special, provider) ? (special[provider] as ChatRules) : common
}
