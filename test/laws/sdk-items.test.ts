/**
 * Every item and block that an official client can get is more than `unknown`, and every event that streams a part of one is read; or a list
 * says why not. The types are those of the clients.
 */
import { describe, expect, it } from 'vitest'
import type { Fragment } from '../../src/core/codec.ts'
import { blocksOf } from '../../src/core/content.ts'
import type { Json, JsonObject } from '../../src/core/messages.ts'
import * as anthropic from '../../src/formats/anthropic/index.ts'
import * as responses from '../../src/formats/openai-responses/index.ts'
import { sdkTypes } from '../support/sdk-values.ts'

const texts = (path: string, unique: string): Json | undefined => {
  if (/arguments$/.test(path)) return `{"a":"${unique}"}`
  return /(?:index|_index)$/.test(path) ? 0 : undefined
}
const objects = (samples: readonly { value: Json }[]) => samples.map(({ value }) => value as JsonObject)
const typesOf = (values: readonly JsonObject[]) => [...new Set(values.map(({ type }) => String(type)))]

/** The types of which a value is not read, without those that a list excuses. A list has no types that the client does not know. */
function unread(values: readonly JsonObject[], isRead: (value: JsonObject) => boolean, excused: object): string[] {
  const types = typesOf(values)
  const stale = Object.keys(excused).filter((type) => !types.includes(type))
  expect(stale, 'excuses for nothing').toEqual([])
  return typesOf(values.filter((value) => !isRead(value))).filter((type) => !Object.hasOwn(excused, type))
}

/** One value of each type: the first for which it holds, or else the first. */
function oneOfEach(values: readonly JsonObject[], holds: (value: JsonObject) => boolean): readonly JsonObject[] {
  return [...Map.groupBy(values, ({ type }) => type).values()].map(
    (same) => same.find(holds) ?? (same[0] as JsonObject),
  )
}

/** Whether the events say something else with this one than without it. */
function matters(read: (events: readonly JsonObject[]) => unknown, before: readonly JsonObject[], one: JsonObject) {
  const said = (events: readonly JsonObject[]) => {
    try {
      return JSON.stringify(read(events))
    } catch (error) {
      return String(error)
    }
  }
  return said([...before, one]) !== said(before)
}

