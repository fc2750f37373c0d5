/**
 * Checks values against JSON Schemas, which may be of an unknown server, with the keywords of 2020-12, draft 7 and draft 4. The guide to tools names
 * what is not checked.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-validation (read 2026-11)
 *
 * @module
 */
import { arrayOf, atPointer, hasType, isNestedDeeper, isObject, numberOr, objectIn } from '../core/json.ts'
import type { Json, JsonObject, JsonSchema } from '../core/messages.ts'

/** The maximum number of problems that one check reports, and of words of a list in one. */
const maxProblems = 10
const maxWords = 50
/** The maximum number of steps. A short schema whose references double at each level needs more than any machine can do. */
const maxSteps = 100_000
/** The maximum depth of a value, and of the schemas that are followed. */
const maxDepth = 256

/** A place in the value, and what was found. */
interface Place {
  /** The whole schema, and the steps that are left. */
  readonly task: { readonly root: JsonSchema; steps: number }
  readonly problems: string[]
  readonly path: string
  readonly depth: number
}

/**
 * The places that do not match the schema, such as `city: must be a string`. Empty if all matches. At most 10. A value that
 * takes more than 100,000 steps or 256 levels to check does not match.
 */
export function checkArguments(value: unknown, schema: JsonSchema): readonly string[] {
  const problems: string[] = []
  try {
    if (isNestedDeeper(maxDepth, value)) throw new RangeError(`it has more than ${maxDepth} levels`)
    check(value as Json, schema, { task: { root: schema, steps: maxSteps }, problems, path: '', depth: 0 })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    problems.unshift(`cannot be checked: ${error.message}`)
  }
  return problems.slice(0, maxProblems)
}

function check(value: Json, schema: unknown, at: Place): void {
  spend(at, 1)
  if (at.depth > maxDepth) throw new RangeError(`its schema has more than ${maxDepth} levels`)
  if (schema === false) say(at, 'is not allowed')
  if (!isObject(schema) || at.problems.length >= maxProblems) return
  const types = [schema.type].flat().filter((type) => typeof type === 'string')
  if (types.length > 0 && !types.some((type) => hasType(value, type))) {
    say(at, `must be ${types.map(withArticle).join(' or ')}`)
    return
  }
  checkLiterals(value, schema, at)
  checkSchemas(value, schema, at)
  if (typeof value === 'number') checkNumber(value, schema, at)
  if (typeof value === 'string' && matches(schema.pattern, value, at) === false)
    say(at, `must match the pattern ${schema.pattern}`)
  checkSize(value, schema, at)
  if (Array.isArray(value)) checkItems(value, schema, at)
  if (isObject(value)) checkProperties(value, schema, at)
}

function say({ path, problems }: Place, problem: string): void {
  problems.push(path === '' ? problem : `${path}: ${problem}`)
}

/** @throws {RangeError} if no step is left. */
function spend({ task }: Place, steps: number): void {
  task.steps -= steps
  if (task.steps < 0) throw new RangeError(`it takes more than ${maxSteps} steps`)
}

/** The same place, or one in it: that of a property, or of an entry such as `[3]`. */
function placeIn(at: Place, step = ''): Place {
  const path = at.path === '' || step === '' || step.startsWith('[') ? at.path + step : `${at.path}.${step}`
  return { ...at, path, depth: at.depth + 1 }
}

function fits(value: Json, schema: unknown, at: Place): boolean {
  const problems: string[] = []
  check(value, schema, { ...placeIn(at), problems })
  return problems.length === 0
}

/** The schemas that the schema consists of. */
function checkSchemas(value: Json, schema: JsonObject, at: Place): void {
  const { $ref, allOf, anyOf, oneOf, not, if: condition } = schema
  if (typeof $ref === 'string') {
    const target = atPointer(at.task.root, $ref)
    if (target === undefined) say(at, `cannot be checked: its schema has no "${$ref}"`)
    else check(value, target, placeIn(at))
  }
  for (const one of arrayOf(allOf)) check(value, one, placeIn(at))
  if (Array.isArray(anyOf) && !anyOf.some((one) => fits(value, one, at))) say(at, 'fits none of its alternatives')
  if (Array.isArray(oneOf)) {
    const fitting = oneOf.filter((one) => fits(value, one, at)).length
    if (fitting !== 1) say(at, `fits ${fitting === 0 ? 'none' : 'more than one'} of its alternatives`)
  }
  if (not !== undefined && fits(value, not, at)) say(at, 'is what its schema forbids')
  if (condition !== undefined) check(value, fits(value, condition, at) ? schema.then : schema.else, placeIn(at))
}

// ---- values -------------------------------------------------------------------------------------

function checkLiterals(value: Json, { enum: words, const: word }: JsonObject, at: Place): void {
  if (words === undefined && word === undefined) return
  const own = canonical(value, at)
  const isOwn = (one: Json) => canonical(one, at) === own
  if (Array.isArray(words) && !words.some(isOwn)) {
    const some = words.slice(0, maxWords).map((one) => JSON.stringify(one))
    say(at, `must be one of ${some.join(', ')}${words.length > maxWords ? ' …' : ''}`)
  }
  if (word !== undefined && !isOwn(word)) say(at, `must be ${JSON.stringify(word)}`)
}

/** The value as JSON, with its keys in order: equal values are equal texts. */
function canonical(value: Json, at: Place): string {
  const sort = (_: string, inner: Json) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner
  const text = JSON.stringify(value, sort)
  spend(at, text.length / 64)
  return text
}

