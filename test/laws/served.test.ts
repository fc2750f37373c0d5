/**
 * A served answer says the same whether it is streamed or whole, and has the same losses. Each loss has the place of its block. This is tried
 * in each format with each kind of block by itself, with each pair of kinds, and with each stop reason.
 */
import { describe, expect, it } from 'vitest'
import { replay } from '../../src/assemble/replay.ts'
import { blocksOf, stopReasons } from '../../src/core/content.ts'
import { IsoglotError } from '../../src/core/errors.ts'
import type { ChatResponse, ContentBlock, Loss, StopReason, ToolCall } from '../../src/core/messages.ts'
import { facts } from '../formats/index.ts'
import { type Wire, wires } from '../support/answers.ts'
import { casesOf, isAnswer } from '../support/corpus.ts'
import { inTurn } from '../support/cuts.ts'
import { decodeChunks } from '../support/decode.ts'
import { toBytes, toFrames } from '../support/encode.ts'
import { type Format, formats } from '../support/formats.ts'

const made: Readonly<Record<string, ContentBlock>> = {
  text: { type: 'text', text: 'It rains.' },
  'blank text': { type: 'text', text: ' ' },
  'a refusal': { type: 'text', text: 'I will not.', refusal: true },
  'text with a citation': {
    type: 'text',
    text: 'Rain, says A.',
    citations: [{ type: 'citation', url: 'https://a.test', title: 'A', startIndex: 0, endIndex: 4 }],
  },
  reasoning: { type: 'reasoning', text: 'Look at the sky.' },
  call: {
    type: 'tool_call',
    id: 'c1',
    name: 'look',
    index: 0,
    argumentsText: '{"a":1}',
    arguments: { a: 1 },
    complete: true,
  },
  'an image': { type: 'image', mimeType: 'image/png', data: 'AAAA' },
  'the address of an image': { type: 'image', url: 'https://a.test/a.png' },
  audio: { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
  video: { type: 'video', mimeType: 'video/mp4', data: 'AAAA' },
  'a file': { type: 'file', mimeType: 'application/pdf', data: 'AAAA', filename: 'a.pdf' },
  'plain text': { type: 'plain_text', text: 'All of it.', title: 'A' },
}

/** The last recorded block of each kind that not every format has. */
const recorded = Object.fromEntries(
  wires.flatMap((format) => {
    const { client } = formatNamed(format)
    const answers = casesOf(format).filter(isAnswer)
    const contents = answers.map(({ kind, text, bytes }) =>
      kind === 'json' ? client.decodeResponse(JSON.parse(text)) : decodeChunks(client, [bytes]).response,
    )
    return contents
      .flatMap((response) => blocksOf(response?.message.content ?? []))
      .flatMap((block): [string, ContentBlock][] => {
        if (block.type === 'unknown') return [[`${block.providerType} of ${block.format}`, block]]
        if (block.type === 'server_tool_call' || block.type === 'server_tool_result')
          return [[`${block.type} of ${format}`, block]]
        return 'opaque' in block && block.opaque ? [[`${block.type} with a proof of ${format}`, block]] : []
      })
  }),
)

function formatNamed(name: string): Format {
  return formats.find(({ folder }) => folder === name) as Format
}

const kinds = Object.entries({ ...made, ...recorded })
/** The kinds that stand behind the one at this place: a fourth in `npm test`, others on the next wire. */
const kindsAfter = (at: number, wire: Wire) => inTurn([...kinds.entries()], 4, at + wires.indexOf(wire))

function answerOf(content: readonly ContentBlock[], reason?: StopReason): ChatResponse {
  let index = 0
  const counted = content.map((block) =>
    block.type === 'tool_call' ? { ...block, id: `c${index}`, index: index++ } : block,
  )
  const stopReason = reason ?? (index > 0 ? 'tool_calls' : 'stop')
  const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 }
  return { message: { role: 'assistant', content: counted, stopReason, usage }, stopReason, usage }
}

interface Served {
  readonly said: unknown
  readonly losses: readonly string[]
}

function wholeOf({ client, server }: Format, response: ChatResponse): Served {
  const { body, losses } = server.encodeResponse(response, { includeUsage: true })
  try {
    return { said: saidBy(client.decodeResponse(JSON.parse(JSON.stringify(body))), client.name), losses: told(losses) }
  } catch (error) {
    if (error instanceof IsoglotError) return { said: error.message, losses: told(losses) }
    throw error
  }
}

function streamOf({ client, server }: Format, response: ChatResponse): Served {
  const encoder = server.encodeStream({ includeUsage: true })
  const bytes = toBytes(server, toFrames(encoder, replay(response)))
  const { response: streamed, error } = decodeChunks(client, [bytes])
  return { said: error?.message ?? saidBy(streamed as ChatResponse, client.name), losses: told(encoder.losses) }
}

