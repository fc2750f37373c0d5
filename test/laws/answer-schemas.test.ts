/**
 * The schema of an answer is sent in the form that its host takes, and refuses no value that its author means. A schema that has no such form
 * is in the prompt, with a loss. The hosts' rules are those that their documents, SDKs and error texts say (`schema-hosts.ts`).
 */
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { shapeOf } from '../../src/client/value.ts'
import type { ClientCodec } from '../../src/core/codec.ts'
import { field } from '../../src/core/json.ts'
import type { JsonObject } from '../../src/core/messages.ts'
import { model as modelOf } from '../../src/models.ts'
import type { AnySchema } from '../../src/tools/definition.ts'
import { rootForms } from '../support/root-forms.ts'
import { openaiStrict, refusalsOf, refusalsOfAnswer } from '../support/schema-hosts.ts'

interface Tree {
  readonly children: readonly Tree[]
}
const tree: z.ZodType<Tree> = z.strictObject({
  get children() {
    return z.array(tree)
  },
})
const part = z.strictObject({ q: z.string() }).meta({ id: 'Part' })
const given = (more: object): AnySchema => ({ type: 'object', properties: { m: more }, required: ['m'] }) as AnySchema

/** Schemas with a value that their authors mean. */
const schemas: Readonly<Record<string, readonly [AnySchema, unknown]>> = {
  plain: [z.strictObject({ a: z.string(), b: z.enum(['x', 'y']) }), { a: 'x', b: 'y' }],
  'an optional name': [z.object({ a: z.string().optional() }), { a: 'x' }],
  'nothing in it': [z.strictObject({ m: z.object({}) }), { m: {} }],
  'null too': [z.strictObject({ a: z.string().nullable() }), { a: null }],
  'one of two': [
    z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
    { value: { k: 'a' } },
  ],
  'two in one': [z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })), { a: 'x', b: 1 }],
  limits: [z.strictObject({ a: z.number().min(1), b: z.array(z.string().min(2)).max(3) }), { a: 1, b: ['xx'] }],
  'others beside it': [z.looseObject({ a: z.string() }), { a: 'x' }],
  'a part twice': [z.strictObject({ x: part, y: part }), { x: { q: 'a' }, y: { q: 'b' } }],
  'a described part': [z.strictObject({ x: part.describe('first'), y: part }), { x: { q: 'a' }, y: { q: 'b' } }],
  'valibot: a literal': [toStandardJsonSchema(v.strictObject({ k: v.literal('x') })), { k: 'x' }],
  'arktype: one of two': [type({ k: "'a' | 'b'", '+': 'reject' }), { k: 'b' }],
  'anything, zod': [z.strictObject({ a: z.any() }), { a: [1] }],
  'a list of anything': [z.array(z.unknown()), { value: [1, 'x', null] }],
  'a list without entries': [given({ type: 'array' }), { m: [1] }],
  'a map': [z.object({ m: z.record(z.string(), z.number()) }), { m: { x: 1 } }],
  'only a map': [z.record(z.string(), z.string()), { x: 'y' }],
  'a map of an enum': [z.object({ m: z.record(z.enum(['a', 'b']), z.number()) }), { m: { a: 1, b: 2 } }],
  'a map in a definition': [
    { ...given({ $ref: '#/$defs/M' }), $defs: { M: { type: 'object', additionalProperties: {} } } } as AnySchema,
    { m: { x: 1 } },
  ],
  'names by a pattern': [given({ type: 'object', patternProperties: { '^x': { type: 'number' } } }), { m: { x: 1 } }],
  'any object': [given({ type: 'object' }), { m: { x: 1 } }],
  'any object or null': [given({ type: ['object', 'null'] }), { m: { x: 1 } }],
  'a name and a map': [z.object({ a: z.string() }).catchall(z.number()), { a: 'x', b: 1 }],
  'a name that is only required': [given({ type: 'object', properties: { a: {} }, required: ['b'] }), { m: { b: 1 } }],
  'a tuple': [z.object({ p: z.tuple([z.number(), z.string()]) }), { p: [1, 'x'] }],
  'a tuple with a rest': [z.object({ p: z.tuple([z.number()], z.string()) }), { p: [1, 'x'] }],
  'a tuple of draft 7': [given({ type: 'array', items: [{ type: 'string' }] }), { m: ['x'] }],
  'a tree': [tree, { children: [{ children: [] }] }],
  'a tree, by its root': [given({ anyOf: [{ type: 'null' }, { $ref: '#' }] }), { m: { m: null } }],
}

