/**
 * The allowed fields of a Chat Completions request.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create (read 2026-11)
 * @module
 */
import * as v from 'valibot'
import {
  description,
  facts,
  fraction,
  functionFields,
  helpers,
  id,
  imageUrl,
  max,
  name,
  natural,
  object,
  penalty,
  several,
  text,
} from './fields.ts'

const textPart = v.strictObject({ type: v.literal('text'), text })
const imagePart = v.strictObject({
  type: v.literal('image_url'),
  image_url: v.strictObject({ url: imageUrl, detail: v.optional(v.picklist(['auto', 'low', 'high', 'original'])) }),
})
const refusalPart = v.strictObject({ type: v.literal('refusal'), refusal: text })
const words = v.union([text, several(textPart, max.parts)])
const call = v.strictObject({
  id,
  type: v.literal('function'),
  function: v.strictObject({ name, arguments: text, parsed_arguments: helpers }),
})

const message = v.variant('role', [
  v.strictObject({ role: v.picklist(['system', 'developer']), content: words, name: v.optional(name) }),
  v.strictObject({
    role: v.literal('user'),
    content: v.union([text, several(v.variant('type', [textPart, imagePart]), max.parts)]),
    name: v.optional(name),
  }),
  v.strictObject({
    role: v.literal('assistant'),
    content: v.nullish(v.union([text, several(v.variant('type', [textPart, refusalPart]), max.parts)])),
    name: v.optional(name),
    refusal: v.nullish(text),
    // Fields of an answer that a client sends back. The second one contains proofs of other providers.
    reasoning_content: v.nullish(text),
    reasoning_details: v.nullish(v.array(object)),
    annotations: facts,
    audio: v.optional(v.null()),
    function_call: v.optional(v.null()),
    parsed: helpers,
    tool_calls: v.optional(several(call, max.tools)),
  }),
  v.strictObject({ role: v.literal('tool'), tool_call_id: id, content: words }),
])

const tool = v.strictObject({
  type: v.literal('function'),
  function: v.strictObject({ ...functionFields, strict: v.nullish(v.boolean()) }),
})

const format = v.variant('type', [
  v.strictObject({ type: v.picklist(['text', 'json_object']) }),
  v.strictObject({
    type: v.literal('json_schema'),
    json_schema: v.strictObject({
      name,
      description: v.optional(description),
      schema: v.optional(object),
      strict: v.nullish(v.boolean()),
    }),
  }),
])

/** A whole request. */
export const chatRequest: v.GenericSchema = v.strictObject({
  model: text,
  messages: several(message, max.messages),
  stream: v.nullish(v.boolean()),
  stream_options: v.nullish(
    v.strictObject({ include_usage: v.optional(v.boolean()), include_obfuscation: v.optional(v.boolean()) }),
  ),
  max_tokens: v.optional(natural),
  max_completion_tokens: v.optional(natural),
  n: v.optional(v.literal(1)),
  store: v.nullish(v.literal(false)),
  tools: v.optional(several(tool, max.tools)),
  tool_choice: v.optional(
    v.union([
      v.picklist(['none', 'auto', 'required']),
      v.strictObject({ type: v.literal('function'), function: v.strictObject({ name }) }),
    ]),
  ),
  parallel_tool_calls: v.optional(v.boolean()),
  response_format: v.optional(format),
  reasoning_effort: v.nullish(v.picklist(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
  verbosity: v.nullish(v.picklist(['low', 'medium', 'high'])),
  temperature: v.nullish(fraction(2)),
  top_p: v.nullish(fraction(1)),
  frequency_penalty: v.nullish(penalty),
  presence_penalty: v.nullish(penalty),
  seed: v.nullish(v.pipe(v.number(), v.integer())),
  stop: v.nullish(v.union([text, several(text, max.stops)])),
})
