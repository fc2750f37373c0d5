/** A turn that fails after its tools ran: retry goes on after their results, in the page and on a server, and no tool runs twice. */
import { describe, expect, it } from 'vitest'
import { createChatStore } from '../../src/chat/index.ts'
import { modelTransport } from '../../src/chat/model-transport.ts'
import { t, tool } from '../../src/index.ts'
import { call, type MockAnswer, mockModel } from '../../src/test/index.ts'
import { memoryPersist } from './open.ts'
import { routed } from './routed.ts'

const failures: Record<string, MockAnswer> = {
  'an error before the answer': { error: 'server' },
  'a cut in the answer': { cutAfter: 2, of: 'Your bill is paid' },
}
const calls: Record<string, readonly ReturnType<typeof call>[]> = {
  'a call': [call('pay', { n: 1 })],
  'two calls': [call('pay', { n: 1 }), call('pay', { n: 2 })],
}

describe.each(['page', 'server'])('a model in the %s', (where) => {
  describe.each(Object.keys(failures))('that fails by %s', (how) => {
    it.each(
      Object.keys(calls).flatMap((made) =>
        [1, 2].flatMap((rounds) => [false, true].map((reloads) => [made, rounds, reloads] as const)),
      ),
    )('after %s in each of %i rounds; the page is loaded again: %s', async (made, rounds, reloads) => {
      const ran: string[] = []
      let asked = 0
      const pay = tool({
        name: 'pay',
        parameters: t.object({ n: t.number() }),
        execute: ({ n }) => `receipt ${ran.push(`${asked}:${n}`)}`,
      })
      const model = mockModel(() => {
        asked++
        if (asked <= rounds) return { calls: calls[made] ?? [] }
        return asked === rounds + 1 ? (failures[how] ?? '') : 'Paid.'
      })
      const tools = [pay]
      const transport = where === 'page' ? modelTransport({ model, tools, retries: 0 }) : routed({ model, tools })
      const persist = memoryPersist()
      const open = () => createChatStore({ id: 'c', transport, persist })
      let chat = open()
      await chat.send('Pay my bill')
      expect(chat.getSnapshot().status).toBe('error')
      const before = [...ran]
      expect(before).toHaveLength(rounds * (calls[made]?.length ?? 0))
      if (reloads) {
        chat = open()
        await chat.load()
      }
      await chat.retry()
      expect(ran).toEqual(before)
      const { status, messages } = chat.getSnapshot()
      expect(status).toBe('ready')
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
      expect(messages[1]?.parts.map(({ type }) => type)).toEqual([...before.map(() => 'tool'), 'text'])
      // The model gets the results, and nothing of the answer that failed.
      const sent = JSON.stringify(model.requests.at(-1)?.body)
      for (const at of before.keys()) expect(sent).toContain(`receipt ${at + 1}`)
      expect(sent).not.toContain('Your bill')
    })
  })
})
