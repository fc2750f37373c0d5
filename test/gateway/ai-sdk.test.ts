/** The AI SDK with its own providers, pointed at the gateway: each of them asks every model behind it. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, type LanguageModel, Output, stepCountIs, streamText, tool } from 'ai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { greeting, place, weatherIn } from './dialogue.ts'
import { type WireName, wireNames } from './provider.ts'
import { type Rig, startRig } from './rig.ts'

const apiKey = 'a-client-token'
/** Each of its providers, as it speaks to the gateway at this URL. */
const makers = {
  'openai, Responses': (url: string, model: string) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).responses(model),
  'openai, Chat': (url: string, model: string) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).chat(model),
  anthropic: (url: string, model: string) => createAnthropic({ apiKey, baseURL: `${url}/v1` })(model),
  google: (url: string, model: string) => createGoogle({ apiKey, baseURL: `${url}/v1beta` })(model),
}
type Maker = keyof typeof makers

const weather = tool({
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => weatherIn(city),
})
const pairs = (Object.keys(makers) as Maker[]).flatMap((maker) =>
  wireNames.map((provider): [Maker, WireName] => [maker, provider]),
)

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())

describe.each(pairs)('its provider for %s, with the provider of %s', (maker, provider) => {
  const common = (): { model: LanguageModel; maxRetries: number } => ({
    model: makers[maker](rig.url, provider),
    maxRetries: 0,
  })

  it('gets text, and the figures, whole and streamed', async () => {
    const whole = await generateText({ ...common(), prompt: 'Hello' })
    const streamed = streamText({ ...common(), prompt: 'Hello' })
    expect([whole.text, await streamed.text]).toEqual([greeting, greeting])
    for (const usage of [whole.usage, await streamed.usage]) {
      expect(usage).toMatchObject({ inputTokens: 11, outputTokens: 7 })
    }
  })

  it.each([
    ['What is the weather?', ['Tokyo']],
    ['The weather in Tokyo and Paris?', ['Tokyo', 'Paris']],
  ])('has tools run and gets the report: %s', async (prompt, cities) => {
    const options = {
      ...common(),
      prompt,
      tools: { weather_in: weather, get_weather: weather },
      stopWhen: stepCountIs(3),
    }
    const whole = await generateText(options)
    const streamed = streamText(options)
    // Google's hands a result back as an object, with the name of the tool beside it.
    const results = cities.map(weatherIn)
    for (const text of [whole.text, await streamed.text]) {
      expect(text).toMatch(/^I found: /)
      expect(results.filter((result) => !text.includes(result))).toEqual([])
    }
  })

  it('gets an object of its schema', async () => {
    const output = Output.object({ schema: z.object({ city: z.string() }) })
    // Anthropic's makes a tool of the schema for a model that it does not know by name, unless told that the wire has a place for it.
    const providerOptions = { anthropic: { structuredOutputMode: 'outputFormat' } }
    const answer = await generateText({ ...common(), prompt: 'JSON, please', output, providerOptions })
    expect(answer.output).toEqual(place)
  })

  it('reads a refusal for load as an error that may be tried again', async () => {
    const asking = generateText({ ...common(), prompt: 'Are you busy?' })
    const error = await asking.catch((thrown: unknown) => thrown)
    expect(APICallError.isInstance(error) && [error.statusCode, error.isRetryable]).toEqual([429, true])
  })
})
