/** The browser's model: from the pieces of its text to fragments. @module */
import type { Fragment } from '../core/codec.ts'
import { arrayOf, field, isObject, stringOr } from '../core/lookup.ts'
import type { AnswerForm } from './constraint.ts'

/** Reads an answer, in pieces cut anywhere. */
export interface AnswerReader {
  push(piece: string): Fragment[]
  /** No more pieces will come. */
  end(): Fragment[]
}

/** Plain text is said as it comes; of an envelope, text and arguments come as they are written. */
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
  // The part of the arguments that was read.
  let depth = 0
  let isString = false
  let isEscaped = false

  function readHead(): void {
    if (textHead.test(rest)) state = 'text'
    else if (callsHead.test(rest)) state = 'calls'
    else return
    rest = rest.replace(state === 'text' ? textHead : callsHead, '')
  }

  /** The complete part of the string: an escape may be cut, and so may a pair of surrogates. Its closing quote ends it. */
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
    const end = endOfArguments()
    const text = rest.slice(0, end)
    rest = rest.slice(text.length)
    if (text !== '') out.push({ type: 'call', key, arguments: text })
    if (end === undefined) return false
    out.push({ type: 'close', key: key++ })
    state = 'calls'
    return true
  }

  /** Where in `rest` the object ends; `undefined` if it goes on. */
  function endOfArguments(): number | undefined {
    for (let at = 0; at < rest.length; at++) {
      const character = rest[at]
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

/** Calls whose fields stand in another order than the usual. */
function leftCalls(rest: string, first: number): Fragment[] {
  const value = parsed<unknown>(`{"calls":[${rest.replace(/^[\s},]*(?=\{)/, '')}`, undefined)
  return arrayOf(isObject(value) ? value.calls : undefined).flatMap((call, at): Fragment[] => {
    const name = field(call, 'name')
    const args = field(call, 'arguments')
    if (typeof name !== 'string' || !isObject(args)) return []
    return [{ type: 'call', key: first + at, name, arguments: args }]
  })
}

/** An answer in the form that the request wants, or one that is not the JSON that was asked for. */
function wholeAnswer(text: string): Fragment[] {
  const value = parsed<unknown>(text, undefined)
  if (isObject(value) && 'answer' in value) return [{ type: 'text', text: JSON.stringify(value.answer) }]
  if (text.trim() === '') return []
  const said = isObject(value) ? stringOr(value.text, text) : text
  const reason = 'the answer is not the JSON that was asked for: it is read as text'
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
