/** The chunks of the UI message stream, by the schema of the installed AI SDK: which we send, and that each fits. */
import { uiMessageChunkSchema } from 'ai'
import { describe, expect, it } from 'vitest'
import type { StreamEvent } from '../../src/index.ts'
import { text as textBlock, toolCall, unknown } from '../../src/messages/block.ts'
import { toResponse } from '../../src/page/response.ts'
import { fromUiMessages, type UiMessage, uiMessages } from '../../src/page/ui-messages.ts'
import { rolesOf, sse } from '../support/makers.ts'
import { chatOver } from './ai-sdk.ts'
import { everything, recorded, recordedRun, scripted, type UiChunk, uiChunksOf } from './runs.ts'

const schema = uiMessageChunkSchema()

/** Chunks that a run has no cause for, each with the reason. */
const notOurs = {
  'tool-approval-response': 'the page decides, and its decision comes with its next request',
  'reasoning-file': 'no provider that we read shows files while it thinks',
  'steering-message': 'a run takes no message of the user while it answers',
  'message-metadata': 'metadata comes with "finish"',
}

/** The types that the schema knows: its error lists them. */
async function knownTypes(): Promise<readonly string[]> {
  const found = await schema.validate?.({ type: '' })
  const { errors } = JSON.parse(found?.success === false ? found.error.message : '[]')[0]
  return errors.map(([first]: readonly { readonly values?: readonly string[] }[]) => first?.values?.[0] ?? 'data-')
}

const call = toolCall('c', 'f')
const error = { kind: 'rejected', message: 'No' } as const
const refused = { call, toolCallId: 'c', name: 'f', status: 'error', content: 'No', error } as const
const empty = { role: 'assistant', content: [], stopReason: 'stop' } as const

/** Events that no recording of a single answer has. */
const rare: readonly (readonly StreamEvent[])[] = [
  [{ type: 'tool_result', result: refused }],
  [
    { type: 'message_start' },
    { type: 'tool_call', index: 0, call },
    { type: 'tool_progress', toolCallId: 'c', data: 1 },
    { type: 'approval_request', call },
    { type: 'tool_result', result: { ...refused, error: { kind: 'execution', message: 'No' } } },
    { type: 'content_block', index: 1, block: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
    { type: 'content_block', index: 2, block: unknown('anthropic', 'new', {}) },
    { type: 'content_block', index: 3, block: textBlock('It', { citations: [{ type: 'citation', title: 'T' }] }) },
  ],
  [
    { type: 'message_start' },
    { type: 'message_end', message: empty, response: { message: empty, stopReason: 'stop' } },
    { type: 'warning', warning: { path: 'x', reason: 'x', severity: 'info' } as never },
  ],
]

async function allChunks(): Promise<readonly UiChunk[]> {
  const options = { as: uiMessages(), page: everything }
  const responses = [
    ...recorded.map(([, format, one]) => toResponse(recordedRun(format, one), options)),
    ...rare.map((events) => toResponse(scripted(events), options)),
  ]
  const streams = (await Promise.all(responses)).filter(({ ok }) => ok)
  return (await Promise.all(streams.map(uiChunksOf))).flat()
}

describe('each type of the AI SDK’s schema', () => {
  const sent = allChunks()

  it('is sent, or has a reason why not', async () => {
    const types = new Set((await sent).map(({ type }) => (type.startsWith('data-') ? 'data-' : type)))
    types.add('abort') // of a server that stops: `ui-messages.test.ts`
    const known = await knownTypes()
    expect(known.length).toBeGreaterThan(25)
    expect(known.filter((type) => !types.has(type)).sort()).toEqual(Object.keys(notOurs).sort())
    expect([...types].filter((type) => !known.includes(type))).toEqual([])
  })

  it('fits the schema wherever we send it', async () => {
    const wrong: unknown[] = []
    for (const chunk of await sent) {
      const found = await schema.validate?.(chunk as never)
      if (found?.success !== true) wrong.push(chunk)
    }
    expect(wrong).toEqual([])
  })

  it('leaves a page with messages that the next request can be read from', async () => {
    const chat = chatOver(async () => {
      const start = [{ type: 'start' }, { type: 'start-step' }]
      const once = new Map((await sent).map((chunk) => [chunk.type, chunk]))
      const ids = { id: 't', toolCallId: 'c', toolName: 'f' }
      const order = ['text-start', 'text-delta', 'text-end', 'reasoning-start', 'reasoning-delta', 'reasoning-end']
      const inputs = ['tool-input-start', 'tool-input-delta', 'tool-input-available']
      const calls = [...inputs, 'tool-approval-request', 'tool-output-available']
      const failures = ['tool-output-error', 'tool-output-denied']
      const others = ['source-url', 'source-document', 'file', 'custom', 'data-warning', ...failures]
      const chosen = [...order, ...calls, ...others].map((type) => ({ ...once.get(type), type, ...ids }))
      const lines = [...start, ...chosen, { type: 'finish-step' }, { type: 'finish' }]
      const body = lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join('')
      return sse(`${body}data: [DONE]\n\n`)
    })
    await chat.sendMessage({ text: 'Hi' })
    expect(chat.error).toBeUndefined()
    const { messages } = fromUiMessages(chat.messages as unknown as readonly UiMessage[])
    expect(rolesOf(messages)).toBe('user assistant tool')
    expect(messages[1]?.content).toEqual(
      expect.arrayContaining(['text', 'reasoning', 'tool_call'].map((type) => expect.objectContaining({ type }))),
    )
  })
})
