/**
 * The fields that a Converse request may have. Files in a bucket, guardrails and tiers are not allowed: they belong to the account.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read 2026-11)
 * @module
 */
import * as v from 'valibot'
import { description, fraction, id, max, name, natural, object, several, text } from './fields.ts'

const cachePoint = v.strictObject({ type: v.literal('default'), ttl: v.optional(v.picklist(['5m', '1h'])) })
const cacheBlock = v.strictObject({ cachePoint })
const textBlock = v.strictObject({ text })
const bytes = v.strictObject({ bytes: text })
const imageBlock = v.strictObject({
  image: v.strictObject({ format: v.picklist(['png', 'jpeg', 'gif', 'webp']), source: bytes }),
})
/** Only documents of plain text: in a file of another format, such as PDF, a few bytes can be many pages, and each page costs. */
const documentBlock = v.strictObject({
  document: v.strictObject({
    format: v.picklist(['csv', 'html', 'txt', 'md']),
    name: v.pipe(v.string(), v.maxLength(200)),
    source: v.union([bytes, textBlock]),
  }),
})

/** Each object has exactly one of these keys. */
const block = v.union([
  textBlock,
  imageBlock,
  documentBlock,
  cacheBlock,
  v.strictObject({
    toolUse: v.strictObject({ toolUseId: id, name, input: object, type: v.optional(v.literal('tool_use')) }),
  }),
  v.strictObject({
    toolResult: v.strictObject({
      toolUseId: id,
      status: v.optional(v.picklist(['success', 'error'])),
      content: v.pipe(
        v.array(v.union([textBlock, v.strictObject({ json: v.unknown() }), imageBlock, documentBlock])),
        v.maxLength(max.parts),
      ),
    }),
  }),
  v.strictObject({
    reasoningContent: v.union([
      v.strictObject({ reasoningText: v.strictObject({ text, signature: v.optional(text) }) }),
      v.strictObject({ redactedContent: text }),
    ]),
  }),
  v.strictObject({
    citationsContent: v.strictObject({
      content: v.optional(v.pipe(v.array(textBlock), v.maxLength(max.parts))),
      citations: v.optional(v.pipe(v.array(object), v.maxLength(max.parts))),
    }),
  }),
])

const tool = v.union([
  cacheBlock,
  v.strictObject({
    toolSpec: v.strictObject({
      name,
      description: v.optional(description),
      inputSchema: v.strictObject({ json: object }),
      strict: v.optional(v.boolean()),
    }),
  }),
])

/** A whole request. Its path contains the model. */
export const bedrockRequest: v.GenericSchema = v.strictObject({
  messages: several(
    v.strictObject({ role: v.picklist(['user', 'assistant']), content: several(block, max.parts) }),
    max.messages,
  ),
  system: v.optional(v.pipe(v.array(v.union([textBlock, cacheBlock])), v.maxLength(max.parts))),
  inferenceConfig: v.optional(
    v.strictObject({
      maxTokens: v.optional(natural),
      temperature: v.optional(fraction(1)),
      topP: v.optional(fraction(1)),
      stopSequences: v.optional(v.pipe(v.array(text), v.maxLength(max.stops))),
    }),
  ),
  toolConfig: v.optional(
    v.strictObject({
      tools: several(tool, max.tools),
      toolChoice: v.optional(
        v.union([
          v.strictObject({ auto: v.strictObject({}) }),
          v.strictObject({ any: v.strictObject({}) }),
          v.strictObject({ tool: v.strictObject({ name }) }),
        ]),
      ),
    }),
  ),
  outputConfig: v.optional(
    v.strictObject({
      textFormat: v.strictObject({
        type: v.literal('json_schema'),
        structure: v.strictObject({
          jsonSchema: v.strictObject({
            schema: text,
            name: v.optional(name),
            description: v.optional(description),
          }),
        }),
      }),
    }),
  ),
  additionalModelRequestFields: v.optional(
    v.strictObject({
      thinking: v.optional(
        v.variant('type', [
          v.strictObject({ type: v.literal('enabled'), budget_tokens: natural }),
          v.strictObject({ type: v.picklist(['adaptive', 'disabled']) }),
        ]),
      ),
      output_config: v.optional(v.strictObject({ effort: v.picklist(['low', 'medium', 'high', 'xhigh', 'max']) })),
      reasoning_effort: v.optional(v.picklist(['low', 'medium', 'high'])),
      top_k: v.optional(natural),
    }),
  ),
})
