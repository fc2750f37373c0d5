/**
 * The checks of options, which only development builds have: see `src/core/checks.ts`.
 *
 * @module
 */
import { lookup } from '../core/json.ts'
import { type Forms, reads, type Taken, taken } from './forms.ts'

export function check(name: string, given: unknown, attempt?: string, about?: unknown): void {
  const found = taken[name]
  if (found === undefined) {
    explainReads(given as object, reads[name] as Readonly<Record<string, string>>)
    return
  }
  const task = attempt === undefined ? found : { ...found, attempt }
  if (given === undefined && task.required === undefined) return
  checkValue(task.attempt, 'the options', given, 'object')
  checkFields(task, given as object, task.forms, '', false)
  for (const option of task.required ?? []) {
    if ((given as Readonly<Record<string, unknown>>)[option] === undefined) {
      throw new TypeError(`Cannot ${task.attempt}: "${option}" is missing`)
    }
  }
  task.also?.(given, about)
}

/** Gives a run the names by which other libraries read theirs: each is an error that says what to write. */
function explainReads(run: object, ways: Readonly<Record<string, string>>): void {
  for (const [other, way] of Object.entries(ways)) {
    const get = () => {
      throw new TypeError(`Cannot read "${other}" of a run; write ${way}`)
    }
    if (!(other in run)) Object.defineProperty(run, other, { get })
  }
}

/** @throws {TypeError} if the value is of none of these types, or does not have the method. */
function checkValue(attempt: string, name: string, value: unknown, wanted: string, method?: unknown): void {
  const found = typeOfValue(value)
  const fits =
    typeof method === 'string'
      ? Object(value) === value && typeof (value as Readonly<Record<string, unknown>>)[method] === 'function'
      : wanted === '' || wanted.includes(found) || (found === 'text' && wanted.includes(`"${value}"`))
  if (fits) return
  const shown = found === 'text' && wanted.includes('"') ? `"${String(value).slice(0, 80)}"` : found
  throw new TypeError(`Cannot ${attempt}: "${name}" is ${shown}; expected ${wanted}`)
}

/** Checks the fields of an object, which stands at this place. */
function checkFields(task: Taken, given: object, forms: Forms, place: string, areRequired: boolean): void {
  const fields = given as Readonly<Record<string, unknown>>
  const at = (name: string) => (Array.isArray(given) ? `${place}[${name}]` : `${place && `${place}.`}${name}`)
  const each = forms['*']
  for (const name of Object.keys(fields)) {
    if (fields[name] !== undefined && !each) checkName(task, at(name), name, forms)
  }
  for (const name of Object.keys(each ? fields : forms)) {
    const form = each ?? forms[name] ?? ''
    const [wanted, inside] = typeof form === 'string' ? [form] : form
    const value = fields[name]
    if (name === '...' || (value === undefined && !each && !areRequired)) continue
    checkValue(task.attempt, at(name), value, wanted, inside)
    // Of a list, only the entries have forms.
    if (typeof inside === 'object' && typeof value === 'object' && (inside['*'] || !Array.isArray(value))) {
      checkFields(task, value as object, inside, at(name), each !== undefined)
    }
  }
}

function checkName({ attempt, habits = {} }: Taken, path: string, name: string, forms: Forms): void {
  if (lookup(forms, name) !== undefined) return
  const word = path.replace(/_./g, ([, letter = '']) => letter.toUpperCase())
  const habit = lookup(habits, word)
  if ('...' in forms && habit === undefined) return
  const near = habit ?? nearest(word.slice(word.lastIndexOf('.') + 1), Object.keys(forms))
  throw new TypeError(`Cannot ${attempt}: there is no "${path}"${near === undefined ? '' : `; write ${near}`}`)
}

/** The name that differs least: by a third of its letters at most. */
function nearest(word: string, names: readonly string[]): string | undefined {
  const distances = names.map((name) => [distance(word.toLowerCase(), name.toLowerCase()), name] as const)
  const [least, name] = distances.sort(([one], [other]) => one - other)[0] ?? [Number.POSITIVE_INFINITY, '']
  return least <= Math.max(1, name.length / 3) ? name : undefined
}

/** How many letters are added, left out or replaced, or exchanged with the next. @see Damerau, 1964; Levenshtein, 1966 */
function distance(one: string, other: string): number {
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let to = 1; to <= other.length; to++) {
      const replaced = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1)
      const isExchanged = one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]
      const exchanged = (isExchanged ? before[to - 2] : undefined) ?? Number.POSITIVE_INFINITY
      next.push(Math.min(replaced, exchanged + 1, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}

/** The type of a value in the words of {@link Forms}. */
function typeOfValue(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (value === null || Number.isNaN(value)) return String(value)
  if (typeof value === 'object') return Symbol.iterator in value ? 'iterable' : 'object'
  return typeof value === 'string' ? 'text' : typeof value
}
