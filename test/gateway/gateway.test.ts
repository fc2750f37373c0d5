import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/core/errors.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { toClientError } from '../../src/gateway/errors.ts'
import { allFormats, answerError, createGateway, type GatewayOptions } from '../../src/gateway/index.ts'
import { withFields } from '../../src/gateway/splice.ts'
import { facts } from '../formats/index.ts'
import { inTurn, isExhaustive } from '../support/cuts.ts'
import { errorKinds } from '../support/error-kinds.ts'
import { pairsOf } from '../support/pairs.ts'
import { type Answering, json, pause, startUpstream } from '../support/upstream.ts'
import { greeting } from './dialogue.ts'
import { gatewayOf as gatewayWith, origin, post } from './gateway-of.ts'
import { keys, modelsAt } from './models.ts'
import { answerAll, chunks, speakers, type WireName, wireNames, wireOf } from './provider.ts'
import { ownProviders } from './rig.ts'
import { ended, endingOf, eventsOf, isErrorBody } from './wire.ts'

type Loose = ReturnType<typeof JSON.parse>

const providers = ownProviders()

/** Of all models, unless it says of which. */
const gatewayOf = (options: Partial<GatewayOptions> = {}) =>
  gatewayWith({ models: modelsAt(providers.url), ...options })

const user = (content: string) => ({ role: 'user', content })
const chat = (model: string) => ({ model, messages: [user('Hi')] })
/** A question as Gemini has it. */
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]

describe('the table of models', () => {
  it('finds a model by its name, an alias, the longest beginning of an alias, and with the tag of Ollama', async () => {
    const { gemini, ollama, anthropic } = modelsAt(providers.url)
    const gateway = gatewayOf({
      models: {
        smart: { model: anthropic, aliases: ['claude-*'] },
        fast: { model: gemini, aliases: ['gpt-5-mini', 'claude-haiku-*'] },
        local: ollama,
      },
    })
    const asked = async (name: string) => {
      providers.answer(answerAll)
      await (await gateway.ask('openai-chat', name)).text()
      return wireOf(providers.asked[0]?.path ?? '')
    }
    expect(await asked('smart')).toBe('anthropic')
    expect(await asked('claude-opus-9')).toBe('anthropic')
    expect(await asked('claude-haiku-9')).toBe('gemini')
    expect(await asked('gpt-5-mini')).toBe('gemini')
    expect(await asked('local:latest')).toBe('ollama')
  })

  it.each(wireNames)('answers 404 in the format of %s for an unknown name, and asks no provider', async (wire) => {
    const gateway = gatewayOf()
    for (const name of ['gpt-9', '__proto__', 'constructor', '..%2f..', 'x'.repeat(10_000)]) {
      const response = await gateway.ask(wire, name)
      const text = await response.text()
      expect([response.status, response.headers.get('x-should-retry')]).toEqual([404, 'false'])
      expect(isErrorBody(wire, JSON.parse(text))).toBe(true)
      expect(text.length).toBeLessThan(500)
      if (name === 'gpt-9') expect(text).toContain(`The model \\"gpt-9\\" is unknown; GET ${facts[wire].gateway.list} `)
    }
    expect(providers.asked).toHaveLength(0)
    const refused = { outcome: 'refused', status: 404, attempts: 0, passed: false }
    expect(gateway.reports[0]).toMatchObject({ ...refused, asked: 'gpt-9' })
    expect(gateway.reports.at(-1)).toMatchObject({ ...refused, asked: 'x'.repeat(200) })
  })

  it('is refused if a name stands for two models, or a fallback for none', () => {
    const model = modelsAt(providers.url).gemini
    expect(() => gatewayOf({ models: { a: { model, aliases: ['b'] }, b: model } })).toThrow('"b" is the name of two')
    expect(() => gatewayOf({ models: { a: { model, fallbacks: ['c'] } } })).toThrow('"c", which is not in "models"')
  })

  it('is made from the environment, once for each environment', async () => {
    let made = 0
    const gateway = createGateway<{ url: string }>({
      formats: allFormats,
      models: ({ url }) => {
        made++
        return modelsAt(url)
      },
    })
    const env = { url: providers.url }
    for (const _ of [1, 2])
      expect((await gateway.fetch(post('/v1/chat/completions', chat('gemini')), env)).status).toBe(200)
    expect(made).toBe(1)
  })
})

