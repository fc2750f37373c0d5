/**
 * Every schema of a tool that a library or an MCP server writes is taken by every host, changed with a loss, or left out alone with one. The
 * hosts' rules are those that their documents, sources and error texts say (`schema-hosts.ts`).
 */
import { readdirSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonSchema, Loss } from '../../src/core/messages.ts'
import type { HttpModel as Model } from '../../src/core/question.ts'
import { model as modelOf } from '../../src/models.ts'
import { inTurn, isExhaustive } from '../support/cuts.ts'
import { examples, rootForms } from '../support/root-forms.ts'
import { anthropicStrict, openaiStrict, refusalsOf, sharedDefinitions } from '../support/schema-hosts.ts'

/** The definitions that a model is sent of tools with these schemas, and the losses. */
function send({ codec, model }: Model, schemas: readonly JsonSchema[], more: object = {}) {
  const tools = schemas.map((parameters, at) => ({ name: `tool_${at}`, description: 'd', parameters, ...more }))
  const context = { messages: [{ role: 'user', content: 'Hi' }], tools } as const
  const { body, losses } = codec.encodeRequest(context, { model, strict: false, maxTokens: 100 })
  return { sent: definitionsIn(body), losses }
}

interface Sent {
  readonly name: string
  readonly description?: string
  readonly schema: JsonObject | undefined
  readonly strict?: boolean
}

/** The definitions in the body of any format. */
function definitionsIn(body: unknown): readonly Sent[] {
  const { tools = [], toolConfig } = body as { tools?: JsonObject[]; toolConfig?: { tools: JsonObject[] } }
  return [...tools, ...(toolConfig?.tools ?? [])].flatMap((entry) => {
    const all = (entry.functionDeclarations ?? [entry.function ?? entry.toolSpec ?? entry]) as unknown as (Sent & {
      parameters?: JsonObject
      parametersJsonSchema?: JsonObject
      input_schema?: JsonObject
      inputSchema?: { json: JsonObject }
    })[]
    return all.map(({ parameters, parametersJsonSchema, input_schema, inputSchema, ...tool }) => ({
      ...tool,
      schema: parameters ?? parametersJsonSchema ?? input_schema ?? inputSchema?.json,
    }))
  })
}

/** One for all schemas, as it compiles the schema of schemas before the first of them, which takes longer than what a schema takes. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })

/** A judge of values. References of `$id`s and drafts are not its business. */
function judge(schema: JsonSchema): (value: unknown) => boolean {
  const text = JSON.stringify(schema, (key, value) =>
    /^\$?(?:id|schema)$/.test(key) && typeof value === 'string' ? undefined : value,
  )
  const validate = ajv.compile(JSON.parse(text))
  return (value) => validate(value) as boolean
}

const { 'strict already': strictAlready = {}, 'a map': loose = {} } = rootForms
const takesNothing = /^(?:example 15|a list|a text|never)$/
const taken = Object.entries(rootForms).filter(([name]) => !takesNothing.test(name))
/** A model of each format and dialect that has tools. */
const models = ['formats', 'providers']
  .flatMap((folder) => readdirSync(new URL(`../../src/${folder}`, import.meta.url)))
  .filter((name) => name !== 'shared')
  .map((file) => file.replace('.ts', ''))
  .filter((name) => name !== 'perplexity')
  .map((name): [string, Model] => {
    const settings = {
      apiKey: 'k',
      resource: 'r',
      region: 'us-east-1',
      project: 'p',
      location: 'l',
      accountId: 'a',
      baseUrl: 'https://host.example/v1',
    }
    return [name, modelOf(`${name}:${/bedrock/.test(name) ? 'anthropic.claude-sonnet-4-5' : 'm'}`, settings as never)]
  })

it('there are enough forms, and hosts', () => {
  expect(taken.length).toBeGreaterThanOrEqual(60)
  expect(models.length).toBeGreaterThanOrEqual(25)
})

/** Hosts share most rules, so in `npm test` each gets one form of six. */
const cases = models.map(([name, model], turn) => ({ name, model, forms: inTurn(taken, 6, turn) }))

