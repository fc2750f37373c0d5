/**
 * The recordings of the playground, read by the official clients: what is written by hand is still valid for its wire, and says what
 * the page says it says.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { facts } from '../formats/index.ts'
import { type Served, serve } from '../support/serve.ts'

const folder = join(import.meta.dirname, '..', '..', 'examples', 'playground', 'recordings')

const found =
  'Tokyo is the warmer of the two: 24 °C and windy there, 21 °C and cloudy in Paris. Take a scarf to the one and an umbrella to neither.'
const spelled = 'The word is s-t-r-a-w-b-e-r-r-y. One r after the t, two more before the y: three.'
const three = 'There are three: st**r**awbe**rr**y.'
const plan = 'Two cities, one tool: I ask for both at once.'
const calls = ['Tokyo', 'Paris'].map((city) => ({ name: 'get_weather', args: { city } }))

const wires = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'ollama'] as const
type WireName = (typeof wires)[number]
const endingOf = (wire: WireName) => (wire === 'ollama' ? 'ndjson' : 'sse')

/** A provider that answers with the recording. */
let playing = ''
let provider: Served
beforeAll(async () => {
  const types = { ndjson: 'application/x-ndjson', sse: 'text/event-stream' }
  provider = await serve(async () => {
    const type = types[playing.endsWith('.ndjson') ? 'ndjson' : 'sse']
    return new Response(readFileSync(join(folder, playing)), { headers: { 'content-type': type } })
  })
})
afterAll(() => provider.stop())

/** A recording as the official client of its wire reads it. */
async function read(wire: WireName, scene: string, round = 1) {
  playing = `${scene}-${wire}-${round}.${endingOf(wire)}`
  const { client } = await facts[wire].client()
  const { text, thought, calls } = await client.converse(provider, { model: 'm', stream: true }).say('Hello')
  return { text, thought, calls }
}

describe.each(wires)('the recordings of %s', (wire) => {
  const play = (scene: string, round = 1) => read(wire, scene, round)
  /** The wire of Chat Completions has no reasoning. */
  const thoughtOf = (thought: string) => (wire === 'openai-chat' ? '' : thought)

  it('ask for two cities at once', async () => {
    expect(await play('compare')).toEqual({ text: '', calls, thought: thoughtOf(plan) })
  })

  it('answer after the results', async () => {
    expect((await play('compare', 2)).text).toBe(found)
  })

  it('think before they speak', async () => {
    expect(await play('think')).toEqual({ text: three, calls: [], thought: thoughtOf(spelled) })
  })

  it('end in an error of their wire', async () => {
    await expect(play('error')).rejects.toThrow(/error|overloaded|terminated/i)
  })
})

// Gemini's client does not notice that a stream is cut, and OpenAI's gives what it has of Responses.
it.each(wires.filter((wire) => wire !== 'gemini' && wire !== 'openai-responses'))(
  'the recording of %s that is cut is refused by its client',
  async (wire) => {
    await expect(read(wire, 'cut')).rejects.toThrow()
  },
)

it('counts of OpenAI add up', () => {
  const counts = /"(?:prompt|input)_tokens":(\d+).*?"(?:completion|output)_tokens":(\d+).*?"total_tokens":(\d+)/
  const files = readdirSync(folder).filter((name) => /^(?:compare|think)-openai/.test(name))
  expect(files).toHaveLength(6)
  for (const name of files) {
    const [, input, output, total] = counts.exec(readFileSync(join(folder, name), 'utf8')) ?? []
    expect([name, Number(input) + Number(output)]).toEqual([name, Number(total)])
  }
})

it('holds nothing that is not named by the page', async () => {
  const scenes = ['compare', 'think', 'cut', 'error']
  const expected = wires.flatMap((wire) =>
    scenes.flatMap((scene) =>
      (scene === 'compare' ? [1, 2] : [1]).map((round) => `${scene}-${wire}-${round}.${endingOf(wire)}`),
    ),
  )
  expect(readdirSync(folder).sort()).toEqual(expected.sort())
})
