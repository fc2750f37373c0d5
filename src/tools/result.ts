/**
 * Turns a tool's return value into content for the model: strings and blocks as they are, nothing as `Done`, a list of strings as lines,
 * everything else as its JSON. A value without JSON is an error that says so, never an empty object.
 *
 * @module
 */
import { isObject } from '../core/json.ts'
import type { Content, ContentBlock } from '../core/model.ts'

/** A result with more fields than its content. Any other return value becomes text. */
export interface ToolOutput {
  readonly content?: Content
  /** `error`: the model learns that the tool failed, and `content` says why. Default `success`. */
  readonly status?: 'success' | 'error'
  /** For the application, never sent to a model. */
  readonly artifacts?: readonly unknown[]
  /** For the application, never sent to a model. */
  readonly extra?: { readonly [key: string]: unknown }
}

/** How much of a tool's result the model gets. */
export interface ResultLimits {
  /** The longest text of a result, all blocks together, in UTF-16 units. Longer text is cut off, and a note follows it. Default 1 Mi. */
  readonly maxResultLength?: number
  /**
   * The longest media of a result, all blocks together, in characters of base64. Larger media are left out, and a note follows. Default 32
   * Mi.
   */
  readonly maxResultMedia?: number
}

/**
 * Reads the value that a tool returned.
 *
 * @throws {TypeError} if it has no JSON: a stream, bytes, a `Map`, a cycle. An `Error` that is returned is thrown.
 */
export function readOutput(value: unknown, limits: ResultLimits = {}): ToolOutput & { readonly content: Content } {
  const output: ToolOutput = isToolOutput(value) ? value : { content: contentOf(value) }
  const content = bounded(output.content ?? done, limits)
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

// ---- what is meant as content -----------------------------------------------------------------

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

// ---- bounds -----------------------------------------------------------------------------------

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
