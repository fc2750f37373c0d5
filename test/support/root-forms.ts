/**
 * Schemas of arguments as libraries and MCP servers write them, by name: every form that the root of one can have, and what hosts stumble on
 * below it.
 *
 * @see https://github.com/makenotion/notion-mcp-server/issues/341 (Notion's attachments)
 * @see https://www.npmjs.com/package/@modelcontextprotocol/server-everything (2026.8.31, its tools as it lists them)
 */
import { z } from 'zod'
import type { JsonSchema } from '../../src/core/messages.ts'

const s = { type: 'string' }
const n = { type: 'number' }
const draft7 = 'http://json-schema.org/draft-07/schema#'
const draft2020 = 'https://json-schema.org/draft/2020-12/schema'

/** An object with these properties: those with `!` are required. */
function o(fields: Record<string, unknown>, more: object = {}): JsonSchema {
  const names = Object.keys(fields)
  const required = names.filter((name) => name.endsWith('!')).map((name) => name.slice(0, -1))
  const properties = Object.fromEntries(names.map((name) => [name.replace(/!$/, ''), fields[name]]))
  return { type: 'object', properties, ...(required.length > 0 && { required }), ...more }
}
const closed = { additionalProperties: false }
/** A condition. */
function when(condition: object, yes: object, no?: object): object {
  return Object.fromEntries(
    Object.entries({ if: condition, else: no })
      .concat([['then', yes]])
      .filter(([, schema]) => schema !== undefined),
  )
}
const { type: _, ...bareA } = o({ 'a!': s })
const { type: __, ...bareB } = o({ 'b!': n })

/** The fifteen worked examples, in their order. The last takes no object. */
export const examples: readonly JsonSchema[] = [
  {
    oneOf: [
      o({ 'kind!': { const: 'create' }, 'title!': s, body: s }, closed),
      o({ 'kind!': { const: 'close' }, 'id!': { type: 'integer' } }, closed),
    ],
  },
  o({ path: s, url: s, page: n }, { anyOf: [{ required: ['path'] }, { required: ['url'] }] }),
  { allOf: [o({ 'a!': s }), o({ 'b!': n })] },
  {
    allOf: [
      { properties: { n: { type: 'number', minimum: 0 } } },
      { properties: { n: { type: 'integer', minimum: 5, maximum: 9 } }, required: ['n'] },
    ],
  },
  { allOf: [{ properties: { a: s } }, { properties: { a: n, b: s } }] },
  { allOf: [o({ a: s }, closed), o({ 'b!': s }, closed)] },
  { anyOf: [o({ 'q!': s }), { type: 'null' }] },
  { anyOf: [o({ 'id!': s, all: { const: false } }), o({ 'id!': { type: 'array', items: s } })] },
  { $ref: '#/$defs/Args', $defs: { Args: o({ 'a!': s }) } },
  o({ 'name!': s, children: { type: 'array', items: { $ref: '#' } } }, { anyOf: [{ required: ['children'] }, {}] }),
  { $ref: '#/$defs/Node', $defs: { Node: o({ 'v!': s, next: { $ref: '#/$defs/Node' } }) } },
  o(
    { 'mode!': { enum: ['range', 'all'] } },
    when({ properties: { mode: { const: 'range' } } }, o({ 'from!': s, 'to!': s })),
  ),
  {
    anyOf: [
      {
        oneOf: [
          { properties: { op: { const: 'a' }, x: s }, required: ['op', 'x'] },
          { properties: { op: { const: 'b' }, y: n }, required: ['op', 'y'] },
        ],
      },
      { properties: { op: { enum: ['c', 'd'] } }, required: ['op'] },
    ],
  },
  { type: ['object', 'null'], properties: { a: s, b: s }, not: { required: ['a', 'b'] } },
  { anyOf: [s, n] },
]

