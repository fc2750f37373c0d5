/** A page whose server stores its runs: an answer continues after a cut and after a reload, in the store and over HTTP. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createChatStore, fetchTransport, keptRuns } from '../../src/chat/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { approval, type Message, stream, tool } from '../../src/index.ts'
import { answerKept, keepRun, memoryLog, readChatRequest } from '../../src/page/response.ts'
import { rolesOf, sse } from '../support/makers.ts'
import { chatCalls, chatText } from '../support/upstream.ts'
import { memoryPersist, stubSessionStorage } from './open.ts'

const url = 'https://page.test/chat'
const pay = tool({ name: 'pay', needsApproval: approval(), execute: () => 'paid' })

/** How many bytes of the answer each connection sends before it is cut. Connections without an entry send all of it. */
type Cuts = readonly number[]

/**
 * A server that answers with these streams of a provider, one after the other. Its provider waits for `goOn` in the middle of each, and its
 * connections end after a number of bytes.
 */
function server(answers: readonly (readonly string[])[], cuts: Cuts = []) {
  const left = [...answers]
  const ends = [...cuts]
  const log = memoryLog()
  const owners = new Map<string, string>()
  const asked: string[] = []
  let kept: readonly Message[] = []
  let goOn = () => {}
  let going: Promise<void> = Promise.resolve()
  let heldAt = 3
  const provider = async () => {
    const parts = left.shift() ?? []
    const until = going
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (const [at, part] of parts.entries()) {
          if (at === heldAt) await until
          controller.enqueue(new TextEncoder().encode(part))
        }
        controller.close()
      },
    })
    return sse(body)
  }
  async function answer(request: Request): Promise<Response> {
    const user = request.headers.get('authorization') ?? ''
    const name = new URL(request.url).pathname.split('/')[2]
    asked.push(`${request.method} ${name === undefined ? '' : 'run'}`.trim())
    if (name !== undefined) {
      if (owners.get(name) !== user) return new Response(null, { status: 403 })
      return answerKept(request, log)
    }
    const read = await readChatRequest(request, { history: () => kept })
    const messages = [...read.history, ...read.messages]
    const { approvals } = read
    const model = openaiChat('m', { baseUrl: 'https://provider.test', fetch: provider })
    const run = stream({ model, messages, tools: [pay], retries: 0, ...(read.trigger === 'approval' && { approvals }) })
    if (read.streamId !== undefined) owners.set(read.streamId, user)
    const response = await keepRun(run, log, {
      name: read.streamId,
      page: { tools: 'all' },
      onEnd: (end) => {
        kept = [...messages, ...end.messages]
      },
    })
    owners.set(response.headers.get('x-isoglot-stream') ?? '', user)
    return response
  }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await answer(new Request(input, init))
    const end = ends.shift()
    return end === undefined ? response : new Response(response.body?.pipeThrough(upTo(end)), response)
  }
  return {
    fetch,
    log,
    asked,
    get kept() {
      return kept
    },
    /** The next answers stay in the middle, or before this part, until `goOn()`. */
    hold(at = 3) {
      heldAt = at
      going = new Promise((resolve) => {
        goOn = resolve
      })
    },
    goOn: () => goOn(),
  }
}

/** The first bytes of a body, which then ends like a connection that a proxy closed. */
function upTo(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let room = bytes
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, room))
      room -= chunk.length
      if (room <= 0) controller.terminate()
    },
  })
}

const stored = new Map<string, string>()
const persist = memoryPersist(stored)
beforeEach(() => {
  stored.clear()
  stubSessionStorage(stored)
})
afterEach(() => vi.unstubAllGlobals())

let pages = 0
/** A page: the next page has the stored data, and the previous one sends no more requests. */
function open({ fetch: send }: Pick<ReturnType<typeof server>, 'fetch'>, user = 'Ada') {
  const page = ++pages
  const fetch: typeof send = (...asked) => (page === pages ? send(...asked) : new Promise(() => {}))
  const transport = fetchTransport({ url, fetch, headers: { authorization: user }, resume: keptRuns })
  return createChatStore({ id: 'c1', transport, persist, throttleMs: 0 })
}
type Chat = ReturnType<typeof open>

const drawn = (chat: Chat) =>
  chat.getSnapshot().messages.map(({ role, state, parts }) => {
    return `${role} ${state}: ${parts.map((part) => ('text' in part ? part.text : 'state' in part ? part.state : '')).join('|')}`
  })