describe('limits of output', () => {
  const limited = (): GatewayOptions['models'] =>
    Object.fromEntries(
      Object.entries(modelsAt(providers.url)).map(([name, model]) => [name, { model, maxOutputTokens: 50 }]),
    )
  it.each(pairsOf(wireNames, wireNames, 0))(
    'hold for a client of %s at a provider of %s, whatever it asks for',
    async (wire, provider) => {
      const asksForMore = facts[wire].gateway.limit(9000)
      const gateway = gatewayOf({ models: limited() })
      for (const body of [asksForMore, {}]) {
        providers.answer(answerAll)
        await (await gateway.ask(wire, provider, 'Hello', { body })).text()
        expect(facts[provider].gateway.limitIn(providers.asked[0]?.body)).toBe(50)
      }
    },
  )

  it.each<[WireName, object]>([
    ...[-2, '9000', [9000]].map((num_predict): [WireName, object] => ['ollama', { options: { num_predict } }]),
    ...[-1, 0].flatMap((least) => [
      ...wireNames.map((wire): [WireName, object] => [wire, facts[wire].gateway.limit(least)]),
      ['openai-chat', { max_tokens: 9000, max_completion_tokens: least }] as [WireName, object],
    ]),
    // Google's server takes each name in both spellings.
    ['gemini', { generation_config: { max_output_tokens: 9000 } }],
    ['gemini', { generationConfig: { max_output_tokens: 9000 } }],
    ['gemini', { generationConfig: { maxOutputTokens: 9000, max_output_tokens: 9000 }, generation_config: {} }],
    ['openai-chat', { max_tokens: 9000, max_completion_tokens: '9000', reasoning_effort: 'low' }],
    ['bedrock-converse', { inferenceConfig: { maxTokens: 9000 } }],
    ['bedrock-converse', { additionalModelRequestFields: { max_tokens: 9000 } }],
  ])('hold at the own provider of %s for %j, and for the hook that reserves', async (wire, body) => {
    const admitted: unknown[] = []
    const gateway = gatewayOf({
      models: limited(),
      admit: ({ maxOutputTokens }) => void admitted.push(maxOutputTokens),
    })
    providers.answer(answerAll)
    const { status } = await gateway.ask(wire, wire, 'Hello', { body })
    const sent = limitsIn(providers.asked[0]?.body ?? {})
    expect([status, admitted, sent.length > 0, sent.filter((limit) => limit !== 50)]).toEqual(
      status === 400 ? [400, [], false, []] : [200, [50], true, []],
    )
  })

  it.each<[WireName, object]>([
    ...wireNames.flatMap((wire): [WireName, object][] => [
      [wire, { Model: 'another' }],
      [wire, { STREAM: true }],
    ]),
    ['ollama', { Options: { num_predict: 9000 } }],
    ['ollama', { optionſ: { num_predict: 9000 } }],
    ['cohere', { 'max_to\u212aens': 9000 }],
  ])('and the model stand in one spelling: %s with %j is refused', async (wire, body) => {
    const response = await gatewayOf({ models: limited() }).ask(wire, wire, 'Hello', { body })
    expect([response.status, (await response.text()).includes('in another spelling')]).toEqual([400, true])
    expect(providers.asked).toHaveLength(0)
  })

  it('are what is reserved, where a client asks for two limits', async () => {
    const admitted: unknown[] = []
    const admit: GatewayOptions['admit'] = ({ maxOutputTokens }) => void admitted.push(maxOutputTokens)
    const body = { max_tokens: 40, max_completion_tokens: 10 }
    await gatewayOf({ models: limited(), admit }).ask('openai-chat', 'openai-chat', 'Hello', { body })
    expect([admitted, limitsIn(providers.asked[0]?.body)]).toEqual([[10], [10, 10]])
  })

  /** Every limit of output in a body, wherever it stands and however it is spelled. */
  function limitsIn(body: Loose): unknown[] {
    return Object.entries(body).flatMap(([name, value]) => {
      if (/^(?:max_?(?:output_?|completion_)?tokens|num_predict)$/i.test(name)) return [value]
      return typeof value === 'object' && value !== null ? limitsIn(value) : []
    })
  }

  /** Where the documents of a format put a limit of reasoning. Google's server takes each name in both spellings. */
  const budgets: readonly (readonly [WireName, (tokens: unknown) => object])[] = [
    ['anthropic', (tokens) => ({ max_tokens: 30_000, thinking: { type: 'enabled', budget_tokens: tokens } })],
    ['cohere', (tokens) => ({ thinking: { type: 'enabled', token_budget: tokens } })],
    ...['thinking', 'reasoning_config'].map((name): (typeof budgets)[number] => [
      'bedrock-converse',
      (tokens) => ({ additionalModelRequestFields: { [name]: { type: 'enabled', budget_tokens: tokens } } }),
    ]),
    ...['generationConfig', 'generation_config'].flatMap((config) =>
      ['thinkingConfig', 'thinking_config'].flatMap((thinking) =>
        ['thinkingBudget', 'thinking_budget'].map((name): (typeof budgets)[number] => [
          'gemini',
          (tokens) => ({ [config]: { [thinking]: { [name]: tokens, includeThoughts: true }, temperature: 1 } }),
        ]),
      ),
    ),
  ]
  /** Every budget of reasoning in a body, wherever it stands and however it is spelled. */
  function budgetsIn(body: Loose): unknown[] {
    return Object.entries(body).flatMap(([name, value]) => {
      if (/budget/i.test(name)) return [value]
      return typeof value === 'object' && value !== null ? budgetsIn(value) : []
    })
  }

  it.each(budgets.map((budget, turn) => [...budget, turn] as const))(
    'hold for the reasoning that a client of %s asks for, at every provider: %#',
    async (wire, bodyWith, turn) => {
      const models = Object.fromEntries(
        Object.entries(modelsAt(providers.url)).map(([name, model]) => [name, { model, maxOutputTokens: 5000 }]),
      )
      let held = 0
      for (const provider of wireNames) {
        // A format whose budget is a number refuses a text.
        for (const tokens of [...inTurn([5000, 24_000], 2, turn), '24000']) {
          providers.asked.length = 0
          providers.answer(json({ error: 'enough' }, 400))
          await gatewayOf({ models }).ask(wire, provider, 'Hello', { body: bodyWith(tokens) })
          for (const budget of budgetsIn(providers.asked.at(-1)?.body ?? {})) {
            expect(budget, `${provider} ${tokens}`).toBeLessThan(5000)
            held++
          }
        }
        for (const tokens of [2000, 0, -1]) {
          if (provider !== wire) continue
          await gatewayOf({ models }).ask(wire, provider, 'Hello', { body: bodyWith(tokens) })
          expect(budgetsIn(providers.asked.at(-1)?.body ?? {})).toEqual([tokens])
        }
      }
      expect(held).toBeGreaterThan(isExhaustive ? 2 : 0)
      await gatewayOf().ask(wire, wire, 'Hello', { body: bodyWith(24_000) })
      expect(budgetsIn(providers.asked.at(-1)?.body ?? {})).toEqual([24_000])
    },
  )

  it('are the least of the model and the permit', async () => {
    const gateway = gatewayOf({ models: limited(), authorize: () => ({ maxOutputTokens: 20 }) })
    await (await gateway.ask('openai-chat', 'anthropic')).text()
    expect(providers.asked[0]?.body.max_tokens).toBe(20)
  })
})