const zods: Readonly<Record<string, z.ZodType>> = {
  union: z.union([z.object({ content: z.string() }), z.object({ source_url: z.url() })]),
  discriminated: z.discriminatedUnion('type', [
    z.object({ type: z.literal('file'), path: z.string(), lines: z.tuple([z.int(), z.int()]).optional() }),
    z.object({
      type: z.literal('web'),
      url: z.string().max(5000),
      headers: z.record(z.string(), z.string()).optional(),
    }),
  ]),
  'discriminated, strict': z.discriminatedUnion('op', [
    z.strictObject({ op: z.enum(['add', 'mul']), by: z.number() }),
    z.strictObject({ op: z.literal('neg') }),
  ]),
  intersection: z.intersection(z.object({ a: z.string() }), z.object({ b: z.number().optional() })),
  'intersection of unions': z.intersection(
    z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    z.union([z.object({ c: z.boolean() }), z.object({ d: z.boolean() })]),
  ),
  record: z.record(z.string(), z.number()),
  'record of an enum': z.record(z.enum(['x', 'y']), z.int()),
  tuple: z.object({ at: z.tuple([z.number(), z.number()]), rest: z.tuple([z.string()], z.number()) }),
  recursive: z.object({
    name: z.string(),
    get children() {
      return z.array(zods.recursive as z.ZodType).optional()
    },
  }),
  any: z.object({ any: z.any(), unknown: z.unknown().optional(), never: z.never().optional() }),
  kinds: z.object({
    date: z.iso.datetime(),
    email: z.email().optional(),
    id: z.uuid().nullable(),
    big: z.number().int().min(1).max(100).multipleOf(5).default(10),
    list: z
      .array(z.enum(['a', 'b']))
      .min(1)
      .max(3),
    code: z.string().regex(/^[A-Z]+-\d{1,4}$/),
    either: z.union([z.string(), z.array(z.string()), z.null()]),
    flags: z.object({ x: z.boolean() }).partial(),
  }),
  strict: z.strictObject({ a: z.string(), b: z.number().nullable() }),
  empty: z.object({}),
}

/** The schema as zod 4 writes it. */
function ofZod(schema: z.ZodType): JsonSchema {
  return JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' })))
}

const everything: Readonly<Record<string, JsonSchema>> = {
  echo: o({ 'message!': { type: 'string', description: 'Message to echo' } }, { $schema: draft7 }),
  'get-env': { type: 'object', properties: {} },
  'get-sum': o(
    { 'a!': { type: 'number', description: 'First number' }, 'b!': { type: 'number', description: 'Second number' } },
    { $schema: draft7 },
  ),
  'get-annotated-message': o(
    {
      'messageType!': {
        type: 'string',
        enum: ['error', 'success', 'debug'],
        description: 'Type of message to demonstrate',
      },
      includeImage: { type: 'boolean', default: false, description: 'Whether to include an example image' },
    },
    { $schema: draft7 },
  ),
  'gzip-file-as-resource': o(
    {
      name: { description: 'Name of the output file', type: 'string', default: 'README.md.gz' },
      data: {
        type: 'string',
        format: 'uri',
        default: 'https://raw.githubusercontent.com/modelcontextprotocol/servers/refs/heads/main/README.md',
      },
      outputType: { type: 'string', enum: ['resourceLink', 'resource'], default: 'resourceLink' },
    },
    { $schema: draft7 },
  ),
  'trigger-long-running-operation': o(
    { duration: { default: 10, type: 'number' }, steps: { default: 5, type: 'number' } },
    { $schema: draft7 },
  ),
}

