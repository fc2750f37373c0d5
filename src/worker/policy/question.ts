/**
 * The question that a page may ask, in every format: text, pictures and results of tools, and options that cost no more than tokens.
 *
 * @module
 */
import * as v from 'valibot'
import { isObject } from '../../core/json.ts'
import { isPublicUrl } from './public-url.ts'

/** Limits of counts: a body within its limit of bytes could still contain too many items. */
const max = { messages: 1000, parts: 100, tools: 128, name: 256, description: 16_384, stops: 16 } as const

const text = v.string()
/** A tool of an MCP server may have any name: each provider gets one that it takes. */
const name = v.pipe(text, v.regex(/^\P{Cc}+$/u), v.maxLength(max.name))
const description = v.pipe(text, v.maxLength(max.description))
const id = v.pipe(text, v.maxLength(256))
const wholeNumber = v.pipe(v.number(), v.integer())
const natural = v.pipe(wholeNumber, v.minValue(1))
const between = (least: number, most: number) => v.pipe(v.number(), v.minValue(least), v.maxValue(most))
const listOf = <Item extends v.GenericSchema>(item: Item, most: number) => v.pipe(v.array(item), v.maxLength(most))
/** Not `v.record`: it would lose keys such as `constructor`, which a schema or an argument may have. */
const object = v.custom<Record<string, unknown>>(isObject)
/** Figures and names of an answer that its client sends back, and hints. They are not sent to a provider, so they are left out here. */
const leftOutField = v.optional(
  v.pipe(
    v.unknown(),
    v.transform(() => undefined),
  ),
)

/** A signature or encrypted reasoning. Ids in it are left out: they may name an item that the provider stored for another user. */
const permittedSignature = v.optional(
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

/** Sources of a text. One that names a file, a container or an item of the account is left out: it may be of another user. */
const citations = v.optional(
  v.pipe(
    v.array(object),
    v.transform((all) => all.filter((fact) => !namesThings.test(JSON.stringify(fact)))),
  ),
)
const namesThings = /"\w*(?:file|container|item|store|response|object|upload|batch)_?ids?":(?!null)/i

/**
 * An id may name an item that the provider stored for another user of the account, so it is left out. An id that our encoders made names no
 * stored item. It stays, because it shows that another provider answered.
 */
const ownId = v.optional(
  v.pipe(
    text,
    v.transform((given) => (/^[a-z]+_iso_/.test(given) ? given : undefined)),
  ),
)

const base = {
  id: ownId,
  metadata: v.optional(
    v.strictObject({ cacheHint: v.optional(v.union([v.boolean(), v.strictObject({ ttl: v.optional(text) }), text])) }),
  ),
  /** Checked before: see `permit`. */
  providerData: v.optional(object),
}

const permittedText = v.strictObject({
  type: v.literal('text'),
  text,
  citations,
  refusal: v.optional(v.literal(true)),
  opaque: permittedSignature,
  ...base,
})
const base64 = v.pipe(text, v.regex(/^[\w+/=\s-]*$/))
/** Types of pictures that every provider accepts. Ollama's clients send none; encoders send a picture of no type as a picture. */
const imageType = v.picklist(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])
const imageBlock = v.pipe(
  v.strictObject({
    type: v.literal('image'),
    data: v.optional(base64),
    url: v.optional(v.pipe(text, v.check(isPublicUrl))),
    mimeType: v.optional(imageType),
    detail: v.optional(v.picklist(['auto', 'low', 'high', 'original'])),
    opaque: permittedSignature,
    ...base,
  }),
  v.check(({ data, url }) => (data === undefined) !== (url === undefined)),
)
/**
 * Only documents of plain text, by their type and by the end of their name: in a file of another format, such as PDF, a few bytes can be many
 * pages, and each page costs.
 */
