/** Each departure from the documented shape that the corpus names, and what it comes to: as much as the recording itself says. */
import { expect } from 'vitest'
import type { JsonObject } from '../../../src/core/messages.ts'
import { createClientCodec } from '../../../src/formats/gemini/index.ts'
import { casesOf } from '../../support/corpus.ts'
import { type Reading, testQuirks } from '../../support/quirks.ts'
import { havingField } from '../../support/raw.ts'

const parts = ({ raw }: Reading) => havingField(raw, 'parts').flatMap((content) => content.parts as JsonObject[])
const rawCalls = (reading: Reading) =>
  havingField(parts(reading), 'functionCall').map((part) => part.functionCall as JsonObject)
const lastOf = (reading: Reading, field: string) => havingField(reading.raw, field).at(-1)?.[field]
const textOf = ({ blocks }: Reading) => blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
const toldText = (reading: Reading) =>
  parts(reading)
    .flatMap(({ text, thought }) => (thought === true ? [] : [text ?? '']))
    .join('')

/** All sent text is there, and nothing else. */
const textIsWhole = (reading: Reading) => expect(textOf(reading)).toBe(toldText(reading))
const wasFiltered = ({ response }: Reading) => expect(response?.stopReason).toBe('content_filter')

/** wire/gemini.md §3: the reasons, and the word is kept. */
function endsFor(word: string, stopReason: string): (reading: Reading) => void {
  return (reading) => {
    expect(lastOf(reading, 'finishReason')).toBe(word)
    expect(reading.response).toMatchObject({ stopReason, message: { rawStopReason: word } })
  }
}

/** A signature comes back on the very part that had it. */
function isSignedOn(type: 'text' | 'tool_call'): (reading: Reading) => void {
  return (reading) => {
    const field = type === 'text' ? 'text' : 'functionCall'
    const told = parts(reading).flatMap((part) =>
      part[field] !== undefined && part.thought !== true ? (part.thoughtSignature ?? []) : [],
    )
    const kept = reading.blocks.flatMap((block) =>
      block.type === type ? (block.opaque?.data.thoughtSignature ?? []) : [],
    )
    expect(kept.length).toBeGreaterThan(0)
    expect(kept).toEqual(told)
  }
}

function namesAreTold(reading: Reading): void {
  expect(reading.calls.map((call) => call.name)).toEqual(rawCalls(reading).flatMap(({ name }) => name || []))
}

testQuirks(casesOf('gemini'), () => createClientCodec(), {
  'sse-crlf': (reading) => {
    expect(reading.one.text).toContain('\r\n\r\n')
    textIsWhole(reading)
  },
  'sse-stray-line': ({ error, one }) => {
    const stray = one.text.slice(one.text.search(/^[{[]/m))
    expect(error).toMatchObject({ code: 'api', providerCode: [JSON.parse(stray)].flat()[0].error.status })
  },
  'stream-as-json-array': (reading) => {
    expect(reading.one.text.trimStart()).toMatch(/^\[/)
    textIsWhole(reading)
    namesAreTold(reading)
  },
  'no-candidates': (reading) => {
    wasFiltered(reading)
    expect(reading.response?.message.rawStopReason).toBe(lastOf(reading, 'blockReason'))
  },
  'candidates-empty': wasFiltered,
  'candidate-without-content': textIsWhole,
  'content-without-parts': ({ one, response, error, ...reading }) => {
    textIsWhole({ one, response, error, ...reading })
    // Where nothing says how it ended it did not end.
    if (one.meta.quirks.includes('no-finish-reason')) expect(error?.code).toBe('interrupted')
    else expect(response?.message.rawStopReason).toBe(lastOf({ one, response, error, ...reading }, 'finishReason'))
  },
  'content-without-role': textIsWhole,
  'empty-part': (reading) => {
    expect(parts(reading)).toContainEqual({})
    textIsWhole(reading)
    expect(JSON.stringify(reading.blocks)).not.toContain('"value":{}')
  },
  'empty-text-part': ({ blocks }) =>
    expect(blocks.filter((block) => block.type === 'text' && block.text === '' && block.opaque === undefined)).toEqual(
      [],
    ),

  'no-finish-reason': ({ one, response, error }) => {
    const code = one.meta.features.includes('error') ? 'api' : 'interrupted'
    if (response === undefined) expect(error?.code).toBe(code)
    else expect(response.stopReason).toBe('content_filter')
  },
  'finish-repeated': (reading) => {
    textIsWhole(reading)
    const told = havingField(reading.raw, 'finishReason')
    expect(told.length).toBeGreaterThan(1)
    if (reading.response) expect(reading.response.message.rawStopReason).toBe(told.at(-1)?.finishReason)
    else expect(reading.error?.code).toBe('api')
  },
  finishMessage: (reading) =>
    expect(JSON.stringify(reading.response)).toContain(JSON.stringify(lastOf(reading, 'finishMessage'))),
  'finish:RECITATION': endsFor('RECITATION', 'content_filter'),
  'finish:NO_IMAGE': endsFor('NO_IMAGE', 'other'),
  'finish:OTHER': endsFor('OTHER', 'other'),
  'finish:FAKE_ENUM': endsFor('FAKE_ENUM', 'other'),

  'function-call-with-id': (reading) =>
    expect(reading.calls.filter(({ generatedId }) => !generatedId).map(({ id }) => id)).toEqual(
      rawCalls(reading).flatMap(({ id }) => id ?? []),
    ),
  'function-call-without-id': (reading) => {
    const made = reading.calls.filter(({ generatedId }) => generatedId).map(({ id }) => id)
    expect(made).toEqual(made.map((_, at) => `gemini_${at}`))
    expect(made).toHaveLength(rawCalls(reading).filter(({ id, name }) => id === undefined && name).length)
  },
  'function-call-without-args': namesAreTold,
  'empty-tool-name': namesAreTold,
  'tool-args-absent': (reading) => {
    const [first] = rawCalls(reading)
    expect(first).not.toHaveProperty('args')
    const pieces = havingField(reading.raw, 'jsonPath')
    if (pieces.length === 0) expect(reading.calls[0]).toMatchObject({ arguments: {}, argumentsText: '' })
    else namesAreTold(reading)
  },
  'partial-args': (reading) => {
    // Each piece is a text at a path of one name: together they are the arguments.
    const told = havingField(reading.raw, 'jsonPath').map(({ stringValue }) => stringValue ?? '')
    const values = reading.calls.flatMap((call) => Object.values(call.arguments))
    expect(values.join('')).toBe(told.join(''))
    for (const call of reading.calls) expect(call.complete).toBe(true)
  },

  'signature-on-text': isSignedOn('text'),
  'signature-on-empty-text': (reading) => {
    isSignedOn('text')(reading)
    expect(reading.blocks.at(-1)).toMatchObject({ type: 'text', text: '' })
  },
  'signature-on-function-call': isSignedOn('tool_call'),
  'usage-without-candidates-count': (reading) => {
    const told = (lastOf(reading, 'usageMetadata') ?? {}) as Record<string, number | undefined>
    const { candidatesTokenCount = 0, thoughtsTokenCount = 0, totalTokenCount } = told
    expect(reading.response?.usage?.outputTokens).toBe(candidatesTokenCount + thoughtsTokenCount)
    expect(reading.response?.usage?.totalTokens).toBe(totalTokenCount)
  },
})
