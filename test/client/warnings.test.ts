/** The caller gets all losses, from every function. */
import { describe, expect, it } from 'vitest'
import type { Model } from '../../src/core/question.ts'
import { googleSearch } from '../../src/formats/gemini/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import {
  createChat,
  generate,
  generateObject,
  type Loss,
  type RunRequest,
  type RunResult,
  stream,
  streamObject,
  t,
  tool,
} from '../../src/index.ts'
import type { ProviderTool } from '../../src/messages/index.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatBody, chatText, chunks, json } from '../support/upstream.ts'
import { wires } from '../support/wires.ts'

const upstream = ownUpstream()
const model = (): Model => openaiChat('m', { apiKey: 'k', baseUrl: upstream.url })
/** `topK` has no place on Chat Completions, nor has the search of Gemini. */
const lossy = (): RunRequest => ({ model: model(), prompt: 'What happened today?', tools: [googleSearch()], topK: 5 })
const paths = (warnings: readonly Loss[]) => warnings.map(({ path }) => path).sort()
const both = ['options.topK', 'tools[0]']
const schema = t.object({ a: t.integer() })

async function read(run: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of run);
}

describe('warnings', () => {
  const asked: Record<string, (request: RunRequest) => Promise<RunResult>> = {
    generate,
    'generate, asked whole': (request) => generate({ ...request, wholeAnswer: true }),
    'the response of stream': (request) => stream(request).response,
    'the response of stream behind its texts': async (request) => {
      const run = stream(request)
      await read(run.text())
      return run.response
    },
    'send of a chat': ({ prompt: _, ...settings }) => createChat(settings).send('What happened today?'),
    'stream of a chat': ({ prompt: _, ...settings }) => createChat(settings).stream('What happened today?').response,
  }
  it.each(Object.keys(asked))('%s has each loss in `warnings`, and calls `onWarning` with it once', async (name) => {
    upstream.answer(json(chatBody('a')))
    const told: Loss[] = []
    const result = await asked[name]?.({ ...lossy(), onWarning: (warning) => void told.push(warning) })
    expect(paths(result?.warnings ?? [])).toEqual(both)
    expect(paths(told)).toEqual(both)
    expect(result?.responses.map(({ warnings }) => paths(warnings))).toEqual([both])
  })

  it.each(['generateObject', 'streamObject'] as const)('%s has them too', async (name) => {
    upstream.answer(json(chatBody('{"a":1}')))
    const told: Loss[] = []
    const request = { model: model(), prompt: 'x', topK: 5, schema, onWarning: (one: Loss) => void told.push(one) }
    const { object, warnings } =
      name === 'generateObject' ? await generateObject(request) : await streamObject(request).response
    const lost = ['options.responseFormat.name', 'options.topK']
    expect([object, paths(warnings), paths(told)]).toEqual([{ a: 1 }, lost, lost])
  })

  it('a run of several rounds has each loss once, and each response has its own', async () => {
    upstream.answer(json(chatBody(null, [['c1', 'f', '{}']])), json(chatBody('done')))
    const f = tool({ name: 'f', parameters: t.object({}), execute: () => 1 })
    const { warnings, responses } = await generate({ model: model(), prompt: 'x', tools: [f], topK: 5 })
    expect(paths(warnings)).toEqual(['options.topK'])
    expect(responses.map((one) => paths(one.warnings))).toEqual([['options.topK'], ['options.topK']])
  })

  it('what a streamed answer loses on its way is among them', async () => {
    const second = chatText('b').map((piece) => piece.replace('"index":0', '"index":1'))
    const [start = '', text = '', ...end] = chatText('a')
    upstream.answer(chunks([start, text, second[1] ?? '', ...end]))
    const told: Loss[] = []
    const onWarning = (warning: Loss) => void told.push(warning)
    const { message, warnings } = await generate({ model: model(), prompt: 'x', onWarning })
    expect(message.content).toMatchObject([{ type: 'text', text: 'a' }])
    expect(paths(warnings)).toEqual(['choices[1]'])
    expect(paths(told)).toEqual(['choices[1]'])
  })

  it.each([true, false])('what a whole answer loses on its way is among them (asked for: %s)', async (wholeAnswer) => {
    const body = chatBody('a') as { choices: readonly object[] }
    const choices = [...body.choices, { ...body.choices[0], index: 1 }]
    upstream.answer(json({ ...body, choices }))
    const told: Loss[] = []
    const onWarning = (warning: Loss) => void told.push(warning)
    const { text, warnings } = await generate({ model: model(), prompt: 'x', wholeAnswer, onWarning })
    expect(text).toBe('a')
    expect(paths(warnings)).toEqual(['choices[1]'])
    expect(paths(told)).toEqual(['choices[1]'])
  })

  it('an `onWarning` that throws stops the run before anything is sent', async () => {
    upstream.answer(json(chatBody('a')))
    const refuse = (warning: Loss) => {
      throw new Error(`lost ${warning.path}`)
    }
    await expect(generate({ ...lossy(), onWarning: refuse })).rejects.toThrow(/^lost /)
    expect(upstream.asked).toHaveLength(0)
  })

  it('a chat calls its own `onWarning` and that of the turn', async () => {
    upstream.answer(json(chatBody('a')))
    const told: string[] = []
    const chat = createChat({ model: model(), topK: 5, onWarning: () => void told.push('chat') })
    await chat.send('x', { onWarning: () => void told.push('turn') })
    expect(told.sort()).toEqual(['chat', 'turn'])
  })

  describe.each(wires)('over $name', (wire) => {
    it('`stream` and `generate` report the same losses', async () => {
      const foreign: ProviderTool = { type: 'provider_tool', format: 'elsewhere', value: { type: 'x' } }
      const request = { model: wire.model(upstream.url), prompt: 'x', tools: [foreign], topK: 5, strict: false }
      const answer = () => upstream.answer(chunks(wire.text('a')))
      answer()
      const events: Loss[] = []
      const run = stream(request)
      for await (const event of run) if (event.type === 'warning') events.push(event.warning)
      answer()
      const { warnings } = await generate(request)
      expect(events.length).toBeGreaterThan(0)
      expect(warnings).toEqual(events)
      expect((await run.response).warnings).toEqual(events)
    })
  })
})
