/**
 * Messages, contexts and results as plain JSON with a version, and back: for checkpoints, stores and fixtures.
 *
 * No function is in it and no key: tools are stored as their definitions, and found again by name.
 *
 * @module
 */
import { checkMessages } from '../core/content.ts'
import { DecodeError } from '../core/errors.ts'
import { compact, isObject } from '../core/json.ts'
import type { Content, Context, ContextTool, JsonObject, Message, ProviderState } from '../core/messages.ts'
import { definitionOf } from '../tools/definition.ts'
import type { ToolResult } from '../tools/types.ts'
import { plainJson } from './plain-json.ts'
import { type Safe, safely } from './safe.ts'
import { check, content, message as messageSchema } from './schema.ts'

/** A message as JSON, with its version. */
export type SerializedMessage = JsonObject & { version: 1; type: 'message' }
/** A context as JSON, with its version. Each of its messages has a version too. */
export type SerializedContext = JsonObject & { version: 1; type: 'context' }
/** The result of a call. */
export type SerializedToolResult = JsonObject & { version: 1; type: 'tool_result' }

/**
 * The messages as JSON, each with its version.
 *
 * @throws {TypeError} if something in it is not JSON, such as a function among the artifacts; and for messages in the form of another
 * library, which `normalizeMessages` reads.
 */
export function serializeMessages(messages: readonly Message[]): SerializedMessage[] {
  checkMessages(messages)
  return messages.map((message, at) => ({ ...plain(message, `messages[${at}]`), version: 1, type: 'message' }))
}

/**
 * Reads serialised messages.
 *
 * @throws {DecodeError} if it is not a list of them, one has a version that is not known, or a field is of the wrong type.
 */
export function deserializeMessages(value: unknown): Message[] {
  if (!Array.isArray(value)) throw new DecodeError('Cannot read messages: a list is expected')
  return value.map((one, at) => {
    const path = `messages[${at}]`
    return check(messageSchema, opened(one, 'message', path), 'read message', path)
  })
}

/** A context as JSON, with its version. @throws {TypeError} if something in it is not JSON. */
export function serializeContext(context: Context): SerializedContext {
  const { messages, tools, ...rest } = context
  return {
    ...plain(rest, 'context'),
    version: 1,
    type: 'context',
    messages: serializeMessages(messages),
    ...compact({ tools: tools?.map((tool, at) => plain('name' in tool ? definitionOf(tool) : tool, `tools[${at}]`)) }),
  }
}

/** Reads a serialised context. @throws {DecodeError} if it is not a context, has a version that is not known, or a part of it is wrong. */
export function deserializeContext(value: unknown): Context {
  const { messages, system, tools, providerState } = opened(value, 'context', 'context')
  return compact({
    messages: deserializeMessages(messages),
    system: system === undefined ? undefined : (check(content, system, 'read context', 'system') as Content),
    tools: tools === undefined ? undefined : readTools(tools),
    providerState: providerState === undefined ? undefined : (object(providerState, 'providerState') as ProviderState),
  })
}

/** A result as JSON, with its version. An error keeps only its message. @throws {TypeError} if something in it is not JSON. */
export function serializeToolResult(result: ToolResult): SerializedToolResult {
  const { error, ...rest } = result
  const { cause: _, ...fields } = error ?? {}
  return { ...plain({ ...rest, ...compact({ error: error && fields }) }, 'result'), version: 1, type: 'tool_result' }
}

/** Reads a serialised result. @throws {DecodeError} if it is not a result, or has a version that is not known. */
export function deserializeToolResult(value: unknown): ToolResult {
  const result = opened(value, 'tool_result', 'result')
  const { toolCallId, name, status, call } = result
  if (typeof toolCallId !== 'string' || typeof name !== 'string' || (status !== 'success' && status !== 'error')) {
    throw new DecodeError('Cannot read result: "toolCallId", "name" or "status" is missing', { path: 'result' })
  }
  object(call, 'call')
  check(content, result.content, 'read result', 'content')
  return result as unknown as ToolResult
}

/** As `deserializeMessages`, but it returns its error. */
export function safeDeserializeMessages(value: unknown): Safe<Message[]> {
  return safely(() => deserializeMessages(value))
}

/** As `deserializeContext`, but it returns its error. */
export function safeDeserializeContext(value: unknown): Safe<Context> {
  return safely(() => deserializeContext(value))
}

/** As `deserializeToolResult`, but it returns its error. */
export function safeDeserializeToolResult(value: unknown): Safe<ToolResult> {
  return safely(() => deserializeToolResult(value))
}

function plain(value: object, path: string): JsonObject {
  return plainJson(value, path) as JsonObject
}

/** The fields of a stored value, without the marks. */
function opened(value: unknown, type: string, path: string): JsonObject {
  const { version, type: found, ...fields } = object(value, path)
  if (found !== type) {
    throw new DecodeError(`Cannot read ${path}: its type is ${JSON.stringify(found)} and not "${type}"`, { path })
  }
  if (version === 1) return fields
  throw new DecodeError(`Cannot read ${path}: version ${JSON.stringify(version)} is not known; this is version 1`, {
    path,
  })
}

function object(value: unknown, path: string): JsonObject {
  if (isObject(value)) return value
  throw new DecodeError(`Cannot read "${path}": an object is expected`, { path })
}

function readTools(value: unknown): readonly ContextTool[] {
  if (!Array.isArray(value)) throw new DecodeError('Cannot read "tools": a list is expected', { path: 'tools' })
  return value.map((tool, at) => {
    const read = object(tool, `tools[${at}]`)
    const isTool = typeof read.name === 'string' || read.type === 'provider_tool'
    if (isTool) return read as unknown as ContextTool
    throw new DecodeError(`Cannot read "tools[${at}]": "name" is missing`, { path: `tools[${at}]` })
  })
}