describe('fallbacks', () => {
  const withFallback = (limits: GatewayOptions['limits'] = {}) => {
    const { anthropic, gemini } = modelsAt(providers.url)
    return gatewayOf({ limits, models: { first: { model: anthropic, fallbacks: ['second'] }, second: gemini } })
  }
  const failing =
    (answer: Answering): Answering =>
    (response, asked) =>
      (asked.path.startsWith('/anthropic') ? answer : answerAll)(response, asked)
  const page: Answering = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
  const overload = speakers.anthropic.errorPiece('Overloaded')

  it.each([
    ['it is overloaded', json(speakers.anthropic.error(529, 'Overloaded'), 529)],
    ['an overload is inside a 200', chunks([overload])],
    [
      'an overload comes behind a beginning that says nothing',
      chunks([...speakers.anthropic.pieces({ text: 'x' }).slice(0, 3), overload]),
    ],
    ['its credentials are refused', json(speakers.anthropic.error(401, 'no'), 401)],
    ['its line breaks', chunks([], { after: 'reset' })],
    ['it redirects', json({}, 307, { location: 'https://elsewhere.test/' })],
    ['it answers a page', page],
  ])('are asked when %s, without the client noticing', async (_, answer) => {
    providers.answer(failing(answer))
    const gateway = withFallback()
    for (const wire of wireNames) {
      const response = await gateway.ask(wire, 'first')
      expect(response.status).toBe(200)
      expect(endingOf(wire, await response.text())).toEqual(ended)
      const report = { outcome: 'answered', attempts: 2, model: 'second', provider: 'gemini' }
      expect(gateway.reports.at(-1)).toMatchObject(report)
    }
  })

  it('are also asked for whole answers', async () => {
    providers.answer(failing(json(speakers.anthropic.error(503, 'no'))))
    const response = await withFallback().ask('openai-chat', 'first', 'Hello', { stream: false })
    expect((await response.json()).choices[0].message.content).toBe(greeting)
  })

  it('are also asked after the headers, as long as no content was sent', async () => {
    providers.answer(
      failing(async (response, asked) => {
        await pause(120)
        await chunks([overload])(response, asked)
      }),
    )
    const response = await withFallback({ commitMs: 20, keepAliveMs: 20 }).ask('anthropic', 'first')
    const text = await response.text()
    expect(text).toMatch(/^event: ping\n/)
    expect(endingOf('anthropic', text)).toEqual(ended)
  })

  it('are not asked if the request is wrong, or after content was sent', async () => {
    const gateway = withFallback()
    providers.answer(failing(json(speakers.anthropic.error(400, 'messages: too odd'), 400)))
    const response = await gateway.ask('openai-chat', 'first')
    expect([response.status, (await response.json()).error.message]).toEqual([400, 'messages: too odd'])
    providers.answer(failing(chunks([...speakers.anthropic.pieces({ text: 'Half' }).slice(0, 5), overload])))
    await (await gateway.ask('openai-chat', 'first')).text()
    expect(gateway.reports).toMatchObject(Array(2).fill({ attempts: 1, outcome: 'failed' }))
  })

  it('end in the last error when all of them fail', async () => {
    providers.answer(
      json({ error: { message: 'no', type: 'x', code: 503, status: 'UNAVAILABLE' } }, 503, { 'retry-after': '9' }),
    )
    const response = await withFallback().ask('openai-chat', 'first')
    expect(response.status).toBe(503)
    expect(Object.fromEntries(response.headers)).toMatchObject({ 'retry-after': '9', 'x-should-retry': 'true' })
  })
})

describe('bytes that pass', () => {
  it.each(wireNames)('are those of the provider, event for event, in its own format (%s)', async (wire) => {
    const pieces = speakers[wire].pieces({ text: greeting, calls: [{ id: 'call_1', name: 'f', args: { city: 'x' } }] })
    providers.answer(chunks([pieces.join('')]))
    const gateway = gatewayOf()
    const body = wire === 'openai-chat' ? { stream_options: { include_usage: true } } : {}
    const response = await gateway.ask(wire, wire, 'Hello', { body })
    expect(await response.text()).toBe(pieces.join(''))
    await pause(1)
    expect(gateway.reports[0]).toMatchObject({ passed: true, outcome: 'answered' })
    expect(gateway.usages[0]).toMatchObject({ model: wire, wire, usage: { inputTokens: 11, outputTokens: 7 } })
  })

  it.each(wireNames)('are those of a whole answer too (%s)', async (wire) => {
    const whole = JSON.stringify(speakers[wire].whole({ text: greeting }), null, 1)
    providers.answer((response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(whole))
    const gateway = gatewayOf()
    const response = await gateway.ask(wire, wire, 'Hello', { stream: false })
    expect(await response.text()).toBe(whole)
    await pause(1)
    expect(gateway.usages[0]?.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 })
  })

  it('include usage, which the gateway drops if the client did not request it', async () => {
    const gateway = gatewayOf()
    const text = await (await gateway.ask('openai-chat', 'openai-chat')).text()
    expect(providers.asked[0]?.body.stream_options).toEqual({ include_usage: true })
    expect(eventsOf('openai-chat', text).filter((event) => event.usage)).toEqual([])
    await pause(1)
    expect(gateway.usages[0]?.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 })
  })

  it('differ only in the name of the model, to the last digit', async () => {
    const body =
      '{ "model" : "anthropic","max_tokens":10, "model":"x", "messages":[{"role":"user","content":"\\u0048i"}],"metadata":{"n":12345678901234567890.10}}'
    const betas = { 'anthropic-beta': 'files-api-2025-04-14', 'anthropic-version': '2026-10-21' }
    let sent = ''
    const models = modelsAt(providers.url)
    const spy: typeof fetch = (input, init) => {
      sent = String(init?.body)
      return fetch(input, init)
    }
    const gateway = gatewayOf({ models: { x: { ...models.anthropic, fetch: spy } } })
    await gateway.post('/v1/messages', body, betas)
    expect(sent).toBe(body.replace('"anthropic"', '"claude-sonnet-5"').replace('"x"', '"claude-sonnet-5"'))
    expect(providers.asked[0]?.headers).toMatchObject(betas)
  })
})

