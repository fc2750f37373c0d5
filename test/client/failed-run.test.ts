/** A run that fails after tools ran: its error has their results, so that nobody runs them again for want of knowing. */
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { generate, IsoglotError, tool } from '../../src/index.ts'
import { call, type MockAnswer, mockModel } from '../../src/test/index.ts'

const failures: Record<string, MockAnswer> = {
  'an error of the provider': { error: 'server' },
  'a cut': { cutAfter: 2, of: 'You have paid the bill' },
}
it.each(Object.entries(failures))('generate, after %s', async (_how, failure) => {
  const ran: string[] = []
  const pay = tool({ name: 'pay', execute: () => `receipt ${ran.push('pay')}` })
  const model = mockModel([{ calls: [call('pay', {})] }, failure])
  const asked = generate({ model, prompt: 'Pay my bill', tools: [pay], retries: 0 })
  const error = await asked.catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(IsoglotError)
  const { messages = [], partial } = error as IsoglotError
  expect(messages.map(({ role }) => role).slice(0, 3)).toEqual(['user', 'assistant', 'tool'])
  expect(messages[2]).toMatchObject({ content: 'receipt 1' })
  if (partial?.content?.length) expect(messages.at(-1)).toEqual(partial)
  expect(ran).toEqual(['pay'])
  // The conversation is not in a log that prints the error.
  expect(inspect(error, { depth: 10 })).not.toContain('receipt')
  expect(JSON.stringify(error)).not.toContain('receipt')
})
