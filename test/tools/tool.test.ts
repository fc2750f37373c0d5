import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { definitionOf, isRunnable } from '../../src/codec.ts'
import * as anthropic from '../../src/formats/anthropic/index.ts'
import * as gemini from '../../src/formats/gemini/index.ts'
import * as ollama from '../../src/formats/ollama/index.ts'
import * as chat from '../../src/formats/openai-chat/index.ts'
import * as responses from '../../src/formats/openai-responses/index.ts'
import {
  approval,
  generate,
  invokeTool,
  type Tool,
  type ToolDefinition,
  type ToolSpec,
  t,
  tool,
} from '../../src/index.ts'
import { chatBody } from '../support/upstream.ts'
import { call } from './calls.ts'

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const

describe('a tool', () => {
  it('is plain data and a function', { meta: { promise: '3.02 3.13 0.90' } }, () => {
    const weather = tool({ name: 'weather', description: 'Tells it', parameters: city, execute: () => 'sunny' })
    const { execute, run, ...data } = weather
    expect(data).toEqual({ name: 'weather', description: 'Tells it', parameters: city })
    expect(JSON.parse(JSON.stringify(data))).toEqual(data)
    expect([typeof execute, typeof run]).toEqual(['function', 'function'])
  })

  it('takes its schema under the names that others have for it', () => {
    for (const schema of [{ parameters: city }, { inputSchema: city }, { input_schema: city }])
      expect(tool({ name: 'a', ...schema, execute: () => '' } as ToolSpec<typeof city>).parameters).toEqual(city)
  })

  it('shows the model its definition, with annotations and metadata, and none of its behaviour', {
    meta: { promise: '3.22 1.07' },
  }, () => {
    const behaviour = { convert: false, sequential: true, terminal: true, needsApproval: approval(), timeoutMs: 5 }
    const hints = { strict: true, annotations: { readOnlyHint: true }, metadata: { owner: 'me' } }
    const told = { name: 'weather', description: 'Tells it', parameters: city, ...hints }
    expect(definitionOf(tool({ ...told, ...behaviour, execute: () => '' }))).toEqual(told)
    expect(definitionOf(tool({ name: 'bare', execute: () => '' }))).toEqual({ name: 'bare' })
  })

  it.each([
    ['a schema of a list', { name: 'a', parameters: { type: 'array' } }, /parameters is not "object"/],
    ['a schema of text', { name: 'a', parameters: z.string() }, /tool "a": the type of its parameters/],
    ['fields of zod', { name: 'a', parameters: { city: z.string() } }, /tool "a": its fields are not in an object/],
    ['fields of valibot', { name: 'a', parameters: { city: v.string() } }, /its fields are not in an object/],
    ['a schema with no form in JSON Schema', { name: 'a', parameters: z.object({ at: z.date() }) }, /no form in JSON/],
    [
      'a schema that does not convert itself',
      { name: 'a', parameters: v.object({}) },
      /valibot schema does not convert/,
    ],
    ['no name', { name: '', parameters: city }, /"name" is missing/],
    ['no name at all', {}, /"name" is missing/],
  ])('with %s throws an error immediately', (_what, spec, message) => {
    expect(() => tool({ ...spec, execute: () => '' } as ToolSpec<typeof city>)).toThrow(TypeError)
    expect(() => tool({ ...spec, execute: () => '' } as ToolSpec<typeof city>)).toThrow(message)
  })
})

it('names the package that converts a schema of valibot, and a way for every other', () => {
  const parameters = v.object({ city: v.string() })
  const attempt = () => tool({ name: 'f', parameters: parameters as never, execute: () => 1 })
  expect(attempt).toThrow(
    'Cannot make tool "f": its valibot schema does not convert itself to JSON Schema; wrap it in toStandardJsonSchema() of the package "@valibot/to-json-schema"',
  )
  const other = { '~standard': { version: 1, vendor: 'acme', validate: (value: unknown) => ({ value }) } } as const
  expect(() => tool({ name: 'f', parameters: other, execute: () => 1 })).toThrow(/acme schema.*pass a JSON Schema/)
})

describe('a tool without execute', () => {
  const jsonSchema = { ...city, additionalProperties: false }

  it('is a definition whose schema is converted', () => {
    const definition = tool({ name: 'f', parameters: z.strictObject({ city: z.string() }) })
    expectTypeOf(definition).toEqualTypeOf<ToolDefinition<'f', { city: string }>>()
    expect(definitionOf(definition)).toEqual({ name: 'f', parameters: jsonSchema })
    expect(isRunnable(definition)).toBe(false)
  })

  it.each([
    ['zod', z.strictObject({ city: z.string() })],
    ['arktype', type({ '+': 'reject', city: 'string' })],
    ['valibot', toStandardJsonSchema(v.strictObject({ city: v.string() }))],
  ])(
    'is converted by tool, and its call waits; a plain object with a schema of %s gets an error that says to use it',
    async (_, schema) => {
      let body: { tools?: unknown } = {}
      const fetch: typeof globalThis.fetch = async (_url, init) => {
        body = JSON.parse(await new Response(init?.body).text())
        return Response.json(chatBody(null, [['c1', 'f', '{"city":"Oslo"}']]))
      }
      const model = chat.openaiChat('m', { apiKey: 'k', fetch })
      for (const key of ['parameters', 'inputSchema', 'input_schema']) {
        const plain = { name: 'f', [key]: schema } as ToolDefinition
        const { outcome, pending } = await generate({ model, prompt: 'x', tools: [tool(plain)] })
        expect(body.tools).toEqual([{ type: 'function', function: { name: 'f', parameters: jsonSchema } }])
        expect([outcome, pending[0]?.arguments]).toEqual(['manual', { city: 'Oslo' }])
        body = {}
        const asking = generate({ model, prompt: 'x', tools: [plain] })
        await expect(asking).rejects.toThrow(/"tools\[0\]".*tool\(\{ name, parameters \}\)/)
        expect(body).toEqual({})
      }
    },
  )

  const codecs = { anthropic, chat, gemini, ollama, responses }
  it.each(Object.entries(codecs))(
    'never gives a provider the insides of a schema: %s',
    (_, { encodeDefinitions, encodeRequest }) => {
      const ofZod = { name: 'f', parameters: z.object({}) }
      for (const wrong of [ofZod, { name: 'f', inputSchema: {} }, { function: { name: 'f' } }]) {
        const tools = [wrong] as unknown as ToolDefinition[]
        expect(() => encodeDefinitions(tools)).toThrow(/"tools\[0\]".*tool\(\{ name, parameters \}\)/)
        expect(() => encodeRequest({ messages: [], tools }, { model: 'm' })).toThrow(TypeError)
      }
    },
  )
})

