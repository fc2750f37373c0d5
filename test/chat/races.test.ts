/** Races: two actions at once, a stop during another action, a listener that calls the store. */
import { describe, expect, it } from 'vitest'
import { type ChatTransport, createChatStore } from '../../src/chat/index.ts'
import { message, type StreamEvent, tool } from '../../src/index.ts'
import { block } from '../../src/messages/block.ts'
import { memoryPersist, openChat, settle, start } from './open.ts'
import { answer, scripted } from './scripted.ts'

function open(options: Parameters<typeof openChat>[0] = {}) {
  const opened = openChat({ id: 'c1', ...options })
  const answered = (asked: Promise<void>, text: string) => opened.answered(asked, text, { usage: { outputTokens: 1 } })
  return { ...opened, answered }
}

/** A file whose upload takes until `finish`. */
function slowFile() {
  const { promise, resolve } = Promise.withResolvers<{ url: string }>()
  const upload = (_: Blob, signal: AbortSignal) => {
    signal.addEventListener('abort', () => resolve({ url: 'https://files.test/late' }))
    return promise
  }
  const files = [new File(['x'], 'a.png', { type: 'image/png' })]
  return { files, upload, finish: () => resolve({ url: 'https://files.test/a' }) }
}

describe('a stop', () => {
  it('while files are read leaves nothing to retry, because the previous turn succeeded', async () => {
    const { files, upload } = slowFile()
    const { chat, answered, waiting, now, turns } = open({ files: { upload } })
    await waiting()
    await answered(chat.approve('c1', true), 'Paid')
    const sent = chat.send({ content: 'Look', files })
    await chat.stop()
    await sent
    expect(now()).toMatchObject({ status: 'ready', error: undefined, usage: { outputTokens: 2 } })
    await expect(chat.retry()).rejects.toThrow('no turn failed or was stopped')
    expect(turns).toHaveLength(2)
  })

  it('while the page asks whether a turn is running does not change the last answer', async () => {
    const asked = Promise.withResolvers<undefined>()
    const { chat, answered, now } = open({ resume: () => asked.promise })
    await answered(chat.send('A'), 'a')
    const resumed = chat.resume()
    await chat.stop()
    asked.resolve(undefined)
    expect(await resumed).toBe(false)
    expect(now()).toMatchObject({ status: 'ready', usage: { outputTokens: 1 }, messages: [{}, { state: 'done' }] })
  })

  it('cancels calls that wait: they do not wait again after a reload', async () => {
    const persist = memoryPersist()
    const { chat, waiting } = open({ persist })
    await waiting()
    await chat.stop()
    await settle()
    const again = open({ persist })
    await again.chat.load()
    expect(again.now()).toMatchObject({ status: 'ready', pending: [] })
  })
})

it('a transport that cannot stop a turn is reported, and the next message works', async () => {
  const errors: unknown[] = []
  const script = scripted()
  const transport = { ...script.transport, stop: () => Promise.reject(new Error('No stop')) }
  const chat = createChatStore({ transport, whenBusy: 'interrupt', onError: (cause) => errors.push(cause) })
  void chat.send('A')
  await script.push(start)
  void chat.send('B')
  await settle()
  expect(errors).toMatchObject([{ message: 'No stop' }])
  expect(script.turns).toHaveLength(2)
  chat.dispose()
})

describe('resume', () => {
  const events = async function* (): AsyncGenerator<StreamEvent[]> {
    yield [start, ...answer('Hello')]
  }

  it('that fails leaves no turn running', async () => {
    const { chat, answered, now, stops } = open({ resume: () => Promise.reject(new Error('No network')) })
    await answered(chat.send('A'), 'a')
    await expect(chat.resume()).rejects.toThrow('No network')
    await chat.stop()
    expect([stops, now().messages[1]?.state]).toEqual([[], 'done'])
  })

  it('that a message overtakes closes the run that it found', async () => {
    const found = Promise.withResolvers<ReturnType<typeof events>>()
    const signals: AbortSignal[] = []
    const script = scripted()
    const resume: ChatTransport['resume'] = (_, signal) => {
      signals.push(signal)
      return found.promise
    }
    const chat = createChatStore({ transport: { ...script.transport, resume }, whenBusy: 'interrupt' })
    const resumed = chat.resume()
    void chat.send('Hi')
    found.resolve(events())
    expect([await resumed, signals[0]?.aborted, script.turns.length]).toEqual([false, true, 1])
    chat.dispose()
  })

  it.each(['nothing', 'a run'])('that finds %s lets a message wait that is sent in the meantime', async (what) => {
    const found = Promise.withResolvers<ReturnType<typeof events> | undefined>()
    const { chat, turns, now, answered } = open({ resume: () => found.promise })
    const resumed = chat.resume()
    const sent = chat.send('Hi')
    expect([now().queue.length, turns.length]).toEqual([1, 0])
    found.resolve(what === 'nothing' ? undefined : events())
    expect(await resumed).toBe(what === 'a run')
    await answered(sent, 'Hello')
    const said = now().messages.map(({ parts }) => parts.map((part) => 'text' in part && part.text).join())
    expect(said).toEqual([...(what === 'a run' ? ['Hello'] : []), 'Hi', 'Hello'])
  })

  it('that finds nothing leaves a turn that failed to be asked again', async () => {
    const { chat, fail, now } = open({ resume: async () => undefined })
    const sent = chat.send('A')
    await fail(new Error('No network'))
    await sent
    expect(await chat.resume()).toBe(false)
    expect(now()).toMatchObject({ status: 'error', messages: [{ state: 'failed' }] })
    void chat.retry()
    await settle()
    expect(now()).toMatchObject({ status: 'submitted', messages: [{ state: 'sending' }] })
    chat.dispose()
  })

  it('twice at once goes on once', async () => {
    const { transport } = scripted()
    const chat = createChatStore({
      transport: { ...transport, resume: async () => events() },
      messages: [message.user('Hi')],
      throttleMs: 0,
    })
    const both = await Promise.all([chat.resume(), chat.resume()])
    expect([both, chat.getSnapshot().messages.length]).toEqual([[true, true], 2])
  })
})