describe('outgoing and incoming data', () => {
  it.each([
    ['x-api-token', 'hidden-in-a-header', 'hidden-in-a-header'],
    ['authorization', 'Bearer hidden-behind-a-word', 'hidden-behind-a-word'],
  ])('has no part of a key that is in the header %s of a model', async (name, value, key) => {
    const model = openaiChat('m', { apiKey: 'another-key', baseUrl: providers.url, headers: { [name]: value } })
    const gateway = gatewayOf({ models: { m: model } })
    providers.answer(json({ error: { message: `of ${key}, or ${value}` } }, 400))
    const text = await (await gateway.ask('openai-chat', 'm')).text()
    expect(text).toContain('[redacted]')
    expect(text).not.toContain(key)
  })

  const hostile = {
    authorization: 'Bearer client-token',
    'x-api-key': 'client-token',
    'x-goog-api-key': 'client-token',
    cookie: 'a=b',
    'x-forwarded-for': '1.2.3.4',
    'x-forwarded-host': 'evil.test',
    'cf-connecting-ip': '1.2.3.4',
    'x-portkey-custom-host': 'https://evil.test',
    'x-stainless-lang': 'js',
    'anthropic-beta': 'a\tb; c',
    'x-evil': '1',
  }
  const fixed = new Set([
    ...['accept', 'accept-encoding', 'accept-language', 'connection', 'content-length', 'content-type', 'host'],
    ...['sec-fetch-mode', 'user-agent'],
  ])
  it.each(wireNames)(
    'builds the request without headers of the client, passed or translated (%s)',
    async (provider) => {
      for (const wire of [provider, provider === 'gemini' ? 'ollama' : 'gemini'] as const) {
        providers.answer(answerAll)
        await (await gatewayOf().ask(wire, provider, 'Hello', { headers: hostile })).text()
        const names = Object.keys(providers.asked[0]?.headers ?? {}).filter((name) => !fixed.has(name))
        expect(names.sort()).toEqual(facts[provider].gateway.headers)
        expect(JSON.stringify(providers.asked[0]?.headers)).not.toMatch(/client-token|evil|1\.2\.3\.4/)
      }
    },
  )

  it('passes only headers of its list', async () => {
    providers.answer((response, asked) => {
      const hidden = ['openai-organization', 'x-evil', 'location', 'access-control-allow-origin', 'refresh', 'server']
      for (const name of ['set-cookie', ...hidden]) response.setHeader(name, 'evil')
      return answerAll(response, asked)
    })
    for (const stream of [true, false]) {
      const response = await gatewayOf().ask('openai-chat', 'openai-chat', 'Hello', { stream })
      const names = [...response.headers.keys()].sort()
      const ids = ['request-id', 'x-amzn-requestid', 'x-request-id']
      const own = ['cache-control', 'content-type', 'x-content-type-options', ...(stream ? ['x-accel-buffering'] : [])]
      expect(names).toEqual([...own, ...ids].sort())
    }
  })

  it.each(wireNames)('never follows a redirect (%s)', async (wire) => {
    const elsewhere = await startUpstream()
    for (const status of [301, 302, 303, 307, 308]) {
      for (const location of [`${elsewhere.url}/stolen`, `${providers.url}/again`]) {
        providers.answer(json({}, status, { location }))
        expect((await gatewayOf().ask(wire, wire)).status).toBe(502)
        expect(providers.asked).toHaveLength(1)
      }
    }
    expect(elsewhere.asked).toHaveLength(0)
    await elsewhere.stop()
  })

  it('answers 502 if the provider refuses the key, without the provider’s message', async () => {
    for (const wire of wireNames) {
      for (const status of [401, 403]) {
        providers.answer(json(speakers[wire].error(status, `Incorrect API key provided: ${keys[wire]}`), status))
        const response = await gatewayOf().ask(wire, wire, 'Hello')
        const text = await response.text()
        expect(response.status).toBe(502)
        expect(isErrorBody(wire, JSON.parse(text))).toBe(true)
        expect(text).not.toContain('Incorrect')
      }
    }
  })

  // `keys.test.ts` has the disguises of a key that all models share.
  it('cuts the key of each model out of all texts of its provider', async () => {
    for (const wire of wireNames) {
      const key = keys[wire]
      for (const client of [wire, wire === 'gemini' ? 'ollama' : 'gemini'] as const) {
        for (const stream of [true, false]) {
          const said = { text: `It is ${key} and more` }
          providers.answer(stream ? chunks(oneEvent(wire, said)) : json(speakers[wire].whole(said)))
          const text = await (await gatewayOf().ask(client, wire, 'Hello', { stream })).text()
          expect(text).toContain('redacted')
          expect(text).not.toContain(key.slice(4, -4))
        }
        providers.answer(json(speakers[wire].error(400, `Odd: ${key}`), 400))
        expect(await (await gatewayOf().ask(client, wire)).text()).not.toContain(key.slice(4, -4))
      }
    }
  })

  /** With the text in one piece: halves of a key are not keys. */
  function oneEvent(wire: WireName, said: { text: string }): string[] {
    const half = said.text.slice(0, said.text.length / 2)
    const json = (text: string) => JSON.stringify(text)
    const rest = said.text.slice(said.text.length / 2)
    const pieces = speakers[wire].pieces(said)
    return pieces.map((piece) => piece.replace(json(half), '""').replace(json(rest), json(said.text)))
  }

  it('refuses bodies that are too large, too deep, too slow or not JSON', async () => {
    const gateway = gatewayOf({ limits: { maxBodyBytes: 1000, maxDepth: 20, bodyTimeoutMs: 60 } })
    const status = async (request: Request) => (await gateway.fetch(request)).status
    const path = '/v1/chat/completions'
    expect(await status(post(path, { model: 'x'.repeat(2000) }))).toBe(413)
    expect(await status(post(path, `{"a":${'['.repeat(30)}${']'.repeat(30)}}`))).toBe(400)
    expect(await status(post(path, '{"a":'))).toBe(400)
    expect(await status(post(path, '[]'))).toBe(400)
    expect(await status(post(path, '{}', { 'content-type': 'text/plain' }))).toBe(415)
    expect(await status(post(path, '{}', { 'content-encoding': 'gzip' }))).toBe(415)
    expect(await status(post(path, { messages: [] }))).toBe(400)
    const endless = new ReadableStream({
      async pull(controller) {
        await pause(30)
        controller.enqueue(new TextEncoder().encode(' '))
      },
    })
    expect(await status(post(path, endless))).toBe(408)
    expect(providers.asked).toHaveLength(0)
  })

  it('does not read more values than the limit, or an answer that is longer than the limit', async () => {
    const gateway = gatewayOf({ limits: { maxValues: 50, maxAnswerBytes: 500 } })
    const values = { model: 'gemini', messages: [user('Hi')], stop: Array(60).fill('x') }
    expect((await gateway.post('/v1/chat/completions', values)).status).toBe(400)
    expect(providers.asked).toHaveLength(0)
    for (const wire of wireNames) {
      providers.answer(chunks([...speakers[wire].pieces({ text: 'long '.repeat(200) })]))
      const response = await gateway.ask(wire, wire)
      const text = await response.text()
      expect(response.status === 502 ? isErrorBody(wire, JSON.parse(text)) : endingOf(wire, text) !== ended).toBe(true)
      expect(text).toContain('cannot be read')
    }
  })

  it('hides a provider’s messages, if that option is set', async () => {
    const gateway = gatewayOf({ showsProviderMessages: false })
    for (const wire of wireNames) {
      providers.answer(json(speakers[wire].error(400, 'The field of org-12345 is odd'), 400))
      for (const stream of [true, false]) {
        const response = await gateway.ask(wire, wire, 'Hello', { stream })
        expect(response.status).toBe(400)
        expect(await response.text()).toContain('The provider refused the request')
      }
      providers.answer(
        chunks([...speakers[wire].pieces({ text: 'So far' }).slice(0, -2), speakers[wire].errorPiece('org-12345')]),
      )
      expect(await (await gateway.ask(wire, wire)).text()).not.toContain('org-12345')
    }
  })

  it('can be written in a format by code before the gateway', async () => {
    const openai = ['/v1/chat/completions', '/v1/responses']
    const paths = [...openai, '/v1/messages', '/v1beta/models/m:generateContent', '/api/chat']
    const refusal = new ApiError('Not today', { kind: 'rate_limit', retryable: false, retryAfterMs: 60_000 })
    const answers = [...paths, '/nowhere'].map((path) => answerError(post(path, {}), refusal, allFormats))
    expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
      Array(6).fill([429, '60']),
    )
    const short = new ApiError('Not now', { kind: 'rate_limit', retryable: true, retryAfterMs: 1001 })
    expect(answerError(post('/v1/messages', {}), short, allFormats).headers.get('retry-after')).toBe('2') // never too early
    const bodies = await Promise.all(answers.map((answer) => answer.json()))
    expect(bodies.map(({ type, error }) => type ?? error.status ?? error.type ?? error)).toEqual([
      ...['rate_limit_error', 'requests', 'error', 'RESOURCE_EXHAUSTED', 'Not today', 'rate_limit_error'],
    ])
  })

  it('answers 404 and 405 for unknown paths and methods', async () => {
    const gateway = gatewayOf()
    const malformed = ['/v1/chat/completions/', '/v1//messages', '/v1/messages/../x', '/v1beta/models/x:delete']
    for (const path of ['/', '/v1', '/v1/embeddings', ...malformed]) {
      expect([path, (await gateway.post(path, {})).status]).toEqual([path, 404])
    }
    const response = await gateway.fetch(`${origin}/v1/messages`)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })
})

