/**
 * Valibot schemas of messages and blocks, for data that is not trusted.
 *
 * JSON inside of them (arguments, metadata, kept data) is taken by reference and not by key, since a validator that copies records
 * leaves out keys such as `constructor`, which are keys like any other.
 *
 * @module
 */
import * as v from 'valibot'
import { stopReasons } from '../core/content.ts'
import { DecodeError } from '../core/errors.ts'
import { field, isObject } from '../core/json.ts'
import type {
  Content,
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  Metadata,
  Opaque,
  ProviderData,
  Role,
  StopReason,
} from '../core/messages.ts'

type Schema<Output> = v.GenericSchema<unknown, Output>

const optionalText = v.exactOptional(v.string())
const optionalNumber = v.exactOptional(v.pipe(v.number(), v.finite()))
const json: Schema<Json> = v.custom<Json>((value) => value !== undefined)
const object: Schema<JsonObject> = v.custom<JsonObject>(isObject, 'an object is expected')
const providerData: Schema<ProviderData> = v.custom<ProviderData>(
  (value) => isObject(value) && Object.values(value).every(isObject),
  'an object of objects is expected',
)
/** Of it, encoders read `cacheHint`. */
export const metadata: Schema<Metadata> = v.custom<Metadata>(
  (value) =>
    isObject(value) &&
    (value.cacheHint === undefined ||
      value.cacheHint === 'ephemeral' ||
      typeof field(value.cacheHint, 'ttl') === 'string'),
  'an object is expected; its "cacheHint" is "ephemeral" or has a "ttl"',
)
const opaque: Schema<Opaque> = v.object({
  provider: v.string(),
  model: v.string(),
  format: v.string(),
  data: object,
})

const base = { id: optionalText, metadata: v.exactOptional(metadata), providerData: v.exactOptional(providerData) }
const source = { url: optionalText, data: optionalText, mimeType: optionalText, fileId: optionalText }
const proof = v.exactOptional(opaque)

/** With the fields that all blocks and messages have. Bundlers drop what is made by functions that say they do nothing else. */
// @__NO_SIDE_EFFECTS__
function withBase<const Own extends v.ObjectEntries>(own: Own): v.ObjectSchema<typeof base & Own, undefined> {
  return v.object({ ...base, ...own })
}

// @__NO_SIDE_EFFECTS__
function media<const Own extends v.ObjectEntries>(
  own: Own,
): v.ObjectSchema<typeof base & typeof source & Own, undefined> {
  return v.object({ ...base, ...source, ...own })
}

const citation = withBase({
  type: v.literal('citation'),
  url: optionalText,
  title: optionalText,
  text: optionalText,
  startIndex: optionalNumber,
  endIndex: optionalNumber,
})

const toolCall = withBase({
  type: v.literal('tool_call'),
  id: v.string(),
  name: v.string(),
  arguments: object,
  argumentsText: v.string(),
  index: v.number(),
  complete: v.literal(true),
  generatedId: v.exactOptional(v.literal(true)),
  approvalId: optionalText,
  approvalProof: optionalText,
  opaque: proof,
})

/** One schema for each type of block. */
const blockSchemas = {
  text: withBase({
    opaque: proof,
    type: v.literal('text'),
    text: v.string(),
    citations: v.exactOptional(v.array(citation)),
    refusal: v.exactOptional(v.literal(true)),
  }),
  plain_text: withBase({
    type: v.literal('plain_text'),
    text: v.string(),
    title: optionalText,
    mimeType: optionalText,
  }),
  image: media({
    opaque: proof,
    type: v.literal('image'),
    detail: v.exactOptional(v.picklist(['auto', 'low', 'high', 'original'])),
  }),
  audio: media({ type: v.literal('audio'), transcript: optionalText }),
  video: media({ type: v.literal('video') }),
  file: media({ type: v.literal('file'), filename: optionalText }),
  reasoning: withBase({ opaque: proof, type: v.literal('reasoning'), text: v.string() }),
  citation,
  tool_result: withBase({
    type: v.literal('tool_result'),
    toolCallId: v.string(),
    name: optionalText,
    content: v.lazy(() => content),
    isError: v.exactOptional(v.boolean()),
    artifacts: v.exactOptional(v.array(v.unknown())),
  }),
  tool_call: toolCall,
  tool_call_chunk: withBase({
    type: v.literal('tool_call_chunk'),
    name: optionalText,
    index: optionalNumber,
    argumentsDelta: optionalText,
    argumentsSoFar: v.exactOptional(object),
  }),
  server_tool_call: withBase({
    opaque: proof,
    type: v.literal('server_tool_call'),
    name: v.string(),
    arguments: object,
    argumentsText: optionalText,
  }),
  server_tool_call_chunk: withBase({
    type: v.literal('server_tool_call_chunk'),
    name: optionalText,
    argumentsDelta: optionalText,
  }),
  server_tool_result: withBase({
    opaque: proof,
    type: v.literal('server_tool_result'),
    toolCallId: optionalText,
    name: optionalText,
    status: v.exactOptional(v.picklist(['success', 'error'])),
    output: v.exactOptional(v.unknown()),
  }),
  unknown: withBase({
    type: v.literal('unknown'),
    format: v.string(),
    providerType: v.string(),
    value: json,
  }),
} satisfies { [Type in ContentBlock['type']]: Schema<ContentBlock & { type: Type }> }

