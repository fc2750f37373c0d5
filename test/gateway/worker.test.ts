import { expect, it } from 'vitest'
import { hang, pause } from '../support/upstream.ts'
import { judgeClients } from './judge.ts'
import { startProviders } from './provider.ts'
import { ask } from './wire.ts'
import { serveInWorkerd } from './workerd.ts'

const entry = new URL('worker.ts', import.meta.url).pathname

async function start() {
  const providers = await startProviders()
  const served = await serveInWorkerd(entry, providers.url)
  return {
    url: served.url,
    providers,
    async stop() {
      await served.stop()
      await providers.stop()
    },
  }
}

judgeClients({ title: 'the gateway in workerd', turn: 1, modes: [true], start })

it('notices a client that disconnected without a message by its next keep-alive comment, and leaves the provider', async () => {
  const rig = await start()
  rig.providers.answer(hang)
  const left = new AbortController()
  const response = await ask(rig.url, 'anthropic', 'gemini', 'Hello', { signal: left.signal })
  expect(response.status).toBe(200)
  left.abort()
  await Promise.race([rig.providers.asked[0]?.closed, pause(4000)])
  expect(rig.providers.asked[0]?.isCancelled).toBe(true)
  await rig.stop()
})
