/** Why an answer ended: the words of each format, by its documents, and the nearest word for each reason of ours. */
import { describe, expect, it } from 'vitest'
import type { StopReason } from '../../src/core/messages.ts'
import * as ollama from '../../src/formats/ollama/index.ts'
import * as responses from '../../src/formats/openai-responses/index.ts'
import { formats } from '../../src/test/formats.ts'
import { facts } from '../formats/index.ts'
import type { Wire } from '../support/answers.ts'
import type { Loose } from './rows.ts'

interface Words {
  /** A whole answer that says "Hi" and ended with this word. */
  answer(word: string | undefined): object
  readonly read: Readonly<Record<string, StopReason>>
  /** What stands in the body for each reason, and for a reason with a word of this format: `other max_messages`. */
  readonly written: Readonly<Record<string, unknown>>
  /** Where the word stands. Default: as the facts of the format say. */
  wordIn?(body: Loose): unknown
}
const text = [{ type: 'text', text: 'Hi' }] as const

const words: Partial<Readonly<Record<Wire, Words>>> = {
  anthropic: {
    answer: (stop_reason) => ({ type: 'message', role: 'assistant', content: text, stop_reason }),
    read: {
      ...{ end_turn: 'stop', stop_sequence: 'stop', max_tokens: 'length', model_context_window_exceeded: 'length' },
      ...{ pause_turn: 'pause', compaction: 'pause', refusal: 'refusal', sensitive: 'content_filter' },
      tool_use: 'other', // though no tool is called
    },
    written: {
      ...{ stop: 'end_turn', length: 'max_tokens', content_filter: 'refusal', refusal: 'refusal', pause: 'pause_turn' },
      ...{ other: 'end_turn', interrupted: null, error: null, aborted: null },
    },
  },
  gemini: {
    answer: (finishReason) => ({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason }] }),
    read: {
      ...{ STOP: 'stop', MAX_TOKENS: 'length', SAFETY: 'content_filter', RECITATION: 'content_filter' },
      ...{ LANGUAGE: 'content_filter', BLOCKLIST: 'content_filter', PROHIBITED_CONTENT: 'content_filter' },
      ...{ SPII: 'content_filter', IMAGE_SAFETY: 'content_filter', IMAGE_PROHIBITED_CONTENT: 'content_filter' },
      ...{ IMAGE_RECITATION: 'content_filter', MODEL_ARMOR: 'content_filter', MALFORMED_FUNCTION_CALL: 'error' },
      ...{ UNEXPECTED_TOOL_CALL: 'error', TOO_MANY_TOOL_CALLS: 'error', MALFORMED_RESPONSE: 'error' },
      ...{ CONTINUATION: 'pause', OTHER: 'other', IMAGE_OTHER: 'other', NO_IMAGE: 'other' },
      FINISH_REASON_UNSPECIFIED: 'other',
    },
    written: {
      ...{ stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY', refusal: 'SAFETY' },
      ...{ pause: 'OTHER', other: 'OTHER', error: 'OTHER', interrupted: 'OTHER', aborted: 'OTHER', max_rounds: 'STOP' },
      // A word of another format does not stay.
      'other end_turn': 'OTHER',
      // Its own word stays if it still has the same meaning.
      ...{ 'content_filter RECITATION': 'RECITATION', 'other A_NEW_WORD': 'A_NEW_WORD', 'stop RECITATION': 'STOP' },
    },
  },
  ollama: {
    answer: (done_reason) => ({ message: { role: 'assistant', content: 'Hi' }, done: true, done_reason }),
    read: { stop: 'stop', '': 'stop', length: 'length', load: 'other', unload: 'other' },
    written: {
      ...{ stop: 'stop', tool_calls: 'stop', length: 'length', content_filter: 'stop', refusal: 'stop', pause: 'stop' },
      other: 'stop',
    },
    wordIn: ({ done_reason }) => done_reason,
  },
  'openai-chat': {
    answer: (finish_reason) => ({
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason }],
    }),
    read: {
      ...{ stop: 'stop', length: 'length', content_filter: 'content_filter', error: 'error' },
      // There are no calls.
      ...{ tool_calls: 'other', function_call: 'other', MALFORMED_FUNCTION_CALL: 'other' },
    },
    written: {
      ...{ stop: 'stop', length: 'length', content_filter: 'content_filter', refusal: 'content_filter', pause: 'stop' },
      ...{ other: 'stop', tool_calls: 'stop', interrupted: 'error', error: 'error', aborted: 'error' },
    },
  },
  'openai-responses': {
    answer: (reason) => ({
      ...{ object: 'response', status: 'incomplete', incomplete_details: { reason } },
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
    }),
    read: {
      ...{ max_output_tokens: 'length', content_filter: 'content_filter', max_messages: 'other', steered: 'other' },
    },
    written: {
      ...{ stop: 'completed', tool_calls: 'completed', pause: 'completed', other: 'completed' },
      ...{ 'other max_messages': 'incomplete: max_messages', 'length MAX_TOKENS': 'incomplete: max_output_tokens' },
      ...{ 'content_filter SAFETY': 'incomplete: content_filter', refusal: 'incomplete: content_filter' },
      ...{ aborted: 'cancelled', 'interrupted queued': 'queued' },
    },
    wordIn: ({ status, incomplete_details, error }) => {
      expect(error).toBeNull()
      return incomplete_details === null ? status : `${status}: ${incomplete_details.reason}`
    },
  },
  cohere: {
    answer: (finish_reason) => ({ id: 'a', message: { role: 'assistant', content: text }, finish_reason }),
    read: {
      ...{ COMPLETE: 'stop', STOP_SEQUENCE: 'stop', MAX_TOKENS: 'length', ERROR: 'error', TIMEOUT: 'error' },
      ERROR_TOXIC: 'content_filter',
    },
    written: {},
  },
}