describe.each(cases)('$name', ({ model, forms }) => {
  const { provider } = model.codec

  it('takes every form', () => {
    const refused = forms.flatMap(([name, schema]) => {
      const [tool] = send(model, [schema]).sent
      if (tool === undefined) return [`${name}: it is not sent`]
      // Without arguments, there is no schema: Google refuses an object without any.
      return tool.schema === undefined ? [] : refusalsOf(model.codec, tool.schema).map((why) => `${name} ${why}`)
    })
    expect(refused).toEqual([])
  })

  it('leaves out only the tool that takes no object, and says so by its name', () => {
    for (const name of Object.keys(rootForms).filter((one) => takesNothing.test(one))) {
      const { sent, losses } = send(model, [{ type: 'object', properties: {} }, rootForms[name] as JsonSchema])
      expect(sent.map((tool) => tool.name)).toEqual(['tool_0'])
      expect(losses).toMatchObject([
        { path: 'tools[1]', action: 'dropped', reason: expect.stringContaining('"tool_1"') },
      ])
    }
  })

  it('takes all of them in one request', () => {
    const all = forms.map(([, schema]) => schema)
    const { sent } = send(model, all)
    expect(sent).toHaveLength(forms.length)
    expect(JSON.stringify(send(model, all).sent)).toBe(JSON.stringify(sent))
    if (provider === 'vllm') expect(sharedDefinitions(sent.map(({ schema = {} }) => schema))).toEqual([])
  })

  it('says what goes together in words, once', () => {
    const [tool] = send(model, [examples[0] as JsonSchema]).sent
    const words = 'One of: (1) kind = "create": needs title; may have body; (2) kind = "close": needs id.'
    expect(JSON.stringify(tool).split(JSON.stringify(words).slice(1, -1))).toHaveLength(2)
  })

  const strictRule =
    model.codec.name === 'anthropic'
      ? anthropicStrict
      : /^(?:openai|azure|azure-openai)$/.test(provider) && openaiStrict
  if (strictRule === false) return
  it('is strict only about schemas that it can be strict about', () => {
    const flags = [...forms.map(([, schema]) => schema), strictAlready, loose].map((schema) => {
      const { sent, losses } = send(model, [schema], { strict: true })
      const [tool] = sent
      expect(refusalsOf(model.codec, tool?.schema as JsonObject, tool?.strict ? [strictRule] : [])).toEqual([])
      expect(losses.some(({ path }) => path === 'tools[0].strict')).toBe(!tool?.strict)
      return tool?.strict
    })
    expect(new Set(flags)).toEqual(new Set([true, false]))
    // Valibot and arktype write texts without their type.
    const properties = { a: { const: 'x' }, b: { enum: ['y', 'z'] } }
    const literals = { type: 'object', properties, required: ['a', 'b'], additionalProperties: false }
    const [tool] = send(model, [literals], { strict: true }).sent
    expect(tool?.strict).toBe(true)
    expect(refusalsOf(model.codec, tool?.schema as JsonObject, [strictRule])).toEqual([])
  })
})

