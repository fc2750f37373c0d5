/**
 * The allowed fields of a question on isoglot's own wire.
 *
 * @module
 */
import * as v from 'valibot'
import { isObject } from '../../core/json.ts'
import {
  description,
  facts,
  fraction,
  helpers,
  id,
  imageTypes,
  max,
  name,
  natural,
  object,
  penalty,
  publicUrl,
  several,
  text,
  whole,
} from './fields.ts'

/** A signature or encrypted reasoning. Ids in it are left out: they may name an item that the provider stored for another user. */
const opaque = v.optional(
  v.strictObject({
    provider: text,
    model: text,
    format: text,
    data: v.pipe(
      object,
      v.transform((data) => withoutIds(data) as Record<string, unknown>),
    ),
  }),
)

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds)
  if (!isObject(value)) return value
  const left = Object.entries(value).filter(([key]) => !/(?:^|_|[a-z](?=I))ids?$/i.test(key))
  return Object.fromEntries(left.map(([key, inner]) => [key, withoutIds(inner)]))
}

const hint = v.optional(
  v.strictObject({ cacheHint: v.optional(v.union([v.boolean(), v.strictObject({ ttl: v.optional(text) }), text])) }),
)
/** Fields of an answer that its client sends back. What isoglot has no word for is left out. */
const base = { id: v.optional(id), metadata: hint, providerData: helpers }

const textBlock = v.strictObject({
  type: v.literal('text'),
  text,
  citations: facts,
  refusal: v.optional(v.literal(true)),
  opaque,
  ...base,
})
const imageBlock = v.union([
  v.strictObject({
    type: v.literal('image'),
    data: text,
    mimeType: imageTypes,
    detail: v.optional(v.picklist(['auto', 'low', 'high', 'original'])),
    ...base,
  }),
  v.strictObject({
    type: v.literal('image'),
    url: publicUrl,
    mimeType: v.optional(imageTypes),
    detail: v.optional(v.picklist(['auto', 'low', 'high', 'original'])),
    ...base,
  }),
])
const plainText = v.strictObject({
  type: v.literal('plain_text'),
  text,
  title: v.optional(text),
  mimeType: v.optional(text),
  ...base,
})
const contentOf = (block: v.GenericSchema) => v.union([text, v.pipe(v.array(block), v.maxLength(max.parts))])
const given = contentOf(v.union([textBlock, plainText, imageBlock]))
const answered = contentOf(
  v.union([
    textBlock,
    v.strictObject({ type: v.literal('reasoning'), text, opaque, ...base }),
    v.strictObject({
      type: v.literal('tool_call'),
      name,
      arguments: object,
      argumentsText: text,
      index: whole,
      complete: v.literal(true),
      generatedId: v.optional(v.literal(true)),
      approvalId: v.optional(text),
      opaque,
      ...base,
      id,
    }),
  ]),
)

const invalidToolCall = v.strictObject({
  type: v.literal('invalid_tool_call'),
  id: v.optional(id),
  name: v.optional(text),
  index: whole,
  argumentsText: text,
  reason: text,
  error: text,
  opaque,
  providerData: helpers,
})

const message = v.variant('role', [
  v.strictObject({
    role: v.picklist(['system', 'developer', 'user']),
    content: given,
    name: v.optional(text),
    ...base,
  }),
  v.strictObject({
    role: v.literal('assistant'),
    content: v.nullable(answered),
    name: v.optional(text),
    invalidToolCalls: v.optional(v.array(invalidToolCall)),
    stopReason: v.optional(text),
    rawStopReason: v.optional(text),
    usage: helpers,
    response: v.optional(
      v.strictObject({ id: helpers, provider: v.optional(text), model: v.optional(text), createdAt: helpers }),
    ),
    ...base,
  }),
  v.strictObject({
    role: v.literal('tool'),
    toolCallId: id,
    name: v.optional(name),
    content: given,
    status: v.optional(v.picklist(['success', 'error'])),
    ...base,
  }),
])

const tool = v.strictObject({
  name,
  description: v.optional(description),
  parameters: v.optional(object),
  strict: v.optional(v.boolean()),
  annotations: helpers,
  metadata: hint,
  providerData: helpers,
})

/** A whole question. Tools of providers, their own options and stored conversations are refused. */
export const isoglotRequest: v.GenericSchema = v.strictObject({
  version: v.literal(1),
  model: text,
  context: v.strictObject({
    system: v.optional(contentOf(v.union([textBlock, plainText]))),
    messages: several(message, max.messages),
    tools: v.optional(v.pipe(v.array(tool), v.maxLength(max.tools))),
  }),
  options: v.optional(
    v.strictObject({
      maxTokens: v.optional(natural),
      temperature: v.optional(fraction(2)),
      topP: v.optional(fraction(1)),
      topK: v.optional(natural),
      seed: v.optional(whole),
      stop: v.optional(v.pipe(v.array(text), v.maxLength(max.stops))),
      frequencyPenalty: v.optional(penalty),
      presencePenalty: v.optional(penalty),
      toolChoice: v.optional(
        v.union([
          v.picklist(['auto', 'none', 'required']),
          v.strictObject({ name }),
          v.strictObject({ names: several(name, max.tools), mode: v.picklist(['auto', 'required']) }),
        ]),
      ),
      parallelToolCalls: v.optional(v.boolean()),
      responseFormat: v.optional(
        v.strictObject({
          type: v.literal('json'),
          schema: v.optional(object),
          name: v.optional(name),
          description: v.optional(description),
          strict: v.optional(v.boolean()),
        }),
      ),
      reasoning: v.optional(
        v.strictObject({
          effort: v.optional(v.picklist(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
          budgetTokens: v.optional(natural),
        }),
      ),
      /** The Worker replaces it with the user of the session. */
      user: v.optional(text),
      strict: v.optional(v.boolean()),
    }),
  ),
  takenIds: v.optional(v.pipe(v.array(id), v.maxLength(max.messages))),
  wholeAnswer: v.optional(v.boolean()),
  onlyWhole: v.optional(v.boolean()),
  live: v.optional(v.boolean()),
})
