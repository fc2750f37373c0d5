/** Bytes of the wire and units of ours. */
import { describe, expect, it } from 'vitest'
import type { ChatResponse, TextBlock } from '../../../src/core/messages.ts'
import { createClientCodec, decodeResponse, encodeResponse } from '../../../src/formats/gemini/index.ts'
import { decodeText } from '../../support/decode.ts'

const chunks = [
  { web: { uri: 'https://a.example', title: 'A' } },
  { maps: { uri: 'https://b.example', title: 'B', placeId: 'p' } },
]
const support = (segment: object, groundingChunkIndices: unknown = [0]) => ({ segment, groundingChunkIndices })
const answer = (parts: object[], groundingSupports: object[], more: object = {}) => ({
  candidates: [
    {
      content: { role: 'model', parts },
      finishReason: 'STOP',
      groundingMetadata: { webSearchQueries: ['q'], groundingChunks: chunks, groundingSupports },
      index: 0,
      ...more,
    },
  ],
})
const citationsIn = (body: unknown) => {
  const { content } = decodeResponse(body).message
  return typeof content === 'string'
    ? []
    : (content ?? []).flatMap((block) => (block.type === 'text' ? [block.citations] : []))
}

describe('citations', () => {
  it('belong to the part that they name', () => {
    const body = answer(
      [{ text: 'one ' }, { executableCode: { language: 'PYTHON', code: '1' } }, { text: 'déux' }, { text: 'trois' }],
      [support({ partIndex: 2, endIndex: 5 }), support({ partIndex: 3, startIndex: 1, endIndex: 3 })],
    )
    const source = { type: 'citation', url: 'https://a.example', title: 'A' }
    expect(citationsIn(body)).toEqual([
      undefined,
      [
        { ...source, startIndex: 0, endIndex: 4 },
        { ...source, startIndex: 5, endIndex: 7 },
      ],
    ])
  })
  it.each([[support({ startIndex: 900, endIndex: 905 })], [support({})]])(
    'without a place in any text stand without offsets at the last: %j',
    (one) => {
      expect(citationsIn(answer([{ text: 'a' }], [one]))).toEqual([
        [{ type: 'citation', url: 'https://a.example', title: 'A' }],
      ])
    },
  )

  it('of what was recited are read in both spellings', () => {
    const source = { startIndex: 1, endIndex: 3, uri: 'https://c.example', license: 'mit' }
    for (const name of ['citationSources', 'citations']) {
      const body = answer([{ text: 'aéb' }], [], { citationMetadata: { [name]: [source] }, groundingMetadata: {} })
      expect(citationsIn(body)).toEqual([[{ type: 'citation', url: 'https://c.example', startIndex: 1, endIndex: 2 }]])
    }
  })
  it('that come with the last piece of a stream are with its text, also after a signature', () => {
    const { groundingMetadata } = answer([], [support({ endIndex: 3 })]).candidates[0] as { groundingMetadata: object }
    const pieces = [
      { candidates: [{ content: { parts: [{ text: 'aé' }] }, groundingMetadata: {} }] },
      {
        candidates: [
          {
            content: { parts: [{ text: 'b' }, { text: '', thoughtSignature: 'c2ln' }] },
            finishReason: 'STOP',
            groundingMetadata,
          },
        ],
      },
      { candidates: [{ groundingMetadata: {} }] },
    ]
    const { events } = decodeText(
      createClientCodec(),
      pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join(''),
    )
    const ended = events.flatMap((event) => (event.type === 'message_end' ? [event.message] : []))
    expect(ended[0]?.content).toMatchObject([{ text: 'aéb', citations: [{ endIndex: 2 }] }, { text: '' }])
  })
})

describe('citations of another provider', () => {
  const cite = (url: string, startIndex: number, endIndex: number) =>
    ({ type: 'citation', url, startIndex, endIndex }) as const
  const content: TextBlock[] = [
    { type: 'text', text: 'Zürich ', citations: [cite('https://a.example', 0, 6)] },
    { type: 'text', text: 'ist schön', citations: [cite('https://b.example', 4, 9), cite('https://a.example', 0, 3)] },
  ]
  const response: ChatResponse = { message: { role: 'assistant', content, stopReason: 'stop' }, stopReason: 'stop' }

  it('are written in bytes of their parts, each source once', () => {
    expect(encodeResponse(response).body.candidates?.[0]?.groundingMetadata).toEqual({
      groundingChunks: [{ web: { uri: 'https://a.example' } }, { web: { uri: 'https://b.example' } }],
      groundingSupports: [
        { segment: { endIndex: 7, text: 'Zürich' }, groundingChunkIndices: [0] },
        { segment: { partIndex: 1, startIndex: 4, endIndex: 10, text: 'schön' }, groundingChunkIndices: [1] },
        { segment: { partIndex: 1, endIndex: 3, text: 'ist' }, groundingChunkIndices: [0] },
      ],
    })
  })
})
