/**
 * Bedrock Converse: decodes the request of a client. Half of what a server needs; no page loads it.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors (read 2026-11)
 *
 * @module
 */
import type { DecodedRequest, DecodeRequestOptions } from '../../../core/codec.ts'
import { keepUnknown, parseObject, readCall, textOfArguments } from '../../../core/content.ts'
import {
  arrayOf,
  bodyOf,
  compact,
  decodeErrorAt,
  field,
  isObject,
  listAt,
  numberOr,
  objectAt,
  objectIn,
  otherFields,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../../core/json.ts'
import { percentDecoded } from '../../../core/media.ts'
import type {
  AssistantMessage,
  ContentBlock,
  ContextTool,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  ReasoningEffort,
  RequestOptions,
  ToolDefinition,
  ToolMessage,
} from '../../../core/messages.ts'
import { unreadFields } from '../../shared/losses.ts'
import { checkShape, type Shape } from '../../shared/shapes.ts'
import { decodeBlock, readCallFragment } from '../decode-answer.ts'
import { format } from '../tables.ts'

/**
 * Reads a client's request. `path` names the model and says whether the answer is streamed.
 *
 * @throws {DecodeError} if the server would answer with 400: messages are invalid, or content is not a list.
 */
export function decodeRequest(body: unknown, { path = '' }: DecodeRequestOptions = {}): DecodedRequest {
  const request = bodyOf(body, 'Bedrock request')
  checkShape(request, requestShape, '', 'Bedrock request')
  const [, name = '', way] = /\/model\/(.+)\/(converse(?:-stream)?)$/.exec(path) ?? []
  const system = decodeBlocks(
    listAt(request.system, 'system', 'Bedrock request').map((entry, at) =>
      objectAt(entry, `system[${at}]`, 'Bedrock request'),
    ),
  )
  const tools = field(request.toolConfig, 'tools')
  const definitions = decodeDefinitions(listAt(tools, 'toolConfig.tools', 'Bedrock request'))
  const context = compact({
    system: unlessEmpty(system),
    messages: decodeMessages(request),
    tools: unlessEmpty(definitions),
  })
  const options = decodeOptions(request, percentDecoded(name), way === 'converse-stream')
  const { textFormat } = objectIn(request, 'outputConfig')
  const losses = unreadFields(options, objectIn(request, 'toolConfig').toolChoice, textFormat, optionFields)
  return { context, options, losses }
}

const documentShape: Shape = { name: 'string', format: 'string' }

/** The types of fields that would be read as absent. What cannot be read of another block is kept with it. */
const requestShape: Shape = {
  messages: [
    {
      content: [
        {
          document: documentShape,
          citationsContent: { content: [{ text: 'string' }], citations: [{}] },
          reasoningContent: { reasoningText: { signature: 'string' } },
          toolUse: { toolUseId: 'string', name: 'string' },
          toolResult: { toolUseId: 'string', content: [{ document: documentShape }], status: 'string' },
        },
      ],
    },
  ],
  system: [{ document: documentShape }],
  inferenceConfig: { maxTokens: 'number', temperature: 'number', topP: 'number', stopSequences: ['string'] },
  toolConfig: {
    tools: [{ toolSpec: { description: 'string', inputSchema: { json: {} } } }],
    toolChoice: { auto: {}, any: {} },
  },
  additionalModelRequestFields: {
    thinking: reasoningShape,
    reasoning_config: reasoningShape,
    reasoningConfig: reasoningShape,
    output_config: reasoningShape,
  },
  outputConfig: {
    textFormat: { type: 'string', structure: { jsonSchema: { name: 'string', description: 'string' } } },
  },
}

/** Reasoning in the fields of any model family. What is not an object may be of another family. */
function reasoningShape(value: unknown): Shape {
  const fields = { type: 'string', budget_tokens: 'number', maxReasoningEffort: 'string', effort: 'string' } as const
  return isObject(value) ? fields : 'any'
}

// ---- options ------------------------------------------------------------------------------------

const conversationFields: ReadonlySet<string> = new Set(['messages', 'system'])
/** The fields of a tool choice and of a response format. */
const optionFields = /^(?:auto|any|tool|name|type|structure|jsonSchema|schema|description)$/

/** Reads the fields that isoglot has an option for. All other fields are kept. */
function decodeOptions(request: JsonObject, model: string, stream: boolean): RequestOptions {
  const { inferenceConfig, toolConfig, outputConfig, additionalModelRequestFields, ...others } =
    otherFields(request, conversationFields) ?? {}
  const inference = readInference(inferenceConfig)
  const own = readOwnFields(additionalModelRequestFields)
  const responseFormat = readFormat(outputConfig)
  const choice = field(toolConfig, 'toolChoice')
  const toolChoice = decodeToolChoice(choice)
  const keptTools = isObject(toolConfig) ? otherFields(toolConfig, new Set(['tools', 'toolChoice'])) : undefined
  const keptConfig = { ...keptTools, ...compact({ toolChoice: toolChoice === undefined ? choice : undefined }) }
  const kept = {
    ...others,
    ...compact({
      inferenceConfig: inference.kept,
      additionalModelRequestFields: own.kept,
      outputConfig:
        responseFormat === undefined
          ? outputConfig
          : otherFields(objectIn(request, 'outputConfig'), new Set(['textFormat'])),
      toolConfig: unlessEmpty(keptConfig),
    }),
  }
  return compact({
    model,
    stream,
    ...inference.options,
    ...own.options,
    toolChoice,
    responseFormat,
    providerOptions: unlessEmpty(kept) && { [format]: kept },
  })
}

interface Read {
  readonly options: Partial<RequestOptions>
  readonly kept?: JsonObject
}

function readInference(config: Json | undefined): Read {
  const { maxTokens, temperature, topP, stopSequences, ...rest } = isObject(config) ? config : {}
  const figures = {
    maxTokens: numberOr(maxTokens, undefined),
    temperature: numberOr(temperature, undefined),
    topP: numberOr(topP, undefined),
  }
  const stop = (stopSequences ?? undefined) as string[] | undefined
  return compact({ options: compact({ ...figures, stop }), kept: unlessEmpty(rest) })
}

function readOwnFields(fields: Json | undefined): Read {
  if (!isObject(fields)) return compact({ options: {}, kept: undefined })
  const { top_k: topK, ...others } = fields
  const { reasoning, kept } = readReasoning(others)
  const hasTopK = typeof topK === 'number'
  return compact({
    options: compact({ topK: hasTopK ? topK : undefined, reasoning }),
    kept: unlessEmpty({ ...kept, ...compact({ top_k: hasTopK ? undefined : topK }) }),
  })
}

const efforts: ReadonlySet<unknown> = new Set(['low', 'medium', 'high', 'xhigh', 'max'])

const reasoningTypes: ReadonlySet<unknown> = new Set(['disabled', 'enabled', 'adaptive'])
const reasoningFields: ReadonlySet<string> = new Set(['type', 'budget_tokens', 'maxReasoningEffort', 'effort'])

/** Reads the reasoning options from the fields of any model family. `kept` has the fields without an option in isoglot. */
function readReasoning(fields: JsonObject): Pick<RequestOptions, 'reasoning'> & { readonly kept: JsonObject } {
  const { thinking, reasoning_config, reasoningConfig, reasoning_effort, output_config, ...others } = fields
  const asked = [thinking, reasoning_config, reasoningConfig].find(isObject)
  const type = field(asked, 'type')
  const words = [
    field(output_config, 'effort'),
    field(reasoningConfig, 'maxReasoningEffort'),
    reasoning_config,
    reasoning_effort,
  ]
  const effort = type === 'disabled' ? 'none' : words.find((word) => efforts.has(word))
  const isKnown = type === undefined ? effort !== undefined : reasoningTypes.has(type)
  if (!isKnown) return { kept: fields }
  const budgetTokens = numberOr(field(asked, 'budget_tokens'), undefined)
  const reasoning = compact({ effort: effort as ReasoningEffort | undefined, budgetTokens })
  const given = { thinking, reasoning_config, reasoningConfig, output_config }
  const kept = Object.entries(given).map(([name, value]) => [
    name,
    isObject(value) ? otherFields(value, reasoningFields) : efforts.has(value) ? undefined : (value ?? undefined),
  ])
  if (!efforts.has(reasoning_effort)) kept.push(['reasoning_effort', reasoning_effort ?? undefined])
  return { reasoning, kept: { ...others, ...compact(Object.fromEntries(kept)) } }
}

function readFormat(config: Json | undefined): RequestOptions['responseFormat'] {
  const { type, structure } = objectIn(config, 'textFormat')
  const { schema, name, description } = objectIn(structure, 'jsonSchema')
  if (textOr(type, 'json_schema') !== 'json_schema' || typeof schema !== 'string') return undefined
  const parsed = parseObject(schema)
  if (!('value' in parsed)) return undefined // text that is not an object is kept unchanged
  return compact({
    type: 'json',
    schema: parsed.value,
    name: textOr(name, undefined),
    description: textOr(description, undefined),
  })
}

// ---- messages -----------------------------------------------------------------------------------

const messageFields: ReadonlySet<string> = new Set(['role', 'content'])

/** Reads the messages of a request. A message with tool results becomes several messages. */
function decodeMessages(body: JsonObject): Message[] {
  const names = new Map<string, string>()
  return listAt(field(body, 'messages'), 'messages', 'Bedrock request').flatMap((entry, at) => {
    const path = `messages[${at}]`
    const wire = objectAt(entry, path, 'Bedrock request')
    const blocks = listAt(wire.content, `${path}.content`, 'Bedrock request').map((block, index) =>
      objectAt(block, `${path}.content[${index}]`, 'Bedrock request'),
    )
    const extras = keepUnknown(otherFields(wire, messageFields), format)
    switch (wire.role) {
      case 'user':
        return decodeUser(blocks, names).map((message) =>
          message.role === 'user' ? { ...message, ...extras } : message,
        )
      case 'assistant':
        return [{ ...decodeAssistant(blocks, names), ...extras }]
      case 'system':
        return [{ role: 'system' as const, content: decodeBlocks(blocks), ...extras }]
    }
    throw decodeErrorAt(`${path}.role`, 'none of user, assistant and system', 'Bedrock request', wire.role)
  })
}

/** Reads a user's message. Its results become separate messages, and its other blocks become a user's message after them. */
function decodeUser(blocks: readonly JsonObject[], names: ReadonlyMap<string, string>): Message[] {
  const results: Message[] = []
  const content: ContentBlock[] = []
  let list: (Message | ContentBlock)[] = content
  for (const block of blocks) {
    if (readCachePoint(block, list)) continue
    const result = field(block, 'toolResult')
    list = isObject(result) ? results : content
    list.push(isObject(result) ? decodeResult(result, names) : decodeBlock(block))
  }
  return content.length === 0 && results.length > 0 ? results : [...results, { role: 'user', content }]
}

/** Reads blocks. A cache point becomes the hint of the block before it. */
function decodeBlocks(blocks: readonly JsonObject[]): ContentBlock[] {
  const content: ContentBlock[] = []
  for (const block of blocks) if (!readCachePoint(block, content)) content.push(decodeBlock(block))
  return content
}

function decodeAssistant(blocks: readonly JsonObject[], names: Map<string, string>): AssistantMessage {
  const content: ContentBlock[] = []
  const invalidToolCalls: InvalidToolCall[] = []
  let index = 0
  for (const block of blocks) {
    const use = field(block, 'toolUse')
    const fragment = isObject(use) ? readCallFragment(use) : undefined
    if (fragment === undefined || fragment.server) {
      if (!readCachePoint(block, content)) content.push(decodeBlock(block))
      continue
    }
    const { id, name, arguments: given = '', providerData } = fragment
    const argumentsText = typeof given === 'string' ? given : textOfArguments(given)
    const call = readCall({ id: id ?? '', name: name ?? undefined, argumentsText, index: index++, providerData })
    names.set(id ?? '', name ?? '')
    if (call.type === 'tool_call') content.push(call)
    else invalidToolCalls.push(call)
  }
  return compact({ role: 'assistant', content, invalidToolCalls: unlessEmpty(invalidToolCalls) })
}

// ---- cache marks --------------------------------------------------------------------------------

/**
 * Reads a cache point as the hint of the last entry of the list. Returns whether it did: other blocks, and cache points that a hint cannot
 * express, are kept as blocks.
 */
function readCachePoint(
  wire: Json,
  entries: (ContentBlock | Message | ToolDefinition | object)[] | undefined,
): boolean {
  const { type, ttl, ...more } = isObject(wire) && isObject(wire.cachePoint) ? wire.cachePoint : {}
  const last = entries?.at(-1) as Message | undefined
  const isTime = ttl === undefined || ttl === '5m' || ttl === '1h'
  if (type !== 'default' || !isTime || Object.keys(more).length > 0 || last === undefined) return false
  const kind = field(last, 'type')
  if (kind === 'unknown' || kind === 'reasoning' || kind === 'provider_tool' || last.metadata !== undefined)
    return false
  entries?.splice(-1, 1, { ...last, metadata: { cacheHint: ttl === undefined ? 'ephemeral' : { ttl } } })
  return true
}

// ---- tools --------------------------------------------------------------------------------------

const specFields: ReadonlySet<string> = new Set(['name', 'description', 'inputSchema'])

/** Reads `tools`. A cache point becomes the hint of the definition before it. */
function decodeDefinitions(entries: readonly Json[]): ContextTool[] {
  const tools: ContextTool[] = []
  for (const [at, entry] of entries.entries())
    if (!readCachePoint(entry, tools)) tools.push(decodeDefinition(entry, `toolConfig.tools[${at}]`))
  return tools
}

/** Reads one entry of `tools`. An entry that is not only a `toolSpec`, or whose schema is not only `json`, is kept unchanged. */
function decodeDefinition(entry: Json, path: string): ContextTool {
  const value = objectAt(entry, path, 'Bedrock request')
  const spec = field(value, 'toolSpec')
  const name = field(spec, 'name')
  const schema = objectIn(spec, 'inputSchema')
  const { json: parameters, ...others } = schema
  const isKnown = isObject(spec) && Object.keys(value).length === 1 && Object.keys(others).length === 0
  if (!isKnown || typeof name !== 'string') return { type: 'provider_tool', format, value }
  return compact({
    name,
    description: stringOr(field(spec, 'description'), undefined),
    parameters: isObject(parameters) ? parameters : undefined,
    ...keepUnknown(otherFields(spec, specFields), format),
  })
}

/** Reads a tool choice. Returns `undefined` for an unknown choice, which the caller keeps. */
function decodeToolChoice(wire: unknown): RequestOptions['toolChoice'] {
  const name = field(field(wire, 'tool'), 'name')
  if (typeof name === 'string') return { name }
  if (field(wire, 'any') !== undefined) return 'required'
  return field(wire, 'auto') === undefined ? undefined : 'auto'
}

const resultFields: ReadonlySet<string> = new Set(['toolUseId', 'content', 'status'])

/** Reads a result. `names` has the tool name of each call so far, by id, since a result of this format does not have a name. */
function decodeResult(wire: JsonObject, names: ReadonlyMap<string, string>): ToolMessage {
  const toolCallId = stringOr(wire.toolUseId, '')
  const status = wire.status
  const content = arrayOf(wire.content).filter(isObject)
  const [only] = content
  const json = content.length === 1 ? field(only, 'json') : undefined
  return compact({
    role: 'tool',
    toolCallId,
    name: names.get(toolCallId),
    content: json === undefined ? content.map(decodeBlock) : JSON.stringify(json),
    status: status === 'error' || status === 'success' ? status : undefined,
    ...keepUnknown({ ...otherFields(wire, resultFields), ...compact({ json }) }, format),
  })
}