const textFile = v.strictObject({
  type: v.literal('file'),
  data: text,
  mimeType: v.picklist(['text/plain', 'text/csv', 'text/html', 'text/markdown']),
  filename: v.optional(v.pipe(text, v.regex(/^[^.]*(?:\.(?:txt|csv|html|md))?$/i), v.maxLength(200))),
  ...base,
})
const permittedPlainText = v.strictObject({
  type: v.literal('plain_text'),
  text,
  title: v.optional(text),
  mimeType: v.optional(text),
  ...base,
})
const contentOf = (block: v.GenericSchema) => v.union([text, listOf(block, max.parts)])
/** What only a provider knows: its own blocks, and calls of the tools that it runs. They were checked before: see `permit`. */
const ownBlock = v.looseObject({ type: v.picklist(['unknown', 'server_tool_call', 'server_tool_result']) })
const given = v.variant('type', [permittedText, permittedPlainText, imageBlock, textFile, ownBlock])

const answered = v.variant('type', [
  permittedText,
  v.strictObject({ type: v.literal('reasoning'), text, opaque: permittedSignature, ...base }),
  v.strictObject({
    type: v.literal('tool_call'),
    name,
    arguments: object,
    argumentsText: text,
    index: wholeNumber,
    complete: v.literal(true),
    generatedId: v.optional(v.literal(true)),
    approvalId: v.optional(text),
    opaque: permittedSignature,
    ...base,
    id,
  }),
  imageBlock, // that the model made
  ownBlock,
])
const permittedInvalidCall = v.strictObject({
  type: v.literal('invalid_tool_call'),
  id: v.optional(id),
  name: v.optional(text),
  index: wholeNumber,
  argumentsText: text,
  reason: text,
  error: text,
  opaque: permittedSignature,
  providerData: leftOutField,
})

const tool = v.strictObject({
  name,
  description: v.optional(description),
  parameters: v.optional(object),
  strict: v.optional(v.boolean()),
  annotations: leftOutField,
  metadata: base.metadata,
  providerData: base.providerData,
})
/** Its name was checked before. */
const permittedTool = v.strictObject({ type: v.literal('provider_tool'), format: text, value: object })

const permittedOptions = v.strictObject({
  maxTokens: v.optional(natural),
  temperature: v.optional(between(0, 2)),
  topP: v.optional(between(0, 1)),
  topK: v.optional(natural),
  seed: v.optional(wholeNumber),
  stop: v.optional(listOf(text, max.stops)),
  frequencyPenalty: v.optional(between(-2, 2)),
  presencePenalty: v.optional(between(-2, 2)),
  toolChoice: v.optional(
    v.union([
      v.picklist(['auto', 'none', 'required']),
      v.strictObject({ name }),
      v.strictObject({ names: listOf(name, max.tools), mode: v.picklist(['auto', 'required']) }),
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
})

const message = v.variant('role', [
  v.strictObject({
    role: v.picklist(['system', 'developer', 'user']),
    content: contentOf(given),
    name: v.optional(text),
    ...base,
  }),
  v.strictObject({
    role: v.literal('assistant'),
    content: v.nullable(contentOf(answered)),
    name: v.optional(text),
    invalidToolCalls: v.optional(v.array(permittedInvalidCall)),
    stopReason: v.optional(text),
    rawStopReason: v.optional(text),
    usage: leftOutField,
    response: v.optional(
      v.strictObject({
        id: leftOutField,
        provider: v.optional(text),
        model: v.optional(text),
        createdAt: leftOutField,
      }),
    ),
    ...base,
  }),
  v.strictObject({
    role: v.literal('tool'),
    toolCallId: id,
    name: v.optional(name),
    content: contentOf(given),
    status: v.optional(v.picklist(['success', 'error'])),
    ...base,
  }),
])

/** A whole question. */
export const permittedQuestion: v.GenericSchema = v.strictObject({
  system: v.optional(contentOf(v.variant('type', [permittedText, permittedPlainText]))),
  messages: v.pipe(listOf(message, max.messages), v.minLength(1)),
  tools: v.optional(listOf(v.union([tool, permittedTool]), max.tools)),
  options: permittedOptions,
  takenIds: v.optional(listOf(id, max.messages)),
})
