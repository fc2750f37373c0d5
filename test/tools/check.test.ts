import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkArguments } from '../../src/tools/check.ts'

/** `json-schema.test.ts` has what fits each keyword. */
describe('arguments', () => {
  it.each<[object, unknown, string]>([
    [{ type: 'string' }, 5, 'must be a string'],
    [{ type: ['integer', 'null'] }, 'x', 'must be an integer or null'],
    [{ type: 'integer' }, 1.5, 'must be an integer'],
    [{ type: 'object' }, [], 'must be an object'],
    [{ enum: ['a', 'b'] }, 'c', 'must be one of "a", "b"'],
    [{ const: 5 }, 6, 'must be 5'],
    [{ oneOf: [{ type: 'string' }, { type: 'null' }] }, 5, 'fits none of its alternatives'],
    [{ allOf: [{ required: ['a'] }] }, {}, 'a: is missing'],
    [{ properties: { a: { items: { type: 'string' } } } }, { a: ['x', 1] }, 'a[1]: must be a string'],
    [{ properties: { a: { required: ['b'] } } }, { a: {} }, 'a.b: is missing'],
    [{ additionalProperties: false }, { a: 1 }, 'a: is not a parameter'],
    [{ required: ['toString'] }, {}, 'toString: is missing'],
  ])('that do not fit %j are reported with their place', (schema, value, problem) => {
    expect(checkArguments(value, schema as never)).toEqual([problem])
  })

  it('with many problems report ten', () => {
    expect(checkArguments(Array(1000).fill('x'), { items: { type: 'number' } })).toHaveLength(10)
  })
})

it('that JSON Schema allows are never refused, whatever keywords a schema has', () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const types = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object', 'array')
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 1, 1.5, 'a'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3 }),
    ),
  }))
  const { schema } = fc.letrec((tie) => {
    const several = fc.array(tie('schema'), { minLength: 1, maxLength: 2 })
    const some = (keywords: Record<string, fc.Arbitrary<unknown>>) => fc.record(keywords, { requiredKeys: [] })
    const ofValues = some({
      type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
      enum: fc.constantFrom(['a', 1], [null, true], [{ a: 1 }, []]),
      const: fc.constantFrom('a', 1, null, []),
      minLength: fc.nat(2),
    })
    const ofLists = some({ prefixItems: several, items: fc.oneof(tie('schema'), fc.constant(false)) })
    const ofObjects = some({
      properties: fc.dictionary(key, tie('schema'), { maxKeys: 2 }),
      patternProperties: fc.dictionary(fc.constantFrom('^a', '.'), tie('schema'), { minKeys: 1, maxKeys: 1 }),
      additionalProperties: fc.oneof(fc.constant(false), tie('schema')),
      required: fc.uniqueArray(key, { maxLength: 2 }),
    })
    const ofSchemas = some({ anyOf: several, oneOf: several, allOf: several })
    const all = fc.tuple(ofLists, ofObjects, ofSchemas).map((parts) => Object.assign({}, ...parts))
    const simple = fc.oneof(fc.constant({}), fc.record({ type: types }))
    return { schema: fc.oneof({ maxDepth: 1 }, simple, ofValues, ofLists, ofObjects, ofSchemas, all) }
  })
  const plain = (made: unknown) => JSON.parse(JSON.stringify(made))
  const ajv = new Ajv2020({ strict: false })
  let allowed = 0
  for (const made of fc.sample(fc.tuple(schema, fc.array(value, { minLength: 12, maxLength: 12 })), {
    numRuns: 400,
    seed: 7,
  })) {
    const [one, values] = plain(made)
    const validate = ajv.compile(one)
    const isAllowed = (argument: unknown) => {
      try {
        return validate(argument)
      } catch {
        return false // what ajv compiles of some schemas fails by itself
      }
    }
    for (const argument of values) {
      if (!isAllowed(argument)) continue
      allowed++
      expect({ one, argument, problems: checkArguments(argument, one) }).toEqual({ one, argument, problems: [] })
    }
  }
  expect(allowed).toBeGreaterThan(500)
})
