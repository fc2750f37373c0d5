/** Each departure from the documented shape that the corpus names, and what it comes to. A new tag without a rule fails here. */
import { expect } from 'vitest'
import type { ChatResponse, ContentBlock, JsonObject } from '../../../src/core/messages.ts'
import { compatible, createClientCodec } from '../../../src/formats/openai-chat/index.ts'
import { casesOf } from '../../support/corpus.ts'
import { type Reading, testQuirks } from '../../support/quirks.ts'
import { havingField } from '../../support/raw.ts'
import { dialects } from './dialects.ts'

interface Read extends Pick<Reading, 'one' | 'calls' | 'raw'> {
  readonly response: ChatResponse
  readonly all: readonly ContentBlock[]
  readonly text: string
  /** The fields of the answer beside its message. */
  readonly kept: JsonObject
}

function look({ one, raw, response, error, blocks: all, calls }: Reading): Read {
  if (response === undefined) throw error
  const text = all.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
  return { one, raw, response, all, calls, text, kept: response.providerData?.['openai-chat'] ?? {} }
}

const choiceKept = ({ kept }: Read) => (kept.choices as JsonObject[] | undefined)?.[0] ?? {}
const lastUsage = (one: Read) =>
  one.raw
    .flatMap(({ usage, x_groq: groq }) => (usage ?? (groq as JsonObject | undefined)?.usage ?? []) as JsonObject[])
    .at(-1)
const reasoning = ({ all }: Read) => all.flatMap((block) => (block.type === 'reasoning' ? [block] : []))
const details = (one: Read) =>
  reasoning(one).flatMap((block) => (block.opaque?.data.reasoning_details ?? []) as JsonObject[])

const figuresOfTheLast = (one: Read) => {
  expect(one.response.usage?.inputTokens).toBe(lastUsage(one)?.prompt_tokens)
  expect(one.response.usage?.totalTokens).toBe(lastUsage(one)?.total_tokens)
}
/** Each first piece of a call has its id and its name; what comes later may have them again, or empty. */
function toldCalls({ raw }: Read): Map<string, string> {
  const told = new Map<string, string>()
  for (const call of havingField(raw, 'tool_calls').flatMap((one) => (one.tool_calls ?? []) as JsonObject[])) {
    const { name } = (call.function ?? {}) as { name?: string }
    if (call.id && name) told.set(String(call.id), name)
  }
  return told
}
const toldNames = (one: Read) => [...toldCalls(one).values()]
const callsAreTold = (one: Read) => expect(one.calls.map(({ id, name }) => [id, name])).toEqual([...toldCalls(one)])
const toldOf = ({ raw }: Read, type: string) => havingField(raw, 'type').filter((detail) => detail.type === type)
const oneBlockOfEachKind = ({ all }: Read) => {
  const kinds = all.map((block) => block.type)
  expect(new Set(kinds).size).toBe(kinds.length)
}
const noEmptyText = ({ all }: Read) => {
  expect(all.filter((block) => block.type === 'text' && block.text === '')).toEqual([])
}

