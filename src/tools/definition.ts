/**
 * A tool by itself: its schema, of any kind, which becomes JSON Schema for the model and checks arguments; the part that a model sees; the
 * checks of its other fields; and the content that the model gets for its return value.
 *
 * @see https://standardschema.dev (read 2026-11)
 *
 * @module
 */

import { checkTools, isLibrarySchema } from '../core/content.ts'
import { arrayOf, field, isObject, setOwn } from '../core/json.ts'
import type {
  Content,
  ContentBlock,
  ContextTool,
  Json,
  JsonObject,
  JsonSchema,
  ToolDefinition,
} from '../core/messages.ts'
import { checkArguments } from './check.ts'
import type { Typed } from './schema-builder.ts'
import type { ResultLimits, Tool, ToolOutput } from './types.ts'

// ---- the schema ---------------------------------------------------------------------------------

/** A schema of any library that supports Standard Schema. With `jsonSchema`, it converts itself to JSON Schema. */
export interface StandardSchema<Output = unknown, Input = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> }
  }
}
/** The result of a validator: a value, or the reasons why it is invalid. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }
/** A value that does not match, and its path. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A schema: made by `t.object()` and its siblings, a JSON Schema, or a Standard Schema that converts itself. */
export type AnySchema = JsonSchema | StandardSchema

/** The type of the values that a schema returns; `Untyped` if it has no types. */
export type OutputOf<Schema, Untyped = unknown> =
  Schema extends StandardSchema<infer Output>
    ? Output
    : Schema extends Typed<infer Value>
      ? unknown extends Value
        ? Untyped
        : Value
      : Untyped

/** The type of the values that a schema accepts, before it converts them; `unknown` if it has no types. */
export type InputOf<Schema> =
  Schema extends StandardSchema<unknown, infer Input> ? Input : Schema extends Typed<infer Value> ? Value : unknown

/** Functions count too: arktype's schemas are functions. */
export function isStandardSchema(value: AnySchema): value is StandardSchema {
  return '~standard' in Object(value)
}

/**
 * Converts the schema to JSON Schema. `subject` names it in the error, such as `tool "add"`.
 *
 * @throws {TypeError} if it does not convert itself.
 */
export function toJsonSchema(schema: AnySchema, subject: string): JsonSchema {
  if (!isStandardSchema(schema)) {
    const isOld = isLibrarySchema(schema)
    if (!isOld && !Object.values(Object(schema)).some(isLibrarySchema)) return schema
    const finding = isOld
      ? 'its schema is of a library without Standard Schema, such as zod 3: use zod 4, or pass a JSON Schema'
      : 'its fields are not in an object, such as z.object({ … })'
    throw new TypeError(`Cannot make ${subject}: ${finding}`)
  }
  const { vendor, jsonSchema } = schema['~standard']
  if (jsonSchema === undefined) {
    const how =
      vendor === 'valibot'
        ? 'wrap it in toStandardJsonSchema() of the package "@valibot/to-json-schema"'
        : 'use a version of it that does, or pass a JSON Schema'
    throw new TypeError(`Cannot make ${subject}: its ${vendor} schema does not convert itself to JSON Schema; ${how}`)
  }
  try {
    const { $schema: _, ...converted } = jsonSchema.input({ target: 'draft-2020-12' })
    return converted
  } catch (cause) {
    throw new TypeError(`Cannot make ${subject}: its ${vendor} schema has no form in JSON Schema`, { cause })
  }
}

/**
 * Checks the value, and returns it as the schema converts it.
 *
 * @throws {TypeError} what does not fit, each with its place.
 */
export async function parseWith(schema: AnySchema, value: unknown): Promise<unknown> {
  if (!isStandardSchema(schema)) return checked(value, schema)
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return result.value
  throw new TypeError(result.issues.slice(0, mostIssues).map(describeIssue).join('; '))
}

/** The maximum number of issues that are reported. */
const mostIssues = 10

function checked(value: unknown, schema: JsonSchema): unknown {
  const problems = checkArguments(value, schema)
  if (problems.length > 0) throw new TypeError(problems.join('; '))
  return value
}

