/**
 * Whether a value is one of our messages. TypeScript checks literals; JSON input and JavaScript need this check at run time, because a
 * message in the form of another library looks like one of ours and has its calls in fields that nothing here reads.
 *
 * @module
 */
import { isObject, lookup } from './lookup.ts'
import type { Message, ProviderTool, Role, ToolDefinition } from './model.ts'

const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool'])

/** Fields of messages of OpenAI, Anthropic, Gemini, Ollama, LangChain and the AI SDK that `normalizeMessages` converts. */
const foreignInMessage: ReadonlySet<string> = words(
  `tool_calls tool_call_chunks invalid_tool_calls function_call tool_call_id tool_use_id call_id tool_name toolInvocations parts images thinking refusal artifact stop_reason additional_kwargs usage_metadata response_metadata cache_control cache_hint`,
)
const foreignInBlock: ReadonlySet<string> = words(
  `source image_url audio_url video_url file_url input_audio input_video image file file_data base64 mediaType media_type mime_type
  file_id source_type tool_use_id tool_call_id call_id toolName input args function is_error annotations cited_text start_index
  end_index summary thinking signature encrypted_content thoughtSignature extras providerOptions
  cache_control cache_hint`,
)

/** The required fields of each type of block. Other types are not ours. */
const needs: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  plain_text: ['text'],
  reasoning: ['text'],
  image: [],
  audio: [],
  video: [],
  file: [],
  citation: [],
  tool_result: ['toolCallId', 'content'],
  tool_call: ['id', 'name', 'arguments', 'argumentsText'],
  tool_call_chunk: [],
  server_tool_call: ['name', 'arguments'],
  server_tool_call_chunk: [],
  server_tool_result: [],
  unknown: ['format'],
}

/**
 * Checks that these are our messages, their blocks included.
 *
 * @param place where they stand, for the error
 * @throws {TypeError} that says which one is not, why, and that `normalizeMessages` reads what others wrote.
 */
export function checkMessages(messages: readonly Message[], place = 'messages'): void {
  if (!Array.isArray(messages)) throw new TypeError(`Cannot read "${place}": it is not a list`)
  for (const [at, message] of messages.entries()) checkMessage(message, `${place}[${at}]`)
}

/** The same for one message. @throws {TypeError} if it is not one of ours. */
export function checkMessage(message: unknown, place = 'message'): asserts message is Message {
  const finding = findingIn(message)
  if (finding === undefined) return
  throw new TypeError(`Cannot read "${place}": ${finding}; normalizeMessages of isoglot/import reads other forms`)
}

/** Whether it is the name of a role. */
export function isRole(name: unknown): name is Role {
  return roles.has(name)
}

/** Why a value is not one of our messages; `undefined` if it is one. */
export function findingIn(message: unknown): string | undefined {
  if (!isObject(message)) return 'it is not a message'
  const { role, content } = message
  if (!isRole(role)) return `the role ${JSON.stringify(role) ?? 'undefined'} is not known`
  if (role === 'tool' && !isText(message.toolCallId)) return '"toolCallId" is missing'
  const foreign = foreignFieldIn(message, foreignInMessage)
  if (foreign !== undefined) return `"${foreign}" is not a field of our messages`
  if (content === null && role === 'assistant') return undefined
  return isContent(content) ? findingInBlocks(content) : '"content" is neither text nor a list of blocks'
}

/** Why content is not ours; `undefined` if it is. */
export function findingInBlocks(content: unknown, depth = 0): string | undefined {
  if (!Array.isArray(content)) return undefined
  if (depth > 64) return 'results are nested deeper than 64 levels'
  for (const block of content) {
    if (!isObject(block) || !isText(block.type)) return 'a block in it has no type'
    const { type } = block
    const needed = lookup(needs, type)
    if (needed === undefined) return `"${type}" is not a type of our blocks`
    const foreign = foreignFieldIn(block, foreignInBlock)
    if (foreign !== undefined) return `"${foreign}" is not a field of our blocks (in a block of type "${type}")`
    for (const key of needed) {
      const fits = key === 'content' ? isContent : key === 'arguments' ? isObject : isText
      if (!fits(block[key])) return `"${key}" of a block of type "${type}" is ${key in block ? 'wrong' : 'missing'}`
    }
    const data = block.data ?? ''
    if (!isText(data) || data.startsWith('data:')) return `"data" of a block of type "${type}" is not base64`
    const inside = findingInBlocks(type === 'tool_result' ? block.content : block.citations, depth + 1)
    if (inside !== undefined) return inside
  }
  return undefined
}

/**
 * Checks that these are tool definitions with JSON Schemas: the fields of a schema library's object are not for a provider.
 *
 * @throws {TypeError} that says which tool is not, and that `tool()` converts it.
 */
export function checkTools(tools: readonly (ToolDefinition | ProviderTool)[]): void {
  for (const [at, tool] of tools.entries()) {
    if ('value' in tool && tool.type === 'provider_tool') continue
    const { name, parameters } = tool as Partial<ToolDefinition>
    const finding = !isText(name)
      ? '"name" is missing'
      : 'inputSchema' in tool || 'input_schema' in tool
        ? 'its schema does not stand in "parameters"'
        : parameters !== undefined && '~standard' in parameters
          ? '"parameters" is not a JSON Schema'
          : undefined
    if (finding !== undefined) {
      throw new TypeError(`Cannot offer "tools[${at}]": ${finding}; tool({ name, parameters }) makes a tool from it`)
    }
  }
}

/** The first foreign field with a value. A cache hint in snake case is in `metadata`. */
function foreignFieldIn(value: Record<string, unknown>, foreign: ReadonlySet<string>): string | undefined {
  for (const key of Object.keys(value)) {
    // Hosts have several fields that begin with this word; ours have none.
    if ((foreign.has(key) || key.startsWith('reasoning')) && !isNothing(value[key])) return key
  }
  const { metadata } = value
  return isObject(metadata) && !isNothing(metadata.cache_hint) ? 'metadata.cache_hint' : undefined
}

/** Libraries write such values for absent fields. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isContent(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value)
}

// @__NO_SIDE_EFFECTS__
function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}
