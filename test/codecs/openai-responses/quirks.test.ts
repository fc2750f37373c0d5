/** Each departure from the documented shape that the corpus names, and what it comes to: as much as the recording itself says. */
import { expect } from 'vitest'
import { blocksOf } from '../../../src/core/content.ts'
import type { AssistantMessage, ContentBlock, JsonObject } from '../../../src/core/messages.ts'
import { createClientCodec, encodeRequest, openaiDialect } from '../../../src/formats/openai-responses/index.ts'
import { casesOf } from '../../support/corpus.ts'
import { decodeChunks } from '../../support/decode.ts'
import { type Reading, testQuirks } from '../../support/quirks.ts'
import { havingField } from '../../support/raw.ts'
import { dialects } from './dialects.ts'

const ofType = ({ raw }: Reading, type: string) => raw.filter((event) => event.type === type)
/** The whole answer as the provider sends it, at the end of a stream too. */
const answer = (reading: Reading) =>
  reading.one.kind === 'json' ? reading.raw[0] : (ofType(reading, 'response.completed')[0]?.response as JsonObject)
const items = (reading: Reading, type: string) =>
  ((answer(reading)?.output ?? []) as JsonObject[]).filter((item) => item.type === type)

/** As its own event has it: the answer at the end may have it encrypted again. */
const doneItems = (reading: Reading, type: string) => {
  const done = ofType(reading, 'response.output_item.done').map(({ item }) => item as JsonObject)
  return reading.one.kind === 'json' ? items(reading, type) : done.filter((item) => item.type === type)
}

/** An item that no neutral block can be stays what it is. */
function isKeptAs(type: string): (reading: Reading) => void {
  return (reading) => {
    const expected = doneItems(reading, type)
    expect(expected.length).toBeGreaterThan(0)
    const kept = reading.blocks.flatMap((block) =>
      block.type === 'unknown' && block.providerType === type ? [block.value] : [],
    )
    expect(kept).toEqual(expected)
  }
}

/** A tool of the server's, or one of the client's that has no name: a block of its own kind, and sent back as the item that came. */
function isShownAs(
  type: string,
  kindOf: ContentBlock['type'] | ((item: JsonObject) => ContentBlock['type']),
): (reading: Reading) => void {
  return (reading) => {
    const expected = doneItems(reading, type)
    expect(expected.length).toBeGreaterThan(0)
    const message = reading.response?.message as AssistantMessage
    const name = type.replace(/(?:_call)?(?:_output)?$/, '')
    const kinds = expected.map((item) => (typeof kindOf === 'string' ? kindOf : kindOf(item)))
    const shown = blocksOf(message.content).filter((block) => 'name' in block && block.name === name)
    expect(shown.map((block) => block.type).filter((kind) => kinds.includes(kind))).toEqual(kinds)
    const { body } = encodeRequest({ messages: [message] }, { model: message.response?.model ?? '' })
    expect(body.input.filter((item) => item.type === type)).toEqual(expected)
  }
}

/** A shell in a container is the server's. */
const whoseShell = ({ environment }: JsonObject) => (environment === undefined ? 'tool_call' : 'server_tool_call')

/** The pieces of a call come with it, and make its arguments. */
function streams(name: string, argument: string): (reading: Reading) => void {
  return ({ one, response }) => {
    const codec = createClientCodec(openaiDialect)
    const { events } = decodeChunks(codec, [one.bytes])
    const calls = blocksOf(response?.message.content ?? null).filter((block) => 'name' in block && block.name === name)
    const pieces = new Map<number, string>()
    for (const event of events) {
      if (event.type !== 'tool_call_chunk' || event.chunk.name !== name) continue
      pieces.set(event.index, (pieces.get(event.index) ?? '') + (event.chunk.argumentsDelta ?? ''))
    }
    const joined = [...pieces.values()].map((text) => JSON.parse(text))
    expect(joined).toEqual(calls.flatMap((block) => ('arguments' in block ? [block.arguments] : [])))
    expect(joined.some((args) => args[argument] !== undefined)).toBe(true)
    expect(events.filter(({ type }) => type === 'warning')).toEqual([])
  }
}

function isCited(type: string): (reading: Reading) => void {
  return (reading) => {
    const told = havingField(answer(reading), 'annotations').flatMap(({ annotations }) => annotations as JsonObject[])
    expect(told.map((annotation) => annotation.type)).toContain(type)
    expect(reading.citations.map(({ providerData }) => providerData?.['openai-responses']?.type)).toEqual(
      told.map((annotation) => annotation.type),
    )
    expect(reading.citations.map(({ url }) => url)).toEqual(told.map(({ url }) => url))
  }
}

