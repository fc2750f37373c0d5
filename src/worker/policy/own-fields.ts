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
const optionalFlag = v.optional(v.boolean())
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
/** Of Cohere. */
const document = v.strictObject({ id: text, data: object })
const verbosity = v.optional(v.picklist(['low', 'medium', 'high']))

/** The options of each format. @see the pages of the formats' request bodies, in the codecs. */
export const ownFields: Readonly<Record<WireName, v.GenericSchema>> = {
  'openai-chat': v.strictObject({
    n: one,
    store,
    verbosity,
    response_format: v.optional(v.strictObject({ type: v.literal('text') })),
    stream_options: v.optional(v.strictObject({ include_usage: optionalFlag, include_obfuscation: optionalFlag })),
  }),
  'openai-responses': v.strictObject({
    store,
    include: v.optional(v.array(v.literal('reasoning.encrypted_content'))),
    stream_options: v.optional(v.strictObject({ include_obfuscation: optionalFlag })),
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
            includeThoughts: optionalFlag,
            thinkingLevel: v.optional(
              v.picklist(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'minimal', 'low', 'medium', 'high']),
            ),
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
    strict_tools: optionalFlag,
    documents: v.optional(v.pipe(v.array(v.union([v.string(), document])), v.maxLength(100))),
    citation_options: v.optional(v.strictObject({ mode: text })),
    safety_mode: v.optional(v.picklist(['CONTEXTUAL', 'STRICT', 'OFF'])),
  }),
  'bedrock-converse': v.strictObject({}),
  isoglot: v.strictObject({}),
}

/** What has fields of its own. An `answer` is a message of the model or a block in it; a `block` is one of another message. */
export type PartKind = 'message' | 'answer' | 'result' | 'block' | 'tool'

/** By kind and path: fields, and their values. Of an answer they are those that change how its model reads it; others are left out. */
export const ownPartFields: Readonly<Record<PartKind, Readonly<Record<string, v.GenericSchema>>>> = {
  message: {},
  answer: {
    'openai-responses.message.phase': v.picklist(['commentary', 'final_answer']),
    'openai-responses.namespace': v.string(),
    'cohere.toolPlan': v.boolean(),
  },
  result: {
    'anthropic.is_error': v.boolean(),
    'bedrock-converse.json': v.unknown(),
    'gemini.functionResponse.response': object,
  },
  block: { 'cohere.document': document },
  tool: {
    'anthropic.eager_input_streaming': v.boolean(),
    'anthropic.type': v.literal('custom'),
    'bedrock-converse.strict': v.boolean(),
    'gemini.parameters': object,
    'gemini.parametersJsonSchema': object,
  },
}

/** Fields of an answer's items that a client sends back with others: they are left out. An id may name an item of another user. */
export const leftOut: ReadonlySet<string> = new Set([
  'openai-responses.id',
  'openai-responses.status',
  'openai-responses.type',
])

/** The formats in which a tool of the provider's own is a key of an object, which may have several. In others it is a `type`. */
export const toolsByKey: ReadonlySet<string> = new Set(['gemini', 'bedrock-converse'])
