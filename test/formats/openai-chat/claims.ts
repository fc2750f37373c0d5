/** The features and quirks that recordings of Chat Completions claim, and how each is seen. */
import type { JsonObject } from '../../../src/core/messages.ts'
import { havingField } from '../../support/raw.ts'
import {
  all,
  any,
  type Check,
  claimsOf,
  detail,
  isJson,
  isStream,
  type List,
  lacks,
  not,
  some,
  toolCalls,
  twice,
} from '../claims.ts'

/** The calls of an answer by their name and the text of their arguments, pieces joined: by index, else by id, else to the last. */
function chatCalls(raw: readonly JsonObject[]): { name: string; text: string }[] {
  const calls = new Map<unknown, { name: string; text: string }>()
  let key: unknown
  for (const call of toolCalls(raw)) {
    key = call.index ?? (call.id || key)
    const { name, arguments: text } = (call.function ?? {}) as JsonObject
    const known = calls.get(key) ?? { name: '', text: '' }
    calls.set(key, { name: known.name || String(name ?? ''), text: known.text + String(text ?? '') })
  }
  return [...calls.values()]
}
const chatNames: List = (raw) => chatCalls(raw).map(({ name }) => name)
const chatTool =
  (is: (call: JsonObject, own: JsonObject) => boolean): Check =>
  ({ raw }) =>
    toolCalls(raw).some((call) => is(call, (call.function ?? {}) as JsonObject))
const anyCall = chatTool(() => true)
/** A later piece of a call: one that has pieces of arguments, and none of its kind begins there. */
const laterPiece =
  (is: (call: JsonObject, own: JsonObject) => boolean): Check =>
  ({ raw }) => {
    const seen = new Set<unknown>()
    return toolCalls(raw).some((call) => {
      const isLater = seen.has(call.index)
      seen.add(call.index)
      return isLater && is(call, (call.function ?? {}) as JsonObject)
    })
  }
const chunk = (is: (chunk: JsonObject, choice: JsonObject, delta: JsonObject) => boolean): Check =>
  all(isStream, ({ raw }) =>
    raw.some((one) => {
      const [choice = {}] = (one.choices ?? []) as JsonObject[]
      return is(one, choice, (choice.delta ?? {}) as JsonObject)
    }),
  )
const saysText = ({ content }: JsonObject) => (Array.isArray(content) ? content.length > 0 : Boolean(content))
const chatText: Check = any(
  some('content', ({ content, role }) => typeof content === 'string' && content !== '' && role !== 'user'),
  /"type":"text","text":"[^"]/,
)

