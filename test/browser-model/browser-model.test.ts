/** The browser's model over a fake that follows the draft of the Prompt API. */
import Ajv from 'ajv'
import { describe, expect, it } from 'vitest'
import { type BrowserModelSettings, browserModel } from '../../src/browser-model/index.ts'
import { generate, generateObject, message, stream, t, tool } from '../../src/index.ts'
import { fakeLanguageModel, type Script } from './fake.ts'

function setUp(script: Partial<Script> = {}, settings: BrowserModelSettings = {}) {
  const fake = fakeLanguageModel(script)
  return { ...fake, model: browserModel({ languageModel: fake.api, ...settings }) }
}
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )
/** Each character by itself. */
const cut = (text: string) => [...text]
const double = tool({ name: 'double', parameters: t.object({ n: t.number() }), execute: ({ n }) => n * 2 })
const texts = (input: readonly { content: unknown }[]) =>
  input.map(({ content }) => (content as { value: string }[]).map(({ value }) => value).join(''))

describe('text', () => {
  it('streams in the pieces of the browser, with usage', async () => {
    const { model, log } = setUp({ answers: [['The sky ', 'is blue']] })
    const run = stream({ model, system: 'Be brief', prompt: 'Which color is it?' })
    const pieces: string[] = []
    for await (const piece of run.text()) pieces.push(piece)
    expect(pieces).toEqual(['The sky ', 'is blue'])
    expect(await run.response).toMatchObject({
      text: 'The sky is blue',
      stopReason: 'stop',
      usage: { inputTokens: 6, outputTokens: 4, totalTokens: 10 },
      message: { response: { provider: 'browser-model' } },
    })
    expect(log.created).toMatchObject([
      { initialPrompts: [{ role: 'system', content: [{ type: 'text', value: 'Be brief' }] }] },
    ])
    expect(log.prompts[0]?.options.responseConstraint).toBeUndefined()
  })

  it('reports the options that a page cannot set', async () => {
    const { model } = setUp()
    const { warnings } = await generate({ model, prompt: 'Hi', temperature: 1, maxTokens: 5, seed: 1, user: 'u' })
    expect(warnings.map(({ path }) => path).sort()).toEqual([
      'options.maxTokens',
      'options.seed',
      'options.temperature',
      'options.user',
    ])
  })

  it('refuses files, and images that the session does not expect, before any request', async () => {
    const { model, log } = setUp()
    const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } as const
    const error = await caught(generate({ model, prompt: message.user([image]) }))
    expect(error).toMatchObject({ code: 'unsupported', message: expect.stringContaining('"expectedInputs"') })
    const file = { type: 'file', data: 'JVBERg==', mimeType: 'application/pdf' } as const
    expect(await caught(generate({ model, prompt: message.user([file]) }))).toMatchObject({ code: 'unsupported' })
    expect(log.created).toEqual([])
  })

  it('passes images and audio as blobs of their type', async () => {
    const { model, log } = setUp({}, { expectedInputs: [{ type: 'image' }, { type: 'audio' }] })
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' } as const
    const audio = { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' } as const
    await generate({ model, prompt: message.user([{ type: 'text', text: 'What?' }, image, audio]) })
    const parts = log.prompts[0]?.input[0]?.content as { type: string; value: Blob }[]
    expect(parts.map(({ type }) => type)).toEqual(['text', 'image', 'audio'])
    expect(parts[1]?.value.type).toBe('image/png')
    expect(await parts[2]?.value.text()).toBe('hi')
  })
})

