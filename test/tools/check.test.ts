import { describe, expect, it } from 'vitest'
import { checkArguments } from '../../src/tools/check.ts'

describe('arguments', () => {
  it.each<[string, object, unknown]>([
    ['a type', { type: 'string' }, 'x'],
    ['one of several types', { type: ['string', 'null'] }, null],
    ['a whole number', { type: 'integer' }, 3.0],
    ['a list', { type: 'array', items: { type: 'number' } }, [1, 2]],
    ['an enum of any values', { enum: ['a', { b: 1 }] }, { b: 1 }],
    ['a constant', { const: 5 }, 5],
    ['one of the alternatives', { anyOf: [{ type: 'string' }, { type: 'number' }] }, 5],
    ['all of several', { allOf: [{ type: 'object' }, { required: ['a'] }] }, { a: 1 }],
    ['properties beyond those known, of a type', { additionalProperties: { type: 'number' } }, { a: 1 }],
    ['keywords that are the business of others', { type: 'string', pattern: '^x$', minLength: 9 }, 'y'],
    ['a type from next year', { type: 'decimal' }, 'y'],
    ['a schema that is true', { properties: { a: true } }, { a: 1 }],
  ])('fit %s', (_what, schema, value) => {
    expect(checkArguments(value, schema as never)).toEqual([])
  })

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

  it('with many problems report twenty', () => {
    expect(checkArguments(Array(1000).fill('x'), { items: { type: 'number' } })).toHaveLength(20)
  })
})
