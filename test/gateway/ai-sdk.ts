/** The AI SDK with its own providers: each of them asks every model behind a gateway. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { pairsOf } from '../support/pairs.ts'
import type { Place } from './clients.ts'
import { greeting, place, weatherIn } from './dialogue.ts'

const settings = ({ url, token = 'a-client-token' }: Place, path: string) => ({ apiKey: token, baseURL: url + path })
/** Each of its providers, as it speaks to a gateway. */
const makers = {
  'openai, Responses': (at: Place, model: string) => createOpenAI(settings(at, '/v1')).responses(model),
  'openai, Chat': (at: Place, model: string) => createOpenAI(settings(at, '/v1')).chat(model),
  anthropic: (at: Place, model: string) => createAnthropic(settings(at, '/v1'))(model),
  google: (at: Place, model: string) => createGoogle(settings(at, '/v1beta'))(model),
}
/**
 * OpenAI's refers to earlier messages as if they were stored, unless `store` is false. Anthropic's makes a tool of a schema for a model
 * that it does not know by name, unless an option says that the wire has a field for it.
 */
const providerOptions = { openai: { store: false }, anthropic: { structuredOutputMode: 'outputFormat' } }
type Maker = keyof typeof makers

const weather = tool({
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => weatherIn(city),
})

/** Defines the tests. `models` are the names that can be asked for. */
export function judgeAiSdk(
  models: readonly string[],
  turn: 0 | 1,
  start: () => Promise<Place & { stop(): Promise<void> }>,
): void {
  const pairs = pairsOf(Object.keys(makers) as Maker[], models, turn)
  let rig: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    rig = await start()
  })
  afterAll(() => rig?.stop())

  describe.each(pairs)('its provider for %s, with the model %s', (maker, name) => {
    const common = () => ({
      model: makers[maker](rig, name),
      maxRetries: 0,
      providerOptions,
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
      const answer = await generateText({ ...common(), prompt: 'JSON, please', output })
      expect(answer.output).toEqual(place)
    })

    it('reads a refusal for load as an error that may be tried again', async () => {
      const asking = generateText({ ...common(), prompt: 'Are you busy?' })
      const error = await asking.catch((thrown: unknown) => thrown)
      expect(APICallError.isInstance(error) && [error.statusCode, error.isRetryable]).toEqual([429, true])
    })
  })
}
