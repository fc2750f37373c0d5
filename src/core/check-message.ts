/**
 * Whether a value is one of our messages or tools. TypeScript checks literals; JSON input and JavaScript need this check at run time,
 * because a message in the form of another library looks like one of ours and has its calls in fields that nothing here reads.
 *
 * @module
 */
import { field, isObject, lookup } from './lookup.ts'
import type { Message, ProviderTool, Role, ToolDefinition } from './model.ts'

const roles: readonly unknown[] = ['system', 'developer', 'user', 'assistant', 'tool']

/**
 * Fields of messages of OpenAI, Anthropic, Gemini, Ollama, LangChain and the AI SDK that `normalizeMessages` converts. Hosts have several
 * fields that begin with `reasoning`; ours have none.
 */
const foreignInMessage =
  /^(?:reasoning|tool_|call_|function_call|invalid_tool|stop_reason|cache_|additional_kwargs|(?:usage|response)_metadata|(?:toolInvocations|parts|images|thinking|refusal|artifact)$)/
/** The same of their blocks: names with a `_`, since ours have none, and these. */
const foreignInBlock =
  /[a-z]_|^(?:reasoning|source|image|file$|base64|mediaType|toolName|input|args|function|annotations|summary|thinking|signature|thoughtSignature|extras|providerOptions)/

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
  readEach(messages, place, checkMessage)
}

/** Reads each element of a list, with its place. @throws {TypeError} if it is not a list. */
export function readEach<T, Result>(
  list: readonly T[],
  place: string,
  read: (one: T, place: string) => Result,
): Result[] {
  if (!Array.isArray(list)) throw new TypeError(`Cannot read "${place}": it is not a list`)
  return list.map((one, at) => read(one, `${place}[${at}]`))
}

/** The same for one message. @throws {TypeError} if it is not one of ours. */
export function checkMessage(message: unknown, place = 'message'): asserts message is Message {
  const finding = findingIn(message)
  if (finding === undefined) return
  throw new TypeError(`Cannot read "${place}": ${finding}; normalizeMessages of isoglot/import reads other forms`)
}

/** Whether it is the name of a role. */
export function isRole(name: unknown): name is Role {
  return roles.includes(name)
}

/** Why a value is not one of our messages; `undefined` if it is one. */
export function findingIn(message: unknown): string | undefined {
  if (!isObject(message))
    return `it is ${Array.isArray(message) ? 'a list, which only "messages" takes' : 'not a message'}`
  const { role, content } = message
  if (!isRole(role)) return `the role ${JSON.stringify(role)} is not known`
  if (role === 'tool' && !isText(message.toolCallId)) return '"toolCallId" is missing'
  const foreign = foreignFieldIn(message, foreignInMessage)
  if (foreign !== undefined) return `"${foreign}" is not a field of our messages`
  if (content === null && role === 'assistant') return undefined
  return isContent(content) ? findingInBlocks(content) : '"content" is neither text nor a list of blocks'
}

/** Why content is not ours; `undefined` if it is. */
function findingInBlocks(content: unknown, depth = 0): string | undefined {
  if (!Array.isArray(content)) return undefined
  if (depth > 64) return 'results are nested deeper than 64 levels'
  for (const block of content) {
    const type = field(block, 'type')
    if (!isText(type)) return 'a block in it has no type'
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
 * Checks that these are tools: with JSON Schemas, because the fields of a schema library's object are not for a provider, and with the
 * code that runs them if they are to run here.
 *
 * @throws {TypeError} that says which one is not, and that `tool()` makes one.
 */
export function checkTools(tools: readonly (ToolDefinition | ProviderTool)[]): void {
  readEach(tools, 'tools', (tool, place) => {
    const finding = findingInTool(tool)
    if (finding === undefined) return
    throw new TypeError(`Cannot offer "${place}": ${finding}; make it with tool({ name, parameters })`)
  })
}

function findingInTool(tool: unknown): string | undefined {
  if (!isObject(tool)) return 'it is not a tool'
  const { type, name, parameters, terminal, run } = tool as Record<string, unknown>
  if (type === 'provider_tool' && 'value' in tool) return undefined
  if (!isText(name)) return '"name" is missing'
  const isForeign = 'inputSchema' in tool || 'input_schema' in tool || '~standard' in Object(parameters)
  if (isForeign) return 'its schema is not a JSON Schema in "parameters"'
  const isNotMade = ('execute' in tool || terminal === true) && typeof run !== 'function'
  return isNotMade ? 'it was not made by tool(), so it has no code that runs it' : undefined
}

/** The first foreign field with a value. A cache hint in snake case is in `metadata`. */
function foreignFieldIn(value: Record<string, unknown>, foreign: RegExp): string | undefined {
  for (const key in value) if (foreign.test(key) && !isNothing(value[key])) return key
  return isNothing(field(value.metadata, 'cache_hint')) ? undefined : 'metadata.cache_hint'
}

/** Libraries write such values for absent fields. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isContent(value: unknown): boolean {
  return isText(value) || Array.isArray(value)
}