export const claims = claimsOf({
  text: chatText,
  call: anyCall,
  names: chatNames,
  features: {
    usage: any(some('usage', ({ usage }) => Boolean(usage))),
    'max-tokens': /"finish_reason":"length"/,
    'no-text': not(any(chatText, anyCall, /"error":/)),
    'tool-no-args': ({ raw }) => chatCalls(raw).some(({ text }) => /^(?:\{\})?$/.test(text)),
    'legacy-function-call': /"function_call":/,
    reasoning: any(
      some('reasoning_content', (one) => Boolean(one.reasoning_content)),
      some('reasoning', (one) => Boolean(one.reasoning)),
      /"type":"thinking"/,
    ),
    'reasoning-signature': /"signature":/,
    'reasoning-encrypted': /"type":"reasoning\.encrypted"/,
    'usage-reasoning': detail('reasoning_tokens'),
    'usage-cached': any(detail('cached_tokens'), detail('prompt_cache_hit_tokens'), detail('num_cached_tokens')),
    refusal: some('refusal', ({ refusal }) => Boolean(refusal)),
    'content-filter': /"finish_reason":"content_filter"/,
    error: any(/"error":/, /"errors":/, /"internalCode":/),
    logprobs: some('logprobs', ({ logprobs }) => Boolean(logprobs)),
    'multi-choice': some('index', (one) => one.index === 1 && ('delta' in one || 'message' in one)),
    citations: any(/"url_citation":/, /"citations":/),
    'web-search': any(/"search_results":/, /"citations":/),
    'system-prompt': { asked: /"role":"(?:system|developer)"/ },
    'tools-declared': { asked: /"(?:tools|functions)":\[\{/ },
    'tool-choice': { asked: /"(?:tool_choice|function_call)":/ },
    'tool-result-input': { asked: /"role":"(?:tool|function)"/ },
    'reasoning-replay': { asked: /"reasoning(?:_content|_details)?":["[]/ },
    'structured-output': { asked: /"response_format":\{.*"json_(?:schema|object)"/ },
    'stop-sequences-param': { asked: /"stop":["[]/ },
    'image-input': { asked: /"type":"image_url"/ },
    'document-input': { asked: /"type":"file"/ },
    'audio-input': { asked: /"type":"input_audio"/ },
    'cache-control': { asked: /"cache_control":\{/ },
  },
  quirks: {
    'azure:content_filter_results': /"content_filter_results":/,
    'azure:prompt_filter_results': /"prompt_filter_results":/,
    'content-empty-with-tool-calls': some(
      'tool_calls',
      ({ content, tool_calls: calls }) => content === '' && calls !== null,
    ),
    'chunk-without-choices': all(isStream, ({ raw }) => raw.some(lacks('choices'))),
    'content-is-object': some(
      'content',
      ({ content }) => typeof content === 'object' && !Array.isArray(content) && content !== null,
    ),
    'content-is-array': some('content', ({ content }) => Array.isArray(content)),
    'content-null': /"content":null/,
    'empty-choices-chunk': chunk(({ choices, usage }) => (choices as unknown[])?.length === 0 && !usage),
    'empty-response-id': chunk(({ id }) => id === ''),
    'field:native_finish_reason': /"native_finish_reason":/,
    'field:provider': /"provider":/,
    'field:reasoning': some('reasoning', ({ reasoning }) => Boolean(reasoning)),
    'field:reasoning_content': some('reasoning_content', (one) => Boolean(one.reasoning_content)),
    'finish-repeated': all(isStream, twice(/"finish_reason":"/g)),
    'finish-with-content': chunk(
      (_, { finish_reason: reason }, delta) => Boolean(reason) && (saysText(delta) || Boolean(delta.tool_calls)),
    ),
    'finish:eos': /"finish_reason":"eos"/,
    'native-frames': all(/"response":/, not(/"choices":/)),
    'missing-tool-index': all(isStream, chatTool(lacks('index'))),
    'no-finish-reason': all(isStream, not(some('finish_reason', (one) => Boolean(one.finish_reason)))),
    'obfuscation-padding': /"obfuscation":/,
    'reasoning_details:reasoning.encrypted': /"type":"reasoning\.encrypted"/,
    'reasoning_details:reasoning.summary': /"type":"reasoning\.summary"/,
    'reasoning_details:reasoning.text': /"type":"reasoning\.text"/,
    'role-on-every-chunk': ({ raw }) => {
      const deltas = havingField(raw, 'delta').filter(({ delta }) => delta !== null)
      return deltas.length > 2 && deltas.every(({ delta }) => Object.hasOwn(delta as JsonObject, 'role'))
    },
    'several-tool-calls-in-one-chunk': chunk(
      (_, __, { tool_calls: calls }) => Array.isArray(calls) && calls.length > 1,
    ),
    'sse-comment': { framing: /^:/m },
    'sse-stray-line': all(isStream, { framing: /^(?!data:|event:|id:|retry:|:)./m }),
    'tool-args-absent': chatTool((_, own) => (own.arguments ?? null) === null),
    'tool-args-invalid-json': ({ raw }) => chatCalls(raw).some(({ text }) => text !== '' && !isJson(text)),
    'tool-calls-with-finish:length': all(anyCall, /"finish_reason":"length"/),
    'tool-calls-with-finish:stop': all(anyCall, /"finish_reason":"stop"/),
    'tool-id-empty-in-deltas': laterPiece(({ id }) => id === ''),
    'tool-id-null-in-deltas': laterPiece(({ id }) => id === null),
    'tool-id-repeated-in-deltas': laterPiece(({ id }) => Boolean(id)),
    'tool-index-in-message': all(
      not(isStream),
      chatTool(({ index }) => index !== undefined),
    ),
    'tool-index-not-from-zero': all(isStream, ({ raw }) => Number(toolCalls(raw)[0]?.index) > 0),
    'tool-name-empty-in-deltas': chatTool((_, own) => own.name === ''),
    'tool-name-null-in-deltas': chatTool((_, own) => own.name === null),
    'tool-name-repeated-in-deltas': laterPiece((_, own) => Boolean(own.name)),
    'tool-type-absent': chatTool((call, own) => Boolean(own.name) && lacks('type')(call)),
    'tool_calls-empty-array': /"tool_calls":\[\]/,
    'tool_calls-null': /"tool_calls":null/,
    'usage-cost': /"cost":/,
    'usage-in-x_groq': /"x_groq":/,
    'usage-on-content-chunk': chunk(
      ({ usage }, { finish_reason: reason }, delta) => Boolean(usage) && !reason && Object.keys(delta).length > 0,
    ),
    'usage-on-finish-chunk': chunk(
      ({ usage, x_groq: groq }, { finish_reason: reason }) =>
        Boolean(reason) && Boolean(usage ?? (groq as JsonObject | undefined)?.usage),
    ),
    'usage-only-chunk': chunk(({ usage, choices }) => Boolean(usage) && (choices as unknown[])?.length === 0),
    'whole-tool-call-in-one-delta': all(
      isStream,
      chatTool(({ id }, own) => Boolean(id && own.name) && own.arguments !== ''),
    ),
  },
})
