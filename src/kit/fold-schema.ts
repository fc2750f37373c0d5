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
import { arrayOf, atPointer, field, hasType, isObject, objectIn } from '../core/json.ts'
import type { Json, JsonObject } from '../core/model.ts'

/** A folded schema. */
export interface Folded {
  /** A plain object; `undefined` if the given schema takes no object. Its references lead into the given schema. */
  readonly schema: JsonObject | undefined
  /** Which parameters go together, where the schema does not say it. */
  readonly words: string
}

/** More forms than this become one, before they are joined with others. */
const maxForms = 64
/** The maximum number of references that are followed. */
const maxReferences = 64

interface Task {
  readonly root: JsonObject
  readonly losses: Set<string>
  /** The forms of each reference; `undefined` while they are read. */
  readonly targets: Map<string, readonly JsonObject[] | undefined>
  /** Whether closed objects are read as open ones. */
  readonly isOpen: boolean
}

const together = 'which parameters go together'

/**
 * Folds a schema.
 *
 * @param root The schema, as `JSON.parse` returns it.
 * @param losses Receives what the folded schema does not demand.
 * @param nameOf Returns the name that is sent for a parameter.
 */
export function foldSchema(root: JsonObject, losses: Set<string>, nameOf: (name: string) => string): Folded {
  const read = (isOpen: boolean) => formsOf(root, { root, losses, targets: new Map([['#', undefined]]), isOpen })
  const forms = read(false)
  if (forms.length > 0) {
    const schema = either(forms)
    if (isUnion(forms)) return { schema, words: '' }
    losses.add(together)
    return { schema, words: wordsOf(forms, schema, nameOf) }
  }
  // Closed objects in `allOf` exclude each other, and their author means one closed object.
  losses.add('that no arguments fit')
  const open = read(true)
  return { schema: open.length === 0 ? undefined : { ...either(open), additionalProperties: false }, words: '' }
}

// ---- forms --------------------------------------------------------------------------------------

function formsOf(schema: Json | undefined, task: Task): readonly JsonObject[] {
  if (isNever(schema)) return []
  if (!isObject(schema)) return [{}]
  const { $defs: _, definitions: __, type, $ref, allOf, anyOf, oneOf, not, ...rest } = schema
  const { if: condition, then, else: otherwise, enum: values, const: value, unevaluatedProperties, ...own } = rest
  if (type !== undefined && ![type].flat().includes('object')) return []
  if (task.isOpen) delete own.additionalProperties
  let forms: readonly JsonObject[] = [own]
  const join = (others: readonly JsonObject[]) => {
    forms = cross(forms, others, task)
  }
  if (typeof $ref === 'string') join(formsAt($ref, task))
  for (const one of arrayOf(allOf)) join(formsOf(one, task))
  for (const list of [anyOf, oneOf]) if (Array.isArray(list)) join(list.flatMap((one) => formsOf(one, task)))
  if (condition !== undefined && (then ?? otherwise) !== undefined) {
    task.losses.add('what a condition demands')
    join([...cross(formsOf(condition, task), formsOf(then, task), task), ...formsOf(otherwise, task)])
  }
  for (const list of [values, value === undefined ? value : [value]])
    if (Array.isArray(list)) join(list.filter(isObject).map(literal))
  if (not !== undefined) task.losses.add('what "not" forbids')
  if (unevaluatedProperties !== undefined)
    forms = forms.map((form) => ({ additionalProperties: unevaluatedProperties, ...form }))
  return forms.filter((form) => arrayOf(form.required).every((name) => !isNever(propertyOf(form, String(name)))))
}

/** The forms of what a reference leads to. */
function formsAt(reference: string, task: Task): readonly JsonObject[] {
  const { root, targets, losses } = task
  if (!targets.has(reference) && targets.size <= maxReferences) {
    targets.set(reference, undefined)
    const target = atPointer(root, reference) as Json | undefined
    if (target !== undefined) targets.set(reference, formsOf(target, task))
  }
  const forms = targets.get(reference)
  if (forms === undefined) losses.add(`what "${reference}" demands`)
  return forms ?? [{}]
}