const rules: Record<string, (one: Read) => void> = {
  'azure:content_filter_results': (one) => expect(choiceKept(one)).toHaveProperty('content_filter_results'),
  'azure:prompt_filter_results': ({ kept }) => expect(kept).toHaveProperty('prompt_filter_results'),
  'chunk-without-choices': figuresOfTheLast,
  'content-empty-with-tool-calls': noEmptyText,
  'content-is-array': ({ all }) => expect(all.map((block) => block.type)).toEqual(['reasoning', 'text']),
  'content-is-object': ({ raw, text }) => expect(JSON.parse(text)).toEqual(havingField(raw, 'content')[0]?.content),
  'content-null': noEmptyText,
  'empty-choices-chunk': ({ response }) => expect(response.message.response?.id).toBeTruthy(),
  'empty-response-id': ({ response }) => expect(response.message.response?.id).toMatch(/^chatcmpl-/),
  'field:native_finish_reason': (one) => expect(choiceKept(one)).toHaveProperty('native_finish_reason'),
  'field:provider': ({ kept }) => expect(kept.provider).toEqual(expect.any(String)),
  'field:reasoning': (one) => expect(reasoning(one)[0]?.text).toMatch(/\w/),
  'field:reasoning_content': (one) => expect(reasoning(one)[0]?.text).toMatch(/\w/),
  'finish-repeated': ({ response }) => expect(['stop', 'tool_calls', 'refusal']).toContain(response.stopReason),
  'finish-with-content': ({ one, text, calls }) => {
    // The last piece of text, or the call, stands in the chunk that ends the answer.
    if (one.name.includes('moonshot')) expect(text).toBe('Hello!')
    else expect(text.length + calls.length).toBeGreaterThan(0)
  },
  'finish:eos': ({ response }) => {
    expect(response.stopReason).toBe('stop')
    expect(response.message.rawStopReason).toBe('eos')
  },
  'missing-tool-index': callsAreTold,
  'native-frames': ({ one, text, calls }) => {
    expect(text).toBe(one.expected?.text ?? '')
    expect(calls).toHaveLength(one.expected?.calls?.length ?? 0)
  },
  'no-finish-reason': ({ response }) => {
    expect(response.stopReason).toBe('tool_calls')
    expect(response.message).not.toHaveProperty('rawStopReason')
  },
  'obfuscation-padding': ({ kept }) => expect(kept).not.toHaveProperty('obfuscation'),
  'reasoning_details:reasoning.encrypted': (one) =>
    expect(details(one)).toContainEqual(
      expect.objectContaining({ type: 'reasoning.encrypted', data: toldOf(one, 'reasoning.encrypted').at(-1)?.data }),
    ),
  'reasoning_details:reasoning.summary': (one) => {
    const [first] = details(one)
    expect(first).toMatchObject({ type: 'reasoning.summary', summary: reasoning(one)[0]?.text })
  },
  'reasoning_details:reasoning.text': (one) =>
    // Three pieces are one detail; the last has only the signature.
    expect(details(one)).toEqual([
      {
        type: 'reasoning.text',
        index: 0,
        format: 'anthropic-claude-v1',
        text: reasoning(one)[0]?.text,
        signature: toldOf(one, 'reasoning.text').at(-1)?.signature,
      },
    ]),
  'role-on-every-chunk': oneBlockOfEachKind,
  'several-tool-calls-in-one-chunk': (one) => {
    expect(one.calls.map((call) => call.name)).toEqual(toldNames(one))
    expect(one.calls.length).toBeGreaterThan(1)
  },
  'sse-comment': ({ one, all }) => {
    expect(one.text).toMatch(/^: /m)
    expect(all.length).toBeGreaterThan(0)
  },
  'sse-stray-line': callsAreTold,
  'tool-args-absent': ({ calls }) => expect(calls[0]).toMatchObject({ arguments: {}, argumentsText: '' }),
  'tool-args-invalid-json': ({ response, calls }) => {
    expect(calls).toEqual([])
    expect(response.message.invalidToolCalls).toMatchObject([{ name: expect.any(String), reason: 'truncated' }])
  },
  'tool-calls-with-finish:length': ({ response }) => expect(response.stopReason).toBe('length'),
  'tool-calls-with-finish:stop': ({ response }) => {
    expect(response.stopReason).toBe('tool_calls')
    expect(response.message.rawStopReason).toBe('stop')
  },
  'tool-id-empty-in-deltas': callsAreTold,
  'tool-id-null-in-deltas': callsAreTold,
  'tool-id-repeated-in-deltas': callsAreTold,
  'tool-index-in-message': ({ calls, response }) =>
    expect([...calls, ...(response.message.invalidToolCalls ?? [])].map((call) => call.index)).toEqual([0]),
  'tool-index-not-from-zero': (one) => {
    callsAreTold(one)
    expect(one.calls.map((call) => call.index)).toEqual([0])
  },
  'tool-name-empty-in-deltas': callsAreTold,
  'tool-name-null-in-deltas': callsAreTold,
  'tool-name-repeated-in-deltas': callsAreTold,
  'tool-type-absent': callsAreTold,
  'tool_calls-empty-array': callsAreTold,
  'tool_calls-null': callsAreTold,
  'usage-cost': (one) => expect(one.response.usage?.providerData?.['openai-chat']?.cost).toEqual(lastUsage(one)?.cost),
  'usage-in-x_groq': figuresOfTheLast,
  'usage-on-content-chunk': figuresOfTheLast,
  'usage-on-finish-chunk': figuresOfTheLast,
  'usage-only-chunk': figuresOfTheLast,
  'whole-tool-call-in-one-delta': ({ calls }) => {
    expect(calls.length).toBeGreaterThan(0)
    for (const call of calls) expect(call.argumentsText === '' || JSON.parse(call.argumentsText)).toBeTruthy()
  },
}

testQuirks(
  casesOf('openai-chat', { dialects: true }),
  ({ format }) => createClientCodec(dialects[format] ?? compatible),
  Object.fromEntries(Object.entries(rules).map(([quirk, rule]) => [quirk, (reading) => rule(look(reading))])),
)
