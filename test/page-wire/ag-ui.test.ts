/** A run as AG-UI: held against the schemas of `@ag-ui/core`, and read by TanStack AI. */
import { EventSchemas } from '@ag-ui/core/schemas'
import { ChatClient, fetchServerSentEvents } from '@tanstack/ai-client'
import { describe, expect, it } from 'vitest'
import { ApiError, type StreamEvent, textOf } from '../../src/index.ts'
import { agUi } from '../../src/page/ag-ui.ts'
import { type PageRules, toResponse } from '../../src/page/response.ts'
import { inTurn } from '../support/cuts.ts'
import { callOf, sse } from '../support/makers.ts'
import { bytesOf, callChunk, everything, outcomeOf, recorded, recordedRun, scripted, start, text } from './runs.ts'

const as = agUi({ threadId: 't', runId: 'r' })

interface AgUiEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** The events of a response, each as its schema has it. */
async function eventsOf(response: Response): Promise<readonly AgUiEvent[]> {
  const blocks = (await response.text()).split('\n\n').slice(0, -1)
  return blocks.map((block) => {
    const event = JSON.parse(block.slice('data: '.length))
    const checked = EventSchemas.safeParse(event)
    expect(checked.error?.message, JSON.stringify(event)).toBeUndefined()
    return event
  })
}

/** The ids of what began, and of what ended, by kind. */
function openAtEnd(events: readonly AgUiEvent[]): readonly string[] {
  const open = new Set<string>()
  for (const { type, messageId, toolCallId, stepName } of events) {
    const [, kind = '', edge] = /^(.*)_(START|STARTED|END|FINISHED)$/.exec(type) ?? []
    const id = `${kind} ${messageId ?? toolCallId ?? stepName}`
    if (edge === 'START' || edge === 'STARTED') {
      expect(open).not.toContain(id)
      open.add(id)
    } else if (edge !== undefined && kind !== 'RUN') expect(open.delete(id), id).toBe(true)
  }
  return [...open]
}

describe.each(inTurn(recorded, 4))('%s', (_id, format, one) => {
  const asked = async (page: PageRules) => toResponse(recordedRun(format, one), { as, page })

  it.each([
    ['everything', everything],
    ['the default', {}],
  ] as const)('fits the schemas, and ends what it began, by rules of %s', async (_, page) => {
    const response = await asked(page)
    if (!response.ok) return expect(response.status).toBeGreaterThanOrEqual(400)
    const events = await eventsOf(response)
    expect(events[0]).toEqual({ type: 'RUN_STARTED', threadId: 't', runId: 'r' })
    expect(events.at(-1)?.type).toMatch(/^RUN_(FINISHED|ERROR)$/)
    expect(openAtEnd(events)).toEqual(['RUN undefined'])
  })

  it('is read by TanStack AI with the text as it was said', async () => {
    const { result, error } = await outcomeOf(recordedRun(format, one))
    const chat = chatOver(() => asked(everything))
    await chat.sendMessage('Hi')
    if (error !== undefined) return expect(chat.getStatus()).toBe('error')
    expect(chat.getError()).toBeUndefined()
    expect(chat.getStatus()).toBe('ready')
    // A paused answer is asked for again.
    const answers = (result?.messages ?? []).filter(({ role }) => role === 'assistant')
    expect(textShown(chat)).toBe(answers.map(textOf).join(''))
  })
})

function chatOver(answer: () => Promise<Response>): ChatClient {
  const connection = fetchServerSentEvents('http://localhost/api/chat', { fetchClient: answer as typeof fetch })
  return new ChatClient({ connection, threadId: 't' } as never)
}

function textShown(chat: ChatClient): string {
  const parts = chat.getMessages().flatMap(({ role, parts }) => (role === 'assistant' ? parts : []))
  return parts.flatMap((part) => (part.type === 'text' ? [part.content] : [])).join('')
}

const call = callOf({ a: 1 })
const sent = async (events: readonly StreamEvent[], error?: unknown) =>
  eventsOf(await toResponse(scripted(events, error), { as, page: everything }))

