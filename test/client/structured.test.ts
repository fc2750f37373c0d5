/** Values of a schema, over every wire on real HTTP. */
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonSchema } from '../../src/core/messages.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { generateObject, OutputError, streamObject, t } from '../../src/index.ts'
import { canRunTools } from '../../src/messages/index.ts'
import { bodyOf } from '../support/makers.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatBody, chatText, chunks, json } from '../support/upstream.ts'
import { wires } from '../support/wires.ts'

const upstream = ownUpstream()

const schema = t.object({ name: t.string(), ages: t.array(t.integer()), nick: t.optional(t.string()) })
const ada = '{"name":"Ada","ages":[1,22],"nick":null}'

describe.each(wires)('over $name', (wire) => {
  const ask = () => ({ model: wire.model(upstream.url), prompt: 'Who is it?', schema })

  it('a value is returned with its type, with the schema in the field of the wire, and no tools', {
    meta: { promise: '3.31 3.40' },
  }, async () => {
    upstream.answer(json(wire.wholeText(ada)))
    const { object, message } = await generateObject({ ...ask(), tools: [{ name: 'never' }] } as never)
    expect(object).toEqual({ name: 'Ada', ages: [1, 22] })
    expect(message.role).toBe('assistant')
    const body = upstream.asked[0]?.body
    expect(wire.schemaIn(body)).toMatchObject({
      type: expect.stringMatching(/^object$/i),
      properties: { name: expect.anything(), ages: expect.anything(), nick: expect.anything() },
    })
    expect(body).not.toHaveProperty('tools')
  })

  it('a value streams, with more fields each time', async () => {
    upstream.answer(chunks(wire.text(...(ada.match(/.{1,5}/g) ?? [])), { gapMs: 12 })) // a server joins what comes within 10 ms
    const run = streamObject(ask())
    const seen = await Array.fromAsync(run, (view) => structuredClone(view))
    expect(seen.length).toBeGreaterThan(2)
    expect(seen[0]).not.toEqual({ name: 'Ada', ages: [1, 22], nick: null })
    expect(seen.at(-1)).toEqual({ name: 'Ada', ages: [1, 22], nick: null })
    expect((await run.response).object).toEqual({ name: 'Ada', ages: [1, 22] })
  })

  it.each<[string, string, OutputError['reason']]>([
    ['is not valid JSON', 'I am sorry', 'not_json'],
    ['is JSON cut short', ada.slice(0, 20), 'not_json'],
    ['is JSON with a comma too many', '{"name":"Ada","ages":[1,],}', 'not_json'],
    ['is a list', '[1]', 'not_json'],
    ['does not fit', '{"name":"Ada"}', 'does_not_fit'],
    ['has something more', '{"name":"Ada","ages":[],"__proto__":1}', 'does_not_fit'],
    ['is nested too deep', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'not_json'],
  ])('an answer that %s is an error with its text', async (_what, text, reason) => {
    upstream.answer(json(wire.wholeText(text)))
    const error = await generateObject(ask()).catch((cause) => cause)
    expect(error).toBeInstanceOf(OutputError)
    expect(error).toMatchObject({ code: 'output', reason, text, partial: { role: 'assistant' } })
    upstream.answer(chunks(wire.text(text)))
    await expect(streamObject(ask()).response).rejects.toMatchObject({ code: 'output', reason, text })
  })

  it('an answer that hit its length is an error, even if what there is of it fits', async () => {
    upstream.answer(chunks(wire.textCutAtLength(ada)))
    const run = streamObject(ask())
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ code: 'output', reason: 'truncated', text: ada })
    await expect(run.response).rejects.toMatchObject({ reason: 'truncated' })
  })

  it('a stream that is cut is an interruption, and not a value', async () => {
    upstream.answer(chunks(wire.text(ada).slice(0, -wire.endPieces)))
    const error = await streamObject(ask()).response.catch((cause) => cause)
    expect(error).toMatchObject({ code: 'interrupted', partial: { stopReason: 'interrupted' } })
    expect(canRunTools(error.partial)).toBe(false)
  })
})

/** An object of text, in as many objects as `depth` says. */
function nestedObjects(depth: number): JsonSchema {
  const inner: JsonSchema = depth === 0 ? { type: 'string' } : nestedObjects(depth - 1)
  return { type: 'object', properties: { a: inner }, required: ['a'], additionalProperties: false }
}

