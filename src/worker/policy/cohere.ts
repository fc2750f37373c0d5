/**
 * The allowed fields of a Cohere request. Fields that are billed in another way are not allowed.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 * @module
 */
import * as v from 'valibot'
import { fraction, functionFields, id, imageUrl, max, name, natural, object, several, text, whole } from './fields.ts'

const call = v.strictObject({
  id,
  type: v.literal('function'),
  function: v.strictObject({ name, arguments: text }),
})
const textPart = v.strictObject({ type: v.literal('text'), text })
const document = v.union([text, v.strictObject({ id: v.optional(text), data: object })])
const parts = <Part extends v.GenericSchema>(part: Part) =>
  v.union([text, v.pipe(v.array(part), v.maxLength(max.parts))])

const message = v.variant('role', [
  v.strictObject({ role: v.literal('system'), content: parts(textPart) }),
  v.strictObject({
    role: v.literal('user'),
    content: parts(
      v.variant('type', [
        textPart,
        v.strictObject({
          type: v.literal('image_url'),
          image_url: v.strictObject({ url: imageUrl, detail: v.optional(v.picklist(['auto', 'low', 'high'])) }),
        }),
      ]),
    ),
  }),
  v.strictObject({
    role: v.literal('assistant'),
    content: v.optional(
      parts(v.variant('type', [textPart, v.strictObject({ type: v.literal('thinking'), thinking: text })])),
    ),
    tool_plan: v.optional(text),
    tool_calls: v.optional(v.pipe(v.array(call), v.maxLength(max.tools))),
    citations: v.optional(v.pipe(v.array(object), v.maxLength(max.parts))),
  }),
  v.strictObject({
    role: v.literal('tool'),
    tool_call_id: id,
    content: parts(v.variant('type', [textPart, v.strictObject({ type: v.literal('document'), document })])),
  }),
])

const tool = v.strictObject({ type: v.literal('function'), function: v.strictObject(functionFields) })

/** A whole request. */
export const cohereRequest: v.GenericSchema = v.strictObject({
  model: text,
  messages: several(message, max.messages),
  stream: v.optional(v.boolean()),
  tools: v.optional(v.pipe(v.array(tool), v.maxLength(max.tools))),
  tool_choice: v.optional(v.picklist(['REQUIRED', 'NONE'])),
  strict_tools: v.optional(v.boolean()),
  documents: v.optional(v.pipe(v.array(document), v.maxLength(max.parts))),
  citation_options: v.optional(v.strictObject({ mode: v.optional(text) })),
  response_format: v.optional(
    v.strictObject({ type: v.picklist(['text', 'json_object']), json_schema: v.optional(object) }),
  ),
  thinking: v.optional(
    v.strictObject({ type: v.picklist(['enabled', 'disabled']), token_budget: v.optional(natural) }),
  ),
  safety_mode: v.optional(v.picklist(['CONTEXTUAL', 'STRICT', 'OFF'])),
  max_tokens: v.optional(natural),
  stop_sequences: v.optional(v.pipe(v.array(text), v.maxLength(max.stops))),
  temperature: v.optional(fraction(1)),
  p: v.optional(fraction(1)),
  k: v.optional(whole),
  seed: v.optional(whole),
  frequency_penalty: v.optional(fraction(1)),
  presence_penalty: v.optional(fraction(1)),
})
