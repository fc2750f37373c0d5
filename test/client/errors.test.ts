/** The error that a caller gets: it names the place, has the provider's message, and never contains a key. */

import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { httpModel } from '../../src/ask/http-model.ts'
import type { Model } from '../../src/core/question.ts'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { gemini } from '../../src/formats/gemini/index.ts'
import { ollama } from '../../src/formats/ollama/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import { readErrorBody } from '../../src/formats/shared/api-error.ts'
import type { FormatName } from '../../src/formats/shared/format-names.ts'
import { errorAnswer, toClientError } from '../../src/gateway/errors.ts'
import { allFormats } from '../../src/gateway/index.ts'
import { ApiError, ConnectionError, generate, type IsoglotError, type RunRequest, stream } from '../../src/index.ts'
import { azureOpenai } from '../../src/providers/azure-openai.ts'
import { groq } from '../../src/providers/groq.ts'
import { openaiCompatible } from '../../src/providers/openai-compatible.ts'
import { vllm } from '../../src/providers/vllm.ts'
import { formats as codecs } from '../../src/test/formats.ts'
import { refuse } from '../../src/worker/refusal.ts'
import { bodyOf, failureOf } from '../support/makers.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { type Answering, chatBody, chunks, json, startUpstream } from '../support/upstream.ts'
import { wires } from '../support/wires.ts'

const upstream = ownUpstream()
const key = 'sk-canary/Zq8+Wn3~"Lk5\\Jh7-Bv9='
const failure = failureOf<IsoglotError & ApiError>
const ask = (model: Model, more: Partial<RunRequest> = {}): RunRequest => ({ model, prompt: 'x', retries: 0, ...more })
const page =
  (text: string, status = 500): Answering =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' })
    response.end(text)
  }

const errorForms = {
  'an object': { error: { message: 'Try later', type: 'overloaded_error' } },
  'a text': { error: 'Try later' },
  'an object with its type': { type: 'error', error: { type: 'overloaded_error', message: 'Try later' } },
  'a type and a message': { type: 'error', message: 'Try later' },
  'true and a message': { error: true, message: 'Try later' },
  detail: { detail: 'Try later' },
  'a list': [{ error: { code: 503, message: 'Try later', status: 'UNAVAILABLE' } }],
}

describe.each(wires)('an error in place of a whole answer, with status 200, to a client of $name', (wire) => {
  it.each(Object.entries(errorForms))('is an ApiError in any form: %s', async (_, body) => {
    upstream.answer(json(body))
    const error = await failure(generate(ask(wire.model(upstream.url), { wholeAnswer: true })))
    expect(error.name).toBe('ApiError')
    expect(error.message).toContain('Try later')
  })
})

