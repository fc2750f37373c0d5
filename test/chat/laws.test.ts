/** Properties of a chat for every answer of a provider and every order of clicks. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ChatSnapshot,
  type ChatStore,
  type ChatTransport,
  createChatStore,
  type Persist,
  runTransport,
  type StoredChat,
  toView,
} from '../../src/chat/index.ts'
import { modelTransport } from '../../src/chat/model-transport.ts'
import { toolCallsOf } from '../../src/core/content.ts'
import type { HttpModel } from '../../src/core/question.ts'
import { type Message, stream } from '../../src/index.ts'
import { block } from '../../src/messages/block.ts'
import { mockModel } from '../../src/test/index.ts'
import { casesOf } from '../support/corpus.ts'
import { formats } from '../support/formats.ts'
import { recordedAnswer, recordedModel } from '../support/recorded-model.ts'
import { settle } from './open.ts'
import { answer, scripted } from './scripted.ts'

/** Sends a message, with this answer of the provider, and returns each snapshot. */
async function snapshotsOf(
  model: HttpModel,
): Promise<{ readonly chat: ChatStore; readonly seen: readonly ChatSnapshot[] }> {
  const transport = runTransport(({ messages, signal }) => stream({ model, messages, signal, retries: 0 }))
  const chat = createChatStore({ transport, throttleMs: 0 })
  const seen: ChatSnapshot[] = []
  chat.subscribe(() => seen.push(chat.getSnapshot()))
  await chat.send('Hi')
  return { chat, seen }
}

/** The fields of a part that stay when its turn has ended. */
const lasting = (view: ChatSnapshot['messages'][number] | undefined) =>
  view?.parts.map(({ id, ...part }) => ({ ...part, place: id.slice(id.indexOf('.')) }))

describe.each(formats)('a recorded answer of $folder', ({ folder, client }) => {
  const streams = casesOf(folder).filter((one) => one.kind !== 'json')

  it.each(streams)('$name: is drawn under ids that stay, and ends as its messages say', async (one) => {
    const { expected } = one
    let isFirst = true
    const fetch = async () => {
      // An empty answer is requested again.
      const response = isFirst ? recordedAnswer(one) : new Response(null, { status: 400 })
      isFirst = false
      return response
    }
    const { chat, seen } = await snapshotsOf({ ...recordedModel(client, one), fetch })
    const last = chat.getSnapshot()
    expect(last.isBusy).toBe(false)
    if (expected !== undefined) {
      const said = last.messages[1]?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('') ?? ''
      expect(said.trim()).toBe((expected.text ?? '').trim())
    }
    const ids = new Set(seen.flatMap(({ messages }) => messages[1]?.id ?? []))
    expect(ids.size).toBeLessThanOrEqual(1)
    for (const { messages } of seen) {
      expect(messages[0]?.id).toBe(last.messages[0]?.id)
      const places = messages.flatMap(({ parts }) => parts.map(({ id }) => id))
      expect(new Set(places).size).toBe(places.length)
      if (last.status === 'error') continue
      const lastIds = last.messages.flatMap(({ parts }) => parts.map(({ id }) => id))
      // The parts that a page has drawn stay, under their ids.
      expect(lastIds).toEqual(expect.arrayContaining(places))
    }
    const streaming = last.messages.flatMap(({ parts }) =>
      parts.filter((part) => 'state' in part && part.state === 'streaming'),
    )
    expect(streaming).toEqual([])
    const given = createChatStore({
      transport: scripted().transport,
      messages: last.messages.flatMap(({ messages }) => messages),
    })
    const [, again] = toView(given.getSnapshot().messages.flatMap(({ messages }) => messages))
    const plain = (view: typeof again) =>
      lasting(view)?.map((part) =>
        part.type === 'tool' && part.state === 'waiting' ? { ...part, state: 'ready' } : part,
      )
    expect(plain(again)).toEqual(plain(last.messages[1]))
    if (last.status === 'ready') expect(again?.state).toBe(last.messages[1]?.state)
  })
})

// ---- clicks in any order ------------------------------------------------------------------------

type Status = ChatSnapshot['status']

/** From each status, those that may follow it. */
const graph: Readonly<Record<Status, readonly Status[]>> = {
  ready: ['submitted'],
  submitted: ['streaming', 'ready', 'error'],
  streaming: ['submitted', 'ready', 'waiting', 'error'],
  waiting: ['submitted', 'ready'],
  error: ['submitted', 'ready'],
}

const call = block.toolCall('c1', 'pay', {})
const start = { type: 'message_start' } as const
type Actor = ReturnType<typeof scripted> & { readonly chat: ChatStore }

