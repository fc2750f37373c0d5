/**
 * What a client may ask for. The upstream body is built from what these schemas let through and nothing else; a field they do not name
 * is refused by its name, since dropping it in silence would change what was asked.
 *
 * Left out on purpose: whatever costs money by another meter (web search, code, audio, `service_tier`), keeps data (`store`, `metadata`),
 * speaks for another user (`user`), or chooses a destination (`base_url` and its cousins).
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create and https://docs.claude.com/en/api/messages (read 2026-11)
 * @module
 */
import * as v from 'valibot'
import type { Model } from './config.ts'
import { Refusal } from './refusal.ts'
import { scopeName, type Session as Token } from './session.ts'
import type { WireName } from './wires.ts'

/** Counts, so that a body within its bytes still stays within reason. */
const max = { messages: 1000, parts: 100, tools: 128, name: 128, description: 16_384, stops: 16 }

type Session = Pick<Token, 'models' | 'maxOutputTokens'>

/** What may go upstream, and whether the answer is a stream. */
export interface Permitted {
  readonly model: Model
  readonly body: Readonly<Record<string, unknown>>
  readonly stream: boolean
}

/** @throws {Refusal} `unknown_model`, `model_not_in_session` or `invalid_request`. */
export function permit(
  wire: WireName,
  body: Record<string, unknown>,
  models: readonly Model[],
  session: Session,
): Permitted {
  const model = models.find(({ name, wire: of }) => of === wire && name === body.model)
  if (!model) throw new Refusal('unknown_model')
  if (!session.models.includes(scopeName(model))) throw new Refusal('model_not_in_session')
  const permitted = wire === 'anthropic' ? permitAnthropic(body, session) : permitChat(body, session)
  return { model, body: permitted, stream: permitted.stream === true }
}

function permitChat(body: unknown, { maxOutputTokens }: Session): v.InferOutput<typeof chatRequest> {
  const request = read(chatRequest, body)
  const clamp = (tokens: number) => Math.min(tokens, maxOutputTokens)
  const { max_tokens: old, max_completion_tokens: current } = request
  return {
    ...request,
    ...(old !== undefined && { max_tokens: clamp(old) }),
    // Many hosts know only the old name, so it stays when it was chosen.
    ...((current !== undefined || old === undefined) && { max_completion_tokens: clamp(current ?? maxOutputTokens) }),
  }
}

function permitAnthropic(body: unknown, { maxOutputTokens }: Session): v.InferOutput<typeof anthropicRequest> {
  const request = read(anthropicRequest, body)
  return { ...request, max_tokens: Math.min(request.max_tokens, maxOutputTokens) }
}

function read<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body, { abortEarly: true })
  if (result.success) return result.output
  throw new Refusal('invalid_request', describe(result.issues[0]))
}

/** Names the field and, of the finding, only whether it was known: the value stays unsaid. */
function describe(issue: v.BaseIssue<unknown>): string {
  const deepest = deepestOf(issue)
  const path = (v.getDotPath(deepest) ?? 'body').slice(0, 100)
  if (deepest.expected === 'never') return `"${path}" is not an allowed field`
  return deepest.received === 'undefined' ? `"${path}" is missing` : `"${path}" has a value that is not allowed`
}

/** In a union the reason lies one level down, with the member whose tag fits: the one that got furthest. */
function deepestOf(issue: v.BaseIssue<unknown>): v.BaseIssue<unknown> {
  const inner = issue.issues
    ?.filter((sub) => (sub.path?.length ?? 0) > 0)
    .map((sub) => ({ ...sub, path: [...(issue.path ?? []), ...(sub.path ?? [])] }))
  const best = inner?.toSorted((a, b) => b.path.length - a.path.length)[0]
  return best ? deepestOf(best as v.BaseIssue<unknown>) : issue
}

const text = v.string()
const name = v.pipe(v.string(), v.regex(/^[\w-]+$/), v.maxLength(max.name))
const description = v.pipe(v.string(), v.maxLength(max.description))
const id = v.pipe(v.string(), v.maxLength(256))
const natural = v.pipe(v.number(), v.integer(), v.minValue(1))
const fraction = (limit: number) => v.pipe(v.number(), v.minValue(-limit), v.maxValue(limit))
/** Not a record: that would lose keys such as `constructor`, which a schema or an argument may have. */
const object = v.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)
const several = <Item extends v.GenericSchema>(item: Item, most: number) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(most))
const imageUrl = v.pipe(v.string(), v.regex(/^(https:\/\/|data:image\/(png|jpeg|gif|webp);base64,)/))

// OpenAI Chat Completions

