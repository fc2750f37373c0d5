/** The browser's model: converts the chunks of its text to fragments. @module */
import type { Fragment } from '../core/codec.ts'
import { arrayOf, field, isObject, stringOr } from '../core/json.ts'
import type { AnswerForm } from './constraint.ts'

/** Reads an answer in any chunks. */
export interface AnswerReader {
  push(piece: string): Fragment[]
  /** No more chunks follow. */
  end(): Fragment[]
}

/** Plain text is passed on as it arrives. In JSON, the text and the arguments are passed on while the model writes them. */
export function readAnswer(form: AnswerForm): AnswerReader {
  return form === 'plain' ? { push: (piece) => [{ type: 'text', text: piece }], end: () => [] } : readEnvelope()
}

const textHead = /^\s*\{\s*"text"\s*:\s*"/
const callsHead = /^\s*\{\s*"calls"\s*:\s*\[/
const callHead = /^[\s},]*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"arguments"\s*:\s*(?=\{)/

function readEnvelope(): AnswerReader {
  /** The text that is not read yet. */
  let rest = ''
  let state: 'head' | 'text' | 'calls' | 'arguments' | 'done' = 'head'
  let key = 0
  const endOfArguments = endOfObject()

  function readHead(): void {
    if (textHead.test(rest)) state = 'text'
    else if (callsHead.test(rest)) state = 'calls'
    else return
    rest = rest.replace(state === 'text' ? textHead : callsHead, '')
  }

  /** The complete part of the string: an escape or a surrogate pair may be cut. The closing quote ends it. */
  function readText(out: Fragment[]): void {
    const [said = ''] = /^(?:[^"\\]|\\(?:u[\da-fA-F]{4}|[^u]))*/.exec(rest) ?? []
    const isCut = said.length === rest.length
    const whole = isCut ? said.replace(/(?:\\u[dD][89abAB][\da-fA-F]{2}|[\uD800-\uDBFF])$/, '') : said
    rest = rest.slice(whole.length)
    if (rest.startsWith('"')) state = 'done'
    if (whole !== '') out.push({ type: 'text', text: parsed(`"${whole}"`, whole) })
  }

  function readCall(out: Fragment[]): boolean {
    const [head, name = ''] = callHead.exec(rest) ?? []
    if (head === undefined) return false
    rest = rest.slice(head.length)
    state = 'arguments'
    out.push({ type: 'call', key, name: parsed(name, '') })
    return true
  }

  function readArguments(out: Fragment[]): boolean {
    const end = endOfArguments(rest)
    const text = rest.slice(0, end)
    rest = rest.slice(text.length)
    if (text !== '') out.push({ type: 'call', key, arguments: text })
    if (end === undefined) return false
    out.push({ type: 'close', key: key++ })
    state = 'calls'
    return true
  }

  return {
    push(piece) {
      const out: Fragment[] = []
      rest += piece
      if (state === 'head') readHead()
      if (state === 'text') readText(out)
      while (state === 'calls' ? readCall(out) : state === 'arguments' && readArguments(out));
      return out
    },
    end() {
      if (state === 'head') return wholeAnswer(rest)
      return state === 'calls' ? leftCalls(rest, key) : []
    },
  }
}

/**
 * Finds the end of a JSON object whose text arrives in pieces: returns the position in the piece after the object; `undefined` if the object
 * is not complete. Then it can find the end of another object.
 */
function endOfObject(): (piece: string) => number | undefined {
  let depth = 0
  let isString = false
  let isEscaped = false
  return (piece) => {
    for (let at = 0; at < piece.length; at++) {
      const character = piece[at]
      if (isString) {
        if (isEscaped) isEscaped = false
        else if (character === '\\') isEscaped = true
        else if (character === '"') isString = false
      } else if (character === '"') isString = true
      else if (character === '{') depth++
      else if (character === '}' && --depth === 0) return at + 1
    }
    return undefined
  }
}

/** Calls whose fields are in an unusual order. */
function leftCalls(rest: string, first: number): Fragment[] {
  const value = parsed<unknown>(`{"calls":[${rest.replace(/^[\s},]*(?=\{)/, '')}`, undefined)
  return arrayOf(isObject(value) ? value.calls : undefined).flatMap((call, at): Fragment[] => {
    const name = field(call, 'name')
    const args = field(call, 'arguments')
    if (typeof name !== 'string' || !isObject(args)) return []
    return [{ type: 'call', key: first + at, name, arguments: args }]
  })
}

/** An answer in the requested form, or an answer that is not the requested JSON. */
function wholeAnswer(text: string): Fragment[] {
  const value = parsed<unknown>(text, undefined)
  if (isObject(value) && 'answer' in value) return [{ type: 'text', text: JSON.stringify(value.answer) }]
  if (text.trim() === '') return []
  const said = isObject(value) ? stringOr(value.text, text) : text
  const reason = 'the answer is not the requested JSON: it is read as text'
  return [
    { type: 'warning', warning: { path: 'response', action: 'changed', reason, severity: 'minor' } },
    { type: 'text', text: said },
  ]
}

function parsed<T>(json: string, fallback: T): T {
  try {
    return JSON.parse(json) as T
  } catch {
    return fallback
  }
}
