/**
 * The fields of each format that isoglot has no word for, and that cost and decide nothing more.
 *
 * @module
 */
import * as v from 'valibot'
import { isObject } from '../../core/json.ts'
import type { WireName } from '../../gateway/types.ts'

/** Not `v.looseObject`: it would lose keys such as `__proto__`, which a schema may have. */
const object = v.custom<object>(isObject)
const schema = v.optional(object)
const flag = v.optional(v.boolean())
const text = v.optional(v.string())
/** A request that does not say `store` means true. The Worker stores nothing. */
const store = v.optional(
  v.pipe(
    v.boolean(),
    v.transform(() => false),
  ),
)
const upTo = (most: number) => v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(most)))
const one = v.optional(v.literal(1))
const verbosity = v.optional(v.picklist(['low', 'medium', 'high']))

/** The options of each format. @see the pages of the formats' request bodies, in the codecs. */
export const ownFields: Readonly<Record<WireName, v.GenericSchema>> = {
  'openai-chat': v.strictObject({
    n: one,
    store,
    verbosity,
    response_format: v.optional(v.strictObject({ type: v.literal('text') })),
    stream_options: v.optional(v.strictObject({ include_usage: flag, include_obfuscation: flag })),
  }),
  'openai-responses': v.strictObject({
    store,
    include: v.optional(v.array(v.literal('reasoning.encrypted_content'))),
    stream_options: v.optional(v.strictObject({ include_obfuscation: flag })),
    text: v.optional(v.strictObject({ verbosity, format: v.optional(v.strictObject({ type: v.literal('text') })) })),
    reasoning: v.optional(v.strictObject({ summary: v.optional(v.picklist(['auto', 'concise', 'detailed'])) })),
  }),
  anthropic: v.strictObject({
    output_config: v.optional(
      v.strictObject({ effort: v.optional(v.picklist(['low', 'medium', 'high', 'xhigh', 'max'])) }),
    ),
    thinking: v.optional(
      v.strictObject({
        type: v.optional(v.picklist(['adaptive', 'between_tools'])),
        display: v.optional(v.picklist(['summarized', 'omitted'])),
      }),
    ),
  }),
  gemini: v.strictObject({
    toolConfig: v.optional(
      v.strictObject({ functionCallingConfig: v.strictObject({ mode: v.optional(v.literal('VALIDATED')) }) }),
    ),
    systemInstruction: v.optional(v.strictObject({ role: text })),
    generationConfig: v.optional(
      v.strictObject({
        candidateCount: one,
        responseMimeType: v.optional(v.picklist(['text/plain', 'application/json'])),
        responseSchema: schema,
        responseJsonSchema: schema,
        thinkingConfig: v.optional(
          v.strictObject({
            includeThoughts: flag,
            thinkingLevel: text,
            thinkingBudget: v.optional(v.pipe(v.number(), v.integer(), v.minValue(-1))),
          }),
        ),
      }),
    ),
  }),
  'gemini-interactions': v.strictObject({
    store,
    generation_config: v.optional(v.strictObject({ thinking_summaries: v.optional(v.picklist(['auto', 'none'])) })),
  }),
  ollama: v.strictObject({
    format: v.optional(v.picklist(['', 'json'])),
    options: v.optional(v.strictObject({ min_p: upTo(1), repeat_penalty: upTo(2) })),
  }),
  cohere: v.strictObject({
    strict_tools: flag,
    documents: v.optional(
      v.pipe(v.array(v.union([v.string(), v.strictObject({ id: text, data: object })])), v.maxLength(100)),
    ),
    citation_options: v.optional(v.strictObject({ mode: text })),
    safety_mode: v.optional(v.picklist(['CONTEXTUAL', 'STRICT', 'OFF'])),
  }),
  'bedrock-converse': v.strictObject({}),
  isoglot: v.strictObject({}),
}

/** Fields of messages, blocks and tools that a user's program writes. */
export const ownPartFields: readonly string[] = [
  'anthropic.eager_input_streaming',
  'anthropic.is_error',
  'anthropic.type',
  'bedrock-converse.json',
  'bedrock-converse.strict',
  'cohere.document', // the data of a text
  'gemini.functionResponse.response',
  'gemini.parameters',
  'gemini.parametersJsonSchema',
]

/** Fields of an answer's items that a client sends back with others: they are left out. An id may name an item of another user. */
export const leftOut: readonly string[] = ['openai-responses.id', 'openai-responses.status', 'openai-responses.type']

/** Fields of an answer that change how its model reads it. Others are left out. */
export const keptOfAnswers: readonly string[] = [
  'openai-responses.message.phase',
  'openai-responses.namespace',
  'cohere.toolPlan',
]
