/**
 * The allowed fields of an Ollama request. Fields that change how long the server keeps a model in memory are not allowed.
 *
 * @see https://docs.ollama.com/api/chat (read 2026-11)
 * @module
 */
import * as v from 'valibot'
import { fraction, functionFields, id, max, name, natural, object, penalty, several, text, whole } from './fields.ts'

const call = v.strictObject({
  id: v.optional(id),
  type: v.optional(v.literal('function')),
  function: v.strictObject({ index: v.optional(whole), name, arguments: object }),
})

/** Base64, which some clients send as a `data:` URL. Of another type, a file is not counted as a picture: a PDF has many pages. */
const image = v.pipe(v.string(), v.regex(/^(?:data:image\/(?:png|jpeg|gif|webp);base64,)?[\w+/=\s-]*$/))

const message = v.strictObject({
  role: v.picklist(['system', 'user', 'assistant', 'tool']),
  content: v.optional(text, ''),
  thinking: v.optional(text),
  images: v.optional(v.pipe(v.array(image), v.maxLength(max.parts))),
  tool_calls: v.optional(v.pipe(v.array(call), v.maxLength(max.tools))),
  tool_name: v.optional(name),
  tool_call_id: v.optional(id),
})

const tool = v.strictObject({
  type: v.literal('function'),
  function: v.strictObject({ ...functionFields, strict: v.optional(v.boolean()) }),
})

/** A whole request. If `stream` is missing, the answer is streamed. */
export const ollamaRequest: v.GenericSchema = v.strictObject({
  model: text,
  messages: several(message, max.messages),
  stream: v.optional(v.boolean()),
  tools: v.optional(v.pipe(v.array(tool), v.maxLength(max.tools))),
  format: v.optional(v.union([v.picklist(['', 'json']), object])),
  think: v.optional(v.union([v.boolean(), v.picklist(['low', 'medium', 'high', 'max'])])),
  options: v.optional(
    v.strictObject({
      num_predict: v.optional(natural),
      temperature: v.optional(fraction(2)),
      top_p: v.optional(fraction(1)),
      top_k: v.optional(natural),
      min_p: v.optional(fraction(1)),
      seed: v.optional(whole),
      stop: v.optional(v.pipe(v.array(text), v.maxLength(max.stops))),
      repeat_penalty: v.optional(fraction(2)),
      presence_penalty: v.optional(penalty),
      frequency_penalty: v.optional(penalty),
    }),
  ),
})
