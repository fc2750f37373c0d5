/**
 * The arguments of a tool fit its schema, as the specification of JSON Schema says: each keyword with values that fit and values that do not, in
 * 2020-12 and in the drafts that MCP servers write. `ISOGLOT_JSON_SCHEMA_SUITE` may name the folder `tests` of JSON-Schema-Test-Suite.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-validation (read 2026-11)
 * @see https://json-schema.org/draft-07/json-schema-validation (read 2026-11)
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonSchema } from '../../src/core/messages.ts'
import { block, invokeTool, tool } from '../../src/index.ts'
import { checkArguments } from '../../src/tools/check.ts'

const $defs = {
  id: { type: 'string', minLength: 2 },
  node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, v: { type: 'integer' } } },
}

/** A schema, values that fit it, and values that do not. */
type Sample = readonly [schema: JsonSchema | boolean, good: readonly unknown[], bad: readonly unknown[]]

const samples: Readonly<Record<string, readonly Sample[]>> = {
  'true and false': [
    [true, [1, {}], []],
    [false, [], [1, {}, null]],
    [{ properties: { a: true, b: false } }, [{ a: 1 }, {}], [{ b: 1 }]],
  ],
  type: [
    [{ type: 'integer' }, [1, 1.0, -0, 1e3], [1.5, '1', true, null]],
    [{ type: 'number' }, [1, 1.5], ['1', null]],
    [{ type: 'object' }, [{}], [[], null, 'x']],
    [{ type: 'array' }, [[]], [{}, null]],
    [{ type: 'boolean' }, [false], [0, 'false']],
    [{ type: 'null' }, [null], [0, '', false]],
    [{ type: ['array', 'string'] }, [[], ''], [1, {}]],
  ],
  enum: [
    [{ enum: [1, 'x', null] }, [1, 'x', null], [2, 'y', true, '1']],
    [
      { enum: [{ x: 1, y: 2 }, [{ a: 1, b: 2 }]] },
      [{ y: 2, x: 1 }, [{ b: 2, a: 1 }]],
      [{ x: 1 }, { x: 1, y: 3 }, [{ a: 1 }]],
    ],
    [{ enum: [false] }, [false], [0, '']],
  ],
  const: [
    [{ const: { a: [1, { b: null }] } }, [{ a: [1, { b: null }] }], [{ a: [1, {}] }, { a: [1] }]],
    [{ const: 0 }, [0, -0], [false, '0', null]],
    [{ const: null }, [null], [0, false]],
  ],
  $ref: [
    [{ $ref: '#/$defs/id', $defs }, ['ab'], ['a', 1]],
    [{ properties: { who: { $ref: '#/$defs/id' } }, $defs }, [{ who: 'ab' }, {}], [{ who: 42 }, { who: 'a' }]],
    [{ $ref: '#/$defs/node', $defs }, [{ v: 1, next: { next: { v: 2 } } }], [{ next: { next: { v: 'x' } } }]],
    [
      { properties: { child: { $ref: '#' }, n: { type: 'number' } } },
      [{ child: { child: { n: 1 } } }],
      [{ child: { child: { n: 'x' } } }],
    ],
    [{ properties: { a: { type: 'integer' }, b: { $ref: '#/properties/a' } } }, [{ b: 1 }], [{ b: 'x' }]],
    [{ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } }, ['x'], [1]],
    [{ $ref: '#/$defs/per%25cent', $defs: { 'per%cent': { type: 'string' } } }, ['x'], [1]],
    [{ $ref: '#/prefixItems/1', prefixItems: [{}, { type: 'string' }] }, ['x'], [1]],
    [{ $ref: '#/$defs/id', maxLength: 3, $defs }, ['ab'], ['abcd']],
    [{ $ref: '#/definitions/id', definitions: $defs }, ['ab'], ['a']],
    [{ properties: { a: { $ref: '#/$defs/none' } } }, [{}], [{ a: 1 }]],
    [{ properties: { a: { $ref: 'https://example.com/x' } } }, [{}], [{ a: 1 }]],
  ],
  'limits of numbers': [
    [{ minimum: 1 }, [1, 2, 'x'], [0, -5, 0.99]],
    [{ maximum: 10 }, [10, -1], [10.01, 500]],
    [{ exclusiveMinimum: 1 }, [1.01], [1, 0]],
    [{ exclusiveMaximum: 1 }, [0.99], [1, 2]],
    [{ minimum: 1, exclusiveMinimum: true }, [1.5], [1, 0]],
    [{ maximum: 1, exclusiveMaximum: false }, [1], [2]],
    [{ multipleOf: 2 }, [4, 0, -2], [3, 0.5]],
    [{ multipleOf: 0.01 }, [4.02, 0.07, 123456.78], [0.005]],
    [{ type: 'integer', multipleOf: 0.123456789 }, [], [1e308]],
  ],
  'limits of texts': [
    [{ minLength: 2 }, ['ab', 5], ['a', '😀']],
    [{ maxLength: 2 }, ['ab', '😀😀'], ['abc']],
    [{ pattern: '^[a-z]+$' }, ['abc', 5], ['../../etc/passwd', '', 'A']],
    [{ pattern: 'b' }, ['abc'], ['ac']],
    [{ pattern: '^[\\w-.]+\\@x$' }, ['a.b@x'], ['a@y']], // legal only without the flag "u"
    [{ pattern: '^\\p{L}+$' }, ['é'], ['1']], // legal only with it
    [{ pattern: '^😀$' }, ['😀'], ['x']],
  ],
  'limits of lists': [
    [{ minItems: 1 }, [[1], 'x'], [[]]],
    [{ maxItems: 1 }, [[1], []], [[1, 2]]],
    [
      { uniqueItems: true },
      [
        [1, '1', true],
        [{ a: 1 }, { a: 2 }],
      ],
      [
        [1, 1],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [[1], [1]],
      ],
    ],
    [{ uniqueItems: false }, [[1, 1]], []],
    [{ contains: { minimum: 5 } }, [[1, 5], 'x'], [[1], []]],
    [
      { contains: { const: 1 }, minContains: 2, maxContains: 3 },
      [
        [1, 1],
        [1, 2, 1, 1],
      ],
      [[1], [1, 1, 1, 1]],
    ],
    [{ contains: { const: 1 }, minContains: 0 }, [[], [2]], []],
  ],
  'entries of lists': [
    [{ items: { type: 'integer' } }, [[1], []], [[1, 'x']]],
    [{ items: false }, [[]], [[1]]],
    [{ prefixItems: [{ type: 'string' }], items: { type: 'integer' } }, [['x', 1], ['x'], []], [[1], ['x', 'y']]],
    [{ prefixItems: [{}], items: false }, [[1]], [[1, 2]]],
    [{ items: [{ type: 'string' }], additionalItems: { type: 'integer' } }, [['x', 1]], [[1], ['x', 'y']]],
    [{ items: [{}], additionalItems: false }, [[1]], [[1, 2]]],
    [{ additionalItems: false }, [[1]], []],
  ],
  'limits of objects': [
    [{ minProperties: 1 }, [{ a: 1 }, null], [{}]],
    [{ maxProperties: 1 }, [{ a: 1 }], [{ a: 1, b: 2 }]],
    [{ required: ['a', '__proto__'] }, [JSON.parse('{"a":1,"__proto__":2}')], [{ a: 1 }, {}]],
    [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
    [{ dependentRequired: { a: ['b'] } }, [{}, { b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
    [
      { dependentSchemas: { a: { required: ['b'], properties: { b: { type: 'integer' } } } } },
      [{ b: 'x' }, { a: 1, b: 1 }],
      [{ a: 1 }, { a: 1, b: 'x' }],
    ],
    [
      { dependencies: { a: ['b'], c: { required: ['d'] } } },
      [
        { a: 1, b: 1 },
        { c: 1, d: 1 },
      ],
      [{ a: 1 }, { c: 1 }],
    ],
  ],
  'properties of objects': [
    [{ properties: { a: { type: 'integer' } } }, [{ a: 1, b: 'x' }], [{ a: 'x' }]],
    [{ additionalProperties: false, properties: { a: {} } }, [{ a: 1 }], [{ b: 1 }]],
    [{ additionalProperties: { type: 'integer' }, properties: { a: {} } }, [{ a: 'x', b: 1 }], [{ b: 'x' }]],
    [
      { patternProperties: { '^x-': { type: 'integer' } }, additionalProperties: false },
      [{ 'x-a': 1 }],
      [{ 'x-a': 'y' }, { other: 1 }],
    ],
    [
      { properties: { 'x-a': { minimum: 5 } }, patternProperties: { '^x': { maximum: 9 } } },
      [{ 'x-a': 7 }],
      [{ 'x-a': 3 }, { 'x-a': 10 }],
    ],
  ],
  'schemas in schemas': [
    [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
    [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, ['x', 4], [1]],
    [{ oneOf: [{ type: 'integer' }, { minimum: 2 }] }, [1, 2.5], [3, 1.5]],
    [{ anyOf: [{ type: 'string' }], oneOf: [{ minLength: 2 }, { maxLength: 0 }] }, ['ab', ''], ['a', 5]],
    [{ not: { const: 'root' } }, ['x'], ['root']],
    [{ not: {} }, [], [1, {}]],
    [
      {
        if: { properties: { a: { const: 1 } }, required: ['a'] },
        ...Object.fromEntries([['then', { required: ['b'] }]]),
        else: { required: ['c'] },
      },
      [{ a: 1, b: 1 }, { c: 1 }],
      [{ a: 1 }, { a: 2 }],
    ],
  ],
  'what is not checked': [
    [{ format: 'email' }, ['no'], []],
    [{ unevaluatedProperties: false }, [{ a: 1 }], []],
    [{ type: 'from next year' }, [1], []],
    [{ pattern: '(' }, ['x'], []],
  ],
}

const cases = Object.entries(samples).flatMap(([name, list]) =>
  list.map((sample, at) => [`${name} ${at}`, ...sample] as const),
)

it.each(cases)('%s', (_, schema, good, bad) => {
  for (const value of good)
    expect({ value, problems: checkArguments(value, schema as JsonSchema) }).toEqual({ value, problems: [] })
  for (const value of bad)
    expect({ value, problems: checkArguments(value, schema as JsonSchema).length }).not.toEqual({ value, problems: 0 })
})

// A schema that refers to its root refers to another one inside a tool.
it.each(cases.filter(([, schema]) => typeof schema === 'object' && !/"#"|#\/p/.test(JSON.stringify(schema))))(
  '%s: a tool runs only with what fits',
  async (_, schema, good, bad) => {
    const ran: unknown[] = []
    const properties = { value: schema }
    const { $defs: own, definitions } = schema as JsonObject
    const parameters = {
      type: 'object',
      properties,
      ...(own && { $defs: own }),
      ...(definitions && { definitions }),
    } as JsonSchema
    const one = tool({ name: 'x', parameters, execute: (args) => void ran.push(args) })
    for (const value of [...good, ...bad]) {
      if (value !== null)
        await invokeTool(block.toolCall('c', 'x', { value } as unknown as JsonObject), new Map([['x', one]]))
    }
    expect(ran).toEqual(good.filter((value) => value !== null).map((value) => ({ value })))
  },
)

describe('hostile schemas and values end in time', () => {
  const doublings = {
    $ref: '#/$defs/d24',
    $defs: {
      d0: {},
      ...Object.fromEntries(
        Array.from({ length: 24 }, (_, at) => [
          `d${at + 1}`,
          { allOf: [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }] },
        ]),
      ),
    },
  }
  let deep: unknown = 1
  for (let depth = 0; depth < 20_000; depth++) deep = { a: deep }
  const long = 'a'.repeat(100_000)

  it.each<[string, JsonSchema, unknown]>([
    ['a circle of references', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, 1],
    [
      'a reference to itself in anyOf',
      { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
      1,
    ],
    ['references that double 24 times', doublings, 1],
    [
      'anyOf that doubles',
      { $ref: '#/$defs/d24', $defs: JSON.parse(JSON.stringify(doublings.$defs).replaceAll('allOf', 'oneOf')) },
      1,
    ],
    ['a value that is 20,000 deep', { properties: { a: { $ref: '#' } } }, deep],
    ['a value that is deep where no schema looks', { uniqueItems: true, enum: [1] }, [deep]],
    ['a list that is longer than there are steps', { items: { minimum: 0 } }, Array(200_000).fill(1)],
    [
      'an enum that is compared too often',
      { items: { enum: Array.from({ length: 2000 }, (_, at) => ({ at })) } },
      Array(2000).fill({ at: 1999 }),
    ],
  ])('%s cannot be checked', (_, schema, value) => {
    expect(checkArguments(value, schema)[0]).toMatch(/^cannot be checked: it/)
  })

  it.each<[string, JsonSchema, unknown]>([
    ['repeats in a repeat', { pattern: '^(a+)+$' }, `${long}!`],
    ['three of them', { pattern: '^((a+)+)+$' }, `${'a'.repeat(20)}!`],
    ['alternatives in a repeat', { pattern: '^(a|a|a|b)*$' }, `${'a'.repeat(40)}!`],
    ['repeats one after the other', { pattern: '^a*a*a*a*a*$' }, `${'a'.repeat(500)}!`],
    ['a repeat that begins anywhere', { pattern: 'a+$' }, `${long}!`],
    ['options in a row', { pattern: `^${'a?'.repeat(40)}${'a'.repeat(40)}$` }, 'a'.repeat(39)],
    [
      'names for a pattern',
      { patternProperties: { '^(a+)+$': false }, additionalProperties: false },
      { [`${long}!`]: 1 },
    ],
  ])('%s are not checked in a long text', (_, schema, value) => {
    expect(checkArguments(value, schema)).toEqual([])
  })

  it.each<[string, JsonSchema, unknown]>([
    ['repeats in a repeat', { pattern: '^(a+)+$' }, 'aaaaaaaaaaaaaaaaa!'],
    ['a repeated group', { pattern: '^([0-9a-f]{2}:)*[0-9a-f]{2}$' }, 'de:ad:be:ef:00:zz'],
    ['one repeat', { pattern: '^[a-z]+$' }, `${long}!`],
    ['alternatives', { pattern: '^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$' }, 'DROP'],
    ['an address', { pattern: '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$' }, 'someone.with.a.long.name@example'],
  ])('%s are checked where that is quick', (_, schema, value) => {
    expect(checkArguments(value, schema)).toHaveLength(1)
  })

  it('big values of plain schemas are checked', () => {
    const rows = Array.from({ length: 8000 }, (_, at) => ({ id: at, name: `n${at}` }))
    const row = {
      type: 'object',
      properties: { id: { type: 'integer' }, name: { type: 'string', pattern: '^n\\d+$' } },
      required: ['id'],
    }
    expect(
      checkArguments({ rows }, { properties: { rows: { type: 'array', items: row, uniqueItems: true } } }),
    ).toEqual([])
  })

  it('a frozen schema is not written to', () => {
    const schema = Object.freeze({ $ref: '#/$defs/a', $defs: Object.freeze({ a: Object.freeze({ type: 'string' }) }) })
    expect(checkArguments('x', schema)).toEqual([])
  })
})

// ---- the suite --------------------------------------------------------------------------------------

const suite = process.env.ISOGLOT_JSON_SCHEMA_SUITE ?? ''
interface Group {
  readonly schema: JsonSchema
  readonly tests: readonly { readonly data: unknown; readonly valid: boolean }[]
}

/** The samples of a draft whose schemas have references into themselves only, and no vocabularies. */
function samplesOf(draft: string): readonly Group[] {
  return readdirSync(join(suite, draft))
    .filter((file) => file.endsWith('.json') && !/^(?:refRemote|vocabulary|dynamicRef)/.test(file))
    .flatMap((file): Group[] => JSON.parse(readFileSync(join(suite, draft, file), 'utf8')))
    .filter(({ schema }) => !/"\$(?:ref":"(?!#["/])|dynamicRef|recursiveRef|id":)/.test(JSON.stringify(schema)))
}

if (existsSync(suite)) {
  it.each([
    ['draft2020-12', 75],
    ['draft7', 5],
  ] as const)('of the suite for %s, at most %i samples that do not fit reach a tool', (draft, most) => {
    const groups = samplesOf(draft)
    const through = groups.flatMap(({ schema, tests }) =>
      tests.filter(({ data, valid }) => !valid && checkArguments(data, schema).length === 0),
    )
    const refused = groups.flatMap(({ schema, tests }) =>
      tests.filter(({ data, valid }) => valid && checkArguments(data, schema).length > 0),
    )
    expect(groups.length).toBeGreaterThan(200)
    expect(through.length).toBeLessThanOrEqual(most)
    expect(refused.length).toBeLessThanOrEqual(2) // keywords beside `$ref`, which draft 7 ignores; `unevaluated…` in `not`
  })
}
