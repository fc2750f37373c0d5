import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../../src/core/messages.ts'
import { encodeDefinitions } from '../../../src/formats/anthropic/index.ts'

describe('definitions', () => {
  it.each<[string, JsonSchema | undefined, object]>([
    ['no schema', undefined, { type: 'object', properties: {} }],
    ['an empty schema', {}, { type: 'object', properties: {} }],
    ['a schema without a type', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    ['a schema of two types', { type: ['object', 'null'], properties: {} }, { type: 'object', properties: {} }],
  ])('with %s also take an object', (_, parameters, input_schema) => {
    expect(encodeDefinitions([{ name: 'f', ...(parameters && { parameters }) }])).toEqual([{ name: 'f', input_schema }])
  })
})
