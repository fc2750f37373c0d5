/** Findings of validators, and readers of unknown values. It imports nothing from `src`. */

export type Wire = Readonly<Record<string, unknown>>

/** Why a server would refuse a body: `messages[2].content: …`. Empty if it would not. */
export type Validator = (body: unknown) => readonly string[]

export class Findings {
  readonly all: string[] = []

  say(path: string, what: string): void {
    this.all.push(`${path}: ${what}`)
  }

  /** Notes a problem unless something holds, and returns whether it does. */
  check(holds: boolean, path: string, what: string): boolean {
    if (!holds) this.say(path, what)
    return holds
  }

  keys(value: Wire, allowed: ReadonlySet<string>, path: string): void {
    for (const key of Object.keys(value)) this.check(allowed.has(key), path, `unknown field "${key}"`)
  }

  text(value: unknown, path: string): value is string {
    return this.check(typeof value === 'string', path, 'is not text')
  }

  match(value: unknown, pattern: RegExp, path: string): void {
    this.check(typeof value === 'string' && pattern.test(value), path, `"${value}" does not match ${pattern}`)
  }
}

export const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
export const isObject = (value: unknown): value is Wire =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const object = (value: unknown): Wire => (isObject(value) ? value : {})
export const list = (value: unknown): readonly Wire[] => (Array.isArray(value) ? value.map(object) : [])
export const isBase64 = (value: unknown): boolean => typeof value === 'string' && /^[\w+/-]+={0,2}$/.test(value)
export const isWebAddress = (value: unknown): boolean => typeof value === 'string' && /^https?:\/\//.test(value)
export const isDataUrl = (value: unknown): boolean =>
  typeof value === 'string' && /^data:[\w.+-]+\/[\w.+-]+;base64,[\w+/-]+={0,2}$/.test(value)

/** A validator of what such a check finds, and of what every wire forbids. */
export function validator(check: (body: Wire, found: Findings) => void): Validator {
  return (body) => {
    const found = new Findings()
    check(object(body), found)
    checkWellFormed(body, found)
    return found.all
  }
}

/** Halves of characters make an invalid body (openai-chat.md §2.3). */
function checkWellFormed(body: unknown, found: Findings): void {
  const text = JSON.stringify(body)
  found.check(!/(^|[^\\])(\\\\)*\\ud[89a-f]/i.test(text), 'body', 'holds half of a character')
}

/** What depends on a host or on a model, and fields and parts that only some of them take. */
const ofSome =
  /unknown field|thought_signature|^model: |is OpenAI's alone|the field is max|role "(?:developer|system)"|a part of the type|when tool_choice forces|is only in answers|audio |without vision/

/** Why no host and no model would take the turns of a body. */
export const violationsOf =
  (validate: Validator): Validator =>
  (body) =>
    validate(body).filter((finding) => !ofSome.test(finding))

/** JSON of an object: what every wire means by arguments as text. */
export function parsesToObject(text: unknown): boolean {
  try {
    return isObject(JSON.parse(String(text)))
  } catch {
    return false
  }
}

/** A good body, and changes of it that a provider refuses: a validator that accepts everything proves nothing. */
export interface Refusals {
  readonly title: string
  readonly provider: string
  /** The model that is asked, where rules differ between models. */
  readonly model?: string
  readonly good: Wire
  readonly cases: readonly (readonly [change: string, finding: RegExp, Wire])[]
}

type Case = Refusals['cases'][number]
/** Changes of a body. A list is its conversation, which has this name. */
export const withTurns = (
  field: string,
  cases: readonly (readonly [change: string, finding: RegExp, Wire | readonly unknown[]])[],
): readonly Case[] =>
  cases.map(([change, finding, body]): Case => [change, finding, isObject(body) ? body : { [field]: body }])