/** Resolves when the page shows the expected text. */
function shows(chat: Chat, is: () => boolean): Promise<void> {
  if (is()) return Promise.resolve()
  return new Promise((resolve) => {
    const off = chat.subscribe(() => {
      if (!is()) return
      off()
      resolve()
    })
  })
}

const words = ['One', ' two', ' three', ' four']
const whole = ['user done: Hi', 'assistant done: One two three four']

/** A page that asked, and shows the beginning of the answer. The rest waits for `goOn`. */
async function halfAnswered(made: ReturnType<typeof server>): Promise<void> {
  const page = open(made)
  made.hold()
  void page.send('Hi')
  await shows(page, () => drawn(page)[1]?.includes('One') === true)
}

describe('a cut', () => {
  it('is repaired, wherever it is', async () => {
    const body = JSON.stringify({ chatId: 'c1', messages: [{ role: 'user', content: 'Hi' }] })
    const answer = await server([chatText(...words)]).fetch(url, { method: 'POST', body })
    const size = (await answer.arrayBuffer()).byteLength
    for (let at = 1; at < size; at += 37) {
      stored.clear()
      const made = server([chatText(...words)], [at])
      const chat = open(made)
      await chat.send('Hi')
      expect(drawn(chat)).toEqual(whole)
      expect(made.asked).toEqual(['POST', 'GET run'])
    }
  })

  it('that no connection can repair is an error, and retry continues the same run', async () => {
    const made = server([chatText(...words)], [400])
    let isDown = false
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = isDown ? new Response('', { status: 400 }) : await made.fetch(input, init)
      isDown = true
      return response
    }
    const chat = open({ fetch })
    await chat.send('Hi')
    expect(chat.getSnapshot()).toMatchObject({ status: 'error', error: { code: 'interrupted' } })
    isDown = false
    await chat.retry()
    expect(drawn(chat)).toEqual(whole)
    expect(made.asked).toEqual(['POST', 'GET run'])
  })
})

it('a storage that is full or blocked does not fail a turn, and a cut is still made good', async () => {
  const refuse = () => {
    throw new DOMException('The quota has been exceeded', 'QuotaExceededError')
  }
  vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
  const made = server([chatText(...words)], [400])
  const chat = open(made)
  await chat.send('Hi')
  expect(drawn(chat)).toEqual(whole)
  expect(made.asked).toEqual(['POST', 'GET run'])
})

it('clear ends a run whose connection broke, so that it does not come back into the empty chat', async () => {
  const made = server([chatText(...words)], [100])
  made.hold()
  let isDown = false
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (isDown) throw new TypeError('Failed to fetch')
    const response = await made.fetch(input, init)
    isDown = true
    return response
  }
  vi.spyOn(Math, 'random').mockReturnValue(0) // no pause between attempts
  const chat = open({ fetch })
  const sent = chat.send('Hi')
  await sent
  expect(chat.getSnapshot()).toMatchObject({ status: 'error' })
  const name = sessionStorage.getItem('isoglot-run:c1') ?? ''
  isDown = false
  chat.clear()
  await vi.waitFor(() => expect(made.asked).toContain('DELETE run'))
  expect(await chat.resume()).toBe(false)
  expect(chat.getSnapshot().messages).toEqual([])
  expect(await made.log.read(name, 0, new AbortController().signal)).toBeUndefined()
  made.goOn()
})