describe('the key', () => {
  const disguises: Record<string, (key: string) => string> = {
    'as it is': (one) => one,
    'percent-encoded': encodeURIComponent,
    'percent-encoded in lower case': (one) => encodeURIComponent(one).replace(/%../g, (hex) => hex.toLowerCase()),
    'as JSON within JSON': (one) => JSON.stringify({ one }),
    'in base64': (one) => Buffer.from(one).toString('base64'),
  }
  const leaks = (error: unknown) => {
    const printed = [inspect(error, { depth: 20 }), JSON.stringify(error), String(error), (error as Error).stack]
    return Object.values(disguises).filter((hide) =>
      printed.some((text) => text?.includes(hide(key).replace(/=+$/, ''))),
    )
  }
  const echoes: Record<string, (text: string) => Answering> = {
    'an error body': (text) => json({ error: { message: `Incorrect API key: ${text}`, code: text } }, 401),
    'a page': (text) => page(`<html><p>${text}</p>`),
    'a page that is cut at the key': (text) => page(`${'x'.repeat(285)} ${text}`),
    'a header': () => (response) => {
      response.writeHead(500, { 'x-request-id': encodeURIComponent(key), 'request-id': encodeURIComponent(key) })
      response.end('{}')
    },
    'an error in a stream': (text) => chunks([`data: ${JSON.stringify({ error: { message: text, code: 401 } })}\n\n`]),
    'an error as a 200': (text) => json({ error: { message: text, type: 'invalid_request_error' } }),
    'what is not an answer': (text) => page(`<html>${text}`, 200),
    'a chunk that is not JSON': (text) => chunks([`data: ${text}\n\n`]),
  }
  const cases = Object.keys(echoes).flatMap((where) => Object.keys(disguises).map((how) => [where, how] as const))
  it.each(cases)('of %s, %s, is in no print of the error', async (where, how) => {
    const text = disguises[how]?.(key) ?? ''
    for (const apiKey of [key, async () => key]) {
      for (const whole of [false, true]) {
        upstream.answer(echoes[where]?.(text) ?? expect.fail())
        const model = openaiChat('m', { apiKey, baseUrl: upstream.url })
        const error = await failure(generate(ask(model, { wholeAnswer: whole })))
        expect(error.isIsoglotError).toBe(true)
        expect(leaks(error)).toEqual([])
      }
    }
  })

  it('of the error of a connection is in no print of it', async () => {
    const fetch = async () => {
      throw new TypeError(`"Bearer ${key}" is not a header`, { cause: new Error(key) })
    }
    const error = await failure(generate(ask(openaiChat('m', { apiKey: key, fetch }))))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(leaks(error)).toEqual([])
  })

  const circle: Record<string, unknown> = { key }
  circle.self = circle
  it.each<[string, unknown]>([
    ['text', key],
    ['null', null],
    ['an object', { headers: { authorization: key } }],
    ['a circle', circle],
    ['an object with a BigInt', { key, size: 1n }],
    ['an array', [key]],
    ['a function', () => key],
  ])('of a connection whose error has %s as its cause is in no print of it', async (_what, cause) => {
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }))
    const error = await failure(generate(ask(openaiChat('m', { apiKey: key, fetch }))))
    expect(error).toBeInstanceOf(ConnectionError)
    expect([inspect(error, { depth: 20 }), error.stack].join()).not.toContain(key)
  })

  it('in a header of the model is a key, too', async () => {
    upstream.answer(json({ error: { message: `No: ${key}` } }, 401))
    const model = openaiChat('m', { headers: { Authorization: `Bearer ${key}` }, baseUrl: upstream.url })
    expect(leaks(await failure(generate(ask(model))))).toEqual([])
  })
})

describe('the text of a page', () => {
  it.each([
    ['<p>Hello <b>there</b></p>', 'Hello there'],
    ['<p>a < b > c</p>', 'a c'],
    ['<html', '<html'],
    ['<a><b', '<b'],
  ])('of %j is %j', (html, text) => {
    expect(readErrorBody(html).message).toBe(text)
  })
})

describe('the message of an error', () => {
  it('has the provider and the status before the provider’s message, which is also in its own field', async () => {
    upstream.answer(json({ error: { message: 'busy' } }, 500))
    const request = ask(openaiChat('m', { apiKey: key, baseUrl: upstream.url }))
    for (const promise of [generate(request), stream(request).response]) {
      const error = await failure(promise)
      expect(error).toMatchObject({ message: 'OpenAI 500: busy', providerMessage: 'busy', status: 500, kind: 'server' })
      expect(error.stack).toContain('OpenAI 500: busy')
    }
  })

  it.each([
    ['OpenAI', openaiResponses],
    ['Anthropic', anthropic],
    ['Gemini', gemini],
    ['Ollama', ollama],
    ['Groq', groq],
  ])('names %s', async (title, modelOf) => {
    upstream.answer(json({ error: { message: 'no such thing' } }, 400))
    const { message } = await failure(generate(ask(modelOf('m', { baseUrl: upstream.url }))))
    expect(message).toBe(`${title} 400: no such thing`)
  })

  it.each([
    ['a 404', json({ error: { message: 'No such route' } }, 404), 'OpenAI 404: No such route', 'No such route'],
    ['a page', page('<p>Bad Gateway</p>', 502), 'OpenAI 502: Bad Gateway', 'Bad Gateway'],
    ['no body', page('', 405), 'OpenAI 405: openai answered with status 405', ''],
  ])('has the address after %s, since "baseUrl" may be wrong', async (_, answer, said, providerMessage) => {
    upstream.answer(answer)
    const error = await failure(generate(ask(openaiChat('gpt-5', { apiKey: key, baseUrl: `${upstream.url}?token=t` }))))
    expect(error.message).toBe(`${said}; asked ${upstream.url}/, check "baseUrl"`)
    expect(error.providerMessage).toBe(providerMessage)
  })

  it.each(allFormats)('of what a gateway or a Worker refused itself names no provider: $name', async (format) => {
    const words = 'the daily budget of this user is used up; it resets at midnight UTC'
    const refused = refuse('insufficient_quota', words, 60)
    const busy = new ApiError('The model failed', { kind: 'server', status: 503, provider: 'openai' })
    const { client } = codecs[format.name as FormatName]
    for (const [error, message] of [
      [refused, `The Worker refused the request: ${words}`],
      [toClientError(busy), `${client.title ?? client.provider} 502: The provider failed`],
    ] as const) {
      const fetch = async () => errorAnswer(error, format)
      const got = await failure(generate(ask(httpModel(client, 'm', { baseUrl: upstream.url, fetch }))))
      expect(got.message).toBe(message)
      expect(got.providerMessage).toBe(error.message)
    }
  })

  it('names the setting, before a request is sent, if the key was copied with an ellipsis or a typographic quote', async () => {
    const error = await failure(generate(ask(openaiChat('gpt-5', { apiKey: 'sk-…', baseUrl: upstream.url }))))
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toBe(
      'Cannot ask OpenAI: its setting "apiKey" is missing, empty, not text, or has a letter like "…"',
    )
  })

  it('has no address if the 404 names the model, because then the model is wrong', async () => {
    upstream.answer(json({ error: { message: 'model: gpt-0' } }, 404))
    const error = await failure(generate(ask(openaiChat('gpt-0', { apiKey: key, baseUrl: upstream.url }))))
    expect(error.message).toBe('OpenAI 404: model: gpt-0')
  })

  it('of an error in the middle of a stream has no status', async () => {
    const wire = wires.find(({ name }) => name === 'anthropic') ?? expect.fail()
    upstream.answer(chunks([...wire.text('a').slice(0, 3), wire.errorPiece]))
    const error = await failure(generate(ask(wire.model(upstream.url), { wholeAnswer: true })))
    expect(error.message).toBe(`Anthropic: ${error.providerMessage}`)
    expect(error.partial?.stopReason).toBe('error')
  })

  it('the text of a failed call of Groq’s model is readable, and another try may succeed', async () => {
    const message = 'Failed to call a function'
    upstream.answer(json({ error: { message, code: 'tool_use_failed', failed_generation: '<function=f>' } }, 400))
    const error = await failure(generate(ask(groq('m', { baseUrl: upstream.url }))))
    expect(error).toMatchObject({ retryable: true, providerCode: 'tool_use_failed', message: `Groq 400: ${message}` })
    expect(error.body).toMatchObject({ error: { failed_generation: '<function=f>' } })
  })
})