describe('OpenAI Responses', () => {
  const of = sdkTypes('openai/resources/responses/responses.d.ts')
  const items = objects(of('ResponseOutputItem', texts))
  const answer = (output: readonly JsonObject[]) => ({ id: 'r', object: 'response', status: 'completed', output })
  const isKnown = (item: JsonObject) => {
    const { message } = responses.decodeResponse(answer([item]))
    return blocksOf(message.content).every(({ type }) => type !== 'unknown')
  }

  const unknownItems: Readonly<Record<string, string>> = {
    computer_call:
      'a person must acknowledge its safety checks: the run pauses, and the application answers with the item of the wire',
    computer_call_output: 'the answer to it, which the client itself sent',
    function_call_output: 'a result that the client itself sent, where a list of items repeats it',
    custom_tool_call_output: 'the same',
    mcp_approval_request: 'the run pauses, and the application answers with the item of the wire',
    mcp_approval_response: 'the answer to it, which the client itself sent',
    additional_tools: 'definitions of tools, which are no content',
  }
  const sometimesUnknown: Readonly<Record<string, string>> = {
    tool_search_call: 'a search that the client runs: the run pauses',
    tool_search_output: 'the answer to it, which the client itself sent',
    image_generation_call: 'one without a picture',
    message: 'one without parts',
  }

  it('reads every item of an answer', () => {
    expect(typesOf(items).length).toBeGreaterThan(20)
    expect(unread(items, isKnown, { ...unknownItems, ...sometimesUnknown })).toEqual([])
    expect(unread(oneOfEach(items, isKnown), isKnown, unknownItems)).toEqual([])
  })

  it('sends every item back as it came, to the provider and model that it came from', () => {
    const lost = items.filter((item) => {
      const { message } = responses.decodeResponse(
        answer([{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' }, item]),
      )
      const { body } = responses.encodeRequest({ messages: [message] }, { model: '', strict: false })
      const sent = JSON.parse(JSON.stringify(item, (name, value) => (name === 'created_by' ? undefined : value)))
      return !body.input.some((one) => JSON.stringify(sorted(one as never)) === JSON.stringify(sorted(sent)))
    })
    expect(typesOf(lost).filter((type) => !Object.hasOwn(rewritten, type))).toEqual([])
  })

  /** Items that are written in another way than they came, with the same meaning. */
  const rewritten: Readonly<Record<string, string>> = {
    message: 'without empty log probabilities',
    reasoning: 'without a summary that is its text',
    function_call: 'without a namespace or caller of null',
    custom_tool_call: 'the same',
    image_generation_call: 'with a status',
    computer_call: 'sent only with its output, which nothing here gives',
  }

  const events = objects(of('ResponseStreamEvent', texts))
  const repeats = 'the item at its end has it too'
  const sign = 'a sign of life'
  const unreadEvents: Readonly<Record<string, string>> = {
    'response.audio.delta': 'no model of this format speaks',
    'response.audio.done': 'the same',
    'response.audio.transcript.delta': 'the same',
    'response.audio.transcript.done': 'the same',
    'response.code_interpreter_call_code.done': repeats,
    'response.code_interpreter_call.completed': sign,
    'response.code_interpreter_call.in_progress': sign,
    'response.code_interpreter_call.interpreting': sign,
    'response.compaction.compacting': sign,
    'response.content_part.added': 'an empty part',
    'response.content_part.done': repeats,
    'response.custom_tool_call_input.done': repeats,
    'response.file_search_call.completed': sign,
    'response.file_search_call.in_progress': sign,
    'response.file_search_call.searching': sign,
    'response.image_generation_call.completed': sign,
    'response.image_generation_call.generating': sign,
    'response.image_generation_call.in_progress': sign,
    'response.image_generation_call.partial_image': 'a picture that the whole one replaces: no block can be replaced',
    'response.mcp_call.completed': sign,
    'response.mcp_call.failed': sign,
    'response.mcp_call.in_progress': sign,
    'response.mcp_list_tools.completed': sign,
    'response.mcp_list_tools.failed': sign,
    'response.mcp_list_tools.in_progress': sign,
    'response.output_text.done': repeats,
    'response.queued': sign,
    'response.reasoning_summary_part.added': 'an empty part',
    'response.reasoning_summary_part.done': repeats,
    'response.reasoning_summary_text.done': repeats,
    'response.reasoning_text.done': repeats,
    'response.refusal.done': repeats,
    'response.shell_call_command.done': repeats,
    'response.shell_call_output_content.delta': 'results have no chunks; the item at its end has all of it',
    'response.shell_call_output_content.done': repeats,
    'response.web_search_call.completed': sign,
    'response.web_search_call.in_progress': sign,
    'response.web_search_call.searching': sign,
  }

  it('reads every event of a stream', () => {
    const read = (stream: readonly JsonObject[]) => fragmentsOf(responses.decodeStream(), stream)
    const announced = items.map((item) => [{ type: 'response.output_item.added', output_index: 0, item: begun(item) }])
    const isRead = (event: JsonObject) => {
      const placed = 'output_index' in event ? { ...event, output_index: 0 } : event
      return [[], ...announced].some((before) => matters(read, before, placed))
    }
    expect(typesOf(events).length).toBeGreaterThan(50)
    expect(unread(oneOfEach(events, isRead), isRead, unreadEvents)).toEqual([])
  })
})

describe('Anthropic', () => {
  const of = sdkTypes('@anthropic-ai/sdk/resources/beta/messages/messages.d.ts')
  const blocks = objects(of('BetaContentBlock', texts))
  const answer = (content: readonly JsonObject[]) => ({
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: 'end_turn',
  })
  const isKnown = (block: JsonObject) => {
    const { message } = anthropic.decodeResponse(answer([block]))
    return blocksOf(message.content).every(({ type }) => type !== 'unknown')
  }
  const unknownBlocks: Readonly<Record<string, string>> = {
    container_upload: 'a file in a container, which only the provider can read',
  }

  it('reads every block of an answer', () => {
    expect(typesOf(blocks).length).toBeGreaterThan(12)
    expect(unread(blocks, isKnown, unknownBlocks)).toEqual([])
  })

  it('sends compactions and fallbacks back byte for byte', () => {
    const notices = blocks.filter(({ type }) => type === 'compaction' || type === 'fallback')
    expect(typesOf(notices)).toEqual(['compaction', 'fallback'])
    for (const notice of notices) {
      const { message } = anthropic.decodeResponse(answer([notice, { type: 'text', text: 'a' }]))
      const { body } = anthropic.encodeRequest(
        { messages: [{ role: 'user', content: 'q' }, message] },
        { model: 'm', maxTokens: 9 },
      )
      expect(JSON.stringify(body.messages)).toContain(JSON.stringify(notice))
    }
  })

  it('reads every delta of a stream', () => {
    const deltas = objects(of('BetaRawContentBlockDelta', texts))
    const read = (stream: readonly JsonObject[]) =>
      fragmentsOf(anthropic.decodeStream(), [...stream, { type: 'content_block_stop', index: 0 }])
    const started = blocks.map((block) => [{ type: 'content_block_start', index: 0, content_block: block }])
    const isRead = (delta: JsonObject) =>
      started.some((before) => matters(read, before, { type: 'content_block_delta', index: 0, delta }))
    expect(typesOf(deltas).length).toBeGreaterThan(5)
    expect(unread(oneOfEach(deltas, isRead), isRead, {})).toEqual([])
  })
})

/** The item before its first delta. */
function begun(item: JsonObject): JsonObject {
  const { operation, action } = item
  const empty: JsonObject = {
    ...(typeof item.arguments === 'string' && { arguments: '' }),
    ...(item.content !== undefined && { content: [] }),
    ...(item.type === 'shell_call' && { action: { ...(action as JsonObject), commands: [] } }),
    ...(operation !== undefined && { operation: { ...(operation as JsonObject), diff: '' } }),
  }
  return { ...item, ...empty, status: 'in_progress' }
}

function fragmentsOf(decoder: ReturnType<typeof responses.decodeStream>, stream: readonly JsonObject[]): Fragment[] {
  const out: Fragment[] = []
  for (const event of stream) decoder.push({ data: JSON.stringify(event) }, out)
  decoder.end(out)
  return out
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, entry]): [string, Json] => [key, sorted(entry)])
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
}