/** Every form by its name. */
export const rootForms: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(examples.map((schema, at) => [`example ${at + 1}`, schema])),
  ...Object.fromEntries(Object.entries(zods).map(([name, schema]) => [`zod: ${name}`, ofZod(schema)])),
  ...Object.fromEntries(Object.entries(everything).map(([name, schema]) => [`everything: ${name}`, schema])),
  "Notion's attachments": {
    type: 'object',
    $schema: draft2020,
    description: 'Provide exactly one of the documented input variants.',
    anyOf: [o({ 'filename!': s, 'content!': s }), o({ 'filename!': s, 'source_url!': s }), o({ 'file_upload_id!': s })],
  },
  "GitLab's lists": o(
    { project_id: s, group_id: s, 'page!': { type: 'integer', minimum: 1 } },
    { oneOf: [{ required: ['project_id'] }, { required: ['group_id'] }] },
  ),
  nothing: {},
  'only a type': { type: 'object' },
  'only properties': { properties: { a: s } },
  'a list of types': { type: ['object', 'null'], properties: { a: s } },
  'any object, required names': { type: 'object', required: ['a', 'b'] },
  'a map': { type: 'object', additionalProperties: { type: 'integer' } },
  'a map by patterns': { type: 'object', patternProperties: { '^x-': s }, additionalProperties: false },
  'a list of properties, as PHP writes none': { type: 'object', properties: [], required: [] },
  'anyOf beside a type': { type: 'object', anyOf: [bareA, bareB] },
  'oneOf beside properties': o({ mode: s }, { oneOf: [bareA, bareB] }),
  'oneOf whose forms take the same object': { type: 'object', oneOf: [o({ a: s }), o({ a: n })] },
  'oneOf of a form twice': { type: 'object', oneOf: [o({ a: s }, closed), o({ a: s }, closed), o({ b: n }, closed)] },
  'oneOf whose forms become one': o({ a: s }, { ...closed, oneOf: [{ required: [] }, closed] }),
  'oneOf whose forms only their neighbours keep apart': o(
    { 'kind!': { enum: ['a', 'b'] } },
    { oneOf: [{ properties: { kind: { const: 'a' } } }, { properties: { kind: { const: 'b' } } }] },
  ),
  'allOf beside properties': o({ a: s }, { allOf: [bareB] }),
  'allOf of a condition': o(
    { mode: s, x: s },
    { allOf: [when({ properties: { mode: { const: 'x' } }, required: ['mode'] }, { required: ['x'] })] },
  ),
  'if, then and else': o(
    { kind: { enum: ['a', 'b'] } },
    when({ properties: { kind: { const: 'a' } }, required: ['kind'] }, bareA, bareB),
  ),
  'an enum of objects': { enum: [{ a: 1 }, { a: 2, b: true }, 'x'] },
  'a constant': { const: { a: [1] } },
  'a union that differs in one name': { anyOf: [o({ 'a!': { const: 1 } }), o({ 'a!': { const: 2 } })] },
  'a never among others': { anyOf: [o({ 'a!': s, b: { not: {} } }), o({ 'b!': n, a: false })] },
  'closed alternatives': { anyOf: [o({ 'a!': s }, closed), o({ 'b!': n }, closed)] },
  'allOf with unevaluatedProperties': { allOf: [o({ a: s }), o({ b: n })], unevaluatedProperties: false },
  'allOf of references': {
    allOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }],
    $defs: { A: o({ 'a!': s }), B: o({ b: n }) },
  },
  'a chain of references': { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/B' }, B: o({ 'b!': n }) } },
  'a reference with others beside it': {
    type: 'object',
    $ref: '#/definitions/A',
    description: 'd',
    definitions: { A: o({ 'a!': s }) },
  },
  'old definitions': {
    $schema: draft7,
    ...o({ who: { $ref: '#/definitions/Person' }, ids: { type: 'array', items: { $ref: '#/definitions/Id' } } }),
    definitions: { Person: o({ 'id!': { $ref: '#/definitions/Id' } }), Id: { type: 'string', minLength: 2 } },
  },
  'references with words beside them': o(
    { a: { $ref: '#/$defs/X', description: 'the first' }, b: { $ref: '#/$defs/X', minLength: 2 } },
    { $defs: { X: { type: 'string', maxLength: 5 } } },
  ),
  'a reference into properties': o({
    a: o({ x: s }),
    b: { $ref: '#/properties/a' },
    c: { $ref: '#/properties/a/properties/x' },
  }),
  'a reference to the root': o({ v: s, child: { $ref: '#' } }),
  'a recursive list': o(
    { 'items!': { type: 'array', items: { $ref: '#/$defs/T' } } },
    { $defs: { T: { anyOf: [s, { type: 'array', items: { $ref: '#/$defs/T' } }] } } },
  ),
  'a reference that leads nowhere': o({ a: { $ref: '#/$defs/None' }, b: { $ref: 'https://example.com/x.json' }, c: s }),
  'names of definitions with signs': o(
    { a: { $ref: '#/$defs/Page%3CItem%3E' }, b: { $ref: '#/$defs/a~1b' } },
    { $defs: { 'Page<Item>': s, 'a/b': n } },
  ),
  'odd names': o({
    'filter[id]!': s,
    $top: n,
    'a b': s,
    'sort-by': s,
    'x.y': s,
    '2fa': s,
    [`long_${'x'.repeat(80)}`]: s,
    ok: s,
  }),
  'odd names in alternatives': { anyOf: [o({ 'filter[id]!': s }), o({ '$top!': n })] },
  'a bare list': o({ list: { type: 'array' }, lists: { type: 'array', items: { type: ['array', 'null'] } } }),
  'an old tuple': {
    $schema: draft7,
    ...o({
      t: { type: 'array', items: [s, n] },
      u: { type: 'array', items: [s], additionalItems: n },
      v: { type: 'array', items: [s], additionalItems: false },
    }),
  },
  'a tuple': o({ t: { type: 'array', prefixItems: [s, n], items: false }, u: { type: 'array', prefixItems: [s] } }),
  'booleans for schemas': o({ any: true, never: false, list: { type: 'array', items: true } }),
  'draft 4 limits': o(
    {
      a: { type: 'number', minimum: 0, exclusiveMinimum: true },
      b: { type: 'number', maximum: 5, exclusiveMaximum: false },
    },
    { id: 'http://example.com/x' },
  ),
  'draft 3 required': o({ a: { type: 'string', required: true } }),
  'an address': { $schema: draft2020, $id: 'https://example.com/x', ...o({ a: { $id: 'a', type: 'string' } }) },
  'types that are none': o({ a: { type: '' }, b: { type: null }, c: { type: [] } }),
  'type beside anyOf, nested': o({
    a: { type: 'string', anyOf: [{ enum: ['x'] }, { minLength: 3 }] },
    b: { anyOf: [s, { type: 'null' }] },
  }),
  'oneOf, nested': o({ a: { oneOf: [s, n] }, b: { oneOf: [o({ 'k!': { const: 1 } }), o({ 'k!': { const: 2 } })] } }),
  'allOf, nested': o(
    { a: { allOf: [{ $ref: '#/$defs/X' }], description: 'd' }, b: { allOf: [{ type: 'integer' }, { minimum: 3 }] } },
    { $defs: { X: o({ x: s }) } },
  ),
  'limits of all kinds': o({
    text: { type: 'string', minLength: 1, maxLength: 65536, pattern: '^[a-z]+$' },
    list: { type: 'array', items: s, minItems: 0, maxItems: 5000, uniqueItems: true },
    bits: { type: 'integer', minimum: 0, exclusiveMaximum: 256, multipleOf: 2 },
    map: { type: 'object', patternProperties: { '^a': n }, propertyNames: { maxLength: 3 }, minProperties: 1 },
    has: { type: 'array', contains: s, minContains: 1 },
    color: { type: 'string', format: 'color' },
  }),
  'dependent names': o({ a: s, b: s }, { dependentRequired: { a: ['b'] } }),
  'not, nested': o({ a: { not: { const: 'root' } } }),
  'no required name is declared': o({ a: s }, { required: ['a', 'z'], additionalProperties: { type: 'string' } }),
  'strict already': o({ 'a!': s, 'b!': { type: ['number', 'null'] } }, closed),
  'a list': { type: 'array', items: s },
  'a text': s,
  never: { not: {} },
}