describe('pages of other origins', () => {
  const wanted = 'content-type, x-api-key, x-stainless-os, anthropic-dangerous-direct-browser-access'
  const preflight = (from: string) =>
    new Request(`${origin}/v1/messages`, {
      method: 'OPTIONS',
      headers: { origin: from, 'access-control-request-method': 'POST', 'access-control-request-headers': wanted },
    })

  it('may send requests if they are on the list, with any headers', async () => {
    const gateway = gatewayOf({ origins: ['https://chat.test'] })
    const { status, headers } = await gateway.fetch(preflight('https://chat.test'))
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe('https://chat.test')
    expect(headers.get('access-control-allow-methods')).toBe('POST')
    expect(headers.get('access-control-allow-headers')).toBe(wanted)
    const answer = await gateway.ask('anthropic', 'gemini', 'Hello', { headers: { origin: 'https://chat.test' } })
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://chat.test')
    expect(answer.headers.get('access-control-expose-headers')).toContain('retry-after')
  })

  it.each(['https://evil.test', 'https://chat.test.evil.test', 'http://chat.test', 'null'])(
    'may not send requests from %s',
    async (from) => {
      const { status, headers } = await gatewayOf({ origins: ['https://chat.test'] }).fetch(preflight(from))
      expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([403, null, 'Origin'])
    },
  )

  it('may all send requests with `*`, and none by default', async () => {
    const { headers } = await gatewayOf({ origins: '*' }).fetch(preflight('https://any.test'))
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect((await gatewayOf().fetch(preflight('https://any.test'))).status).toBe(403)
  })
})

it.each(['qwen3:8b', 'qwen3%3A8b'])('finds a model whose name has a colon in a path of Gemini: %s', async (name) => {
  providers.answer(answerAll)
  const models = { 'qwen3:8b': modelsAt(providers.url).ollama }
  const request = post(`/v1beta/models/${name}:generateContent`, { contents })
  const response = await gatewayOf({ models }).fetch(request)
  expect((await response.json()).candidates[0].content.parts[0].text).toBe(greeting)
})

describe('lists and counts', () => {
  const get = async (path: string, headers = {}) =>
    (await gatewayOf().fetch(new Request(origin + path, { headers }))).json()

  it('lists the models in each format', async () => {
    const names = Object.keys(modelsAt(''))
    expect((await get('/v1/models')).data.map(({ id, object }: Record<string, string>) => [id, object])).toEqual(
      names.map((name) => [name, 'model']),
    )
    const anthropic = await get('/v1/models', { 'anthropic-version': '2023-06-01' })
    expect(anthropic).toMatchObject({
      has_more: false,
      first_id: names[0],
      last_id: names.at(-1),
      data: { length: names.length },
    })
    expect((await get('/v1beta/models')).models[0]).toMatchObject({ name: `models/${names[0]}` })
    expect((await get('/api/tags')).models.map(({ model }: Record<string, string>) => model)).toEqual(names)
    expect(await get('/v1/models/gemini')).toMatchObject({ id: 'gemini', object: 'model' })
    expect(await get('/v1beta/models/gemini')).toMatchObject({ name: 'models/gemini' })
  })

  it('passes a count to the provider of the client’s format, and marks it as exact', async () => {
    providers.answer(json({ input_tokens: 1234 }))
    const body = { model: 'anthropic', messages: [user('Hello')] }
    const response = await gatewayOf().post('/v1/messages/count_tokens', body)
    expect([await response.json(), response.headers.get('x-token-count')]).toEqual([{ input_tokens: 1234 }, 'exact'])
    expect(providers.asked[0]).toMatchObject({
      path: '/anthropic/v1/messages/count_tokens',
      body: { model: 'claude-sonnet-5' },
    })
  })

  it('asks for the model of the table, also where a body of Gemini names another one', async () => {
    const asked = async (body: object) => {
      await (await gatewayOf().post('/v1beta/models/gemini:generateContent', body)).text()
      return providers.asked.at(-1)?.body
    }
    const other = await asked({ model: 'models/another', contents })
    expect(other).toMatchObject({ model: 'models/gemini-3-flash-preview', contents })
    expect(await asked({ contents })).toEqual({ contents })
  })

  it('estimates it for other providers, and marks it as estimated', async () => {
    const body = { model: 'gemini', system: 'Be kind', messages: [{ role: 'user', content: 'x'.repeat(4000) }] }
    const response = await gatewayOf().post('/v1/messages/count_tokens', body)
    const { input_tokens } = await response.json()
    expect(response.headers.get('x-token-count')).toBe('estimated')
    expect(input_tokens).toBeGreaterThan(1000)
    expect(input_tokens).toBeLessThan(1100)
    expect(providers.asked).toHaveLength(0)
  })
})

