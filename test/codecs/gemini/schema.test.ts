/** Schemas in the subset of OpenAPI, as JSON Schema. */
import { describe, expect, it } from 'vitest'
import { fromOpenApi, isEmptySchema } from '../../../src/formats/gemini/schema.ts'

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