/** Actions of a user, a page or a network. One that is not allowed at the moment is refused with a `TypeError`, and changes nothing. */
const actions: Readonly<Record<string, (actor: Actor) => Promise<unknown> | void>> = {
  send: ({ chat }) => void chat.send('Hi').catch(refused),
  stop: ({ chat }) => chat.stop(),
  retry: ({ chat }) => void chat.retry().catch(refused),
  regenerate: ({ chat }) => void chat.regenerate().catch(refused),
  edit: ({ chat }) => void chat.edit(chat.getSnapshot().messages[0]?.id ?? '', 'Hello').catch(refused),
  approve: ({ chat }) => void chat.approve('c1', true).catch(refused),
  addToolResult: ({ chat }) => void chat.addToolResult({ toolCallId: 'c1', value: 1 }).catch(refused),
  clearError: ({ chat }) => chat.clearError(),
  resume: ({ chat }) => void chat.resume().catch(refused),
  branch: ({ chat }) => {
    const { messages } = chat.getSnapshot()
    const branching = messages.findLast(({ branch }) => branch !== undefined)
    try {
      if (branching?.branch) chat.branch(branching.id, (branching.branch.index + 1) % branching.branch.count)
    } catch (cause) {
      refused(cause)
    }
  },
  text: ({ push }) => push(start, { type: 'text_delta', index: 0, text: 'a' }),
  answer: async ({ push, end }) => {
    await push(start, ...answer('a'))
    await end()
  },
  approval: async ({ push, end }) => {
    await push(start, ...answer([call], { outcome: 'approval', pending: [call] }))
    await end()
  },
  manual: async ({ push, end }) => {
    await push(start, ...answer([call], { outcome: 'manual', pending: [call] }))
    await end()
  },
  end: ({ end }) => end(),
  fail: ({ fail }) => fail(new Error('no network')),
}

function persistIn(save: (chat: StoredChat) => void, stored?: StoredChat): Persist {
  return { load: async () => stored, save: async (_, chat) => save(chat), remove: async () => {} }
}

/** The calls of a history that no provider would take: they have no result, and their answer ended well. */
function openCallsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message, at) => {
    if (message.role !== 'assistant' || message.stopReason !== 'tool_calls') return []
    const next = messages.slice(at + 1)
    const end = next.findIndex(({ role }) => role !== 'tool')
    const results = (end < 0 ? next : next.slice(0, end)).map((one) => (one.role === 'tool' ? one.toolCallId : ''))
    return toolCallsOf(message).flatMap(({ id }) => (results.includes(id) ? [] : [id]))
  })
}

function refused(cause: unknown): void {
  if (!(cause instanceof TypeError)) throw cause
}

describe('any actions in any order', () => {
  it.each(['reject', 'queue', 'interrupt'] as const)(
    'with whenBusy %s, the status never leaves its graph, and what is stored is what is shown',
    async (whenBusy) => {
      const steps = fc.array(fc.constantFrom(...Object.keys(actions)), { maxLength: 25 })
      await fc.assert(
        fc.asyncProperty(steps, async (names) => {
          const script = scripted()
          let isKept = true
          const transport: ChatTransport = {
            ...script.transport,
            async resume(chatId, signal) {
              isKept = !isKept
              const turn = {
                chatId,
                signal,
                trigger: 'resume',
                messages: [],
                added: [],
                approvals: [],
                unsealed: [],
              } as const
              return isKept ? script.transport.send(turn) : undefined
            },
          }
          let stored: StoredChat | undefined
          const persist = persistIn((chat) => {
            stored = chat
          })
          const chat = createChatStore({ transport, throttleMs: 0, whenBusy, persist })
          let before = chat.getSnapshot()
          const wrong: string[] = []
          chat.subscribe(() => {
            const now = chat.getSnapshot()
            const isAllowed = now.status === before.status || graph[before.status].includes(now.status)
            if (!isAllowed) wrong.push(`${before.status} → ${now.status}`)
            if (now.isBusy !== (now.status === 'submitted' || now.status === 'streaming')) wrong.push('isBusy')
            if ((now.error !== undefined) !== (now.status === 'error')) wrong.push(`error while ${now.status}`)
            if (now.pending.length > 0 !== (now.status === 'waiting'))
              wrong.push(`${now.pending.length} wait while ${now.status}`)
            if (now.status === 'waiting' && now.messages.at(-1)?.role !== 'assistant')
              wrong.push('waits without an answer')
            const open = now.messages.filter(({ state }) => state === 'sending' || state === 'streaming')
            if (open.length > (now.isBusy ? 1 : 0)) wrong.push(`${open.length} messages are open while ${now.status}`)
            const ids = now.messages.map(({ id }) => id)
            if (new Set(ids).size < ids.length) wrong.push('an id is there twice')
            before = now
          })
          for (const name of names) {
            await actions[name]?.({ ...script, chat })
            await settle()
          }
          // A call that was approved may be cut before its result comes: `stream` then adds one that says so.
          for (const { trigger, messages } of names.includes('approve') ? [] : script.turns) {
            if (trigger !== 'approval')
              wrong.push(...openCallsIn(messages).map((id) => `${id} has no result in a ${trigger}`))
          }
          const shown = chat.getSnapshot()
          if (!shown.isBusy && stored !== undefined) {
            const json = JSON.parse(JSON.stringify(stored))
            const again = createChatStore({ transport, id: chat.getSnapshot().id, persist: persistIn(() => {}, json) })
            await again.load()
            // A message of the queue is stored as one that was not sent.
            const seen = ({ messages, queue, pending }: ChatSnapshot) => [
              [
                ...messages.map(({ id, parts, branch }) => [id, parts.length, branch]),
                ...queue.map(({ id }) => [id, 1, undefined]),
              ],
              pending,
            ]
            expect(seen(again.getSnapshot())).toEqual(seen(shown))
          }
          chat.dispose()
          expect(wrong).toEqual([])
        }),
        { seed: 16, numRuns: 300 },
      )
    },
  )
})

it('a modelTransport sends the whole conversation, and tools run in the page', async () => {
  const model = mockModel(['Hello'])
  const chat = createChatStore({ transport: modelTransport({ model, system: 'Be brief' }) })
  await chat.send('Hi')
  expect(model.requests).toMatchObject([{ body: { messages: [{ content: 'Be brief' }, { content: 'Hi' }] } }])
})
