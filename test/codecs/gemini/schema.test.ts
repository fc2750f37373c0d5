/** JSON Schema and the subset of OpenAPI, both ways. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/model.ts'
import { fromOpenApi, isEmptySchema, toOpenApi } from '../../../src/formats/gemini/schema.ts'
import { newLosses } from '../../../src/kit/losses.ts'

function convert(schema: JsonObject) {
  const book = newLosses('Gemini', false)
  const out = toOpenApi(schema, book, 'p')
  return { out, lost: book.list.map(({ path, action, severity }) => `${action} ${path} ${severity}`) }
}

describe('to OpenAPI', () => {
  it.each<[JsonObject, JsonObject, string[]]>([
    [{ type: 'string', minLength: 1, pattern: 'a' }, { type: 'string', minLength: 1, pattern: 'a' }, []],
    [{ type: ['string', 'null'] }, { type: 'string', nullable: true }, []],
    [{ type: ['string', 'number'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }, []],
    [{ const: 'a' }, { type: 'string', enum: ['a'] }, []],
    [{ enum: ['a', null] }, { type: 'string', enum: ['a'], nullable: true }, []],
    [{ type: 'integer', enum: [1, 2] }, { type: 'integer' }, ['dropped p.enum minor']],
    [{ oneOf: [{ type: 'string' }, { type: 'null' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }, []],
    [{ type: 'object', additionalProperties: false }, { type: 'object' }, ['dropped p.additionalProperties info']],
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object' },
      ['dropped p.additionalProperties minor'],
    ],
    [{ not: { type: 'string' } }, {}, ['dropped p.not minor']],
    [{ $schema: 'x', type: 'string' }, { type: 'string' }, []],
    [
      {
        allOf: [
          { properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: {} }, required: ['b'] },
        ],
        type: 'object',
      },
      { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a', 'b'] },
      [],
    ],
    [
      { $defs: { a: { type: 'string' } }, type: 'array', items: { $ref: '#/$defs/a' } },
      { type: 'array', items: { type: 'string' } },
      [],
    ],
    [{ $ref: 'https://a.example/b' }, { type: 'object' }, ['changed p minor']],
  ])('%j is %j', (schema, out, lost) => {
    expect(convert(schema)).toEqual({ out, lost })
  })
  it('ends a recursion, and reports it', () => {
    const schema = { $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } }, $ref: '#/$defs/n' }
    expect(convert(schema)).toEqual({
      out: { type: 'object', properties: { next: { type: 'object' } } },
      lost: ['changed p minor'],
    })
  })
  it('ends a schema that doubles with each reference', () => {
    const names = Array.from({ length: 30 }, (_, level) => {
      const $ref = `#/$defs/${level + 1}`
      return [level, { type: 'object', properties: { a: { $ref }, b: { $ref } } }]
    })
    const { out, lost } = convert({ $defs: Object.fromEntries([...names, [30, {}]]), $ref: '#/$defs/0' })
    expect(JSON.stringify(out).length).toBeLessThan(1_000_000)
    expect(new Set(lost)).toEqual(new Set(['changed p minor']))
  })
  it('ends what is nested too deep, and takes `__proto__` for a name', () => {
    const deep: JsonObject = JSON.parse(`${'{"items":'.repeat(20_000)}{}${'}'.repeat(20_000)}`)
    expect(convert(deep).lost).toEqual(['changed p minor'])
    const { out } = convert(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'))
    expect(JSON.stringify(out)).toBe('{"properties":{"__proto__":{"type":"string"}}}')
  })
})

describe('from OpenAPI', () => {
  it('makes types small and nullable a type', () => {
    expect(
      fromOpenApi({
        type: 'OBJECT',
        properties: {
          a: { type: 'STRING', nullable: true },
          b: { type: 'ARRAY', items: { anyOf: [{ type: 'NUMBER' }] } },
        },
      }),
    ).toEqual({
      type: 'object',
      properties: { a: { type: ['string', 'null'] }, b: { type: 'array', items: { anyOf: [{ type: 'number' }] } } },
    })
  })
  it('leaves what is nested too deep as it is', () => {
    const deep: JsonObject = JSON.parse(`${'{"items":'.repeat(20_000)}{}${'}'.repeat(20_000)}`)
    expect(() => fromOpenApi(deep)).not.toThrow()
  })
})

it.each([
  [{}, true],
  [{ type: 'object', properties: {}, additionalProperties: false }, true],
  [{ type: 'object', properties: { a: {} } }, false],
  [{ $ref: '#/a' }, false],
  [{ anyOf: [] }, false],
])('%j asks for nothing: %s', (schema, isEmpty) => {
  expect(isEmptySchema(schema)).toBe(isEmpty)
})

it('F1: keeps keywords whose value is true, and marks as nullable only what is', () => {
  const schema = { type: 'OBJECT', additionalProperties: true, properties: { a: { type: 'BOOLEAN', default: true } } }
  expect(fromOpenApi(schema)).toEqual({
    type: 'object',
    additionalProperties: true,
    properties: { a: { type: 'boolean', default: true } },
  })
})
