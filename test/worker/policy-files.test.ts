/**
 * The policy lets no address through that is not public, and no file whose cost does not show in its bytes. The client codec of each format
 * makes the bodies, so that a new format is tried as soon as it is there.
 */
import { describe, expect, it } from 'vitest'
import type { ContentBlock, Context } from '../../src/core/model.ts'
import { permit } from '../../src/worker/policy/permit.ts'
import { wires } from '../support/answers.ts'
import { clients } from '../support/formats.ts'

const privateUrls = [
  'https://169.254.169.254/latest/meta-data',
  'http://169.254.169.254/latest/meta-data',
  'https://[::ffff:169.254.169.254]/',
  'https://0xa9fe.0xa9fe/',
  'https://metadata.google.internal/',
  'https://kubernetes.default.svc/',
  'https://user:password@example.com/a.png',
  'file:///etc/passwd',
  'gs://bucket/a.png',
  's3://bucket/a.png',
]
const blocks: readonly (readonly [name: string, block: ContentBlock])[] = [
  ...privateUrls.map((url) => [`a picture at ${url}`, { type: 'image', url, mimeType: 'image/png' }] as const),
  ...privateUrls.map((url) => [`a file at ${url}`, { type: 'file', url, mimeType: 'application/pdf' }] as const),
  ['a PDF', { type: 'file', data: 'JVBERi0x', mimeType: 'application/pdf', filename: 'a' }],
  [
    'a document of Word',
    {
      type: 'file',
      data: 'JVBERi0x',
      mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      filename: 'a',
    },
  ],
  ['a PDF that says it is a picture', { type: 'image', data: 'JVBERi0x', mimeType: 'application/pdf' }],
  ['a sound', { type: 'audio', data: 'JVBERi0x', mimeType: 'audio/wav' }],
]

/** In a message of the user's, and in a result of a tool. */
function contextsWith(block: ContentBlock): readonly Context[] {
  const call = {
    type: 'tool_call',
    id: 'call_1',
    name: 'f',
    arguments: {},
    argumentsText: '{}',
    index: 0,
    complete: true,
  } as const
  return [
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, block] }] },
    {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [call] },
        { role: 'tool', toolCallId: 'call_1', name: 'f', content: [block] },
      ],
    },
  ]
}

describe.each(wires)('%s', (wire) => {
  it.each(blocks)('is not permitted to show a provider %s', (_, block) => {
    const { url, data, type, mimeType } = block as Extract<ContentBlock, { type: 'image' | 'file' | 'audio' }>
    const told = url ?? (type === 'image' ? mimeType : data)
    const passed = contextsWith(block).flatMap((context) => {
      try {
        const { body } = clients[wire].encodeRequest(context, { model: 'm', maxTokens: 10 })
        return [JSON.stringify(permit({ wire, kind: 'answer', body: JSON.parse(JSON.stringify(body)) }, 'ada'))]
      } catch {
        return [] // the format has no place for it, or the policy refuses it
      }
    })
    expect(passed.filter((body) => body.includes(String(told)))).toEqual([])
  })

  it('is permitted to show a provider a picture, where the format has one', () => {
    const [context] = contextsWith({ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' })
    const { body } = clients[wire].encodeRequest(context as Context, { model: 'm', maxTokens: 10 })
    expect(JSON.stringify(permit({ wire, kind: 'answer', body: JSON.parse(JSON.stringify(body)) }, 'ada'))).toContain(
      'iVBORw0KGgo=',
    )
  })
})