/** A stream keeps an order that a whole answer loses. */
function told(losses: readonly Loss[]): readonly string[] {
  return losses
    .filter(({ path }) => path !== 'message')
    .map(({ action, path, reason }) => `${action} ${path}: ${reason}`)
    .sort()
}

/** The answer as a client reads it. A message that has one place for text has no order, and thoughts in a row may be joined. */
function saidBy({ message, stopReason, usage }: ChatResponse, name: string): unknown {
  const { order } = facts[name as keyof typeof facts].answers
  const blocks = blocksOf(message.content).filter((block) => !('text' in block) || block.text !== '')
  const ordered = order === undefined ? blocks : blocks.toSorted((one, other) => placeOf(one) - placeOf(other))
  const said: ContentBlock[] = []
  for (const block of ordered.map(essenceOf)) {
    const last = said.at(-1)
    if (block.type === 'reasoning' && last?.type === 'reasoning')
      said.splice(-1, 1, { ...last, text: last.text + block.text })
    else said.push(block)
  }
  return { said, stopReason, tokens: usage?.outputTokens, invalid: message.invalidToolCalls }
}

const places = ['reasoning', 'text', 'refusal', 'audio', 'image', 'unknown', 'tool_call']

function placeOf(block: ContentBlock): number {
  return places.indexOf('refusal' in block && block.refusal ? 'refusal' : block.type)
}

/** Proofs and kept fields are compared by the tests of each codec: a stream sends them at the end of a block. */
function essenceOf(block: ContentBlock): ContentBlock {
  const { opaque: _, providerData: _kept, generatedId: _made, ...rest } = block as ToolCall
  return rest.type === 'tool_call' ? { ...rest, argumentsText: '' } : rest
}

/** How the two differ, or nothing. */
function difference(format: Format, response: ChatResponse): string[] {
  const [streamed, whole] = [streamOf(format, response), wholeOf(format, response)]
  return (['said', 'losses'] as const).flatMap((part) => {
    const [one, other] = [JSON.stringify(streamed[part]), JSON.stringify(whole[part])]
    return one === other ? [] : [`${part}: streamed ${one}, whole ${other}`]
  })
}

describe.each(wires)('%s', (wire) => {
  const format = formatNamed(wire)

  it('each kind of block', () => {
    const found = kinds.flatMap(([name, block]) =>
      difference(format, answerOf([block])).map((one) => `${name}: ${one}`),
    )
    expect(found).toEqual([])
  })

  it('each kind of block before each other', () => {
    const found = kinds.flatMap(([name, block], at) =>
      kindsAfter(at, wire).flatMap(([, [next, other]]) =>
        // An item that comes twice with its id is one.
        name === next && wire === 'openai-responses'
          ? []
          : difference(format, answerOf([block, other])).map((one) => `${name}, ${next}: ${one}`),
      ),
    )
    expect(found).toEqual([])
  })

  it('each kind of block has its losses at its place, whatever stands before it', () => {
    const lossesOf = (...content: ContentBlock[]) => wholeOf(format, answerOf(content)).losses
    const alone = kinds.map(([, block]) => lossesOf(block))
    for (const [at, [name, block]] of kinds.entries()) {
      for (const [next, [nextName, other]] of kindsAfter(at + 2, wire)) {
        if (wire === 'openai-chat' && name === 'audio' && nextName === 'audio') continue // an answer has one
        const second = alone[next]?.map((loss) => loss.replace('message.content[0]', 'message.content[1]')) ?? []
        expect(lossesOf(block, other), `${name}, ${nextName}`).toEqual([...(alone[at] ?? []), ...second].sort())
      }
    }
  })

  it('an invalid call has its losses at its place among the invalid calls', () => {
    const invalid = {
      type: 'invalid_tool_call',
      name: 'look',
      argumentsText: '{"a":',
      reason: 'truncated',
      error: 'cut',
    } as const
    const { message, ...rest } = answerOf([made.text, made.call] as ContentBlock[], 'length')
    const invalidToolCalls = [
      { ...invalid, id: 'c1', index: 1 },
      { ...invalid, index: 2 },
      { ...invalid, id: 'c3', index: 3 },
    ]
    const response = { ...rest, message: { ...message, invalidToolCalls } }
    for (const { losses } of [streamOf(format, response), wholeOf(format, response)]) {
      const places = losses.flatMap((loss) => /invalidToolCalls\[(\d+)\]/.exec(loss)?.[1] ?? [])
      expect([...new Set(places)]).toEqual(['0', '1', '2'].filter((place) => places.includes(place)))
    }
  })

  // An answer that was cut off has no end that a stream could have.
  it.each(stopReasons.filter((reason) => reason !== 'interrupted'))(
    'the stop reason "%s", with and without a call',
    (reason) => {
      for (const content of [[], [made.text], [made.call], [made.text, made.call]]) {
        const blocks = content.filter((block) => block !== undefined)
        expect(difference(format, answerOf(blocks, reason))).toEqual([])
      }
    },
  )
})
