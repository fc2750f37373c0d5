/**
 * Folds a JSON Schema of arguments into one plain object. Hosts refuse a schema with alternatives at its root, and the whole request with it.
 *
 * A schema stands for forms, which are plain objects. `$ref` and `allOf` join forms; `anyOf`, `oneOf`, `if` and `enum` add some. The folded
 * object takes what any form takes, and words say what goes together.
 *
 * @see https://platform.openai.com/docs/guides/function-calling (read 2026-11)
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use (read 2026-11)
 *
 * @module
 */
import { arrayOf, atPointer, field, isObject, mapValues, objectIn } from '../../core/json.ts'
import type { Json, JsonObject, Loss } from '../../core/messages.ts'

/** Demands of the given schema that the sent one does not make, and how severe the loss of each is. */
export type OpenEnds = Map<string, Loss['severity']>

/** More forms than this become one, before they are joined with others. */
const maxForms = 64
/** The maximum number of references that are followed. */
const maxReferences = 64

interface Task {
  readonly root: JsonObject
  readonly ends: OpenEnds
  /** The forms of each reference; `undefined` while they are read. */
  readonly targets: Map<string, readonly JsonObject[] | undefined>
  /** Whether closed objects are read as open ones. */
  readonly isOpen: boolean
}

/**
 * Folds a schema. The result is a plain object, whose references lead into the given schema, and words: which parameters go together, where
 * the object does not say it. `undefined` if the schema takes no object.
 *
 * @param root The schema, as `JSON.parse` returns it.
 * @param nameOf Returns the name that is sent for a parameter.
 */
export function foldSchema(
  root: JsonObject,
  ends: OpenEnds,
  nameOf: (name: string) => string,
): readonly [schema: JsonObject, words: string] | undefined {
  const read = (isOpen: boolean) => formsOf(root, { root, ends, targets: new Map([['#', undefined]]), isOpen })
  let forms = read(false)
  if (forms.length === 0) {
    // Closed objects in `allOf` exclude each other, and their author means one closed object.
    forms = read(true)
    if (forms.length === 0) return undefined
    ends.set('that no arguments fit', 'minor')
    forms = [{ ...unionOf(forms), additionalProperties: false }]
  }
  const schema = unionOf(forms)
  return [schema, isUnion(forms, ends) ? '' : wordsOf(forms, schema, nameOf)]
}

/** The plain objects that an object of the schema `root` may be: any of them, and nothing else but what `not` forbids. */
export function plainForms(schema: JsonObject, root: JsonObject): readonly JsonObject[] {
  return formsOf(schema, { root, ends: new Map(), targets: new Map(), isOpen: false })
}

// ---- forms --------------------------------------------------------------------------------------

function formsOf(schema: Json | undefined, task: Task): readonly JsonObject[] {
  if (isNever(schema)) return []
  if (!isObject(schema)) return [{}]
  const { $defs: _, definitions: __, $ref, allOf, anyOf, oneOf, not, ...rest } = schema
  const { if: condition, then, else: otherwise, enum: values, const: value, unevaluatedProperties, ...own } = rest
  const { type } = own
  if (type !== undefined && ![type].flat().includes('object')) return []
  if (type !== undefined) own.type = 'object'
  if (task.isOpen) delete own.additionalProperties
  let forms: readonly JsonObject[] = [own]
  const join = (others: readonly JsonObject[]) => {
    forms = cross(forms, others, task.ends)
  }
  if (typeof $ref === 'string') join(formsAt($ref, task))
  for (const one of arrayOf(allOf)) join(formsOf(one, task))
  for (const list of [anyOf, oneOf]) {
    if (!Array.isArray(list)) continue
    const choices = list.map((one) => formsOf(one, task))
    if (list === oneOf && !areApart(choices, unionOf(forms))) task.ends.set('that only one of the forms fits', 'minor')
    join(choices.flat())
  }
  if (condition !== undefined && (then ?? otherwise) !== undefined) {
    task.ends.set('what a condition demands', 'minor')
    join([...cross(formsOf(condition, task), formsOf(then, task), task.ends), ...formsOf(otherwise, task)])
  }
  for (const list of [values, value && [value]]) if (Array.isArray(list)) join(list.filter(isObject).map(literal))
  if (not !== undefined) task.ends.set('what "not" forbids', 'minor')
  if (unevaluatedProperties !== undefined)
    forms = forms.map((form) => ({ additionalProperties: unevaluatedProperties, ...form }))
  return forms.filter(isPossible)
}

/** Whether it does not require a property that nothing fits. */
function isPossible(form: JsonObject): boolean {
  return namesIn(form.required).every((name) => !isNever(propertyOf(form, name)))
}