describe('the events', () => {
  it('of a call and its result', async () => {
    const result = { call, toolCallId: 'c', name: 'f', status: 'success', content: 'done' } as const
    const events = await sent([
      start,
      callChunk('{"a"'),
      callChunk(':1}'),
      { type: 'tool_call', index: 0, call },
      { type: 'tool_progress', toolCallId: 'c', data: 1 },
      { type: 'tool_result', result },
    ])
    expect(events.slice(1)).toEqual([
      { type: 'STEP_STARTED', stepName: '1' },
      { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'f', parentMessageId: 'r-1' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"a"' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: ':1}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c' },
      { type: 'CUSTOM', name: 'isoglot.progress', value: { toolCallId: 'c', data: 1 } },
      { type: 'TOOL_CALL_RESULT', messageId: 'r-c', toolCallId: 'c', content: 'done', role: 'tool' },
      { type: 'STEP_FINISHED', stepName: '1' },
      { type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: { type: 'success' } },
    ])
  })

  it('of text, then a call that did not stream, are of one message', async () => {
    const events = await sent([
      start,
      text('So'),
      { type: 'content_block', index: 0, block: { type: 'text', text: 'So' } },
      { type: 'tool_call', index: 1, call },
    ])
    expect(events.slice(2, -2)).toEqual([
      { type: 'TEXT_MESSAGE_START', messageId: 'r-1', role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'r-1', delta: 'So' },
      { type: 'TEXT_MESSAGE_END', messageId: 'r-1' },
      { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'f', parentMessageId: 'r-1' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"a":1}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c' },
    ])
  })

  it('of a run that fails close what is open', async () => {
    const error = new ApiError('sk-123', { kind: 'overloaded' })
    expect((await sent([start, text('So')], error)).slice(-3)).toEqual([
      { type: 'TEXT_MESSAGE_END', messageId: 'r-1' },
      { type: 'STEP_FINISHED', stepName: '1' },
      { type: 'RUN_ERROR', message: 'The model is overloaded; try again later', code: 'api' },
    ])
  })
})

describe('TanStack AI', () => {
  const over = (events: readonly StreamEvent[], error?: unknown) =>
    chatOver(() => toResponse(scripted(events, error), { as, page: everything }))

  it('shows a call with its result', async () => {
    const result = { call, toolCallId: 'c', name: 'f', status: 'success', content: '{"b":2}' } as const
    const chat = over([start, { type: 'tool_call', index: 0, call }, { type: 'tool_result', result }])
    await chat.sendMessage('Hi')
    const shown = { type: 'tool-call', name: 'f', arguments: '{"a":1}', output: { b: 2 } }
    expect(chat.getMessages().at(-1)?.parts[0]).toMatchObject(shown)
  })

  it('asks for approval of a call that waits', async () => {
    const chat = over([start, { type: 'tool_call', index: 0, call }, { type: 'approval_request', call }])
    await chat.sendMessage('Hi')
    expect(chat.getMessages().at(-1)?.parts[0]).toMatchObject({ state: 'approval-requested', approval: { id: 'c' } })
  })

  it.each([
    ['in the middle', [start, text('So')]],
    ['before its first event', []],
  ])('has the error of a run that fails %s', async (_, events) => {
    const chat = over(events, new ApiError('sk-123', { kind: 'overloaded' }))
    await chat.sendMessage('Hi')
    expect([chat.getStatus(), chat.getError()?.message]).toEqual(['error', 'The model is overloaded; try again later'])
  })

  it('takes a response that is cut for a finished answer', async () => {
    const chat = chatOver(async () => {
      const bytes = await bytesOf(await toResponse(scripted([start, text('Hel'), text('lo')]), { as }))
      const blocks = new TextDecoder().decode(bytes).split('\n\n')
      return sse(`${blocks.slice(0, 4).join('\n\n')}\n\n`)
    })
    await chat.sendMessage('Hi')
    expect([chat.getStatus(), chat.getError(), textShown(chat)]).toEqual(['ready', undefined, 'Hel'])
  })
})
