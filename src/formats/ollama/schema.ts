/**
 * Ollama: schemas of tools. The server reads them into a narrow type that has no `$ref`, and drops what does not fit without a word.
 *
 * @see https://github.com/ollama/ollama/blob/main/api/types.go (`ToolFunctionParameters`, `ToolProperty`)
 *
 * @module
 */
import { field, isObject } from '../../core/lookup.ts'
import type { JsonSchema } from '../../core/model.ts'

/** Schemas nested deeper than this keep their references: they are recursive, or might as well be. */
const maxDepth = 32
/** The maximum number of nodes of an expanded schema. A larger schema is sent unchanged. */
const maxNodes = 5000
/** This number of characters of a referenced schema counts as one more node: a reference to a long text may be repeated a thousand times. */
const charactersPerNode = 64

/** Keywords whose values are data, and no schemas. */
const dataKeywords: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])

interface Walk {
  readonly root: JsonSchema
  nodes: number
  leftReferences: boolean
}

/** The schema with what its local references stand for in their places, and without the definitions that are no longer named. */
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
 * The target of a reference, overridden by the keywords beside the reference; the reference itself, if it is recursive or names nothing.
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

/** A JSON Pointer in a fragment. @see https://www.rfc-editor.org/rfc/rfc6901#section-6 */
function resolve(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  let at: unknown = root
  for (const step of reference.slice(2).split('/')) at = field(at, step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return at
}