/** Whether no object fits two of the choices, as far as required properties show it. `beside` is what it has to fit as well. */
function areApart(choices: readonly (readonly JsonObject[])[], beside: JsonObject): boolean {
  if (choices.flat().length > maxForms) return false // their pairs take long to compare
  const ends: OpenEnds = new Map() // only what is sent can leave something open
  const isApart = (one: JsonObject, other: JsonObject) =>
    [one, other]
      .flatMap(({ required }) => namesIn(required))
      .some((name) => {
        return isNever(both(propertyOf(one, name), propertyOf(other, name), ends))
      })
  const earlier: JsonObject[] = []
  for (const choice of choices) {
    const forms = choice
      .map((form) => both(beside, form, ends))
      .filter(isObject)
      .filter(isPossible)
    if (!forms.every((form) => earlier.every((other) => isApart(form, other)))) return false
    earlier.push(...forms)
  }
  return true
}

/** The forms of what a reference leads to. */
function formsAt(reference: string, task: Task): readonly JsonObject[] {
  const { root, targets, ends } = task
  if (!targets.has(reference) && targets.size <= maxReferences) {
    const target = atPointer(root, reference) as Json | undefined
    targets.set(reference, undefined)
    if (target !== undefined) targets.set(reference, formsOf(target, task))
  }
  const forms = targets.get(reference)
  if (forms === undefined) ends.set(`what "${reference}" demands`, 'minor')
  return forms ?? [{}]
}

/** The object that takes this value only. */
function literal(value: JsonObject): JsonObject {
  const properties = mapValues(value, (one) => ({ const: one }))
  return { properties, required: Object.keys(value), additionalProperties: false }
}

/** Each form of one list with each of the other. */
function cross(ones: readonly JsonObject[], others: readonly JsonObject[], ends: OpenEnds): readonly JsonObject[] {
  const forms = distinct(ones.flatMap((one) => others.map((other) => both(one, other, ends))).filter(isObject))
  if (forms.length <= maxForms) return forms
  isUnion(forms, ends)
  return [unionOf(forms)]
}

// ---- and ----------------------------------------------------------------------------------------

/** Words about a schema. Where two schemas have some, the first ones are kept. */
const notes = /^(?:title|description|default|examples|\$comment)$/

/** The schema of the values that both schemas take; `false` if there are none. */
export function both(one: Json | undefined = true, other: Json | undefined = true, ends: OpenEnds): Json {
  if (isNever(one) || isNever(other)) return false
  if (!isObject(one)) return other
  if (!isObject(other)) return one
  const joined = { ...one }
  for (const [keyword, theirs] of Object.entries(other)) {
    const ours = one[keyword]
    joined[keyword] = ours === undefined || isSame(ours, theirs) ? theirs : joinKeyword(keyword, ours, theirs, ends)
  }
  const [ours, theirs] = [valuesOf(one), valuesOf(other)]
  const values = ours?.filter((value) => theirs?.some((other) => isSame(other, value)) ?? true) ?? theirs
  if (values?.length === 0 || isSame(joined.type, [])) return false
  if (joined.const !== undefined) delete joined.enum
  else if (values !== undefined) joined.enum = [...values]
  const properties = { ...objectIn(one, 'properties'), ...objectIn(other, 'properties') }
  if (Object.keys(properties).length > 0)
    joined.properties = mapValues(properties, (_, name) => both(propertyOf(one, name), propertyOf(other, name), ends))
  return joined
}

/** The schema without `allOf` at its root, for a host that does not read it. */
export function withoutAllOf(schema: JsonObject, root: JsonObject, ends: OpenEnds): JsonObject {
  let left = schema
  for (let depth = 0; Array.isArray(left.allOf) && depth < 16; depth++) {
    const { allOf, ...rest } = left
    let joined: Json = rest
    for (const one of allOf) {
      const { $ref, ...beside } = isObject(one) ? one : {}
      const target = typeof $ref === 'string' ? (atPointer(root, $ref) as Json | undefined) : one
      joined = both(joined, typeof $ref === 'string' ? both(beside, target, ends) : one, ends)
    }
    left = isObject(joined) ? joined : { not: {} }
  }
  return left
}

/** The value of a keyword that two schemas have differently. */
function joinKeyword(keyword: string, ours: Json, theirs: Json, ends: OpenEnds): Json {
  switch (keyword) {
    case 'type': {
      const types = [theirs].flat()
      const isNumeric = (type: Json) => type === 'number' || type === 'integer'
      const left = [ours].flat().flatMap((type) => {
        if (types.includes(type)) return [type]
        return isNumeric(type) && types.some(isNumeric) ? ['integer'] : []
      })
      return left.length === 1 ? (left[0] as Json) : left
    }
    case 'required':
      return [...new Set([...namesIn(ours), ...namesIn(theirs)])]
    case 'items':
    case 'additionalProperties':
      return both(ours, theirs, ends)
  }
  if (typeof ours === 'number' && typeof theirs === 'number') {
    if (/min/i.test(keyword)) return Math.max(ours, theirs)
    if (/max/i.test(keyword)) return Math.min(ours, theirs)
  }
  if (!notes.test(keyword) && !/^(?:properties|enum|const)$/.test(keyword)) ends.set(`one of two "${keyword}"`, 'minor')
  return ours
}