/** The object that takes this value only. */
function literal(value: JsonObject): JsonObject {
  const properties = Object.entries(value).map(([name, one]) => [name, { const: one }])
  return { properties: Object.fromEntries(properties), required: Object.keys(value), additionalProperties: false }
}

/** Each form of one list with each of the other. */
function cross(ones: readonly JsonObject[], others: readonly JsonObject[], task: Task): readonly JsonObject[] {
  const joined = ones.flatMap((one) => others.map((other) => both(one, other, task.losses)))
  const forms = distinct(joined.filter(isObject))
  if (forms.length <= maxForms) return forms
  if (!isUnion(forms)) task.losses.add(together)
  return [either(forms)]
}

// ---- and ----------------------------------------------------------------------------------------

/** Words about a schema. Where two schemas have some, the first ones are kept. */
const notes: ReadonlySet<string> = /* @__PURE__ */ new Set(['title', 'description', 'default', 'examples', '$comment'])

/** The schema of the values that both schemas take; `false` if there are none. */
export function both(one: Json = true, other: Json = true, losses: Set<string>): Json {
  if (isNever(one) || isNever(other)) return false
  if (!isObject(one)) return other
  if (!isObject(other)) return one
  const joined = { ...one }
  for (const [keyword, theirs] of Object.entries(other)) {
    const ours = one[keyword]
    joined[keyword] = ours === undefined || isSame(ours, theirs) ? theirs : joinKeyword(keyword, ours, theirs, losses)
  }
  const types = joined.type === undefined ? undefined : [joined.type].flat()
  const lists = [valuesOf(one), valuesOf(other)].filter((list) => list !== undefined)
  const values = lists[0]?.filter(
    (value) =>
      types?.some((type) => hasType(value, String(type))) !== false &&
      lists.every((list) => list.some((other) => isSame(other, value))),
  )
  if (types?.length === 0 || values?.length === 0) return false
  if (joined.const !== undefined) delete joined.enum
  else if (values !== undefined) joined.enum = values
  const names = Object.keys({ ...objectIn(one, 'properties'), ...objectIn(other, 'properties') })
  const properties = names.map((name) => [name, both(propertyOf(one, name), propertyOf(other, name), losses)])
  if (names.length > 0) joined.properties = Object.fromEntries(properties)
  return joined
}

/** The value of a keyword that two schemas have differently. */
function joinKeyword(keyword: string, ours: Json, theirs: Json, losses: Set<string>): Json {
  switch (keyword) {
    case 'properties':
    case 'enum':
    case 'const':
      return ours // they are joined later
    case 'type': {
      const types = [theirs].flat()
      const isWhole = (type: Json) =>
        (type === 'integer' && types.includes('number')) || (type === 'number' && types.includes('integer'))
      const left = [ours].flat().flatMap((type) => (types.includes(type) ? [type] : isWhole(type) ? ['integer'] : []))
      return left.length === 1 ? String(left[0]) : left
    }
    case 'required':
      return [...new Set([...arrayOf(ours), ...arrayOf(theirs)])]
    case 'items':
    case 'additionalProperties':
      return both(ours, theirs, losses)
  }
  if (typeof ours === 'number' && typeof theirs === 'number' && /m(?:in|ax)/i.test(keyword))
    return (/min/i.test(keyword) ? Math.max : Math.min)(ours, theirs)
  if (!notes.has(keyword)) losses.add(`one of two "${keyword}"`)
  return ours
}

/** The schema of a property of an object, whether it is named or not. */
function propertyOf(form: JsonObject, name: string): Json | undefined {
  // Whether a pattern matches the name is not tried, because a stranger's pattern can take for ever.
  return field(form.properties, name) ?? (form.patternProperties === undefined ? form.additionalProperties : true)
}

// ---- or -----------------------------------------------------------------------------------------

