/** The laws of `conformance` hold for our own formats and for the example's. A codec that breaks one is found. */
import { describe, expect, it } from 'vitest'
import { acmeCodec } from '../../examples/codec/acme.ts'
import { acmeFacts } from '../../examples/codec/facts.ts'
import type { ClientCodec, Fragment } from '../../src/core/codec.ts'
import { ApiError } from '../../src/core/errors.ts'
import type { Context, RequestOptions } from '../../src/core/messages.ts'
import { conformance } from '../../src/test/index.ts'
import { facts } from '../formats/index.ts'
import { wires } from '../support/answers.ts'
import { ownCorpus } from '../support/corpus.ts'
import { formats } from '../support/formats.ts'

describe.each(wires)('%s', (wire) => {
  const { client, server } = formats.find(({ folder }) => folder === wire) as (typeof formats)[number]
  const { models, validatorOf } = facts[wire]
  const [model] = models
  // What these have of next year goes back to its own provider, whose validator is of this year.
  const cases = ownCorpus.filter(
    ({ format, name, expected }) => format === wire && expected?.error === undefined && name !== 'every-oddity',
  )
  const streams = cases.filter(({ kind }) => kind !== 'json').toSorted((a, b) => a.bytes.length - b.bytes.length)
  const answers = cases.filter(({ kind }) => kind === 'json')
  const tests = conformance(client, {
    model,
    streams: Object.fromEntries(streams.slice(0, 12).map(({ name, bytes }) => [name, bytes])),
    answers: Object.fromEntries(answers.map(({ name, text }) => [name, JSON.parse(text)])),
    refusals: validatorOf(client.provider, model),
    server,
  })
  it.each(tests)('$name', ({ run }) => expect(run).not.toThrow())
})

describe('the codec of examples/codec', () => {
  it.each([...conformance(acmeCodec, acmeFacts)])('$name', ({ run }) => expect(run).not.toThrow())
})

const { decodeStream, decodeResponse, encodeRequest } = acmeCodec

/** The stream's fragments, changed. */
function streaming(change: (fragments: Fragment[]) => Fragment[], end: Fragment[] = []): Partial<ClientCodec> {
  return {
    decodeStream() {
      const inner = decodeStream()
      return {
        push(frame, out) {
          const found: Fragment[] = []
          inner.push(frame, found)
          out.push(...change(found))
        },
        end: (out) => out.push(...end),
      }
    },
  }
}

const brokenCodecs: readonly (readonly [what: string, change: Partial<ClientCodec>, law: RegExp])[] = [
  [
    'takes each chunk for a line',
    { decodeFrames: () => ({ push: (chunk, out) => out.push({ data: new TextDecoder().decode(chunk) }), end() {} }) },
    /stream text: reads the same in chunks/,
  ],
  ['takes a closed connection for an end', streaming((all) => all, [{ type: 'end', stopReason: 'stop' }]), /cut off/],
  [
    'makes two calls of one',
    streaming((all) =>
      all.flatMap<Fragment>((one) => (one.type === 'call' ? [one, { ...one, id: `${one.id}_2` }] : [one])),
    ),
    /stream calls: says what the whole answer says/,
  ],
  [
    'reads no field that it does not know',
    {
      decodeStream() {
        const inner = decodeStream()
        return {
          push(frame, out) {
            if (frame.data.includes('zz_new')) throw new TypeError('unknown field')
            inner.push(frame, out)
          },
          end: inner.end,
        }
      },
    },
    /a field that does not exist yet/,
  ],
  [
    'crashes on null',
    {
      decodeStream() {
        const inner = decodeStream()
        return {
          push(frame, out) {
            if (JSON.parse(frame.data).call) JSON.parse(frame.data).call.with.city.toString()
            inner.push(frame, out)
          },
          end: inner.end,
        }
      },
    },
    /stream calls: a wrong value/,
  ],
  [
    'reads a whole answer in another way',
    { decodeResponse: (body) => decodeResponse({ ...(body as object), say: 'Hi' }) },
    /stream text: says what the whole answer says/,
  ],
  [
    'drops the system text',
    { encodeRequest: ({ system: _, ...context }, options) => encodeRequest(context, options) },
    /request with a question: is sent whole/,
  ],
  [
    'says the words of a tool twice, but not its result',
    {
      encodeRequest: (context, options) =>
        encodeRequest({ ...context, messages: context.messages.filter(({ role }) => role !== 'tool') }, options),
    },
    /request with two calls and their results: is sent whole/,
  ],
  [
    'changes what it was given',
    {
      encodeRequest(context: Context, options: RequestOptions) {
        Object.assign(context, { system: 'Mine' })
        return encodeRequest(context, options)
      },
    },
    /request with a tool: is plain JSON/,
  ],
  [
    'writes fields that are undefined',
    {
      encodeRequest(context, options) {
        const encoded = encodeRequest(context, options)
        return { ...encoded, body: { ...(encoded.body as object), more: undefined } }
      },
    },
    /is plain JSON/,
  ],
  [
    'begins with the assistant',
    {
      encodeRequest(context, options) {
        const encoded = encodeRequest(context, options)
        const body = encoded.body as { readonly turns: readonly object[] }
        return { ...encoded, body: { ...body, turns: body.turns.slice(1) } }
      },
    },
    /stream calls: can be sent back/,
  ],
  [
    'takes each error for one of the server',
    { decodeError: () => new ApiError('no', { kind: 'server' }) },
    /error 401/,
  ],
]

it.each(brokenCodecs)('finds a codec that %s', (_what, change, law) => {
  const failed = conformance({ ...acmeCodec, ...change }, acmeFacts).filter(({ run }) => {
    try {
      run()
      return false
    } catch {
      return true
    }
  })
  expect(failed.map(({ name }) => name).join('\n')).toMatch(law)
})

it('asks for a recording', () => {
  expect(() => conformance(acmeCodec, { ...acmeFacts, streams: {} })).toThrow('Give at least one recorded answer')
})
