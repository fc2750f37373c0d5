/**
 * The allowed fields of an Interactions request. Nothing is stored at the provider, so requests that continue a stored answer are refused,
 * and so are agents and background requests.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 * @module
 */
import * as v from 'valibot'
import {
  description,
  facts,
  fraction,
  id,
  imageTypes,
  max,
  name,
  natural,
  object,
  several,
  text,
  whole,
} from './fields.ts'

const textContent = v.strictObject({ type: v.literal('text'), text, annotations: v.optional(facts) })
const image = v.strictObject({
  type: v.literal('image'),
  data: text,
  mime_type: imageTypes,
  resolution: v.optional(v.picklist(['low', 'medium', 'high', 'ultra_high'])),
})
const content = v.variant('type', [textContent, image])
const contents = v.pipe(v.array(content), v.maxLength(max.parts))
const signature = v.optional(text)

/** A step, or content of the user in place of a step. */
const step = v.variant('type', [
  v.strictObject({ type: v.literal('user_input'), content: contents }),
  v.strictObject({ type: v.literal('model_output'), content: v.optional(contents) }),
  v.strictObject({ type: v.literal('thought'), signature, summary: v.optional(contents) }),
  v.strictObject({ type: v.literal('function_call'), id, name, arguments: object, signature }),
  v.strictObject({
    type: v.literal('function_result'),
    call_id: id,
    name: v.optional(name),
    result: v.union([text, contents, object]),
    is_error: v.optional(v.boolean()),
    signature,
  }),
  textContent,
  image,
])

const tool = v.strictObject({
  type: v.literal('function'),
  name,
  description: v.optional(description),
  parameters: v.optional(object),
})

const mode = v.picklist(['auto', 'any', 'none', 'validated'])
const allowed = v.strictObject({ mode: v.optional(mode), tools: v.pipe(v.array(name), v.maxLength(max.tools)) })

const generationConfig = v.strictObject({
  temperature: v.optional(fraction(2)),
  top_p: v.optional(fraction(1)),
  seed: v.optional(whole),
  max_output_tokens: v.optional(natural),
  stop_sequences: v.optional(v.pipe(v.array(text), v.maxLength(max.stops))),
  thinking_level: v.optional(v.picklist(['minimal', 'low', 'medium', 'high'])),
  thinking_summaries: v.optional(v.picklist(['auto', 'none'])),
  tool_choice: v.optional(v.union([mode, v.strictObject({ allowed_tools: allowed })])),
})

/** A whole request. */
export const interactionsRequest: v.GenericSchema = v.strictObject({
  model: text,
  input: v.union([text, several(step, max.messages)]),
  system_instruction: v.optional(text),
  tools: v.optional(v.pipe(v.array(tool), v.maxLength(max.tools))),
  generation_config: v.optional(generationConfig),
  response_format: v.optional(
    v.strictObject({
      type: v.literal('text'),
      mime_type: v.optional(v.picklist(['text/plain', 'application/json'])),
      schema: v.optional(object),
    }),
  ),
  store: v.optional(v.literal(false)),
  stream: v.optional(v.boolean()),
})