describe('schemas', () => {
  const ask = () => ({ model: openaiChat('m', { apiKey: 'k', baseUrl: upstream.url }), prompt: 'Who?' })
  const sentFormat = () => upstream.asked[0]?.body.response_format as { json_schema: Record<string, unknown> }

  const lengthOf = v.pipe(
    v.string(),
    v.transform((text) => text.length),
  )
  it.each([
    ['zod', z.object({ at: z.string().transform((text) => text.length), by: z.string().default('me') })],
    ['arktype', type({ at: type('string').pipe((text) => text.length), by: 'string = "me"' })],
    ['valibot', toStandardJsonSchema(v.object({ at: lengthOf, by: v.optional(v.string(), 'me') }))],
  ])('of %s convert and fill in defaults', async (_library, one) => {
    upstream.answer(json(chatBody('{"at":"four"}')))
    const { object } = await generateObject({ ...ask(), schema: one as never })
    expect(object).toEqual({ at: 4, by: 'me' })
  })

  it('of any type go inside an object, and come out of it', async () => {
    upstream.answer(json(chatBody('{"value":["a","b"]}')), chunks(chatText('{"value":["a"', ',"b"]}')))
    const request = { ...ask(), schema: t.array(t.string()) }
    const { object } = await generateObject(request)
    expect(object).toEqual(['a', 'b'])
    expect(sentFormat().json_schema.schema).toEqual({
      type: 'object',
      properties: { value: { type: 'array', items: { type: 'string' } } },
      required: ['value'],
      additionalProperties: false,
    })
    const run = streamObject(request)
    const seen = await Array.fromAsync(run, (view) => [...view])
    expect(seen.at(-1)).toEqual(['a', 'b'])
    expect((await run.response).object).toEqual(['a', 'b'])
  })

  it('keep their definitions within reach of their references', async () => {
    upstream.answer(json(chatBody('{"value":{"next":null}}')))
    const node = {
      type: 'object',
      properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
      required: ['next'],
    }
    await generateObject({ ...ask(), schema: { $ref: '#/$defs/node', $defs: { node } } })
    expect(sentFormat().json_schema.schema).toMatchObject({
      properties: { value: { $ref: '#/$defs/node' } },
      $defs: { node },
    })
  })

  it('are enforced strictly if they allow that, or if the caller requires it', async () => {
    upstream.answer(json(chatBody('{"a":"x"}')))
    const closed = t.object({ a: t.string() })
    await generateObject({ ...ask(), schema: closed, schemaName: 'thing', schemaDescription: 'A thing' })
    expect(sentFormat().json_schema).toMatchObject({ name: 'thing', description: 'A thing', strict: true })
    const withField = (a: JsonSchema): JsonSchema => ({
      type: 'object',
      properties: { a },
      required: ['a'],
      additionalProperties: false,
    })
    const anyOf = (additionalProperties: boolean) =>
      withField({ anyOf: [{ type: 'object', properties: {}, required: [], additionalProperties }] })
    for (const [more, strict] of [
      [{ schema: t.object({ a: t.string(), b: t.optional(t.string()) }) }, false],
      [{ schema: withField({ items: { type: 'object', properties: {} } }) }, false],
      [{ schema: withField({ type: 'string', minLength: 1 }) }, false],
      [{ schema: anyOf(true) }, false],
      [{ schema: anyOf(false) }, true],
      [{ schema: closed, strictSchema: false }, false],
    ] as const) {
      upstream.answer(json(chatBody('{"a":"x"}')))
      await generateObject({ ...ask(), ...more }).catch((error) => expect(error).toBeInstanceOf(OutputError))
      expect(sentFormat().json_schema.strict).toBe(strict)
    }
  })

  it.each([
    [9, true],
    [10, false],
  ])('are enforced strictly to a depth of ten: %i objects in an object', async (depth, strict) => {
    upstream.answer(json(chatBody('{}')))
    await expect(generateObject({ ...ask(), schema: nestedObjects(depth) })).rejects.toThrow(OutputError)
    expect(sentFormat().json_schema.strict).toBe(strict)
  })

  it('that cannot be sent are an error immediately', async () => {
    await expect(generateObject({ ...ask(), schema: v.object({}) as never })).rejects.toThrow(TypeError)
    expect(() => streamObject({ ...ask(), schema: v.object({}) as never })).toThrow(/does not convert itself/)
  })

  it('are read out of a fence, as models without a JSON mode write it', async () => {
    const request = { ...ask(), schema: t.object({ a: t.string() }) }
    for (const text of ['```json\n{"a":"x"}```', '```\n{"a":"x"}\n```', '```json\n{"a":"x"}\n```\n']) {
      upstream.answer(json(chatBody(text)))
      expect((await generateObject(request)).object).toEqual({ a: 'x' })
    }
    upstream.answer(chunks(chatText('```json\n{"a":', '"x"}\n```')))
    const run = streamObject(request)
    const seen = await Array.fromAsync(run, (view) => structuredClone(view))
    expect(seen.at(-1)).toEqual({ a: 'x' })
  })
})

it('says that the model declined, in its words', async () => {
  const message = { role: 'assistant', content: null, refusal: 'I will not' }
  upstream.answer(json({ ...(chatBody('') as object), choices: [{ index: 0, finish_reason: 'stop', message }] }))
  const model = openaiChat('m', { apiKey: 'k', baseUrl: upstream.url })
  await expect(generateObject({ model, prompt: 'x', schema })).rejects.toMatchObject({
    reason: 'refused',
    text: 'I will not',
  })
})

it('takes time that is linear in the length of the answer, however small its pieces', async () => {
  const piece = '"0123456789",'
  const viewsOf = async (count: number) => {
    const text = `{"list":[${piece.repeat(count)}"end"]}`
    const pieces = chatText(...(text.match(/.{1,13}/g) ?? []))
    const model = openaiChat('m', {
      baseUrl: 'http://unused.example',
      fetch: async () => new Response(bodyOf(pieces)),
    })
    let views = 0
    for await (const _ of streamObject({ model, prompt: 'x', schema: t.object({ list: t.array(t.string()) }) })) views++
    return views
  }
  // A view a piece; if each were parsed from the beginning, this would run into the test's time limit.
  expect(await viewsOf(40_000)).toBeGreaterThan(20_000)
})