/** The finished text of the provider equals the sum of its events. */
const textIsWhole = (reading: Reading) => {
  const told = items(reading, 'message').flatMap(({ content }) => content as JsonObject[])
  const texts = reading.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  expect(texts).toEqual(told.map(({ text }) => text))
}
const callsAreWhole = (reading: Reading) =>
  expect(reading.calls.map((call) => [call.id, call.name, call.argumentsText])).toEqual(
    items(reading, 'function_call').map((item) => [item.call_id, item.name, item.arguments]),
  )

testQuirks(
  casesOf('openai-responses', { dialects: true }),
  ({ format }) => createClientCodec(dialects[format] ?? openaiDialect),
  {
    'obfuscation-padding': ({ one, response }) => {
      expect(one.text).toContain('"obfuscation"')
      expect(JSON.stringify(response)).not.toContain('obfuscation')
    },
    'no-sequence-number': (reading) => {
      expect(havingField(reading.raw, 'sequence_number')).toEqual([])
      const [item] = items(reading, 'custom_tool_call')
      expect(reading.calls).toMatchObject([{ id: item?.call_id, arguments: { input: item?.input } }])
    },
    'error-event-nested': (reading) => {
      const [told] = ofType(reading, 'error').map(({ error }) => error as JsonObject)
      expect(reading.error).toMatchObject({ code: 'api', providerCode: told?.code, message: told?.message })
    },
    'item-id-rotates': (reading) => {
      textIsWhole(reading)
      expect(reading.blocks.map(({ type }) => type)).toEqual(['reasoning', 'text'])
    },
    'args-without-deltas': (reading) => {
      expect(ofType(reading, 'response.function_call_arguments.delta')).toEqual([])
      callsAreWhole(reading)
    },
    'done-marker': ({ one, response }) => {
      expect(one.text).toMatch(/^data: \[DONE\]$/m)
      expect(['stop', 'tool_calls']).toContain(response?.stopReason)
    },
    'no-sse-event-names': (reading) => {
      expect(reading.one.text).not.toMatch(/^event:/m)
      textIsWhole(reading)
      callsAreWhole(reading)
    },
    'sse-comment': (reading) => {
      expect(reading.one.text).toMatch(/^:/m)
      textIsWhole(reading)
      callsAreWhole(reading)
    },
    'usage-cost': (reading) =>
      expect(reading.response?.usage?.providerData?.['openai-responses']?.cost).toBe(
        (answer(reading)?.usage as JsonObject | undefined)?.cost,
      ),
    'tool-namespace': (reading) => {
      const [item] = items(reading, 'function_call')
      expect(reading.calls[0]?.providerData).toEqual({ 'openai-responses': { namespace: item?.namespace } })
    },

    'annotation:url_citation': isCited('url_citation'),
    'annotation:file_citation': isCited('file_citation'),
    'annotation:container_file_citation': isCited('container_file_citation'),

    'item:apply_patch_call': isShownAs('apply_patch_call', 'tool_call'),
    'item:compaction': isShownAs('compaction', 'server_tool_result'),
    'item:mcp_approval_request': isKeptAs('mcp_approval_request'),
    'item:mcp_list_tools': isShownAs('mcp_list_tools', 'server_tool_call'),
    'item:program': isShownAs('program', 'server_tool_call'),
    'item:program_output': isShownAs('program_output', 'server_tool_result'),
    'item:shell_call': isShownAs('shell_call', whoseShell),
    'item:shell_call_output': isShownAs('shell_call_output', 'server_tool_result'),
    'item:tool_search_call': isShownAs('tool_search_call', 'server_tool_call'),
    'item:tool_search_output': isShownAs('tool_search_output', 'server_tool_result'),
    'item:mcp_call': (reading) => {
      const [item] = items(reading, 'mcp_call')
      expect(reading.calls).toEqual([])
      expect(reading.blocks).toContainEqual(
        expect.objectContaining({ type: 'server_tool_call', id: item?.id, name: item?.name }),
      )
      expect(reading.blocks).toContainEqual(
        expect.objectContaining({ type: 'server_tool_result', toolCallId: item?.id, output: item?.output }),
      )
    },
    'event:response.apply_patch_call_operation_diff.delta': streams('apply_patch', 'diff'),
    'event:response.shell_call_command.added': streams('shell', 'commands'),
    'event:response.shell_call_command.delta': streams('shell', 'commands'),
    // What the item at the end has too.
    'event:response.apply_patch_call_operation_diff.done': isShownAs('apply_patch_call', 'tool_call'),
    'event:response.shell_call_command.done': isShownAs('shell_call', whoseShell),
    'event:response.shell_call_output_content.delta': isShownAs('shell_call_output', 'server_tool_result'),
    'event:response.shell_call_output_content.done': isShownAs('shell_call_output', 'server_tool_result'),
  },
)
