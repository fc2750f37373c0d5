/**
 * The allowed fields of a Messages request.
 *
 * @see https://docs.claude.com/en/api/messages (read 2026-11)
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
  publicUrl,
  several,
  text,
} from './fields.ts'

const cache = {
  cache_control: v.nullish(v.strictObject({ type: v.literal('ephemeral'), ttl: v.optional(v.picklist(['5m', '1h'])) })),
}
/** Answers return `citations: null`, or an array of sources. */
const textBlock = v.strictObject({ type: v.literal('text'), text, citations: facts, ...cache })
const imageBlock = v.strictObject({
  type: v.literal('image'),
  source: v.variant('type', [
    v.strictObject({
      type: v.literal('base64'),
      media_type: imageTypes,
      data: text,
    }),
    v.strictObject({ type: v.literal('url'), url: publicUrl }),
  ]),
  ...cache,
})
const block = v.variant('type', [
  textBlock,
  imageBlock,
  v.strictObject({
    type: v.literal('tool_use'),
    id,
    name,
    input: object,
    caller: v.optional(v.strictObject({ type: v.literal('direct') })),
    ...cache,
  }),
  v.strictObject({
    type: v.literal('tool_result'),
    tool_use_id: id,
    is_error: v.optional(v.boolean()),
    content: v.optional(
      v.union([text, v.pipe(v.array(v.variant('type', [textBlock, imageBlock])), v.maxLength(max.parts))]),
    ),
    ...cache,
  }),
  v.strictObject({ type: v.literal('thinking'), thinking: text, signature: text }),
  v.strictObject({ type: v.literal('redacted_thinking'), data: text }),
])

const tool = v.strictObject({
  type: v.optional(v.literal('custom')),
  name,
  description: v.optional(description),
  input_schema: object,
  strict: v.optional(v.boolean()),
  eager_input_streaming: v.optional(v.boolean()),
  ...cache,
})

const serial = { disable_parallel_tool_use: v.optional(v.boolean()) }

const request = v.strictObject({
  model: text,
  max_tokens: natural,
  messages: several(
    v.strictObject({
      role: v.picklist(['user', 'assistant', 'system']),
      content: v.union([text, several(block, max.parts)]),
    }),
    max.messages,
  ),
  system: v.optional(v.union([text, several(textBlock, max.parts)])),
  stream: v.optional(v.boolean()),
  tools: v.optional(several(tool, max.tools)),
  tool_choice: v.optional(
    v.variant('type', [
      v.strictObject({ type: v.picklist(['auto', 'any']), ...serial }),
      v.strictObject({ type: v.literal('tool'), name, ...serial }),
      v.strictObject({ type: v.literal('none') }),
    ]),
  ),
  stop_sequences: v.optional(v.pipe(v.array(text), v.maxLength(max.stops))),
  thinking: v.optional(
    v.variant('type', [
      v.strictObject({
        type: v.literal('enabled'),
        budget_tokens: natural,
        display: v.optional(v.picklist(['summarized', 'omitted'])),
      }),
      v.strictObject({
        type: v.picklist(['adaptive', 'between_tools']),
        display: v.optional(v.picklist(['summarized', 'omitted'])),
      }),
      v.strictObject({ type: v.literal('disabled') }),
    ]),
  ),
  output_config: v.optional(
    v.strictObject({
      effort: v.optional(v.picklist(['low', 'medium', 'high', 'xhigh', 'max'])),
      format: v.optional(v.strictObject({ type: v.literal('json_schema'), schema: object })),
    }),
  ),
  /** A client sends a user id of its choice. The Worker replaces it with the user of the session. */
  metadata: v.optional(v.strictObject({ user_id: v.nullish(text) })),
  temperature: v.optional(fraction(1)),
  top_p: v.optional(fraction(1)),
  top_k: v.optional(natural),
})

/** A whole request. */
export const anthropicRequest: v.GenericSchema = request

/** A request for a count gets no answer, so it has no limit of output tokens. */
export const anthropicCount: v.GenericSchema = v.omit(request, [
  'max_tokens',
  'stream',
  'metadata',
  'temperature',
  'top_p',
  'top_k',
])
