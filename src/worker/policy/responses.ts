/**
 * The allowed fields of a Responses request. Nothing is stored at the provider, so requests that continue a stored answer are refused.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create (read 2026-11)
 * @module
 */
import * as v from 'valibot'
import {
  description,
  facts,
  fraction,
  helpers,
  id,
  imageUrl,
  max,
  name,
  natural,
  object,
  several,
  text,
} from './fields.ts'

const inputText = v.strictObject({ type: v.literal('input_text'), text })
const inputImage = v.strictObject({
  type: v.literal('input_image'),
  image_url: imageUrl,
  detail: v.optional(v.picklist(['auto', 'low', 'high', 'original'])),
  file_id: v.optional(v.null()),
})
const inputParts = several(v.variant('type', [inputText, inputImage]), max.parts)
const outputText = v.strictObject({
  type: v.literal('output_text'),
  text,
  annotations: facts,
  logprobs: facts,
  parsed: helpers,
})
const refusal = v.strictObject({ type: v.literal('refusal'), refusal: text })

/** The prefixes of ids that our encoder of this format makes. */
const madeId = /^[a-z]+_iso_/
/**
 * Fields that every item of an answer has, and that a client sends back. An id may name an item that the provider stored for another user
 * of the account, so it is left out. An id that our encoder made names no stored item. It stays, because it shows that another provider
 * answered.
 */
const marks = {
  id: v.nullish(
    v.pipe(
      id,
      v.transform((given) => (madeId.test(given) ? given : undefined)),
    ),
  ),
  status: v.nullish(v.picklist(['in_progress', 'completed', 'incomplete'])),
}

const inputMessage = v.strictObject({
  type: v.optional(v.literal('message')),
  role: v.picklist(['user', 'system', 'developer']),
  content: v.union([text, inputParts]),
  ...marks,
})
const outputMessage = v.strictObject({
  type: v.optional(v.literal('message')),
  role: v.literal('assistant'),
  content: v.union([text, v.pipe(v.array(v.variant('type', [outputText, refusal])), v.maxLength(max.parts))]),
  phase: v.nullish(v.picklist(['commentary', 'final_answer'])),
  ...marks,
})
const message = v.variant('role', [inputMessage, outputMessage])
const item = v.variant('type', [
  v.strictObject({
    type: v.literal('function_call'),
    call_id: id,
    name,
    arguments: text,
    namespace: v.nullish(v.string()),
    parsed_arguments: helpers,
    ...marks,
  }),
  v.strictObject({
    type: v.literal('function_call_output'),
    call_id: id,
    output: v.union([text, inputParts]),
    ...marks,
  }),
  v.strictObject({
    type: v.literal('reasoning'),
    summary: v.array(v.strictObject({ type: v.literal('summary_text'), text })),
    content: v.nullish(v.array(v.strictObject({ type: v.literal('reasoning_text'), text }))),
    encrypted_content: v.nullish(text),
    ...marks,
  }),
])

const tool = v.strictObject({
  type: v.literal('function'),
  name,
  description: v.nullish(description),
  parameters: v.nullish(object),
  strict: v.nullish(v.boolean()),
})

const format = v.variant('type', [
  v.strictObject({ type: v.picklist(['text', 'json_object']) }),
  v.strictObject({
    type: v.literal('json_schema'),
    name,
    description: v.optional(description),
    schema: object,
    strict: v.nullish(v.boolean()),
  }),
])

/** Without its id and its proof, a reasoning item is useless to OpenAI. */
const input = v.pipe(
  several(v.union([message, item]), max.messages),
  v.transform((items) =>
    items.filter(
      (one) => one.type !== 'reasoning' || typeof one.encrypted_content === 'string' || typeof one.id === 'string',
    ),
  ),
)

/** A whole request. */
export const responsesRequest: v.GenericSchema = v.strictObject({
  model: text,
  input: v.union([text, input]),
  instructions: v.nullish(text),
  stream: v.nullish(v.boolean()),
  stream_options: v.nullish(v.strictObject({ include_obfuscation: v.optional(v.boolean()) })),
  max_output_tokens: v.nullish(natural),
  store: v.nullish(v.literal(false)),
  include: v.nullish(v.array(v.literal('reasoning.encrypted_content'))),
  tools: v.nullish(v.pipe(v.array(tool), v.maxLength(max.tools))),
  tool_choice: v.nullish(
    v.union([v.picklist(['none', 'auto', 'required']), v.strictObject({ type: v.literal('function'), name })]),
  ),
  parallel_tool_calls: v.nullish(v.boolean()),
  text: v.nullish(
    v.strictObject({
      format: v.optional(format),
      verbosity: v.nullish(v.picklist(['low', 'medium', 'high'])),
    }),
  ),
  reasoning: v.nullish(
    v.strictObject({
      effort: v.nullish(v.picklist(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
      summary: v.nullish(v.picklist(['auto', 'concise', 'detailed'])),
    }),
  ),
  temperature: v.nullish(fraction(2)),
  top_p: v.nullish(fraction(1)),
})