function checkNumber(value: number, schema: JsonObject, at: Place): void {
  const limit = (keyword: string) => numberOr(schema[keyword], Number.NaN) // with which no comparison is true
  // In draft 4, `true` made the limit beside it exclusive.
  const beyond = (keyword: string, plain: string) => limit(schema[keyword] === true ? plain : keyword)
  if (value < limit('minimum')) say(at, `must be at least ${schema.minimum}`)
  if (value > limit('maximum')) say(at, `must be at most ${schema.maximum}`)
  const above = beyond('exclusiveMinimum', 'minimum')
  if (value <= above) say(at, `must be more than ${above}`)
  const below = beyond('exclusiveMaximum', 'maximum')
  if (value >= below) say(at, `must be less than ${below}`)
  const parts = value / limit('multipleOf')
  const isWhole = Math.abs(parts - Math.round(parts)) <= 1e-12 * Math.abs(parts) // 0.3 is three times 0.1
  if (!isWhole && limit('multipleOf') > 0) say(at, `must be a multiple of ${schema.multipleOf}`)
}

/** How long a text, a list or an object may be. */
function checkSize(value: Json, schema: JsonObject, at: Place): void {
  const isText = typeof value === 'string'
  const isList = Array.isArray(value)
  if (!isText && !isList && !isObject(value)) return
  const [keyword, word] = isText
    ? ['Length', 'characters']
    : isList
      ? ['Items', 'entries']
      : ['Properties', 'properties']
  const { [`min${keyword}`]: least, [`max${keyword}`]: most } = schema
  if ((least ?? most) === undefined) return
  const size = isText ? [...value].length : Object.keys(value).length
  if (size < numberOr(least, 0)) say(at, `must have at least ${least} ${word}`)
  if (size > numberOr(most, size)) say(at, `must have at most ${most} ${word}`)
}

/**
 * Whether a text matches a pattern. `undefined` without a pattern, or if it could take too long, as `(a+)+` does with more than 20
 * characters.
 */
function matches(pattern: unknown, text: string, at: Place): boolean | undefined {
  if (typeof pattern !== 'string') return undefined
  const cost = costOf(pattern, text.length)
  if (cost > 2 ** 20) return undefined
  spend(at, cost / 2048)
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags).test(text)
    } catch {} // without the flag, more is legal
  }
  return undefined
}

/** How many steps a pattern can take at most, by its repeats. */
function costOf(pattern: string, length: number): number {
  const count = (part: RegExp) => pattern.match(part)?.length ?? 0
  const repeats = count(/[*+]|\{\d+,/g)
  const options = count(/[^(*+}]\?/g)
  const inside = repeats + options + count(/\|/g)
  if (inside > 1 && /\)(?:[*+]|\{\d+,)/.test(pattern)) return 2 ** ((length * inside) / 2)
  const starts = repeats === 0 || /^\^[^|]*$/.test(pattern) ? 0 : 1
  return 2 ** options * length ** (repeats + starts)
}

function withArticle(type: string): string {
  return type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`
}

// ---- lists and objects --------------------------------------------------------------------------

function checkItems(values: readonly Json[], schema: JsonObject, at: Place): void {
  const { items, contains, minContains, maxContains } = schema
  // Before 2020-12, a list in `items` was what `prefixItems` is.
  const [first, rest] = Array.isArray(items) ? [items, schema.additionalItems] : [arrayOf(schema.prefixItems), items]
  for (const [index, value] of values.entries())
    check(value, index < first.length ? first[index] : rest, placeIn(at, `[${index}]`))
  if (contains !== undefined) {
    const found = values.filter((value) => fits(value, contains, at)).length
    if (found < numberOr(minContains, 1) || found > numberOr(maxContains, found))
      say(at, `has ${found} of the entries that it must contain`)
  }
  if (schema.uniqueItems === true && new Set(values.map((value) => canonical(value, at))).size < values.length)
    say(at, 'must not have an entry twice')
}

function checkProperties(value: JsonObject, schema: JsonObject, at: Place): void {
  const { additionalProperties, propertyNames } = schema
  const properties = objectIn(schema, 'properties')
  const patterns = Object.entries(objectIn(schema, 'patternProperties'))
  for (const key of arrayOf(schema.required)) require(value, key, at)
  for (const [key, entry] of Object.entries(value)) {
    if (at.problems.length >= maxProblems) return
    const place = placeIn(at, key)
    let isKnown = Object.hasOwn(properties, key)
    if (isKnown) check(entry, properties[key], place)
    for (const [pattern, one] of patterns) {
      const isMatch = matches(pattern, key, place)
      isKnown ||= isMatch !== false
      if (isMatch) check(entry, one, place)
    }
    if (!isKnown && additionalProperties === false) say(place, 'is not a parameter')
    else if (!isKnown) check(entry, additionalProperties, place)
    if (propertyNames !== undefined && !fits(key, propertyNames, place)) say(place, 'is not a legal name')
  }
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    for (const [key, needed] of Object.entries(objectIn(schema, keyword))) {
      if (!Object.hasOwn(value, key)) continue
      if (Array.isArray(needed)) for (const one of needed) require(value, one, at)
      else check(value, needed, placeIn(at))
    }
  }
}

function require(value: JsonObject, key: Json, at: Place): void {
  if (!Object.hasOwn(value, String(key))) say(placeIn(at, String(key)), 'is missing')
}
