/**
 * Ollama: schemas of tools. The server reads a schema into a type that does not have `$ref`, and silently drops the keywords that this
 * type does not have. So references are replaced by their targets before the schema is sent.
 *
 * @see https://github.com/ollama/ollama/blob/main/api/types.go (`ToolFunctionParameters`, `ToolProperty`)
 *
 * @module
 */
import { field, isObject } from '../../core/lookup.ts'
import type { JsonSchema } from '../../core/model.ts'

/** The maximum depth. A schema that is nested deeper keeps its references, since it is probably recursive. */
const maxDepth = 32
/** The maximum number of nodes of an expanded schema. A larger schema is sent unchanged. */
const maxNodes = 5000
/**
 * Each of this number of characters in a referenced schema counts as one more node. This limits the size if a thousand references have the
 * same long text as their target.
 */
const charactersPerNode = 64

/** Keywords whose values are data and not schemas. A `$ref` in them is not a reference. */
const dataKeywords: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])

interface Walk {
  readonly root: JsonSchema
  nodes: number
  leftReferences: boolean
}

/**
 * Returns the schema with its local references replaced by their targets. The definitions are removed if no reference is left. A schema
 * that would become too large is returned unchanged.
 */
export function inlineReferences(schema: JsonSchema): JsonSchema {
  const walk: Walk = { root: schema, nodes: 0, leftReferences: false }
  const { $defs: _defs, definitions: _definitions, ...visible } = schema
  const inlined = inline(visible, walk, [])
  if (walk.nodes > maxNodes || !isObject(inlined)) return schema
  if (!walk.leftReferences) return inlined
  return { ...schema, ...inlined }
}

function inline(node: unknown, walk: Walk, trail: readonly string[], depth = 0): unknown {
  if (typeof node !== 'object' || node === null || ++walk.nodes > maxNodes) return node
  if (depth > maxDepth) {
    walk.leftReferences = true
    return node
  }
  if (Array.isArray(node)) return node.map((entry) => inline(entry, walk, trail, depth + 1))
  const reference = field(node, '$ref')
  if (typeof reference === 'string') return follow(node as JsonSchema, reference, walk, trail, depth)
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    dataKeywords.has(key) ? value : inline(value, walk, trail, depth + 1),
  ])
  return Object.fromEntries(entries)
}

/**
 * Returns the target of a reference. Keywords in the same object as the reference replace those of the target. If the reference is
 * recursive or has no target, it is returned unchanged.
 */
function follow(node: JsonSchema, reference: string, walk: Walk, trail: readonly string[], depth: number): unknown {
  const target = trail.includes(reference) ? undefined : resolve(walk.root, reference)
  if (!isObject(target)) {
    walk.leftReferences = true
    return node
  }
  const { $ref: _, ...beside } = node
  walk.nodes += Math.floor(JSON.stringify(target).length / charactersPerNode)
  return inline({ ...target, ...beside }, walk, [...trail, reference], depth + 1)
}

/** Returns the value at a JSON Pointer in a URL fragment, such as `#/$defs/city`. @see https://www.rfc-editor.org/rfc/rfc6901#section-6 */
function resolve(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  let at: unknown = root
  for (const step of reference.slice(2).split('/')) at = field(at, step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return at
}