/** The schema of a property of an object, whether it is named or not. */
function propertyOf(form: JsonObject, name: string): Json | undefined {
  // It does not try whether a pattern matches the name: a pattern of an unknown server can take hours.
  return field(form.properties, name) ?? (form.patternProperties === undefined ? form.additionalProperties : true)
}

// ---- or -----------------------------------------------------------------------------------------

/** The object that takes what any of the forms takes. */
function unionOf(forms: readonly JsonObject[]): JsonObject {
  const [first = {}, ...others] = forms
  if (others.length === 0) return first
  const schemas = new Map<string, Json[]>()
  for (const form of forms) {
    for (const [name, schema] of Object.entries(objectIn(form, 'properties'))) {
      schemas.set(name, [...(schemas.get(name) ?? []), ...(isNever(schema) ? [] : [schema])])
    }
  }
  const required = arrayOf(first.required).filter((name) =>
    others.every((form) => arrayOf(form.required).includes(name)),
  )
  const properties = Object.fromEntries([...schemas].map(([name, some]) => [name, alternatives(distinct(some))]))
  return { ...common(forms), properties, ...(required.length > 0 && { required }) }
}

/** The schema that takes what any of these takes. */
function alternatives(schemas: readonly Json[]): Json {
  const [only = false] = schemas
  if (schemas.length < 2) return only
  if (!schemas.every(isObject)) return true
  const lists = schemas.map(valuesOf)
  if (lists.includes(undefined)) return { anyOf: [...schemas] }
  const { const: _, ...alike } = common(schemas)
  return { ...alike, enum: distinct(lists.flatMap((values) => values ?? [])) }
}

/** The keywords that all schemas have alike. */
function common([first = {}, ...others]: readonly JsonObject[]): JsonObject {
  const entries = Object.entries(first)
  return Object.fromEntries(
    entries.filter(([keyword, value]) => others.every((other) => isSame(other[keyword], value))),
  )
}

/** Whether {@link unionOf} takes nothing else than the forms do: they differ in one place at most. */
function isUnion(forms: readonly JsonObject[], ends: OpenEnds): boolean {
  let places = 0
  const count = (weight: number, read: (form: JsonObject) => unknown) => {
    if (places < 2 && distinct(forms.map(read)).length > 1) places += weight
  }
  for (const name of namesOf(forms)) count(1, (form) => [field(form.properties, name), presenceOf(form, name)])
  for (const keyword of Object.keys(Object.assign({}, ...forms))) {
    if (keyword === 'additionalProperties') count(1, (form) => [form[keyword]])
    else if (!notes.test(keyword) && !/^(?:properties|required)$/.test(keyword)) count(2, (form) => [form[keyword]])
  }
  if (places > 1) ends.set('which parameters go together', 'minor')
  return places < 2
}

/** Says what goes together: `One of: (1) kind = "create": needs title; may have body; (2) kind = "close": needs id.` */
function wordsOf(forms: readonly JsonObject[], schema: JsonObject, nameOf: (name: string) => string): string {
  const said = forms.map((form, at) => {
    const marks: string[] = []
    const told = { needs: [] as string[], 'may have': [] as string[] }
    for (const name of namesOf(forms)) {
      const status = presenceOf(form, name)
      const values = valuesOf(field(form.properties, name))
      const isUsual = forms.every((other) => presenceOf(other, name) === status)
      if (values && (isUsual || status === 'needs') && !isSame(values, valuesOf(field(schema.properties, name))))
        marks.push(`${nameOf(name)} = ${values.map((value) => JSON.stringify(value)).join(' or ')}`)
      else if (status !== undefined && !isUsual) told[status].push(nameOf(name))
    }
    const parts = Object.entries(told).flatMap(([word, names]) =>
      names.length > 0 ? `${word} ${names.join(', ')}` : [],
    )
    return `(${at + 1}) ${marks.join(', ')}${marks.length > 0 ? ': ' : ''}${parts.join('; ') || 'nothing more'}`
  })
  return `One of: ${said.join('; ')}.`
}

function presenceOf(form: JsonObject, name: string): 'needs' | 'may have' | undefined {
  if (arrayOf(form.required).includes(name)) return 'needs'
  return field(form.properties, name) === undefined ? undefined : 'may have'
}

/** The names that any of the forms declares or requires, in order. */
function namesOf(forms: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(forms.flatMap((form) => [...Object.keys(objectIn(form, 'properties')), ...namesIn(form.required)]))
}

// ---- values -------------------------------------------------------------------------------------

/** Whether it takes nothing: `false`, or `{ not: {} }`, as libraries write it. */
export function isNever(schema: Json | undefined): boolean {
  return schema === false || isSame(field(schema, 'not'), {})
}

/** The names in a list. */
export function namesIn(list: Json | undefined): readonly string[] {
  return arrayOf(list).filter((name) => typeof name === 'string')
}

/** The values that a schema lists, if it does. */
function valuesOf(schema: Json | undefined): readonly Json[] | undefined {
  const value = field(schema, 'const')
  const values = field(schema, 'enum')
  return value === undefined ? (Array.isArray(values) ? values : undefined) : [value]
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Each value once. */
function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}