describe('sessions', () => {
  it('continue over turns: only new messages are appended', async () => {
    const { model, log } = setUp({ answers: [['One'], ['Two']] })
    const first = await generate({ model, system: 'Be brief', prompt: 'First' })
    await generate({ model, system: 'Be brief', messages: [message.user('First'), first.message], prompt: 'Second' })
    expect(log.created).toHaveLength(1)
    expect(log.clones).toHaveLength(1)
    expect(log.prompts.map(({ input }) => texts(input))).toEqual([['First'], ['Second']])
    expect(new Set(log.prompts.map(({ session }) => session)).size).toBe(1)
  })

  it('begin again if the history has changed, and earlier ones are destroyed', async () => {
    const { model, log } = setUp()
    await generate({ model, prompt: 'First' })
    await generate({ model, messages: [message.user('First'), message.assistant('Edited')], prompt: 'Second' })
    expect(log.prompts.map(({ input }) => texts(input))).toEqual([['First'], ['First', 'Edited', 'Second']])
    expect(log.created).toHaveLength(1)
    expect(log.destroyed).toEqual([log.prompts[0]?.session])
    model.destroy()
    await Promise.resolve()
    expect(log.destroyed).toContain(log.prompts[1]?.session)
  })

  it('are shared by concurrent runs, each in its own clone', async () => {
    const { model, log } = setUp()
    const answers = await Promise.all(['a', 'b'].map((prompt) => generate({ model, prompt })))
    expect(answers.map(({ text }) => text)).toEqual(['a', 'b'])
    expect(log.created).toHaveLength(1)
    expect(new Set(log.prompts.map(({ session }) => session)).size).toBe(2)
  })

  it('are destroyed when the run is cancelled, and the base session stays', async () => {
    const { model, log } = setUp({ answers: ['endless', ['Here']] })
    const stopping = new AbortController()
    const run = stream({ model, prompt: 'Hi', signal: stopping.signal })
    const reading = (async () => {
      for await (const _ of run.text()) stopping.abort(new Error('Enough'))
    })()
    expect(await caught(reading)).toMatchObject({ message: 'Enough' })
    expect(run.partial).toMatchObject({ content: [{ type: 'text', text: 'Hm' }], stopReason: 'aborted' })
    expect(await generate({ model, prompt: 'Hi' })).toMatchObject({ text: 'Here' })
    expect(log.created).toHaveLength(1)
    expect(log.destroyed).toEqual([log.prompts[0]?.session])
  })
})

describe('availability', () => {
  it.each(['unavailable', 'downloadable', 'downloading', 'available'] as const)(
    '%s is reported',
    async (availability) => {
      expect(await setUp({ availability }).model.availability()).toBe(availability)
    },
  )

  it('missing: the browser does not have the API', async () => {
    const model = browserModel()
    expect(await model.availability()).toBe('missing')
    expect(await caught(generate({ model, prompt: 'Hi' }))).toMatchObject({ code: 'api', kind: 'not_found' })
    expect(await caught(model.prepare())).toMatchObject({ kind: 'not_found' })
  })

  it('downloads only after a click, with progress', async () => {
    const progress: number[] = []
    const onDownload = (loaded: number) => void progress.push(loaded)
    const { model, script } = setUp({ availability: 'downloadable' }, { onDownload })
    expect(await caught(generate({ model, prompt: 'Hi' }))).toMatchObject({
      kind: 'permission',
      message: expect.stringContaining('prepare()'),
    })
    expect(await caught(model.prepare())).toMatchObject({ kind: 'permission', providerCode: 'NotAllowedError' })
    script.isActive = true
    await model.prepare()
    expect(progress).toEqual([0, 0.5, 1])
    expect(await generate({ model, prompt: 'Hi' })).toMatchObject({ text: 'Hi' })
  })

  it('unavailable: the browser does not have a model', async () => {
    const { model } = setUp({ availability: 'unavailable' })
    expect(await caught(generate({ model, prompt: 'Hi' }))).toMatchObject({ kind: 'not_found' })
  })
})

