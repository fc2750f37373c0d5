/** Guesses the format of a recording from its first frames. */
import { isWire } from './wires.js'

/** @typedef {import('./wires.js').WireName} WireName */

/** The number of frames that are examined: the first ones may be keep-alives. */
const framesToRead = 40

/** A header of a message of Amazon's event stream, and the type of its value: a string. */
const eventHeader = ':event-type\x07'

/** The first matching marker decides. @type {readonly [WireName, (value: Record<string, unknown>) => boolean][]} */
const marks = [
  ['gemini-interactions', (value) => typeof value.event_type === 'string'],
  ['cohere', ({ type }) => typeof type === 'string' && /^(message|content|tool-plan|tool-call|citation)-/.test(type)],
  ['openai-responses', ({ type }) => typeof type === 'string' && type.startsWith('response.')],
  ['openai-responses', (value) => value.type === 'error' && 'sequence_number' in value],
  ['anthropic', ({ type }) => typeof type === 'string' && /^(message|content_block)_|^(ping|error)$/.test(type)],
  ['gemini', (value) => ['candidates', 'promptFeedback', 'usageMetadata'].some((key) => key in value)],
  ['ollama', (value) => 'done' in value || typeof value.error === 'string'],
  ['openai-chat', (value) => 'choices' in value],
  ['gemini', ({ error }) => typeof error === 'object' && error !== null && 'status' in error],
  ['openai-chat', ({ error }) => typeof error === 'object'],
]

/**
 * @param {string} text The recording, or its beginning.
 * @param {string} fileName A name such as `gemini.sse` helps if the bytes do not decide.
 * @returns {WireName | undefined} `undefined` if the format is unknown.
 */
export function guessWire(text, fileName = '') {
  if (text.includes(eventHeader)) return 'bedrock-converse'
  for (const value of jsonIn(text)) {
    const found = marks.find(([, fits]) => fits(value))
    if (found) return found[0]
  }
  const named = fileName.split(/[^a-z-]+/).find(isWire)
  return named && isWire(named) ? named : undefined
}

/**
 * The objects among the first lines, whether they are SSE, NDJSON or one bare array.
 *
 * @param {string} text
 * @returns {Record<string, unknown>[]}
 */
function jsonIn(text) {
  const lines = text.split(/\r\n|\n|\r/, framesToRead * 4).map((line) => line.replace(/^\uFEFF?(data: ?|,|\[)?/, ''))
  const found = [...lines, text].map(parse).filter((value) => value !== undefined)
  return found.length > 0 ? found : bareKeys(text)
}

/**
 * For a value that is cut off, or written over many lines: an object with the keys that are visible.
 *
 * @param {string} text
 * @returns {Record<string, unknown>[]}
 */
function bareKeys(text) {
  const keys = [...text.slice(0, 4000).matchAll(/"(\w+)"\s*:/g)].map(([, key]) => [key ?? '', {}])
  return keys.length > 0 ? [Object.fromEntries(keys)] : []
}

/**
 * @param {string} line
 * @returns {Record<string, unknown> | undefined}
 */
function parse(line) {
  try {
    const value = JSON.parse(line)
    const first = Array.isArray(value) ? value[0] : value
    return typeof first === 'object' && first !== null ? first : undefined
  } catch {
    return undefined
  }
}
