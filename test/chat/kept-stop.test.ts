/** A stop before the server has answered ends a kept run all the same: on the server and at the provider. Over real HTTP on both sides. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createChatStore, fetchTransport, keptRuns } from '../../src/chat/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { stream } from '../../src/index.ts'
import { readEvents, resuming } from '../../src/page/read.ts'
import { answerKept, type EndOfRun, keepRun, memoryLog, readChatRequest } from '../../src/page/response.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { type Served, serve } from '../support/serve.ts'
import { chatText, chunks, until } from '../support/upstream.ts'
import { stubSessionStorage } from './open.ts'

const upstream = ownUpstream()
const heartbeatMs = 20
let served: Served | undefined
afterEach(() => {
  vi.unstubAllGlobals()
  return served?.stop()
})

/** A provider that begins with `begin()`, and does not end by itself. */
function slowProvider(): () => void {
  const begun = Promise.withResolvers<void>()
  upstream.answer(async (...asked) => {
    await begun.promise
    return chunks(chatText('one ', 'two ').slice(0, 2), { after: 'hang' })(...asked)
  })
  return begun.resolve
}

/**
 * A server that keeps its runs. With `isSilent` it sends no headers before the first event. With `isNaming` it gives its runs names of its
 * own, in place of those of the page.
 */
async function serveKept({ isSilent = true, isNaming = false } = {}) {
  const log = memoryLog()
  const ends: EndOfRun[] = []
  const asked: string[] = []
  /** Before a run is sent again. */
  let gate: Promise<void> = Promise.resolve()
  served = await serve(async (request) => {
    const { pathname } = new URL(request.url)
    asked.push(`${request.method} ${pathname === '/chat' ? 'chat' : 'run'}`)
    if (request.method === 'GET') await gate
    if (pathname !== '/chat') return answerKept(request, log, { heartbeatMs })
    const { messages, streamId } = await readChatRequest(request)
    const run = stream({ model: openaiChat('m', { baseUrl: upstream.url, apiKey: 'k' }), messages })
    const name = isNaming ? undefined : streamId
    const onEnd = (end: EndOfRun) => void ends.push(end)
    return keepRun(run, log, { heartbeatMs: isSilent ? 0 : heartbeatMs, onEnd, name })
  })
  return {
    ...{ asked, ends, url: `${served.url}/chat` },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
  }
}

const open = (url: string, headers = async (): Promise<HeadersInit> => ({})) =>
  createChatStore({ id: 'c1', transport: fetchTransport({ url, headers, resume: keptRuns }), throttleMs: 0 })

async function expectCancelled(ends: readonly EndOfRun[]): Promise<void> {
  await upstream.asked[0]?.closed
  expect(upstream.asked[0]?.isCancelled).toBe(true)
  await until(() => ends.length > 0)
  expect(ends).toMatchObject([{ left: true }])
}

it('a stop before the response ends the run at once, although the provider sends nothing', async () => {
  slowProvider()
  const { asked, ends, url } = await serveKept()
  const chat = open(url)
  const sent = chat.send('Hi')
  await until(() => upstream.asked.length > 0)
  await chat.stop()
  await sent
  await expectCancelled(ends)
  expect(asked).toEqual(['POST chat', 'DELETE run'])
  expect(chat.getSnapshot()).toMatchObject({ status: 'ready', isBusy: false })
  expect(await chat.resume()).toBe(false)
})

it('a stop does not wait for a server that answers no question', async () => {
  const server = await serve(async (request) => {
    return request.method === 'POST' ? new Promise<Response>(() => {}) : new Response(null, { status: 404 })
  })
  const chat = open(`${server.url}/chat`)
  const sent = chat.send('Hi')
  await until(() => chat.getSnapshot().status === 'submitted')
  await chat.stop()
  await sent
  expect(chat.getSnapshot()).toMatchObject({ status: 'ready', isBusy: false })
  await server.stop()
})

describe.each([
  ['takes the name of the page', false],
  ['names its runs itself', true],
])('a stop, of a run of a server that %s,', (_, isNaming) => {
  it('before the response ends the run when the response names it, at the latest', async () => {
    const begin = slowProvider()
    const { asked, ends, url } = await serveKept({ isNaming })
    const chat = open(url)
    const sent = chat.send('Hi')
    await until(() => upstream.asked.length > 0)
    const stopped = chat.stop()
    await sent
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', isBusy: false })
    begin()
    await stopped
    await expectCancelled(ends)
    expect(asked).toEqual(['POST chat', 'DELETE run', ...(isNaming ? ['DELETE run'] : [])])
    expect(await chat.resume()).toBe(false)
  })

  it('before the response does not end the next run, whichever is answered first', async () => {
    const begin = slowProvider()
    const { ends, url } = await serveKept({ isNaming })
    const chat = open(url)
    void chat.send('Hi')
    await until(() => upstream.asked.length > 0)
    const stopped = chat.stop()
    const [first] = upstream.asked
    upstream.answer(chunks(chatText('three')))
    await chat.send('Again')
    begin()
    await stopped
    await first?.closed
    expect(first?.isCancelled).toBe(true)
    await until(() => ends.length > 1)
    const ways = ends.map(({ left, result }) => [left, result?.outcome])
    expect(ways).toHaveLength(2)
    expect(ways).toEqual(
      expect.arrayContaining([
        [false, 'answered'],
        [true, undefined],
      ]),
    )
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', outcome: 'answered' })
  })

  it('while the page waits for the rest after a reload ends the run', async () => {
    const begin = slowProvider()
    const { asked, ends, hold, url } = await serveKept({ isSilent: false, isNaming })
    stubSessionStorage()
    const before = open(url)
    void before.send('Hi')
    await until(() => upstream.asked.length > 0)
    begin()
    await until(() => before.getSnapshot().status === 'streaming')
    const after = open(url)
    const release = hold()
    const resumed = after.resume()
    await until(() => asked.includes('GET run'))
    const stopped = after.stop()
    release()
    await stopped
    expect(await resumed).toBe(false)
    await expectCancelled(ends)
    expect(asked).toEqual(['POST chat', 'GET run', 'DELETE run'])
    before.dispose()
  })

  it('before the request is sent sends no question', async () => {
    const { asked, url } = await serveKept({ isNaming })
    const token = Promise.withResolvers<HeadersInit>()
    const chat = open(url, () => token.promise)
    const sent = chat.send('Hi')
    const stopped = chat.stop()
    token.resolve({ authorization: 'Ada' })
    await Promise.all([sent, stopped])
    expect(asked).not.toContain('POST chat')
  })
})

it('stop() of readEvents before the response ends the run too', async () => {
  const begin = slowProvider()
  const { ends, url } = await serveKept()
  const body = JSON.stringify({ chatId: 'c1', messages: [{ role: 'user', content: 'Hi' }] })
  const run = readEvents(fetch(url, { method: 'POST', body }), { resume: resuming({ url }) })
  const read = run.response
  read.then(
    () => {},
    () => {},
  )
  await until(() => upstream.asked.length > 0)
  const stopped = run.stop()
  begin()
  await stopped
  await expectCancelled(ends)
  await expect(read).rejects.toMatchObject({ name: 'AbortError' })
})