describe('t', () => {
  it('makes JSON Schema of each type, with its description', { meta: { promise: '3.14 3.18' } }, () => {
    expect(t.string('Name')).toEqual({ type: 'string', description: 'Name' })
    expect(t.number()).toEqual({ type: 'number' })
    expect(t.integer('How many')).toEqual({ type: 'integer', description: 'How many' })
    expect(t.boolean()).toEqual({ type: 'boolean' })
    expect(t.oneOf(['a', 'b'], 'Which')).toEqual({ type: 'string', description: 'Which', enum: ['a', 'b'] })
    expect(t.array(t.string(), 'Names')).toEqual({ type: 'array', description: 'Names', items: { type: 'string' } })
    expect(t.schema({ type: 'string', format: 'date' })).toEqual({ type: 'string', format: 'date' })
  })

  it('requires all keys that are not optional, and allows no other keys', {
    meta: { promise: '3.15 3.16 3.17' },
  }, () => {
    expect(t.object({ city: t.string(), days: t.optional(t.integer()) }, { description: 'Where' })).toEqual({
      type: 'object',
      description: 'Where',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
      additionalProperties: false,
    })
    const open = { type: 'object', properties: {}, required: [], additionalProperties: true }
    expect(t.object({}, { additionalProperties: true })).toEqual(open)
  })
})

/** The same tool with every kind of schema; `days` is a whole number with a default. */
const libraries: readonly [string, Tool][] = [
  ['zod', make(z.object({ city: z.string(), days: z.number().int().optional() }))],
  ['arktype', make(type({ city: 'string', 'days?': 'number.integer' }))],
  [
    'valibot',
    make(toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.pipe(v.number(), v.integer())) }))),
  ],
  ['t', make(t.object({ city: t.string(), days: t.optional(t.integer()) }))],
  ['JSON Schema', make({ ...city, properties: { ...city.properties, days: { type: 'integer' } } })],
]

function make<const S extends Parameters<typeof tool>[0]['parameters'] & object>(parameters: S): Tool {
  return tool({
    name: 'weather',
    parameters,
    execute: (args: never) => {
      const { city, days = 3 } = args as { city: string; days?: number }
      return `${city} ${days}`
    },
  } as never)
}

describe.each(libraries)('parameters of %s', (_library, weather) => {
  const run = (args: string) => invokeTool(call('weather', args), new Map([['weather', weather]]))

  it('become the JSON Schema of an object, without a dialect', () => {
    expect(weather.parameters).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    })
    expect(weather.parameters).not.toHaveProperty('$schema')
  })

  it('check arguments before the tool runs', { meta: { promise: '3.53' } }, async () => {
    const { status, error, content } = await run('{"city":5}')
    expect({ status, kind: error?.kind }).toEqual({ status: 'error', kind: 'invalid_arguments' })
    expect(content).toMatch(/^The arguments do not fit: .*city/)
    expect((await run('{}')).error?.kind).toBe('invalid_arguments')
    expect((await run('{"city":"Oslo","days":1.5}')).error?.kind).toBe('invalid_arguments')
  })

  it('let the default apply where an optional argument is absent or null', { meta: { promise: '3.19' } }, async () => {
    expect(await run('{"city":"Oslo","days":2}')).toMatchObject({ status: 'success', content: 'Oslo 2' })
    expect(await run('{"city":"Oslo"}')).toMatchObject({ content: 'Oslo 3' })
    expect(await run('{"city":"Oslo","days":null}')).toMatchObject({ content: 'Oslo 3' })
  })
})

it('passes the output of the schema to the function, with defaults and conversions', async () => {
  const seen: unknown[] = []
  const parameters = z.object({ at: z.string().transform((text) => text.length), by: z.string().default('me') })
  const made = tool({ name: 'zod', parameters, execute: (args) => void seen.push(args) })
  await invokeTool(call('zod', '{"at":"four"}'), new Map([['zod', made]]))
  expect(seen).toEqual([{ at: 4, by: 'me' }])
})

it('waits for a schema that checks asynchronously', async () => {
  const parameters = z.object({ user: z.string().refine(async (name) => name === 'ada', 'is not known') })
  const greet = tool({ name: 'greet', parameters, execute: ({ user }) => `Hello ${user}` })
  const tools = new Map([['greet', greet]])
  expect(await invokeTool(call('greet', '{"user":"ada"}'), tools)).toMatchObject({ content: 'Hello ada' })
  expect(await invokeTool(call('greet', '{"user":"bob"}'), tools)).toMatchObject({
    content: 'The arguments do not fit: user: is not known',
  })
})