function describeIssue({ message, path }: StandardIssue): string {
  const keys = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`
}

/**
 * Strict mode makes models write `null` for what they leave out. Dropped, so that defaults apply: from properties that the schema
 * knows and does not require, at every depth.
 */
export function withoutNullOptionals(value: JsonObject, schema: JsonSchema | undefined): JsonObject {
  return strip(value, schema, 0) as JsonObject
}

/** Looks at what the schema knows, and copies only what changes: an object of a million keys costs nothing. */
function strip(value: Json, schema: unknown, depth: number): Json {
  if (!isObject(schema) || depth > maxDepth) return value
  const { items, properties } = schema
  if (Array.isArray(value)) return isObject(items) ? value.map((one) => strip(one, items, depth + 1)) : value
  if (!isObject(value) || !isObject(properties)) return value
  const required = new Set(arrayOf(schema.required))
  let copy: JsonObject | undefined
  for (const key of Object.keys(properties)) {
    const entry = field(value, key)
    if (entry === undefined) continue
    const isDropped = entry === null && !required.has(key)
    const next = isDropped ? entry : strip(entry, properties[key], depth + 1)
    if (next === entry && !isDropped) continue
    copy ??= { ...value }
    if (isDropped) delete copy[key]
    else setOwn(copy, key, next)
  }
  return copy ?? value
}

/** Values deeper than this are not looked at. Arguments are never so deep. */
const maxDepth = 64

// ---- the tool -----------------------------------------------------------------------------------

/** The part of a tool that a model sees: without its functions and behaviour. */
export function definitionOf(tool: Tool | ToolDefinition): ToolDefinition {
  const { run, execute, parse, convert, sequential, terminal, needsApproval, timeoutMs, fromMcp, ...definition } =
    tool as Tool
  return definition
}

/** Whether the tool can run here. The caller runs a definition without `execute`. */
export function isRunnable(definition: object): definition is Tool {
  return 'execute' in definition && typeof definition.execute === 'function'
}

/** The tool, if it can run here. */
export function asRunnable(tool: object | undefined): Tool | undefined {
  return tool !== undefined && isRunnable(tool) ? tool : undefined
}

/**
 * Checks two tools with the same name. The later one replaces the earlier one, except if one of them needs approval or comes from an MCP
 * server. Otherwise an added tool could replace a tool that needs approval.
 *
 * @throws {TypeError} that says how to rename one of them.
 */
export function checkReplacing(earlier: object, later: object, name: string): void {
  if (earlier === later) return
  const [one, other] = [earlier, later] as [Partial<Tool>, Partial<Tool>]
  const isMcp = one.fromMcp || other.fromMcp
  if (!isMcp && !one.needsApproval && !other.needsApproval) return
  const why = isMcp ? 'one of them is of an MCP server' : 'one of them needs approval'
  const how = isMcp ? 'give its tools another name by mcpTools(client, { prefix })' : 'rename one of them'
  throw new TypeError(`Cannot use two tools named "${name}": ${why}; ${how}`)
}

/** Checks the tools of a request, or of the context in it. @throws {TypeError} that says which one is wrong, and how to make it. */
export function checkGivenTools(tools: readonly ContextTool[]): void {
  checkTools(tools)
  for (const [at, tool] of tools.entries()) if (hasRunner(tool)) tool.run.checkApproval(tool, `"tools[${at}]"`)
}

/** Whether a tool has the code that runs it. */
export function hasRunner(tool: object): tool is Tool {
  return 'run' in tool && typeof tool.run === 'function'
}

/**
 * Checks the option of consent, in production too: a call that nobody agreed to would run, and JavaScript does not check names.
 *
 * @throws {TypeError} for a value that is not a rule, and for an option whose name looks like `needsApproval`.
 */
export function checkConsent(options: object, place: string): void {
  const wrong = Object.keys(options).find(
    (name) => name !== 'needsApproval' && /need|app?r?ov|consent|confirm/i.test(name),
  )
  if (wrong !== undefined) throw new TypeError(`Cannot make ${place}: there is no "${wrong}"; write needsApproval`)
  checkApproval(options, place)
}

/** @throws {TypeError} for a value that is not a rule: a run would not ask for approval, and JavaScript does not check types. */
export function checkApproval(tool: object, place: string): void {
  const needsApproval: unknown = 'needsApproval' in tool ? tool.needsApproval : undefined
  if (needsApproval === undefined || (isObject(needsApproval) && typeof needsApproval.consent === 'function')) return
  throw new TypeError(`Cannot use ${place}: "needsApproval" is ${typeof needsApproval} and not what approval() makes`)
}

// ---- its return value ---------------------------------------------------------------------------

// Strings and blocks stay as they are, nothing is `Done`, a list of strings becomes lines, everything else its JSON. A value without JSON is an
// error that says so, never an empty object.

/**
 * Reads the value that a tool returned.
 *
 * @throws {TypeError} if it has no JSON: a stream, bytes, a `Map`, a cycle. An `Error` that is returned is thrown.
 */
export function readOutput(value: unknown, limits: ResultLimits): ToolOutput & { readonly content: Content } {
  const output = outputOf(value)
  return { ...output, content: bounded(output.content, limits) }
}

/** The same, of any length. */
export function outputOf(value: unknown): ToolOutput & { readonly content: Content } {
  const output: ToolOutput = isToolOutput(value) ? value : { content: contentOf(value) }
  const { content = done } = output
  try {
    if (typeof content !== 'string') JSON.stringify(content)
  } catch (cause) {
    throw noJson('a block in it is cyclic, or has a bigint', cause)
  }
  return { ...output, content }
}

/** The result of a tool that returns nothing. */
const done = 'Done'

function contentOf(value: unknown): Content {
  if (value === undefined) return done
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.length > 0) {
    if (value.every(isBlock)) return value
    if (value.every((entry) => typeof entry === 'string')) return value.join('\n')
  }
  if (value instanceof Error) throw value
  return jsonOf(value)
}

/** A bigint in it is written in digits, and an error as its words. */
function jsonOf(value: unknown): string {
  let finding = 'it is cyclic, or nested too deep'
  let json: string | undefined
  try {
    json = JSON.stringify(value, (key, entry) => {
      if (typeof entry === 'bigint' || entry instanceof Error) return String(entry)
      if (hasJson(entry)) return entry
      const kind = Object.prototype.toString.call(entry).slice(8, -1)
      finding = key === '' ? `it is a ${kind}` : `"${key}" in it is a ${kind}`
      throw new TypeError(finding)
    })
  } catch (cause) {
    throw noJson(finding, cause)
  }
  if (json === undefined) throw noJson(`it is a ${typeof value}`)
  return json
}

function noJson(finding: string, cause?: unknown): TypeError {
  return new TypeError(`The tool ran, but what it returned has no JSON: ${finding}`, { cause })
}

/** Whether it is not an object that `JSON.stringify` would write as `{}` or byte by byte. */
function hasJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true
  return !ArrayBuffer.isView(value) && (isPlain(value) || Object.keys(value).length > 0)
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/**
 * Whether the value has only the fields of a {@link ToolOutput}, with the right types. Any other value with a `status` is ordinary data.
 */
function isToolOutput(value: unknown): value is ToolOutput {
  if (!isObject(value)) return false
  const { content, status, artifacts, extra, ...others } = value
  const hasField = ['content', 'artifacts', 'extra'].some((name) => Object.hasOwn(value, name))
  return (
    hasField &&
    Object.keys(others).length === 0 &&
    (content === undefined || typeof content === 'string' || (Array.isArray(content) && content.every(isBlock))) &&
    (status === undefined || status === 'success' || status === 'error') &&
    (artifacts === undefined || Array.isArray(artifacts)) &&
    (extra === undefined || isObject(extra))
  )
}

const media: ReadonlySet<unknown> = new Set(['image', 'audio', 'video', 'file'])

/** The blocks that a result can hold. Data of the application that has a `type` too is not taken for one. */
function isBlock(value: unknown): value is ContentBlock {
  if (!isObject(value)) return false
  const { type, text, url, data, fileId } = value
  if (type === 'text' || type === 'plain_text') return typeof text === 'string'
  return media.has(type) && [url, data, fileId].some((source) => typeof source === 'string')
}

function bounded(content: Content, limits: ResultLimits): Content {
  const maxText = limits.maxResultLength ?? 1024 * 1024
  if (typeof content === 'string') return cut(content, maxText)
  let textLeft = maxText
  let mediaLeft = limits.maxResultMedia ?? 32 * 1024 * 1024
  return content.map((block) => {
    if (block.type === 'text' || block.type === 'plain_text') {
      const text = cut(block.text, textLeft)
      textLeft = Math.max(0, textLeft - block.text.length)
      return text === block.text ? block : { ...block, text }
    }
    const length = 'data' in block ? (block.data?.length ?? 0) : 0
    if (length > mediaLeft) return { type: 'text', text: `[left out: ${block.type} of ${length} characters of base64]` }
    mediaLeft -= length
    return block
  })
}

/** Cuts a text, but never between two surrogates. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const start = text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
  return `${start}\n[cut: ${text.length - start.length} more characters]`
}