/** The object that takes what any of the forms takes. */
function either(forms: readonly JsonObject[]): JsonObject {
  const [first = {}, ...others] = forms
  if (others.length === 0) return first
  const schemas = new Map<string, Json[]>()
  for (const form of forms) {
    for (const [name, schema] of Object.entries(objectIn(form, 'properties'))) {
      schemas.set(name, [...(schemas.get(name) ?? []), ...(isNever(schema) ? [] : [schema])])
    }
  }
  const properties = [...schemas].map(([name, some]) => [name, alternatives(distinct(some))])
  const required = arrayOf(first.required).filter((name) =>
    others.every((form) => arrayOf(form.required).includes(name)),
  )
  return { ...common(forms), properties: Object.fromEntries(properties), required }
}

/** The schema that takes what any of these takes. */
function alternatives(schemas: readonly Json[]): Json {
  const [only = false] = schemas
  if (schemas.length < 2) return only
  if (!schemas.every(isObject)) return true
  const values = schemas.flatMap((schema) => [valuesOf(schema)])
  if (values.includes(undefined)) return { anyOf: [...schemas] }
  const { enum: _, const: __, ...alike } = common(schemas)
  return { ...alike, enum: distinct(values.flatMap((some) => some ?? [])) }
}

/** The keywords that all schemas have alike. */
function common([first = {}, ...others]: readonly JsonObject[]): JsonObject {
  const entries = Object.entries(first)
  return Object.fromEntries(
    entries.filter(([keyword, value]) => others.every((other) => isSame(other[keyword], value))),
  )
}

/** Whether {@link either} takes nothing else than the forms do. So it is if they differ in one place. */
function isUnion(forms: readonly JsonObject[]): boolean {
  let places = 0
  const count = (weight: number, read: (form: JsonObject) => unknown) => {
    if (places < 2 && distinct(forms.map(read)).length > 1) places += weight
  }
  for (const name of namesOf(...forms)) count(1, (form) => [field(form.properties, name), statusOf(form, name)])
  for (const keyword of Object.keys(Object.assign({}, ...forms))) {
    const isOther = keyword !== 'properties' && keyword !== 'required' && !notes.has(keyword)
    if (isOther) count(keyword === 'additionalProperties' ? 1 : 2, (form) => [form[keyword]])
  }
  return places < 2
}

/** Says what goes together: `One of: (1) kind = "create": needs title; may have body; (2) kind = "close": needs id.` */
function wordsOf(forms: readonly JsonObject[], schema: JsonObject, nameOf: (name: string) => string): string {
  const said = forms.map((form, at) => {
    const marks: string[] = []
    const told = { needs: [] as string[], 'may have': [] as string[] }
    for (const name of namesOf(...forms)) {
      const status = statusOf(form, name)
      const values = valuesOf(field(form.properties, name))
      const isUsual = forms.every((other) => statusOf(other, name) === status)
      const isMark = isUsual || status === 'needs'
      if (values && isMark && !isSame(values, valuesOf(field(schema.properties, name)) ?? null))
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

function statusOf(form: JsonObject, name: string): 'needs' | 'may have' | undefined {
  if (arrayOf(form.required).includes(name)) return 'needs'
  return field(form.properties, name) === undefined ? undefined : 'may have'
}

/** The names that any of these forms declares or requires, in order. */
function namesOf(...forms: readonly JsonObject[]): readonly string[] {
  const all = forms.flatMap((form) => [
    ...Object.keys(objectIn(form, 'properties')),
    ...arrayOf(form.required).map(String),
  ])
  return [...new Set(all)]
}

// ---- values -------------------------------------------------------------------------------------

/** Whether it takes nothing: `false`, or `{ not: {} }`, as libraries write it. */
function isNever(schema: Json | undefined): boolean {
  const not = field(schema, 'not')
  return schema === false || not === true || (isObject(not) && Object.keys(not).length === 0)
}

/** The values that a schema lists, if it does. */
function valuesOf(schema: Json | undefined): readonly Json[] | undefined {
  const value = field(schema, 'const')
  if (value !== undefined) return [value]
  const values = field(schema, 'enum')
  return Array.isArray(values) ? values : undefined
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** Each value once. */
function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}
