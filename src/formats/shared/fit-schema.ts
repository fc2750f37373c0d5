/**
 * Writes the schema of a tool's arguments so that its host takes it: one plain object at the root (`fold-schema.ts`), and below it the
 * forms of JSON Schema 2020-12 that all hosts read. Each format or dialect says by data which other forms its host refuses.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core (read 2026-11)
 *
 * @module
 */

import { type IdRule, legalId } from '../../core/ids.ts'
import {
  arrayOf,
  atPointer,
  compact,
  isDeeperThan,
  isObject,
  mapValues,
  numberOr,
  objectIn,
  wellFormedText,
} from '../../core/json.ts'
import type { Json, JsonObject, JsonSchema, Loss } from '../../core/messages.ts'
import type { ToolFitting } from '../../core/target.ts'
import { both, foldSchema, isNever, namesIn, type OpenEnds } from './fold-schema.ts'
import { reportLoss } from './losses.ts'

/** The schemas that a host takes, where it differs from most. */
export interface SchemaRules {
  /** The names that it takes of parameters, at the root. Others are renamed, and named back in the answer. */
  readonly names?: IdRule
  /** The keywords that may stand beside a `$ref`. Default: all. Where others do, what the reference leads to is written in its place. */
  readonly besideReference?: RegExp
  /** Whether references are always replaced: all but those that lead back to themselves, or all, as it refuses those. */
  readonly references?: 'inline' | 'finite'
  /** Whether it ignores the description of a schema's root. */
  readonly ignoresDescription?: true
  /** Changes a schema at any depth, before those inside it. `root` is the given schema. */
  readonly each?: (schema: JsonObject, ends: OpenEnds, root: JsonObject) => JsonObject
  /** Changes the whole schema at the end. `tool` is the tool's name. */
  readonly finish?: (schema: JsonObject, ends: OpenEnds, tool: string) => JsonObject
  /** Whether a strict tool may have this schema. Otherwise the tool is not strict. Default: it may. */
  readonly takes?: (schema: JsonObject) => boolean
  /** The differences for a strict tool. */
  readonly strict?: SchemaRules
}

/** A schema for a host. */
export interface FittedSchema {
  /** A schema that the host takes, or a text that says why the given one cannot be sent. */
  readonly schema: JsonObject | string
  /** Words for the description of the tool. */
  readonly words: string
  /** The caller's names of parameters, by the names that are sent. Only those that differ. */
  readonly names: ReadonlyMap<string, string>
  readonly ends: OpenEnds
}

/** Fits definitions for a host. Default: a host like most. */
export function fitting(host: SchemaRules = {}): ToolFitting {
  return (tool, path, losses, parameterNames) => {
    const { name, parameters, description, strict } = tool
    if (parameters === undefined) return tool
    const rules = strict ? { ...host, ...host.strict } : host
    const { schema, words, names, ends } = fitSchema(parameters, name, rules)
    if (typeof schema === 'string') {
      reportLoss(losses, 'dropped', path, `the schema of "${name}" ${schema}`)
      return undefined
    }
    const report = (place: string, reason: string, severity?: Loss['severity']) =>
      reportLoss(losses, 'changed', `${path}.${place}`, reason, severity)
    for (const [end, severity] of ends) report('parameters', `the sent schema leaves open ${end}`, severity)
    if (names.size > 0) {
      parameterNames.set(name, names)
      report('parameters', 'names of parameters are not legal on this wire; answers get them back', 'info')
    }
    const isLoose = strict && rules.takes?.(schema) === false
    if (isLoose) report('strict', 'the target is not strict about such a schema')
    return compact({
      ...tool,
      parameters: schema,
      description: words && description ? `${description}\n\n${words}` : words || description,
      strict: isLoose ? false : strict,
    })
  }
}

/** The maximum depth of a schema, in levels of JSON. */
const maxDepth = 256
/** The maximum number of schemas. In a larger one, references are not replaced by what they lead to. */
const maxNodes = 5000

interface Task {
  readonly root: JsonObject
  readonly rules: SchemaRules
  /** The references into the given schema, by the names of their definitions. */
  readonly definitions: Map<string, string>
  readonly ends: OpenEnds
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
  const ends: OpenEnds = new Map()
  const nameOf = (name: string) => {
    const sent = rules.names ? legalId(name, rules.names) : name
    if (sent !== name) names.set(sent, name)
    return sent
  }
  const refused = (schema: string) => ({ schema, words: '', names, ends })
  let root: JsonObject
  try {
    const text = wellFormedText(JSON.stringify(given))
    if (isDeeperThan(maxDepth, text)) return refused(`has more than ${maxDepth} levels`)
    root = JSON.parse(text)
  } catch {
    return refused('is not JSON') // it has a cycle, or a bigint
  }
  const folded = foldSchema(root, ends, nameOf)
  if (folded === undefined) return refused('takes no object')

  const [schema, words] = folded
  const task: Task = { root, rules, definitions: new Map(), ends, nodes: 0 }
  const fitted: JsonObject = { ...tidy(schema, task, []), ...definitionsOf(task) }
  const { properties, required, description } = fitted
  fitted.type = 'object'
  fitted.properties = Object.fromEntries(Object.entries(properties ?? {}).map(([name, one]) => [nameOf(name), one]))
  if (required !== undefined) fitted.required = namesIn(required).map(nameOf)
  const isSaid = rules.ignoresDescription !== true && words !== ''
  if (isSaid) fitted.description = description ? `${description}\n\n${words}` : words
  return { schema: rules.finish?.(fitted, ends, tool) ?? fitted, words: isSaid ? '' : words, names, ends }
}