describe('errors', () => {
  it('a conversation that does not fit the window is not sent', async () => {
    const { model, log } = setUp({ contextWindow: 3 })
    const error = await caught(generate({ model, prompt: 'one two three four' }))
    expect(error).toMatchObject({ code: 'api', kind: 'context_length', retryable: false })
    expect(String(error)).toContain('has 4 tokens, and its window holds 3')
    expect(log.prompts).toEqual([])
  })

  it('an answer that pushes the oldest messages out is reported, and its session not used again', async () => {
    const { model, log } = setUp({ contextWindow: 3, answers: [['one two three four']] })
    const first = await generate({ model, prompt: 'Hi' })
    expect(first.warnings).toMatchObject([{ path: 'messages', action: 'dropped', severity: 'major' }])
    await generate({ model, prompt: 'Hi' })
    expect(log.clones).toHaveLength(2)
  })

  it.each([
    ['QuotaExceededError', { kind: 'context_length' }],
    ['NotAllowedError', { kind: 'permission' }],
    ['SyntaxError', { kind: 'server', retryable: true }],
    ['UnknownError', { kind: 'server', retryable: true }],
    ['OperationError', { kind: 'server', retryable: false }],
    ['InvalidStateError', { kind: 'invalid_request' }],
    ['NetworkError', { code: 'connection' }],
  ])('%s has a kind', async (name, expected) => {
    const error = new DOMException('It failed', name)
    const { model } = setUp({ answers: [{ pieces: [], error }] })
    const told = await caught(generate({ model, prompt: 'Hi', retries: 0 }))
    expect(told).toMatchObject({ ...expected, message: expect.stringContaining('It failed'), cause: error })
  })

  it('a filter ends the answer, and the text before it stays', async () => {
    const error = new DOMException('Filtered', 'NotReadableError')
    const { model } = setUp({ answers: [{ pieces: ['So far'], error }] })
    expect(await generate({ model, prompt: 'Hi' })).toMatchObject({ text: 'So far', stopReason: 'content_filter' })
  })
})

describe('structured output', () => {
  it('is constrained by the schema', async () => {
    const { model, log } = setUp({ answers: [['{"city":', '"Oslo"}']] })
    const schema = t.object({ city: t.string() })
    expect((await generateObject({ model, prompt: 'A city', schema })).object).toEqual({ city: 'Oslo' })
    expect(log.prompts[0]?.options).toMatchObject({ responseConstraint: { properties: { city: { type: 'string' } } } })
  })

  it('goes with tools, too', async () => {
    const { model } = setUp({ answers: [['{"answer":{"city":"Oslo"}}']] })
    const { message: said } = await generate({
      model,
      prompt: 'A city',
      tools: [double],
      responseFormat: { type: 'json', schema: { type: 'object' } },
    })
    expect(said.content).toEqual([{ type: 'text', text: '{"city":"Oslo"}' }])
  })
})

