/**
 * Writes the schema of a tool's arguments so that its host takes it: one plain object at the root (`fold-schema.ts`), and below it the
 * forms of JSON Schema 2020-12 that all hosts read. What a host refuses beyond that is data of its format or dialect.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core (read 2026-11)
 *
 * @module
 */
import { arrayOf, atPointer, isDeeperThan, isObject, numberOr, objectIn, wellFormedText } from '../core/json.ts'
import type { Json, JsonObject, JsonSchema } from '../core/model.ts'
import { both, foldSchema } from './fold-schema.ts'
import { type IdRule, legalId } from './ids.ts'

/** What a host takes of schemas, where it differs from most. */
export interface SchemaRules {
  /** The names that it takes of parameters, at the root. Others are renamed, and named back in the answer. */
  readonly names?: IdRule
  /** The keywords that may stand beside a `$ref`. Default: all. Where others do, what the reference leads to is written in its place. */
  readonly besideReference?: RegExp
  /** Whether references are always replaced: all but those that lead back to themselves, or all, as it refuses those. */
  readonly references?: 'inline' | 'finite'
  /** Whether it ignores the description of a schema's root. */
  readonly ignoresDescription?: true
  /** Changes a schema at any depth, before those inside it. What it does not say any more goes to `losses`. */
  readonly each?: (schema: JsonObject, losses: Set<string>) => JsonObject
  /** Changes the whole schema at the end. `tool` is the tool's name. */
  readonly finish?: (schema: JsonObject, losses: Set<string>, tool: string) => JsonObject
}

/** A schema for a host. */
export interface FittedSchema {
  /** `undefined` if it cannot be sent, because it `refusal`. */
  readonly schema?: JsonObject
  readonly refusal?: string
  /** Words for the description of the tool. */
  readonly words?: string
  /** The caller's names of parameters, by the names that are sent. Only those that differ. */
  readonly names: ReadonlyMap<string, string>
  /** What only the given schema demands. */
  readonly losses: ReadonlySet<string>
  /** The same, where it hardly matters. */
  readonly notes: ReadonlySet<string>
}

/** The maximum depth of a schema, in levels of JSON. */
const maxDepth = 256
/** The maximum number of schemas. In a larger one, references are not replaced by what they lead to. */
const maxNodes = 5000

interface Task {
  readonly root: JsonObject
  readonly rules: SchemaRules
  /** The names of definitions, by the references to them. */
  readonly links: Map<string, string>
  readonly losses: Set<string>
  readonly notes: Set<string>
  nodes: number
}

/**
 * Fits the schema of a tool.
 *
 * @param given A JSON Schema of any draft, from anywhere.
 * @param tool The name of the tool.
 */
export function fitSchema(given: JsonSchema, tool: string, rules: SchemaRules): FittedSchema {
  const names = new Map<string, string>()
  const nameOf = (name: string) => {
    const sent = rules.names ? legalId(name, rules.names) : name
    if (sent !== name) names.set(sent, name)
    return sent
  }
  const found = { names, losses: new Set<string>(), notes: new Set<string>() }
  const text = jsonOf(given)
  if (text === undefined) return { ...found, refusal: 'is not JSON' }
  if (isDeeperThan(maxDepth, text)) return { ...found, refusal: `has more than ${maxDepth} levels` }
  const root = JSON.parse(text)
  const { schema, words } = foldSchema(root, found.losses, nameOf)
  if (schema === undefined) return { ...found, refusal: 'takes no object' }

  const task: Task = { ...found, root, rules, links: new Map(), nodes: 0 }
  const { properties, required, description, ...others } = tidy(schema, task, [])
  const said = [description, rules.ignoresDescription ? '' : words].filter(Boolean).join('\n\n')
  const fitted: JsonObject = {
    type: 'object',
    ...(said && { description: said }),
    properties: Object.fromEntries(Object.entries(properties ?? {}).map(([name, one]) => [nameOf(name), one])),
    ...(required && { required: arrayOf(required).map((name) => nameOf(String(name))) }),
    ...others,
    ...definitionsOf(task),
  }
  const finished = rules.finish?.(fitted, task.losses, tool) ?? fitted
  return { ...found, schema: finished, ...(rules.ignoresDescription && { words }) }
}

/** The JSON of a value; `undefined` if it has none, as a cycle. */
function jsonOf(value: unknown): string | undefined {
  try {
    return wellFormedText(JSON.stringify(value))
  } catch {
    return undefined
  }
}

// ---- below the root -----------------------------------------------------------------------------

/** Keywords whose values are schemas, or lists of schemas. */
const nested =
  /^(?:items|contains|not|if|then|else|propertyNames|prefixItems|(?:all|any|one)Of|(?:additional|unevaluated)\w+)$/
/** Keywords whose values are schemas by name. */
const named = /^(?:properties|patternProperties|depend\w+)$/
/** Keywords about the place of a schema. Definitions are written at the root. */
const places = /^(?:\$schema|\$id|\$defs|definitions)$/
const types = /^(?:string|number|integer|boolean|null|object|array)$/