/** Any block. */
export const contentBlock: Schema<ContentBlock> = v.lazy((input) => {
  const type = isObject(input) ? input.type : undefined
  return isBlockType(type) ? blockSchemas[type] : noBlock
})
const noBlock: Schema<ContentBlock> = v.custom<ContentBlock>(() => false, 'a block of a known type is expected')

/** Any content of a message. */
export const content: Schema<Content> = v.lazy((input) =>
  typeof input === 'string' ? v.string() : v.array(contentBlock),
)

/** Whether this is the type of one of our blocks. */
export function isBlockType(type: unknown): type is ContentBlock['type'] {
  return typeof type === 'string' && Object.hasOwn(blockSchemas, type)
}

/** The fields that a block of this type has. */
export function fieldsOfBlock(type: ContentBlock['type']): ReadonlySet<string> {
  return new Set(Object.keys(blockSchemas[type].entries))
}

const invalidToolCall: Schema<InvalidToolCall> = v.object({
  opaque: proof,
  type: v.literal('invalid_tool_call'),
  id: optionalText,
  name: optionalText,
  index: v.number(),
  argumentsText: v.string(),
  reason: v.picklist(['malformed_json', 'not_an_object', 'missing_name', 'truncated', 'too_deep', 'unclear']),
  error: v.string(),
  providerData: v.exactOptional(providerData),
})

const stopReason: Schema<StopReason> = v.picklist(stopReasons)

const usage = v.object({
  inputTokens: optionalNumber,
  outputTokens: optionalNumber,
  totalTokens: optionalNumber,
  cacheReadTokens: optionalNumber,
  cacheWriteTokens: optionalNumber,
  reasoningTokens: optionalNumber,
  providerData: v.exactOptional(providerData),
})

const instruction = withBase({
  role: v.picklist(['system', 'developer']),
  content,
  name: optionalText,
})
const messageSchemas = {
  system: instruction,
  developer: instruction,
  user: withBase({ role: v.literal('user'), content, name: optionalText }),
  assistant: withBase({
    role: v.literal('assistant'),
    content: v.nullable(content),
    name: optionalText,
    toolCalls: v.exactOptional(v.array(toolCall)),
    invalidToolCalls: v.exactOptional(v.array(invalidToolCall)),
    stopReason: v.exactOptional(stopReason),
    rawStopReason: optionalText,
    usage: v.exactOptional(usage),
    response: v.exactOptional(
      v.object({ id: optionalText, provider: optionalText, model: optionalText, createdAt: optionalNumber }),
    ),
  }),
  tool: withBase({
    role: v.literal('tool'),
    toolCallId: v.string(),
    name: optionalText,
    content,
    status: v.exactOptional(v.picklist(['success', 'error'])),
    artifacts: v.exactOptional(v.array(v.unknown())),
    extra: v.exactOptional(object),
  }),
} satisfies { [R in Role]: Schema<Message> }

/** Any message. */
export const message: Schema<Message> = v.lazy((input) => {
  const role = isObject(input) ? input.role : undefined
  return isOwnRole(role) ? messageSchemas[role] : noMessage
})
const noMessage: Schema<Message> = v.custom<Message>(() => false, 'a message with a known role is expected')

/** Whether this is one of our roles. */
export function isOwnRole(role: unknown): role is Role {
  return typeof role === 'string' && Object.hasOwn(messageSchemas, role)
}

/** The fields that a message of this role has. */
export function fieldsOfMessage(role: Role): ReadonlySet<string> {
  return new Set(Object.keys(messageSchemas[role].entries))
}

/**
 * The value, checked.
 *
 * @throws {DecodeError} that says what was attempted, where in the value it fails, and why.
 */
export function check<Output>(schema: Schema<Output>, value: unknown, attempt: string, path: string): Output {
  const result = parse(schema, value, attempt, path)
  if (result.success) return result.output
  const [issue] = result.issues
  const inside = v.getDotPath(issue)
  const place = [path, inside ?? ''].filter((part) => part !== '').join('.')
  throw new DecodeError(`Cannot ${attempt}: ${place === '' ? '' : `"${place}": `}${lowerFirst(issue.message)}`, {
    path: place,
    cause: result.issues,
  })
}

function parse<Output>(
  schema: Schema<Output>,
  value: unknown,
  attempt: string,
  path: string,
): v.SafeParseResult<Schema<Output>> {
  try {
    return v.safeParse(schema, value, { abortEarly: true })
  } catch (cause) {
    // Results in results without end overflow the stack.
    throw new DecodeError(`Cannot ${attempt}: it is nested too deep`, { path, cause })
  }
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