it.each<[string, object, object]>([
  [
    'a tuple of draft 7',
    { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: {} },
  ],
  [
    'its other entries',
    { type: 'array', items: [{}], additionalItems: { type: 'string' } },
    { type: 'array', prefixItems: [{}], items: { type: 'string' } },
  ],
  [
    'a closed one',
    { type: 'array', items: [{}], additionalItems: false },
    { type: 'array', prefixItems: [{}], items: {}, maxItems: 1 },
  ],
  ['an exclusive limit of draft 4', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
  ['a limit of draft 4 that is not exclusive', { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
  ['a name of draft 7', { $ref: '#/definitions/X' }, { $ref: '#/$defs/X' }],
  ['an address', { $id: 'a', $schema: 'b', type: 'string' }, { type: 'string' }],
])('%s is sent as 2020-12 writes it', (_, old, sent) => {
  const parameters = { type: 'object', properties: { a: old }, definitions: { X: { type: 'string' } } }
  const [, openai] = models.find(([name]) => name === 'openai-chat') as [string, Model]
  expect(send(openai, [parameters]).sent[0]?.schema).toEqual({
    type: 'object',
    properties: { a: sent },
    $defs: { X: { type: 'string' } },
  })
})

// ---- values -------------------------------------------------------------------------------------

/** Values that may be arguments: any of the names in a schema, each with what some schema says of it, or something else. */
function argumentsFor(schema: JsonSchema, seed: number, count: number): readonly JsonObject[] {
  const pool = new Map<string, unknown[]>()
  const usual = ['', 'x', 'abc', 1, 2, 7.5, true, null, [], ['x'], [1], {}, { a: 'x' }]
  JSON.stringify(schema, (key, value) => {
    if (key === 'required' && Array.isArray(value)) for (const name of value) pool.set(name, pool.get(name) ?? [])
    if (key === 'properties' && value && !Array.isArray(value)) {
      for (const [name, one] of Object.entries(value as JsonObject)) {
        const { const: word, enum: words } = Object(one)
        pool.set(name, [...(pool.get(name) ?? []), ...(word === undefined ? [] : [word, word]), ...(words ?? [])])
      }
    }
    return value
  })
  for (const word of [schema.const, ...((schema.enum as unknown[]) ?? [])])
    for (const [name, value] of Object.entries(Object(word))) pool.set(name, [...(pool.get(name) ?? []), value, value])
  pool.set('other', [])
  const names = [...pool.keys()].slice(0, 8)
  const value = fc.record(
    Object.fromEntries(
      names.map((name) => [name, fc.constantFrom(...(pool.get(name) ?? []), ...(pool.get(name) ?? []), ...usual)]),
    ),
    { requiredKeys: [] },
  )
  // There are few values for each name, so that many samples are the same.
  const texts = fc.sample(value, { numRuns: count, seed }).map((sample) => JSON.stringify(sample))
  return [...new Set(texts)].map((text) => JSON.parse(text))
}

interface Judged {
  /** Values that the given schema takes and the sent one does not, other than those whose fault is a name that only another form declares. */
  readonly refused: readonly JsonObject[]
  /** A value that the sent schema takes and the given one does not. */
  readonly letThrough: JsonObject | undefined
  readonly losses: readonly Loss[]
}

/** Compares what OpenAI is sent, with the names of the caller, to what was given. */
function judgeValues(schema: JsonSchema, seed: number, count: number): Judged {
  const [, openai] = models.find(([, { codec }]) => codec.provider === 'openai' && codec.name === 'openai-chat') as [
    string,
    Model,
  ]
  const { sent, losses } = send(openai, [schema])
  const fitsGiven = judge(schema)
  const fitsSent = judge(sent[0]?.schema as JsonSchema)
  const values = argumentsFor(schema, seed, count)
  return {
    refused: values.filter((value) => {
      if (!fitsGiven(value) || fitsSent(value)) return false
      // An open form takes any value of a name that only another form declares, and no author means it: without that name, both take it.
      return !Object.keys(value).some((name) => {
        const { [name]: _, ...rest } = value
        return fitsGiven(rest) && Object.keys(rest).every((other) => fitsSent(rest) || other !== name)
      })
    }),
    letThrough: values.find((value) => fitsSent(value) && !fitsGiven(value)),
    losses: losses.filter(({ path }) => path.startsWith('tools[0].parameters')),
  }
}

/** Forms whose judge would need what no tool has: drafts before 2020-12, references that lead nowhere. */
const notJudged =
  /old tuple|draft [34]|leads nowhere|types that are none|as PHP|chain|odd names|with signs|zod: recursive/
const count = isExhaustive ? 4000 : 75

describe('values', () => {
  // An open form takes any value of a name that it does not declare, so none shows the loss. The words help all the same.
  it('of example 8: none is refused, and words say what goes together', () => {
    const { refused, losses } = judgeValues(examples[7] as JsonSchema, 7, count)
    expect(refused).toEqual([])
    expect(losses).toMatchObject([{ reason: expect.stringContaining('go together') }])
  })

  it.each(taken.filter(([name]) => !notJudged.test(name) && name !== 'example 8'))(
    'of %s: none is refused, and a loss says that others are let through',
    (_, schema) => {
      const { refused, letThrough, losses } = judgeValues(schema, 7, count)
      expect(refused).toEqual([])
      const isReported = losses.length > 0
      let found = letThrough
      // Some losses show in few values.
      for (let turn = 0; turn < 20 && isReported && found === undefined; turn++)
        found = judgeValues(schema, 8 + turn, count).letThrough
      expect({ found, isReported }).toEqual({ found, isReported: found !== undefined })
    },
  )

  it('of random schemas: as well, and all hosts take them', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd')
    const leaf = fc.constantFrom(
      { type: 'string' },
      { type: 'number' },
      { type: 'integer' },
      { const: 'x' },
      { enum: ['x', 1] },
      { type: ['string', 'null'] },
      { type: 'array', items: { type: 'string' } },
      {},
    )
    const object = fc.record(
      {
        properties: fc.dictionary(key, leaf, { maxKeys: 3 }),
        required: fc.uniqueArray(key, { maxLength: 2 }),
        additionalProperties: fc.constantFrom(false, { type: 'string' }),
        type: fc.constant('object'),
      },
      { requiredKeys: [] },
    )
    const { root } = fc.letrec<{ root: object; some: object[] }>((tie) => ({
      root: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        object,
        fc
          .tuple(
            object,
            fc.record({ anyOf: tie('some'), oneOf: tie('some'), allOf: tie('some') }, { requiredKeys: [] }),
          )
          .map(([own, more]) => ({ ...own, ...more })),
      ),
      some: fc.array(tie('root'), { minLength: 1, maxLength: 3 }) as fc.Arbitrary<object[]>,
    }))
    let lossy = 0
    for (const given of fc.sample(root, { numRuns: isExhaustive ? 300 : 20, seed: 11 })) {
      const schema = JSON.parse(JSON.stringify(given)) as JsonSchema
      for (const [, model] of isExhaustive ? models : models.slice(0, 3)) {
        const { sent, losses } = send(model, [schema])
        if (sent.length === 0) expect(losses).toMatchObject([{ path: 'tools[0]' }])
        const refusals = sent[0]?.schema ? refusalsOf(model.codec, sent[0].schema) : []
        if (refusals.length > 0) expect({ schema, refusals }).toEqual({ schema, refusals: [] })
      }
      if (send(models[0]?.[1] as Model, [schema]).sent.length === 0) continue
      const { refused, letThrough, losses } = judgeValues(schema, 3, 100)
      expect({ schema, refused }).toEqual({ schema, refused: [] })
      if (letThrough === undefined) continue
      lossy++
      expect({ schema, letThrough, losses: losses.length > 0 }).toEqual({ schema, letThrough, losses: true })
    }
    expect(lossy).toBeGreaterThan(2)
  }, 600_000)
})