/** The schema in the form that all hosts read. `trail` has the references that were replaced on the way to it. */
function tidy(given: Json | undefined, task: Task, trail: readonly string[]): JsonObject {
  task.nodes++
  if (!isObject(given)) return given === false ? { not: {} } : {}
  if (typeof given.$ref === 'string') return follow(given, given.$ref, task, trail)
  const inside = (value: Json) => tidy(value, task, trail)
  const schema: JsonObject = {}
  const current = modern(given)
  for (const [keyword, value] of Object.entries(task.rules.each?.(current, task.losses) ?? current)) {
    if (places.test(keyword)) continue
    schema[keyword] = value
    if (nested.test(keyword)) {
      if (Array.isArray(value)) schema[keyword] = value.map(inside)
      else if (typeof value !== 'boolean' || !/^[au]/.test(keyword)) schema[keyword] = inside(value)
    } else if (named.test(keyword)) {
      const entries = Object.entries(isObject(value) ? value : {}).filter(([name, one]) => {
        const isLeft = keyword === 'properties' && one === false
        if (isLeft && given.additionalProperties !== false) task.notes.add(`that "${name}" is absent`)
        return !isLeft
      })
      schema[keyword] = Object.fromEntries(entries.map(([name, one]) => [name, Array.isArray(one) ? one : inside(one)]))
    }
  }
  return whole(schema)
}

/** The schema as 2020-12 writes what older drafts wrote in another way. */
function modern(given: JsonObject): JsonObject {
  const { additionalItems = true, ...schema } = given
  const { items, type } = schema
  if (Array.isArray(items)) Object.assign(schema, { prefixItems: items, items: additionalItems })
  if (schema.items === false) {
    const { length } = arrayOf(schema.prefixItems)
    Object.assign(schema, { items: true, maxItems: Math.min(length, numberOr(schema.maxItems, length)) })
  }
  for (const plain of ['minimum', 'maximum']) {
    const exclusive = plain.replace('m', 'exclusiveM')
    if (typeof schema[exclusive] !== 'boolean') continue
    if (schema[exclusive]) {
      schema[exclusive] = schema[plain] as Json
      delete schema[plain]
    } else delete schema[exclusive]
  }
  if (type !== undefined && ![type].flat().some((name) => types.test(String(name)))) delete schema.type
  return schema
}

/** Adds what hosts miss: `items` of a list, and properties that are required. */
function whole(schema: JsonObject): JsonObject {
  const { required, additionalProperties, ...rest } = schema
  if ([schema.type].flat().includes('array')) schema.items ??= {}
  if (required === undefined) return schema
  if (!Array.isArray(required)) return rest // draft 3 had it beside the schema of a property
  const missing = required.map((name) => [name, isObject(additionalProperties) ? additionalProperties : {}])
  const properties = { ...Object.fromEntries(missing), ...objectIn(schema, 'properties') }
  return Object.keys(properties).length === 0 ? schema : { ...schema, properties }
}

/** A schema with a reference. */
function follow(
  { $ref: _, ...beside }: JsonObject,
  reference: string,
  task: Task,
  trail: readonly string[],
): JsonObject {
  const { root, rules, losses } = task
  const { references, besideReference = /./ } = rules
  const target = atPointer(root, reference) as Json | undefined
  const others = Object.keys(beside).filter((keyword) => !besideReference.test(keyword))
  const isReplaced = references !== undefined || others.length > 0
  if (target !== undefined && isReplaced && !trail.includes(reference) && task.nodes <= maxNodes)
    return tidy(both(beside, target, losses), task, [...trail, reference])
  if (target === undefined || references === 'finite') {
    losses.add(`what "${reference}" demands`)
    return tidy(beside, task, trail)
  }
  if (others.length > 0) losses.add(`what stands beside "${reference}"`)
  const kept = Object.entries(tidy(beside, task, trail)).filter(([keyword]) => besideReference.test(keyword))
  return { $ref: link(reference, task), ...Object.fromEntries(kept) }
}

// ---- definitions --------------------------------------------------------------------------------

/** The reference to a definition, for a reference into the given schema. */
function link(reference: string, { links }: Task): string {
  if (!links.has(reference)) {
    const [, given = `root${reference.slice(1)}`] = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(reference) ?? []
    let name = given.replace(/[^\w.-]+/g, '_')
    while ([...links.values()].includes(name)) name += '_'
    links.set(reference, name)
  }
  return `#/$defs/${links.get(reference)}`
}

/** The definitions: those that are referred to and, unless references are replaced, all that were given. */
function definitionsOf(task: Task): { readonly $defs?: JsonObject } {
  const { root, rules, links } = task
  for (const list of rules.references === undefined ? ['$defs', 'definitions'] : []) {
    for (const name of Object.keys(objectIn(root, list)))
      link(`#/${list}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, task)
  }
  const $defs: JsonObject = {}
  // While they are written, more are found.
  for (const [reference, name] of links) $defs[name] = tidy(atPointer(root, reference) as Json, task, [])
  return links.size > 0 ? { $defs } : {}
}