// ---- below the root -----------------------------------------------------------------------------

/** Keywords whose values are schemas by name. */
const schemasByName = /^(?:properties$|patternP|depend)/
/** Keywords whose values are data. */
const data = /^(?:enum|const|default|examples?)$/
/** Keywords about the place of a schema. Definitions are written at the root. */
const places = /^(?:\$schema|\$id|\$defs|definitions)$/

/** Schemas in place of booleans, and other values as they are. */
function tidyAny(value: Json | undefined, task: Task, trail: readonly string[]): Json {
  if (typeof value === 'boolean') return value ? {} : { not: {} }
  return isObject(value) ? tidy(value, task, trail) : (value ?? {})
}

/** The schema in the form that all hosts read. `trail` has the references that were replaced on the way to it. */
function tidy(given: JsonObject, task: Task, trail: readonly string[]): JsonObject {
  task.nodes++
  const current = modern(given)
  const changed = task.rules.each?.(current, task.ends, task.root) ?? current
  if (typeof changed.$ref === 'string') return followReference(changed, changed.$ref, task, trail)
  const inside = (value: Json) => tidyAny(value, task, trail)
  const schema: JsonObject = {}
  for (const [keyword, value] of Object.entries(changed)) {
    if (places.test(keyword)) continue
    if (isObject(value) && schemasByName.test(keyword)) schema[keyword] = mapValues(value, inside)
    else if (Array.isArray(value) && !data.test(keyword)) schema[keyword] = value.map(inside)
    else schema[keyword] = typeof value === 'boolean' || data.test(keyword) ? value : inside(value)
  }
  return addMissing(schema, task.ends)
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
    const isExclusive = schema[exclusive]
    if (typeof isExclusive !== 'boolean') continue
    if (isExclusive) schema[exclusive] = schema[plain] as Json
    delete schema[isExclusive ? plain : exclusive]
  }
  if (type !== undefined && !namesIn([type].flat()).some(Boolean)) delete schema.type
  return schema
}

/** Adds what hosts miss: `items` of a list, and properties that are required. Removes properties that nothing fits. */
function addMissing(schema: JsonObject, ends: OpenEnds): JsonObject {
  const { additionalProperties: others, required } = schema
  if ([schema.type].flat().includes('array') && !isObject(schema.items)) schema.items = {}
  if (!Array.isArray(required)) delete schema.required // draft 3 had it in the schema of a property
  const properties = { ...objectIn(schema, 'properties') }
  for (const [name, one] of Object.entries(properties)) {
    if (!isNever(one)) continue
    delete properties[name]
    if (others !== false) ends.set(`that there is no "${name}"`, 'info')
  }
  for (const name of namesIn(required)) properties[name] ??= isObject(others) ? others : {}
  return schema.properties === undefined && Object.keys(properties).length === 0 ? schema : { ...schema, properties }
}

/** A schema with a reference. */
function followReference(
  { $ref: _, ...beside }: JsonObject,
  reference: string,
  task: Task,
  trail: readonly string[],
): JsonObject {
  const { root, rules, ends } = task
  const { references, besideReference = /./ } = rules
  const target = atPointer(root, reference) as Json | undefined
  const isAlone = Object.keys(beside).every((keyword) => besideReference.test(keyword))
  if (target !== undefined && references === undefined && isAlone)
    return { $ref: link(reference, task), ...tidy(beside, task, trail) }
  if (target !== undefined && !trail.includes(reference) && task.nodes <= maxNodes) {
    task.nodes += JSON.stringify(target).length / 64 // a thousand references to a long text are long, too
    return tidyAny(both(beside, target, ends), task, [...trail, reference]) as JsonObject
  }
  const isLink = target !== undefined && references !== 'finite'
  ends.set(isLink ? `what stands beside "${reference}"` : `what "${reference}" demands`, 'minor')
  return isLink ? { $ref: link(reference, task) } : tidy(beside, task, trail)
}

// ---- definitions --------------------------------------------------------------------------------

/** The reference to a definition, for a reference into the given schema. */
function link(reference: string, { definitions }: Task): string {
  let name = (reference.slice(1).split('/').pop() || 'root').replace(/[^\w.-]+/g, '_')
  while ((definitions.get(name) ?? reference) !== reference) name += '_'
  definitions.set(name, reference)
  return `#/$defs/${name}`
}

/** The definitions: those that are referred to and, unless references are replaced, all that were given. */
function definitionsOf(task: Task): { readonly $defs?: JsonObject } {
  const { root, rules, definitions } = task
  for (const list of rules.references === undefined ? ['$defs', 'definitions'] : []) {
    for (const name of Object.keys(objectIn(root, list)))
      link(`#/${list}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, task)
  }
  const $defs: JsonObject = {}
  // While they are written, more are found.
  for (const [name, reference] of definitions)
    $defs[name] = tidyAny(atPointer(root, reference) as Json, task, [reference])
  return definitions.size > 0 ? { $defs } : {}
}