describe('a connection that fails', () => {
  it('has the error code of the platform', async () => {
    const server = await startUpstream()
    await server.stop()
    const error = await failure(generate(ask(openaiChat('m', { baseUrl: server.url }))))
    expect(error.message).toBe(`Cannot reach ${server.url}: ECONNREFUSED`)
    const blocked = await failure(generate(ask(openaiChat('m', { baseUrl: 'http://127.0.0.1:1/v1' }))))
    expect(blocked.message).toBe('Cannot reach http://127.0.0.1:1: bad port')
  })

  it('names the permission that Deno requires', async () => {
    const message = 'Requires net access to "a.example:443", run again with the --allow-net flag'
    const fetch = () => Promise.reject(Object.assign(new Error(message), { name: 'NotCapable' }))
    const error = await failure(generate(ask(openaiChat('m', { baseUrl: 'https://a.example', apiKey: 'k', fetch }))))
    expect(error.message).toBe(`Cannot reach https://a.example: ${message}`)
  })

  it.each([1, 2, 3])(
    'does not have the query if the message of its cause, %i levels below, has the URL',
    async (depth) => {
      const url = 'https://proxy.example/v1/chat/completions?token=hidden'
      const fetch = async () => {
        let cause = new Error(`error sending request for url (${url}): tcp connect error`)
        for (let at = 1; at < depth; at++) cause = new Error('fetch failed', { cause })
        throw new TypeError('fetch failed', { cause })
      }
      const error = await failure(generate(ask(openaiChat('m', { baseUrl: 'https://proxy.example/v1', fetch }))))
      expect(error.message).toBe(
        'Cannot reach https://proxy.example: error sending request for url (https://proxy.example/v1/chat/completions): tcp connect error',
      )
    },
  )

  it('in a page with a relative path, does not have the query either', async () => {
    const fetch = async () => new Response('Hello', { headers: { 'content-type': 'text/html' } })
    const error = await failure(generate(ask(openaiChat('m', { baseUrl: '/proxy?token=hidden', fetch }))))
    expect(error.message).toContain('/proxy answered 200 with text/html')
    expect(error.message).not.toContain('hidden')
  })

  it('without a reason of the platform, as in a page, names CORS as a possible cause, and Anthropic’s setting for it', async () => {
    const fetch = async () => {
      throw new TypeError('Failed to fetch')
    }
    const settings = { apiKey: key, fetch }
    const other = await failure(generate(ask(openaiChat('m', settings))))
    expect(other.message).toMatch(/^Cannot reach https:\/\/api\.openai\.com: .*CORS headers$/)
    const told = await failure(generate(ask(anthropic('m', settings))))
    expect(told.message).toMatch(/CORS headers.*`browser: true`/)
    const set = await failure(generate(ask(anthropic('m', { ...settings, browser: true }))))
    expect(set.message).not.toContain('browser')
  })
})

