/** The schemas that Google's official client can write are JSON Schema for every provider: tools' and answers', at any depth. */
import { readFileSync } from 'node:fs'
import { GoogleGenAI, type Schema, Type } from '@google/genai'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/messages.ts'
import { geminiFormat } from '../../src/formats/gemini/server/format.ts'
import { createGateway } from '../../src/gateway/index.ts'
import { mockModel } from '../../src/test/index.ts'
import { serve } from '../support/serve.ts'
import { wireNames } from './provider.ts'

/** The fields that its type `Schema` has, with their types. */
const declared = new Map(
  /interface Schema \{(.*?)\n\}/s
    .exec(readFileSync('node_modules/@google/genai/dist/genai.d.ts', 'utf8'))?.[1]
    ?.matchAll(/^ {4}(\w+)\?: ([^;]+);/gm)
    .map(([, name, type]) => [name as string, type as string]),
)
/** Its 64-bit numbers are text, as protobuf writes them. */
const limits = [...declared]
  .filter(([name, type]) => type === 'string' && /^m(?:in|ax)/.test(name))
  .map(([name]) => name)

it('there are six limits that are text', () => expect(limits).toHaveLength(6))

const limited = (more: Schema): Schema => ({ ...more, ...Object.fromEntries(limits.map((name) => [name, '2'])) })
const schema: Schema = {
  ...limited({ type: Type.OBJECT, description: '2', required: ['list'] }),
  properties: {
    list: limited({ type: Type.ARRAY, items: limited({ type: Type.STRING, pattern: '2', enum: ['2'] }) }),
    maxItems: limited({ anyOf: [limited({ type: Type.STRING }), { type: Type.INTEGER, minimum: 2, nullable: true }] }),
  },
}

/** Every schema in the body of a request. */
function schemasIn(value: unknown): readonly JsonObject[] {
  if (typeof value === 'string' && value.startsWith('{')) return schemasIn(JSON.parse(value))
  if (typeof value !== 'object' || value === null) return []
  if ('properties' in value && 'required' in value) return [value as JsonObject]
  return Object.values(value).flatMap(schemasIn)
}

it.each(wireNames.filter((name) => name !== 'gemini'))('are JSON Schema: %s', async (format) => {
  const model = mockModel(['{}', 'fine'], { format })
  const place = await serve(createGateway({ formats: [geminiFormat], models: { smart: model } }).fetch)
  const { models } = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: place.url } })
  const asked = { model: 'smart', contents: 'Hi' }
  await models.generateContent({ ...asked, config: { responseMimeType: 'application/json', responseSchema: schema } })
  await models.generateContent({
    ...asked,
    config: { tools: [{ functionDeclarations: [{ name: 'f', parameters: schema }] }] },
  })
  await place.stop()
  const sent = model.requests.map(({ body }) => schemasIn(body))
  expect(sent[1]).toHaveLength(1)
  const ajv = new Ajv2020({ strict: false })
  for (const one of sent.flat()) expect({ one, isValid: ajv.validateSchema(one) }).toEqual({ one, isValid: true })
})