describe.each(Object.entries(words))('%s', (name, { answer, read, written, wordIn }) => {
  const { client, server } = formats[name as Wire]
  const found = wordIn ?? facts[name as Wire].samples.stop?.wordIn
  // The last is a word that every object inherits.
  const all = { ...read, a_word_from_next_year: 'other', constructor: 'other' } as const
  it.each(Object.entries(all))('%s is read as %s, and the word is kept', (word, stopReason) => {
    expect(client.decodeResponse(answer(word)).message).toMatchObject({ stopReason, rawStopReason: word })
  })

  it.each(Object.entries(written))('%s is written as %s', (key, word) => {
    const [stopReason, ownWord] = key.split(' ') as [StopReason, string | undefined]
    const foreign = stopReason === 'other' || stopReason === 'interrupted' ? [] : ['end_of_another', 'constructor']
    for (const rawStopReason of ownWord ? [ownWord] : [undefined, ...foreign]) {
      const message = { role: 'assistant', content: text, stopReason, ...(rawStopReason && { rawStopReason }) } as const
      const { body } = server.encodeResponse({ message, stopReason })
      expect(found?.(body), rawStopReason).toBe(word)
    }
  })
})

it('Ollama reports the reasons that it has no word for, and takes a last line without one for the end', () => {
  const lossesOf = (stopReason: StopReason) =>
    ollama.encodeResponse({ message: { role: 'assistant', content: 'Hi', stopReason }, stopReason }).losses
  for (const reason of ['stop', 'tool_calls', 'length'] as const) expect(lossesOf(reason)).toEqual([])
  for (const reason of ['content_filter', 'refusal', 'pause', 'other'] as const)
    expect(lossesOf(reason)).toHaveLength(1)
  const { message } = ollama.decodeResponse({ message: { role: 'assistant', content: 'x' }, done: true })
  expect([message.stopReason, message.rawStopReason]).toEqual(['stop', undefined])
})

it.each([
  ['completed', {}, 'stop'],
  ['incomplete', { incomplete_details: null }, 'other'],
  ['a_word_to_come', {}, 'other'],
  ['constructor', {}, 'other'],
  ['cancelled', {}, 'aborted'],
])('Responses: the status %s with %j is read as %s', (status, fields, stopReason) => {
  const { message } = responses.decodeResponse({ object: 'response', status, output: [], ...fields })
  expect(message).toMatchObject({ stopReason, rawStopReason: status })
})