describe('the queue', () => {
  it('is sent in its order, with messages that are sent as a turn ends', async () => {
    const script = scripted()
    let isFirst = true
    const chat = createChatStore({
      transport: script.transport,
      whenBusy: 'queue',
      throttleMs: 0,
      onFinish() {
        if (isFirst) void chat.send('At once')
        isFirst = false
      },
    })
    void chat.send('A')
    const queued = chat.send('Queued')
    for (const text of ['a', 'later', 'now']) {
      await script.push(start, ...answer(text))
      await script.end()
    }
    await queued
    const said = chat.getSnapshot().messages.flatMap(({ parts }) => parts)
    expect(said.map((part) => 'text' in part && part.text)).toEqual(['A', 'a', 'Queued', 'later', 'At once', 'now'])
  })

  it('continues after a message that cannot be sent', async () => {
    const { chat, answered, turns } = open({ whenBusy: 'queue', files: { maxBytes: 1 } })
    const first = chat.send('A')
    void chat.send({ files: [new File(['too long'], 'a.png', { type: 'image/png' })] })
    void chat.send('C')
    await answered(first, 'a')
    await settle()
    expect(turns.map(({ added }) => added[0]?.content)).toEqual(['A', 'C'])
  })
})

it('the usage of a turn counts every round: those before an approval and before tools of the page, too', async () => {
  const { chat, answered, waiting, now } = open()
  await waiting()
  await answered(chat.approve('c1', true), 'Paid')
  expect(now().usage).toEqual({ outputTokens: 2 })
  const theme = tool({ name: 'theme', execute: () => 'set' })
  const byPage = open({ tools: [theme] })
  const dark = block.toolCall('t1', 'theme', {})
  const sent = byPage.chat.send('Dark')
  await byPage.push(start, ...answer([dark], { outcome: 'manual', pending: [dark], usage: { outputTokens: 1 } }))
  await byPage.end()
  await settle()
  await byPage.answered(sent, 'Done')
  expect(byPage.now().usage).toEqual({ outputTokens: 2 })
})

it('another answer to a message that never arrived sends that message', async () => {
  const { chat, fail, turns } = open()
  const sent = chat.send('Hi')
  await fail(new Error('No network'))
  await sent
  void chat.regenerate()
  expect(turns.at(-1)).toMatchObject({ trigger: 'send', added: [{ content: 'Hi' }], messages: [{ content: 'Hi' }] })
  chat.dispose()
})

it('a disposed chat accepts no file, call or answer', async () => {
  const { files, upload, finish } = slowFile()
  const { chat, now, turns } = open({ files: { upload } })
  const sent = chat.send({ content: 'Look', files })
  chat.dispose()
  finish()
  await sent
  expect([now().status, turns.length]).toEqual(['ready', 0])
})

it('a message of the queue that another store edited keeps the edit when it is sent', async () => {
  const stored = new Map<string, string>()
  const persist = memoryPersist(stored)
  const [first, second] = [open({ persist }), open({ persist })]
  const sent = first.chat.send('A')
  void first.chat.send('B')
  await settle()
  await second.chat.load()
  const { id = '' } = second.now().messages.at(-1) ?? {}
  const edited = second.chat.edit(id, 'C')
  await settle()
  await second.answered(edited, 'c')
  await first.chat.load()
  await first.answered(sent, 'a')
  await first.push(start, ...answer('b'))
  await first.end()
  await settle()
  for (const text of ['A', 'a', 'B', 'b', 'C', 'c']) expect(stored.get('c1')?.split(`"${text}"`), text).toHaveLength(2)
})
