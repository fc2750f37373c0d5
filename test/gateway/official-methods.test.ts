/**
 * Every request that an official client can send: a gateway answers few of them, and its refusal has the form that this client reads.
 *
 * The methods are found in the clients themselves, so that a new version of a client brings its new methods.
 */
import * as bedrock from '@aws-sdk/client-bedrock-runtime'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allFormats, createGateway } from '../../src/gateway/index.ts'
import { claude } from '../formats/anthropic/client.ts'
import { amazon } from '../formats/bedrock-converse/client.ts'
import type { Place } from '../formats/client.ts'
import { coherent } from '../formats/cohere/client.ts'
import { google } from '../formats/gemini/client.ts'
import { local } from '../formats/ollama/client.ts'
import { openai } from '../formats/openai-chat/client.ts'
import { type Served, serve } from '../support/serve.ts'
import { modelsAt } from './models.ts'
import type { WireName } from './provider.ts'
import { isErrorBody } from './wire.ts'

/** Values of any client. */
type Loose = ReturnType<typeof JSON.parse>

interface Refused {
  readonly request: string
  readonly status: number
  readonly text: string
}

const refused: Refused[] = []
const models = { 'm:8b-q4': modelsAt('').ollama, 'org/m': modelsAt('').gemini, plain: modelsAt('').anthropic }
let place: Served
beforeAll(async () => {
  const gateway = createGateway({ formats: allFormats, models })
  place = await serve(async (request) => {
    const response = await gateway.fetch(request)
    const { status } = response
    if (response.ok) return response
    const text = await response.text()
    refused.push({ request: `${request.method} ${new URL(request.url).pathname}`, status, text })
    return new Response(text, response)
  })
})
afterAll(() => place.stop())

/** These repeat another method until a job is done, read a file, or send nothing by themselves. */
const helpers =
  /^_|poll|wait|stream|run|parse|upload|download|live|connect|abort|constructor|client|options|fetch|logger|url/i

/** The methods of these resources, and of the resources in them. */
function methodsOf(resources: readonly Loose[], found: Map<unknown, () => unknown> = new Map()): (() => unknown)[] {
  for (const resource of resources) {
    for (let level = resource; level && level !== Object.prototype; level = Object.getPrototypeOf(level)) {
      for (const name of Object.getOwnPropertyNames(level)) {
        const member = helpers.test(name) ? undefined : resource[name]
        if (found.has(member)) continue
        if (typeof member === 'function') found.set(member, () => member.call(resource, 'a-name', 'another', 'third'))
        else if (isResource(member)) methodsOf([member], found)
      }
    }
  }
  return [...found.values()]
}

/** An object of a class of the client. */
const isResource = (value: Loose) =>
  typeof value === 'object' &&
  value !== null &&
  !/^(?:Object|Array|console)$/.test(value.constructor?.name ?? 'console')

/** Without the methods of the client itself, which send no requests of their own. */
const resourcesOf = (client: Loose) =>
  Object.values(client).filter((value: Loose) => isResource(value) && '_client' in value)

/** Amazon's client has a class for each request. */
function commandsOf(at: Place): (() => unknown)[] {
  const input = { modelId: 'm', body: '{}', guardrailIdentifier: 'g', guardrailVersion: '1', invocationArn: 'a' }
  return Object.entries(bedrock).flatMap(([name, Command]: [string, Loose]) =>
    /Command$/.test(name) && name !== '$Command' ? [() => amazon(at).send(new Command(input))] : [],
  )
}

/** The requests of each client, and the format of its errors. */
const requests: readonly (readonly [methods: (at: Place) => (() => unknown)[], form: WireName])[] = [
  [(at) => methodsOf(resourcesOf(openai(at))), 'openai-chat'],
  [(at) => methodsOf(resourcesOf(claude(at))), 'anthropic'],
  [(at) => methodsOf([google(at)]), 'gemini'],
  [(at) => methodsOf([local(at)]), 'ollama'],
  [(at) => methodsOf([coherent(at)]), 'cohere'],
  [commandsOf, 'bedrock-converse'],
]

it.each(requests)('$1: refuses each request in the form that the client reads', async (methods, form) => {
  refused.length = 0
  for (const method of methods(place))
    await Promise.resolve()
      .then(method)
      .catch(() => {})
  const isReadable = ({ request, text }: Refused) =>
    isErrorBody(request.includes('/interactions') ? 'gemini-interactions' : form, JSON.parse(text))
  expect(refused.filter((one) => !isReadable(one))).toEqual([])
  expect(new Set(refused.map(({ request }) => request)).size).toBeGreaterThan(9)
})

/** The names in the list of models. Amazon has its list on another host. */
const lists: Readonly<Partial<Record<WireName, (at: Place) => Promise<unknown[]>>>> = {
  'openai-chat': async (at) => (await openai(at).models.list()).data.map(({ id }) => id),
  anthropic: async (at) => (await claude(at).models.list()).data.map(({ id }) => id),
  gemini: async (at) => (await google(at).models.list()).page.map(({ name }) => name?.replace('models/', '')),
  ollama: async (at) => (await local(at).list()).models.map(({ model }) => model),
  cohere: async (at) => (await coherent(at).models.list()).models.map(({ name }) => name),
}

it.each(Object.entries(lists))('%s: lists the models for the client', async (_, list) => {
  expect(await list(place)).toEqual(Object.keys(models))
})

/** The name of one model, as the gateway answers for it. */
const finds: Readonly<Partial<Record<WireName, (at: Place, model: string) => Promise<unknown>>>> = {
  'openai-chat': async (at, model) => (await openai(at).models.retrieve(model)).id,
  anthropic: async (at, model) => (await claude(at).models.retrieve(model)).id,
  gemini: async (at, model) => (await google(at).models.get({ model: `models/${model}` })).name?.replace('models/', ''),
  cohere: async (at, model) => (await coherent(at).models.get(model)).name,
}

it.each(Object.entries(finds))('%s: finds each model for the client', async (_, find) => {
  for (const model of Object.keys(models)) expect(await find(place, model)).toBe(model)
})

it('names the request as the client of Amazon reads it', async () => {
  const error: Loose = await amazon(place)
    .send(new bedrock.InvokeModelCommand({ modelId: 'm' }))
    .catch((thrown) => thrown)
  expect(error.$metadata.requestId).toMatch(/^[\da-f-]{36}$/)
})