describe('the hooks of the caller', () => {
  it('decide about a request before its body is read, with errors in its format', async () => {
    const authorize = () => {
      throw new ApiError('No token', { kind: 'authentication', retryable: false })
    }
    for (const wire of wireNames) {
      const response = await gatewayOf({ authorize }).ask(wire, 'gemini')
      expect(response.status).toBe(facts[wire].gateway.unauthorized)
      expect(isErrorBody(wire, await response.json())).toBe(true)
    }
    const own = await gatewayOf({ authorize: () => new Response('mine', { status: 418 }) }).ask('gemini', 'gemini')
    expect([own.status, await own.text()]).toEqual([418, 'mine'])
    expect(providers.asked).toHaveLength(0)
  })

  it('decide about models, also in lists and fallbacks', async () => {
    const { anthropic, gemini } = modelsAt(providers.url)
    const models = { first: { model: anthropic, fallbacks: ['second'] }, second: gemini }
    const gateway = gatewayOf({ models, authorize: () => ({ models: ['first'], caller: 'ada' }) })
    expect((await gateway.ask('openai-chat', 'second')).status).toBe(404)
    expect((await (await gateway.fetch(`${origin}/v1/models`)).json()).data).toHaveLength(1)
    providers.answer(json({ type: 'error', error: { type: 'overloaded_error', message: 'x' } }, 529))
    expect((await gateway.ask('openai-chat', 'first')).status).toBe(503)
    const error = { kind: 'overloaded', status: 529 }
    expect(gateway.reports.at(-1)).toMatchObject({ attempts: 1, caller: 'ada', error })
  })

  it('see that no provider was asked, where the request cannot be written for the provider', async () => {
    const gateway = gatewayOf()
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const messages = [user('Hi'), { role: 'assistant', content: [picture] }, user('And?')]
    const response = await gateway.ask('anthropic', 'openai-chat', 'Hello', { body: { messages } })
    expect(response.status).toBe(400)
    expect(providers.asked).toHaveLength(0)
    expect(gateway.reports).toMatchObject([{ outcome: 'failed', attempts: 0, status: 400 }])
  })

  it('see what is about to be sent, and may refuse it', async () => {
    const seen: unknown[] = []
    const gateway = gatewayOf({
      authorize: () => ({ maxOutputTokens: 70, caller: 7 }),
      admit: ({ model, wire, stream, maxOutputTokens, caller, request }) => {
        seen.push([model, wire, stream, maxOutputTokens, caller, request.context.messages.length])
        throw new ApiError('Nothing is left of today', { kind: 'rate_limit', retryable: false, retryAfterMs: 60_000 })
      },
    })
    const response = await gateway.ask('ollama', 'gemini')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await response.json()).toEqual({ error: 'Nothing is left of today' })
    expect(seen).toEqual([['gemini', 'ollama', true, 70, 7, 1]])
    expect(providers.asked).toHaveLength(0)
  })

  it('get each request, decoded, and may replace it: then nothing of the client’s body is sent', async () => {
    const seen: unknown[] = []
    const gateway = gatewayOf({
      authorize: () => ({ caller: 7 }),
      check({ wire, kind, request, body, caller }) {
        seen.push([wire, kind, caller])
        if ('store' in body) throw new ApiError('"store" is not allowed', { kind: 'invalid_request', retryable: false })
        const { providerOptions: _, ...options } = request.options
        return { ...request, options: { ...options, maxTokens: 77 } }
      },
    })
    const refused = await gateway.ask('openai-chat', 'openai-chat', 'Hello', { body: { store: true } })
    expect([refused.status, (await refused.json()).error.message]).toEqual([400, '"store" is not allowed'])
    expect(providers.asked).toHaveLength(0)
    const messages = [user('Hi')]
    for (const provider of ['openai-chat', 'anthropic'] as const) {
      await gateway.ask('openai-chat', provider, 'Hello', { body: { verbosity: 'low' } })
      expect(JSON.stringify(providers.asked.at(-1)?.body)).toMatch(/"max_(completion_)?tokens":77/)
      expect(providers.asked.at(-1)?.body).not.toHaveProperty('verbosity')
    }
    await gateway.post('/v1/messages/count_tokens', { model: 'anthropic', messages, container: 'c' })
    // Fields that only an answer has are not sent for a count.
    expect(providers.asked.at(-1)?.body).toEqual({ model: expect.any(String), messages })
    for (const body of [{ contents }, { generateContentRequest: { contents } }]) {
      await gateway.post('/v1beta/models/gemini:countTokens', { ...body, cachedContent: 'c' })
      const counted = providers.asked.at(-1)?.body.generateContentRequest
      expect(counted).toMatchObject({ contents, model: expect.stringMatching(/^models\//) })
    }
    const answers = Array(3).fill(['openai-chat', 'answer', 7])
    const counts = ['anthropic', 'gemini', 'gemini'].map((wire) => [wire, 'count', 7])
    expect(seen).toEqual([...answers, ...counts])
  })

  it('get a request again whose tools are functions for another provider, and may replace that too', async () => {
    const seen: unknown[] = []
    const gateway = gatewayOf({
      check({ request }) {
        seen.push(request.context.tools?.map((tool) => 'format' in tool))
        return { ...request, options: { ...request.options, maxTokens: 77 } }
      },
    })
    const tools = [{ type: 'custom', name: 'patch', description: 'a patch' }]
    await gateway.ask('openai-responses', 'anthropic', 'Hello', { body: { tools, max_output_tokens: 5000 } })
    expect(seen).toEqual([[true], [false]])
    expect(providers.asked[0]?.body).toMatchObject({ max_tokens: 77, tools: [{ name: 'patch' }] })
  })

  it('learn the length of an answer that is cut off before its usage', async () => {
    const gateway = gatewayOf()
    providers.answer(chunks(speakers['openai-chat'].pieces({ text: 'Grüß 👋' }).slice(0, -3)))
    for (const wire of ['openai-chat', 'anthropic'] as const) await (await gateway.ask(wire, 'openai-chat')).text()
    await pause(1)
    expect(gateway.reports).toMatchObject(Array(2).fill({ outcome: 'failed', outputBytes: 11 }))
  })

  it('get the outcome and the losses, but never text', async () => {
    const gateway = gatewayOf()
    const body = { top_k: 3, metadata: { user_id: 'u' } }
    await (await gateway.ask('anthropic', 'openai-chat', 'A secret prompt', { body })).text()
    await pause(1)
    const [report] = gateway.reports
    expect(report).toMatchObject({
      outcome: 'answered',
      wire: 'anthropic',
      model: 'openai-chat',
      stream: true,
      passed: false,
      status: 200,
      stopReason: 'stop',
    })
    expect(report?.losses.map(({ path }) => path)).toContain('options.topK')
    expect(JSON.stringify([gateway.reports, gateway.usages])).not.toMatch(/secret prompt|Grüß/)
  })

  it('cannot change an answer with an exception', async () => {
    const broken = () => {
      throw new Error('mine')
    }
    const gateway = gatewayOf({ onEnd: broken, onUsage: broken })
    expect(endingOf('ollama', await (await gateway.ask('ollama', 'gemini')).text())).toEqual(ended)
  })

  it('keep a Worker running until they are done', async () => {
    const waiting: Promise<unknown>[] = []
    let isTold = false
    const onEnd = async () => {
      await pause(20)
      isTold = true
    }
    const gateway = createGateway({ formats: allFormats, models: modelsAt(providers.url), onEnd })
    const request = post('/api/chat', chat('gemini'))
    const response = await gateway.fetch(request, {}, { waitUntil: (promise) => void waiting.push(promise) })
    await response.body?.cancel()
    await Promise.all(waiting)
    expect(isTold).toBe(true)
  })
})

describe('Gemini without events', () => {
  it.each(['gemini', 'anthropic'] as const)('streams one JSON array (from %s)', async (provider) => {
    const response = await gatewayOf().post(`/v1beta/models/${provider}:streamGenerateContent`, { contents })
    expect(response.headers.get('content-type')).toBe('application/json')
    const answers = JSON.parse(await response.text())
    expect(answers.map((answer: never) => textOf(answer)).join('')).toBe(greeting)
  })

  const textOf = ({ candidates }: { candidates: { content: { parts: { text: string }[] } }[] }) =>
    candidates[0]?.content.parts.map(({ text }) => text).join('')

  it('ends the array in an error', async () => {
    providers.answer(chunks(speakers.anthropic.pieces({ text: greeting }).slice(0, 5)))
    const response = await gatewayOf().post('/v1beta/models/anthropic:streamGenerateContent', { contents })
    expect(JSON.parse(await response.text()).at(-1).error.code).toBe(500)
  })
})

it.each<[WireName, string, object]>([
  ['openai-responses', 'background', { background: true }],
  ['openai-responses', 'prompt', { prompt: { id: 'pmpt_1' } }],
  ['openai-responses', 'item_reference', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
  ['openai-responses', 'compaction', { input: [{ type: 'compaction', encrypted_content: 'c' }, user('x')] }],
  ['openai-responses', 'compaction_trigger', { input: [user('x'), { type: 'compaction_trigger' }] }],
  ['gemini-interactions', 'background', { background: true }],
  ['gemini-interactions', 'agent', { agent: 'cohere', model: undefined }],
  ['gemini-interactions', 'environment', { environment: 'remote' }],
  ['gemini-interactions', 'continuation_token', { continuation_token: 'token' }],
  ['gemini', 'cachedContent', { cachedContent: 'cachedContents/1' }],
])(
  '%s: refuses "%s" at another provider, which would answer without it, and passes it to its own',
  async (wire, name, body) => {
    const refused = await gatewayOf().ask(wire, 'cohere', 'Hello', { body })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain(`\\"${name}\\"`)
    expect(providers.asked).toHaveLength(0)
    const own = await gatewayOf().ask(wire, wire, 'Hello', {
      body: { ...body, ...(name === 'agent' && { agent: wire }) },
    })
    expect(own.status).toBe(200)
  },
)

describe('fields set in the text of an object', () => {
  it.each([
    ['{}', '{"a":1}'],
    ['{ "b" : 2 }', '{ "b" : 2 ,"a":1}'],
    ['{"a":"x\\"},","b":[{"a":2}]}', '{"a":1,"b":[{"a":2}]}'],
    ['{"a": {"c":"}"} , "a" :null}', '{"a": 1 , "a" :1}'],
    ['{"\\u0061":true,"b":1e400}', '{"\\u0061":1,"b":1e400}'],
    ['{"b":"\\\\","a":-0.50}', '{"b":"\\\\","a":1}'],
  ])('leave the rest of %s as it is', (text, expected) => {
    expect(withFields(text, { a: '1' })).toBe(expected)
  })
})

describe('the edges of the gateway', () => {
  it('asks no provider if the client disconnected before', async () => {
    const asked: (boolean | undefined)[] = []
    const model = openaiChat('m', {
      apiKey: keys['openai-chat'],
      fetch: async (_, init) => {
        asked.push(init?.signal?.aborted)
        init?.signal?.throwIfAborted()
        return new Response('{}')
      },
    })
    const gone = new Request(post('/v1/chat/completions', chat('m')), { signal: AbortSignal.abort() })
    await gatewayOf({ models: { m: model } }).fetch(gone)
    expect(asked).not.toContain(false)
  })

  it('decides by the kind of an error whether it is retryable', () => {
    const retryable = ['rate_limit', 'overloaded', 'server', 'timeout'] as const
    const kinds = [...retryable, 'authentication', 'permission', 'invalid_request', 'not_found'] as const
    expect(kinds.filter((kind) => new ApiError('no', { kind }).retryable)).toEqual(retryable)
    expect(new ApiError('no', { kind: 'server', retryable: false }).retryable).toBe(false)
  })

  it('answers below a base path, and names that path in errors for other paths', async () => {
    const gateway = gatewayOf({ basePath: '/ai' })
    const there = await gateway.post('/ai/v1/chat/completions', chat('openai-chat'))
    expect([there.status, (await there.json()).choices[0].message.content]).toEqual([200, greeting])
    expect((await gateway.post('/ai/v1beta/models/gemini:generateContent', { contents })).status).toBe(200)
    const list = (await (await gateway.fetch(`${origin}/ai/v1/models`)).json()) as Loose
    expect(list.data).toHaveLength(wireNames.length)
    for (const path of ['/v1/chat/completions', '/aiv1/chat/completions', '/AI/v1/chat/completions']) {
      const answer = await gateway.post(path, chat('openai-chat'))
      expect(answer.status).toBe(404)
      const { error } = (await answer.json()) as Loose
      expect(error).toMatchObject({ type: 'invalid_request_error', code: 'unknown_url' })
      expect(error.message).toContain(`POST "${path}"`)
      expect(error.message).toContain('/ai/v1/messages')
    }
  })

  it.each(['ai', '/ai/', '/', '/a?b'])('does not accept %j as a base path', (basePath) => {
    expect(() => gatewayOf({ basePath })).toThrow(RangeError)
  })

  it('calls onEnd for requests that authorize refuses, with the status', async () => {
    const gateway = gatewayOf({
      authorize: (request) => {
        if (request.headers.has('x-away')) return new Response(null, { status: 418 })
        throw new ApiError('no', { kind: 'permission' })
      },
    })
    expect((await gateway.post('/v1/messages', {})).status).toBe(403)
    expect((await gateway.post('/v1/messages', {}, { 'x-away': '1' })).status).toBe(418)
    expect(gateway.reports).toMatchObject([
      { outcome: 'refused', status: 403, wire: 'anthropic', error: { kind: 'permission' } },
      { outcome: 'refused', status: 418, attempts: 0 },
    ])
    expect(gateway.usages).toEqual([])
  })

  const codes: readonly (readonly [string, string | undefined])[] = [
    ['rate_limit_exceeded', 'rate_limit_exceeded'],
    ['Throttling.RateQuota', 'Throttling.RateQuota'],
    ['1302', '1302'],
    ['tokens_per_minute', 'tokens_per_minute'],
    [Buffer.from(keys['openai-chat']).toString('hex'), undefined],
    [Buffer.from(keys['openai-chat']).toString('base64url'), undefined],
    [keys['openai-chat'], undefined],
    ['The prompt "my secret plan" is too long for you', undefined],
    ['x'.repeat(100_000), undefined],
  ]
  it.each(codes)(
    'reports the code %.50s of a provider as %s, and sends no other to a client',
    async (code, reported) => {
      const gateway = gatewayOf()
      providers.answer(json({ error: { message: 'x', type: 'rate_limit', code } }, 429))
      for (const wire of ['openai-chat', 'anthropic'] as const) {
        const answer = await gateway.ask(wire, 'openai-chat')
        expect(answer.status).toBe(429)
        if (reported === undefined) expect(await answer.text()).not.toContain(code.slice(0, 20))
      }
      const error = { kind: 'rate_limit', status: 429, ...(reported && { providerCode: reported }) }
      expect(gateway.reports.map((report) => report.error)).toEqual([error, error])
    },
  )

  it.each(errorKinds)('gives a format a code only where the rate is limited, and no private text: %s', (kind) => {
    for (const [providerCode, reported] of codes) {
      const error = toClientError(new ApiError('x', { kind, provider: 'openai', providerCode }))
      expect(error.providerCode).toBe(kind === 'rate_limit' ? reported : undefined)
    }
  })

  it('counts with the model of the table, whatever model the body names', async () => {
    providers.answer(json({ totalTokens: 3 }))
    const inner = { model: 'models/some-other-model', contents, cachedContent: 'x' }
    const bodies = [
      { contents, model: 'models/some-other-model' },
      { generateContentRequest: inner, model: 'models/some-other-model' },
      `{"generateContentRequest":${JSON.stringify(inner)},"generateContentRequest":${JSON.stringify(inner)}}`,
    ]
    for (const body of bodies) {
      const answer = await gatewayOf().post('/v1beta/models/gemini:countTokens', body)
      expect([answer.status, answer.headers.get('x-token-count')]).toEqual([200, 'exact'])
      const sent = JSON.stringify(providers.asked.at(-1)?.body)
      expect(sent).not.toContain('some-other-model')
      expect(sent).toContain('models/gemini-3-flash-preview')
      expect(providers.asked.at(-1)?.path).toBe('/gemini/v1beta/models/gemini-3-flash-preview:countTokens')
    }
  })

  it('counts with a tuned model under the name that it has', async () => {
    providers.answer(json({ totalTokens: 3 }))
    const { gemini } = modelsAt(providers.url)
    const gateway = gatewayOf({ models: { own: { ...gemini, model: 'tunedModels/own-1' } } })
    await gateway.post('/v1beta/models/own:countTokens', { model: 'models/own', contents })
    expect(providers.asked.at(-1)).toMatchObject({
      path: '/gemini/v1beta/tunedModels/own-1:countTokens',
      body: { model: 'tunedModels/own-1' },
    })
  })

  it('answers 408 where a runtime cuts off a cancelled body', async () => {
    const gateway = gatewayOf({ limits: { bodyTimeoutMs: 30 } })
    let fail = (_: Error) => {}
    const body = new ReadableStream({
      start: (controller) => {
        fail = (error) => controller.error(error)
        controller.enqueue(new TextEncoder().encode('{'))
      },
      cancel: () => new Promise(() => {}),
    })
    setTimeout(() => fail(new Error('gone')), 500)
    expect((await gateway.post('/v1/messages', body)).status).toBe(408)
  })
})
