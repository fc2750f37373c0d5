/** A page names no file of the server's account: a provider would read it with the rights of the key. */
import { describe, expect, it } from 'vitest'
import { readChatRequest } from '../../src/page/response.ts'
import { fromUiMessages } from '../../src/page/ui-messages.ts'
import { isPublicUrl } from '../../src/worker/policy/public-url.ts'
import { accountFiles, publicFiles } from '../support/account-files.ts'

const types = ['image', 'audio', 'video', 'file'] as const

const asked = (message: object) =>
  readChatRequest(
    new Request('https://s.example', { method: 'POST', body: JSON.stringify({ chatId: 'c', messages: [message] }) }),
    { roles: ['user', 'assistant'] },
  )
const mediaTypes = { image: 'image/png', audio: 'audio/mpeg', video: 'video/mp4', file: 'application/pdf' }
/** Everything that reads an address that a page wrote. */
const readers: Record<string, (url: string, type: (typeof types)[number]) => Promise<unknown>> = {
  'a message of the user': (url, type) => asked({ role: 'user', content: [{ type, url }] }),
  'an answer in the page': (url, type) => asked({ role: 'assistant', content: [{ type, url }] }),
  'a message of useChat': async (url, type) =>
    fromUiMessages([{ role: 'user', parts: [{ type: 'file', url, mediaType: mediaTypes[type] } as { type: string }] }]),
  'an answer of useChat': async (url, type) =>
    fromUiMessages([
      { role: 'assistant', parts: [{ type: 'file', url, mediaType: mediaTypes[type] } as { type: string }] },
    ]),
}

describe.each(Object.keys(readers))('%s', (name) => {
  const read = (url: string, type: (typeof types)[number]) => readers[name]?.(url, type)

  it.each(accountFiles)('does not hold %s', async (url) => {
    for (const type of types) {
      const found = await read(url, type)?.catch((cause: unknown) => cause)
      if (!(found instanceof TypeError)) expect(JSON.stringify(found)).not.toContain('url')
      else expect(found.message).toMatch(/ may not come from a page/)
    }
  })

  it.each(publicFiles)('may hold %s', async (url) => {
    for (const type of types) await expect(read(url, type)).resolves.toBeDefined()
  })
})

it('and no policy of the Worker lets one pass', () => {
  expect(accountFiles.filter(isPublicUrl)).toEqual([])
})