describe('a reload', () => {
  it.each([0, 1, 2, 3, 4])(
    'when the provider has sent %i parts continues the answer, and asks for no other',
    async (at) => {
      const made = server([chatText(...words)])
      const before = open(made)
      made.hold(at)
      void before.send('Hi')
      const isKept = () => made.log.read(sessionStorage.getItem('isoglot-run:c1') ?? '', 0, AbortSignal.abort())
      await vi.waitFor(async () => expect(await isKept()).toBeDefined())
      const chat = open(made)
      await chat.load()
      const resumed = chat.resume()
      await vi.waitFor(() => expect(made.asked).toEqual(['POST', 'GET run']))
      made.goOn()
      expect(await resumed).toBe(true)
      expect(drawn(chat)).toEqual(whole)
      expect(sessionStorage.getItem('isoglot-run:c1')).toBeNull()
      expect(made.asked).toHaveLength(2)
    },
  )

  it('of a request that the server never got finds nothing, and retry asks', async () => {
    const made = server([chatText(...words)])
    const before = open({ fetch: () => new Promise(() => {}) })
    void before.send('Hi')
    const key = 'isoglot-run:c1'
    await vi.waitFor(() => expect(sessionStorage.getItem(key)).toMatch(/^[\w-]{36}$/))
    const chat = open(made)
    await chat.load()
    expect([await chat.resume(), sessionStorage.getItem(key)]).toEqual([false, null])
    await chat.retry()
    expect(drawn(chat)).toEqual(whole)
    expect(made.asked).toEqual(['GET run', 'POST'])
  })

  it('in the middle of an answer continues it, without another request to the model', async () => {
    const made = server([chatText(...words)])
    await halfAnswered(made)
    const chat = open(made)
    await chat.load()
    const resumed = chat.resume()
    await shows(chat, () => drawn(chat)[1]?.includes('One') === true)
    expect(drawn(chat)[0]).toBe('user done: Hi')
    expect(chat.getSnapshot()).toMatchObject({ status: 'streaming' })
    made.goOn()
    expect(await resumed).toBe(true)
    expect(drawn(chat)).toEqual(whole)
    expect(made.asked).toEqual(['POST', 'GET run'])
    expect(sessionStorage.getItem('isoglot-run:c1')).toBeNull()
    expect(await open(made).resume()).toBe(false)
    expect(made.asked).toHaveLength(2)
  })

  it('after an approval keeps the call, and continues after its result', async () => {
    const made = server([chatCalls(['p1', 'pay', '{}']), chatText(...words)])
    const before = open(made)
    await before.send('Pay')
    made.hold()
    void before.approve('p1', true)
    await shows(before, () => drawn(before)[1]?.includes('One') === true)
    const chat = open(made)
    await chat.load()
    const resumed = chat.resume()
    made.goOn()
    expect(await resumed).toBe(true)
    expect(drawn(chat)).toEqual(['user done: Pay', 'assistant done: done|One two three four'])
    expect(rolesOf(chat.getSnapshot().messages[1]?.messages)).toBe('assistant tool assistant')
  })

  it('shows nothing of a run that is not stored or belongs to another user, and does not ask again', async () => {
    const made = server([chatText(...words), chatText('Again')])
    await halfAnswered(made)
    const key = 'isoglot-run:c1'
    const name = sessionStorage.getItem(key) ?? ''
    const other = open(made, 'Eve')
    expect([await other.resume(), sessionStorage.getItem(key)]).toEqual([false, null])
    sessionStorage.setItem(key, name)
    await made.log.remove(name)
    const chat = open(made)
    await chat.load()
    expect([await chat.resume(), sessionStorage.getItem(key)]).toEqual([false, null])
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', error: undefined })
    expect(made.asked).toEqual(['POST', 'GET run', 'GET run'])
    made.goOn()
  })

  it('without a network fails, and retry continues the run', async () => {
    const made = server([chatText(...words)])
    await halfAnswered(made)
    let isOffline = true
    const fetch: typeof globalThis.fetch = (input, init) => {
      return isOffline ? Promise.reject(new TypeError('Failed to fetch')) : made.fetch(input, init)
    }
    const chat = open({ fetch })
    await chat.load()
    await chat.resume()
    expect(chat.getSnapshot()).toMatchObject({ status: 'error', error: { code: 'connection' } })
    isOffline = false
    made.goOn()
    await chat.retry()
    expect(drawn(chat)).toEqual(whole)
    expect(made.asked).toEqual(['POST', 'GET run'])
  })
})

it('stop after a reload ends the run on the server', async () => {
  const made = server([chatText(...words)])
  await halfAnswered(made)
  const name = sessionStorage.getItem('isoglot-run:c1') ?? ''
  const chat = open(made)
  await chat.load()
  const resumed = chat.resume()
  await shows(chat, () => drawn(chat)[1]?.includes('One') === true)
  await chat.stop()
  await resumed
  expect(made.asked.at(-1)).toBe('DELETE run')
  expect(await made.log.read(name, 0, new AbortController().signal)).toBeUndefined()
  expect(sessionStorage.getItem('isoglot-run:c1')).toBeNull()
  expect(chat.getSnapshot()).toMatchObject({ status: 'ready', messages: [{}, { state: 'stopped' }] })
  made.goOn()
})