/** Those that Claude has no form for. All others stay out of the prompt. */
const inWords = /^anything|of anything|map|pattern|any object|only required|tuple|tree/

/** The schema of the answer in the body of any format, and whether the host enforces it strictly. */
function sentIn(body: object): { readonly schema?: JsonObject; readonly strict?: boolean } | undefined {
  const {
    response_format: chat,
    text,
    output_config: anthropic,
    outputConfig: bedrock,
  } = body as Record<string, unknown>
  const texts = field(field(field(field(bedrock, 'textFormat'), 'structure'), 'jsonSchema'), 'schema')
  if (typeof texts === 'string') return { schema: JSON.parse(texts) }
  return (field(chat, 'json_schema') ?? field(text, 'format') ?? field(anthropic, 'format')) as undefined
}

function send(codec: ClientCodec, model: string, schema: AnySchema) {
  const shape = shapeOf(schema)
  const responseFormat = { type: 'json', schema: shape.schema, strict: shape.strict } as const
  const messages = [{ role: 'user', content: 'Hi' }] as const
  const { body, losses } = codec.encodeRequest({ messages }, { model, responseFormat, strict: false, maxTokens: 100 })
  return { given: shape.schema, sent: sentIn(body as object), body: JSON.stringify(body), losses }
}

const settings = { apiKey: 'k', region: 'us-east-1', resource: 'r', project: 'p', location: 'l' }
const host = (name: string) => [name, modelOf(name as never, settings as never)] as const
const objects = Object.entries(rootForms).filter(([name]) => !/^(?:example 15|a list|a text|never)$/.test(name))
const all = [
  ...Object.entries(schemas).map(([name, [schema]]) => [name, schema] as const),
  ...objects.map(([name, schema]) => [`root: ${name}`, schema as AnySchema] as const),
]

describe.each(['openai', 'openai-chat', 'azure-openai', 'azure-responses'].map((name) => host(`${name}:gpt-5`)))(
  '%s',
  (_, { codec, model }) => {
    it('is strict only about a schema that it can be strict about', () => {
      const refused = all.flatMap(([name, schema]) => {
        const { sent, given } = send(codec, model, schema)
        expect(sent?.schema).toEqual(given)
        return sent?.strict ? refusalsOf(codec, given as JsonObject, [openaiStrict]).map((why) => name + why) : []
      })
      // In an answer, `#` is the documented way to refer to the root.
      expect(refused.filter((why) => !why.endsWith('a dangling reference #'))).toEqual([])
      for (const name of ['plain', 'null too', 'a part twice', 'a tree'])
        expect({ name, strict: send(codec, model, schemas[name]?.[0] as AnySchema).sent?.strict }).toEqual({
          name,
          strict: true,
        })
    })
  },
)

describe.each(
  ['anthropic:claude-opus-4-8', 'vertex-anthropic:claude-opus-4-6', 'bedrock-converse:anthropic.claude-sonnet-4-5'].map(
    host,
  ),
)('%s', (_, { codec, model }) => {
  it('takes what is sent of every schema', () => {
    const refused = all.flatMap(([name, schema]) => {
      const { sent } = send(codec, model, schema)
      return sent?.schema ? refusalsOfAnswer(sent.schema).map((why) => name + why) : []
    })
    expect(refused).toEqual([])
  })

  it.each(Object.entries(schemas))('takes a value that is meant, or is asked in words: %s', (name, [schema, value]) => {
    const { given, sent, body, losses } = send(codec, model, schema)
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
    if (!name.includes('draft 7')) expect(ajv.validate(given, value)).toBe(true)
    expect(sent === undefined).toBe(inWords.test(name))
    if (sent?.schema) return expect(ajv.validate(sent.schema, value)).toBe(true)
    expect(body).toContain(JSON.stringify(JSON.stringify(given)).slice(1, -1))
    const inPrompt = { path: 'options.responseFormat', action: 'changed', severity: 'minor' }
    return expect(losses).toContainEqual(expect.objectContaining(inPrompt))
  })
})