describe('tools', () => {
  const call = '{"calls": [{"name": "double", "arguments": {"n": 21}}]}'

  it('are called, answered and written into the history, however the answer is split', async () => {
    const { model, log } = setUp({ answers: [cut(call), cut('{"text":"It is \\"42\\" \\ud83d\\ude00\\n"}')] })
    const run = stream({ model, system: 'Be brief', prompt: 'Twice 21?', tools: [double] })
    const pieces: string[] = []
    for await (const piece of run.text()) pieces.push(piece)
    const result = await run.response
    expect(result).toMatchObject({ text: 'It is "42" 😀\n', rounds: 2, stopReason: 'stop' })
    expect(pieces.length).toBeGreaterThan(8)
    expect(log.prompts.map(({ input }) => texts(input))).toEqual([
      ['Twice 21?'],
      ['{"results":[{"name":"double","result":42}]}'],
    ])
    expect(result.warnings).toMatchObject([{ path: 'tools', action: 'changed', severity: 'minor' }])
    const [
      {
        initialPrompts: [{ content }],
      },
    ] = log.created as [{ initialPrompts: [{ content: [{ value: string }] }] }]
    expect(content[0].value).toMatch(/^Be brief\n\n[\s\S]*- double: .*"n"/)
  })

  it('give a new session the same conversation', async () => {
    const { model, log } = setUp({ answers: [[call], ['{"text":"42"}'], ['Yes']] })
    const { messages } = await generate({ model, prompt: 'Twice 21?', tools: [double] })
    await generate({ model, messages, prompt: 'Sure?' })
    expect(texts(log.prompts[2]?.input ?? [])).toEqual([
      'Twice 21?',
      '{"calls":[{"name":"double","arguments":{"n":21}}]}',
      '{"results":[{"name":"double","result":42}]}',
      '42',
      'Sure?',
    ])
  })

  it('several calls of one answer run, in any order of their fields', async () => {
    const answer = '{"calls":[{"name":"double","arguments":{"n":1}},{"arguments":{"n":2},"name":"double"}]}'
    const { model } = setUp({ answers: [cut(answer), ['{"text":"Done"}']] })
    const { messages } = await generate({ model, prompt: 'Both', tools: [double] })
    expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual(['2', '4'])
  })

  it.each([
    ['auto', { text: 'Hi' }, true],
    ['auto', { calls: [{ name: 'double', arguments: { n: 1 } }] }, true],
    ['auto', { text: 'Hi', calls: [] }, false],
    ['auto', { calls: [{ name: 'other', arguments: {} }] }, false],
    ['auto', { calls: [{ name: 'double', arguments: { n: 'one' } }] }, false],
    ['required', { text: 'Hi' }, false],
    ['required', { calls: [{ name: 'double', arguments: { n: 1 } }] }, true],
    [{ name: 'double' }, { calls: Array(2).fill({ name: 'double', arguments: { n: 1 } }) }, false],
  ] as const)('by the choice %j, the constraint takes %j: %j', async (toolChoice, answer, isTaken) => {
    const { model, log } = setUp({ answers: [['{"text":"Hi"}']] })
    await generate({ model, prompt: 'Hi', tools: [double], toolChoice })
    const { responseConstraint, omitResponseConstraintInput } = log.prompts[0]?.options ?? {}
    expect(new Ajv().validate(responseConstraint ?? {}, answer)).toBe(isTaken)
    expect(omitResponseConstraintInput).toBe(true)
  })

  it('are left out with the choice "none"', async () => {
    const { model, log } = setUp({ answers: [['Hi']] })
    expect(await generate({ model, prompt: 'Hi', tools: [double], toolChoice: 'none' })).toMatchObject({ text: 'Hi' })
    expect(log.prompts[0]?.options.responseConstraint).toBeUndefined()
  })

  it('are tried without the schemas of arguments if the browser does not support these', async () => {
    const named = tool({
      name: 'greet',
      parameters: { type: 'object', properties: { n: { pattern: '^a' } } },
      execute: () => 1,
    })
    const { model, log } = setUp({ refusesConstraint: true, answers: [['{"text":"Hi"}']] })
    const { text, warnings } = await generate({ model, prompt: 'Hi', tools: [named] })
    expect(text).toBe('Hi')
    expect(log.prompts).toHaveLength(2)
    expect(warnings.map(({ reason }) => reason).join()).toContain('does not support the schemas')
  })

  it.each([
    ['{"calls":[{"name":"double","argum'],
    ['{"calls":[{"name":"double","arguments":{"n":2'],
    ['{"calls":[{"name":"double","arguments":{"n":21}}'],
  ])('a call in an answer that was cut never runs: %s', async (pieces) => {
    const error = new DOMException('Filtered', 'NotReadableError')
    const { model } = setUp({ answers: [{ pieces: cut(pieces), error }] })
    const result = await generate({ model, prompt: 'Twice 21?', tools: [double] })
    expect(result).toMatchObject({ stopReason: 'content_filter', rounds: 1, outcome: 'cut' })
    expect(result.messages.filter(({ role }) => role === 'tool')).toEqual([])
  })

  it('an answer that is not the requested JSON is text, with a warning', async () => {
    const { model } = setUp({ answers: [cut('I would rather talk')] })
    const { text, warnings } = await generate({ model, prompt: 'Hi', tools: [double] })
    expect(text).toBe('I would rather talk')
    expect(warnings.map(({ path }) => path)).toEqual(['tools', 'response'])
  })
})