const chatText = v.strictObject({ type: v.literal('text'), text })
const chatImage = v.strictObject({
  type: v.literal('image_url'),
  image_url: v.strictObject({ url: imageUrl, detail: v.optional(v.picklist(['auto', 'low', 'high', 'original'])) }),
})
const chatRefusal = v.strictObject({ type: v.literal('refusal'), refusal: text })
const chatWords = v.union([text, several(chatText, max.parts)])
const chatCall = v.strictObject({
  id,
  type: v.literal('function'),
  function: v.strictObject({ name, arguments: text }),
})

const chatMessage = v.variant('role', [
  v.strictObject({ role: v.picklist(['system', 'developer']), content: chatWords, name: v.optional(name) }),
  v.strictObject({
    role: v.literal('user'),
    content: v.union([text, several(v.variant('type', [chatText, chatImage]), max.parts)]),
    name: v.optional(name),
  }),
  v.strictObject({
    role: v.literal('assistant'),
    content: v.nullish(v.union([text, several(v.variant('type', [chatText, chatRefusal]), max.parts)])),
    name: v.optional(name),
    refusal: v.nullish(text),
    reasoning_content: v.nullish(text),
    tool_calls: v.optional(several(chatCall, max.tools)),
  }),
  v.strictObject({ role: v.literal('tool'), tool_call_id: id, content: chatWords }),
])

const chatTool = v.strictObject({
  type: v.literal('function'),
  function: v.strictObject({
    name,
    description: v.optional(description),
    parameters: v.optional(object),
    strict: v.nullish(v.boolean()),
  }),
})

const chatFormat = v.variant('type', [
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

const chatRequest = v.strictObject({
  model: text,
  messages: several(chatMessage, max.messages),
  stream: v.nullish(v.boolean()),
  stream_options: v.nullish(
    v.strictObject({ include_usage: v.optional(v.boolean()), include_obfuscation: v.optional(v.boolean()) }),
  ),
  max_tokens: v.optional(natural),
  max_completion_tokens: v.optional(natural),
  n: v.optional(v.literal(1)),
  tools: v.optional(several(chatTool, max.tools)),
  tool_choice: v.optional(
    v.union([
      v.picklist(['none', 'auto', 'required']),
      v.strictObject({ type: v.literal('function'), function: v.strictObject({ name }) }),
    ]),
  ),
  parallel_tool_calls: v.optional(v.boolean()),
  response_format: v.optional(chatFormat),
  reasoning_effort: v.nullish(v.picklist(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
  verbosity: v.nullish(v.picklist(['low', 'medium', 'high'])),
  temperature: v.nullish(fraction(2)),
  top_p: v.nullish(fraction(1)),
  frequency_penalty: v.nullish(fraction(2)),
  presence_penalty: v.nullish(fraction(2)),
  seed: v.nullish(v.pipe(v.number(), v.integer())),
  stop: v.nullish(v.union([text, several(text, max.stops)])),
})

// Anthropic Messages

const cache = {
  cache_control: v.nullish(v.strictObject({ type: v.literal('ephemeral'), ttl: v.optional(v.picklist(['5m', '1h'])) })),
}
/** Answers come back with `citations: null`, or with an array of facts of theirs. */
const anthropicText = v.strictObject({ type: v.literal('text'), text, citations: v.nullish(v.array(object)), ...cache })
const anthropicImage = v.strictObject({
  type: v.literal('image'),
  source: v.variant('type', [
    v.strictObject({
      type: v.literal('base64'),
      media_type: v.picklist(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: text,
    }),
    v.strictObject({ type: v.literal('url'), url: v.pipe(v.string(), v.startsWith('https://')) }),
  ]),
  ...cache,
})
const anthropicBlock = v.variant('type', [
  anthropicText,
  anthropicImage,
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
      v.union([text, v.pipe(v.array(v.variant('type', [anthropicText, anthropicImage])), v.maxLength(max.parts))]),
    ),
    ...cache,
  }),
  v.strictObject({ type: v.literal('thinking'), thinking: text, signature: text }),
  v.strictObject({ type: v.literal('redacted_thinking'), data: text }),
])

const anthropicTool = v.strictObject({
  type: v.optional(v.literal('custom')),
  name,
  description: v.optional(description),
  input_schema: object,
  strict: v.optional(v.boolean()),
  ...cache,
})

const serial = { disable_parallel_tool_use: v.optional(v.boolean()) }

const anthropicRequest = v.strictObject({
  model: text,
  max_tokens: natural,
  messages: several(
    v.strictObject({
      role: v.picklist(['user', 'assistant', 'system']),
      content: v.union([text, several(anthropicBlock, max.parts)]),
    }),
    max.messages,
  ),
  system: v.optional(v.union([text, several(anthropicText, max.parts)])),
  stream: v.optional(v.boolean()),
  tools: v.optional(several(anthropicTool, max.tools)),
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
  temperature: v.optional(fraction(1)),
  top_p: v.optional(fraction(1)),
  top_k: v.optional(natural),
})