it.each([1, 2])(
  'an answer that breaks after event %i reports only the break, because it was an answer',
  async (count) => {
    const deltas = [{ role: 'assistant' }, { content: 'a' }].slice(0, count)
    const events = deltas.map((delta) => JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta }] }))
    // One piece for each read. A network does not guarantee this.
    const body = bodyOf([...events, '{"choices":'].map((data) => `data: ${data}\n\n`))
    const fetch = async () => new Response(body)
    const error = await failure(stream(ask(openaiChat('m', { baseUrl: 'https://provider.test', fetch }))).response)
    expect(error.code).toBe('decode')
    expect(error.message).not.toContain('answered 200')
  },
)

describe('a base URL without a scheme', () => {
  it.each(['localhost:1234/v1', 'api.example.com/v1', '127.0.0.1:8000'])('%s names `baseUrl`', async (baseUrl) => {
    const error = await failure(generate(ask(openaiChat('m', { baseUrl, apiKey: key }))))
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toContain('"baseUrl"')
  })

  it.each(['/v1', './v1', '//example.com/v1', 'HTTPS://example.com', ''])(
    '%j is relative, and a page resolves it',
    async (baseUrl) => {
      const asked: string[] = []
      const fetch = async (url: unknown) => {
        asked.push(String(url))
        return Response.json(chatBody('a'))
      }
      expect((await generate(ask(openaiChat('m', { baseUrl, fetch })))).text).toBe('a')
      expect(asked).toEqual([`${baseUrl}/chat/completions`])
    },
  )
})

describe('a key that is missing', () => {
  const asked: (string | null)[] = []
  const fetch = async (_url: unknown, init?: RequestInit) => {
    asked.push(new Headers(init?.headers).get('authorization'))
    return Response.json(chatBody('a'))
  }
  const none: [string, { apiKey?: string | (() => string | Promise<string>) }][] = [
    ['absent', {}],
    ['undefined', { apiKey: undefined as never }],
    ['empty', { apiKey: '' }],
    ['the empty result of a function', { apiKey: () => '' }],
    ['the missing result of a function', { apiKey: async () => undefined as never }],
  ]
  const own: [string, (settings: object) => Model][] = [
    ['OpenAI', (settings) => openaiChat('m', settings)],
    ['OpenAI', (settings) => openaiResponses('m', settings)],
    ['Anthropic', (settings) => anthropic('m', settings)],
    ['Gemini', (settings) => gemini('m', settings)],
    ['Groq', (settings) => groq('m', settings)],
    ['Azure', (settings) => azureOpenai('m', { resource: 'r', ...settings })],
  ]
  it.each(own.flatMap(([title, modelOf]) => none.map(([what, settings]) => [title, what, modelOf, settings] as const)))(
    'at the default address of %s, %s, is an error before a request is sent',
    async (title, _what, modelOf, settings) => {
      asked.length = 0
      const model = modelOf({ ...settings, fetch })
      const error = await failure(generate(ask(model)))
      expect(error).toBeInstanceOf(TypeError)
      expect(error.message).toContain('"apiKey"')
      expect(error.message).toContain(title)
      expect(asked).toEqual([])
    },
  )

  it.each(none)('at another address, %s, is not required', async (_what, settings) => {
    for (const model of [
      openaiChat('m', { ...settings, baseUrl: 'https://my.example/v1', fetch }),
      vllm('m', { ...settings, fetch }),
      openaiCompatible({ baseUrl: 'https://my.example/v1', fetch, ...settings })('m'),
    ]) {
      asked.length = 0
      expect((await generate(ask(model))).text).toBe('a')
      expect(asked).toEqual([null])
    }
  })

  it('may be in a header instead', async () => {
    asked.length = 0
    await generate(ask(openaiChat('m', { headers: { Authorization: 'Bearer mine' }, fetch })))
    expect(asked).toEqual(['Bearer mine'])
  })
})
