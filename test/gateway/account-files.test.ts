/** A client names no file of the gateway's account: the provider would read it with the rights of the gateway's key. */
import { describe, expect, it } from 'vitest'
import { httpModel } from '../../src/ask/http-model.ts'
import type { ContentBlock, Message } from '../../src/core/messages.ts'
import { allFormats, createGateway, type GatewayOptions, isoglotFormat } from '../../src/gateway/index.ts'
import { block } from '../../src/messages/block.ts'
import { facts } from '../formats/index.ts'
import { accountFiles, publicFiles } from '../support/account-files.ts'
import { clients } from '../support/formats.ts'
import { type WireName, wireNames } from './provider.ts'

/** A gateway with a provider of each format, and the bodies that they got. */
function rig(check?: GatewayOptions['check']) {
  const sent: string[] = []
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent.push(String(init?.body))
    return Response.json({ error: { message: 'of the provider' } }, { status: 400 })
  }
  const settings = { baseUrl: 'https://provider.test', apiKey: 'k'.repeat(20), fetch }
  const models = wireNames.map((wire) => [wire, httpModel(clients[wire], 'm', settings)] as const)
  const gateway = createGateway({
    formats: [...allFormats, isoglotFormat],
    models: Object.fromEntries(models),
    ...(check && { check }),
  })
  async function ask(wire: WireName, target: WireName, body: object) {
    sent.length = 0
    const { path, minimal } = facts[wire]?.gateway.minimal(target, 'Hi', false) ?? { path: '/answer', minimal: {} }
    const asked = { ...body, ...('model' in minimal && { model: target }) }
    const headers = { 'content-type': 'application/json' }
    const response = await gateway.fetch(
      new Request(`https://gateway.test${path}`, { method: 'POST', headers, body: JSON.stringify(asked) }),
    )
    return { status: response.status, text: await response.text(), sent: sent.join() }
  }
  return ask
}

const types = { image: 'image/png', audio: 'audio/wav', video: 'video/mp4', file: 'application/pdf' } as const
const places: readonly ((media: ContentBlock) => readonly Message[])[] = [
  (media) => [{ role: 'user', content: [media] }],
  (media) => [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [media, block.text('See')] },
    { role: 'user', content: 'Go on' },
  ],
  (media) => [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [block.toolCall('c1', 'f', {})] },
    { role: 'tool', toolCallId: 'c1', name: 'f', content: [media] },
  ],
]

/** Bodies of a client of this format that name the address, wherever its format can. */
function bodiesOf(wire: WireName, address: string): readonly object[] {
  const fields = [{ url: address }, { fileId: address }]
  return places.flatMap((place) =>
    Object.entries(types).flatMap(([type, mimeType]) =>
      fields.flatMap((field) => {
        const messages = place({ type, mimeType, ...field } as ContentBlock)
        const { body } = clients[wire].encodeRequest({ messages }, { model: 'm', maxTokens: 9, strict: false })
        return JSON.stringify(body).includes(JSON.stringify(address).slice(1, -1)) ? [body as object] : []
      }),
    ),
  )
}

/** The formats in which a client can name this address. */
const wiresFor = (address: string) => wireNames.filter((wire) => bodiesOf(wire, address).length > 0)
const [ofAnybody = ''] = publicFiles
const [ofAccount = ''] = accountFiles

describe.each(wiresFor(ofAccount))('a client of %s', (wire) => {
  it('gets a 400 for a file of the account, and no provider is asked', async () => {
    const ask = rig()
    const faults: string[] = []
    for (const address of accountFiles)
      for (const body of bodiesOf(wire, address))
        for (const target of wireNames) {
          const { status, text, sent } = await ask(wire, target, body)
          const isRefused = status === 400 && /\\"messages[\w.[\]]+\\" is a file of the gateway's account/.test(text)
          if (!isRefused || sent !== '') faults.push(`${target}: ${JSON.stringify(body)}: ${text}`)
        }
    expect(faults).toEqual([])
  })
})

describe.each(wiresFor(ofAnybody))('a client of %s', (wire) => {
  it('may name public files, and files by an id that nobody guesses', async () => {
    const ask = rig()
    for (const address of [...publicFiles, 'file-6F2ksmvXxt4VdoqmHRw6kL'])
      for (const body of bodiesOf(wire, address)) {
        const { sent } = await ask(wire, wire, body)
        expect(JSON.parse(sent)).toMatchObject(body)
      }
  })

  it('cannot name what `check` may put in place of its address', async () => {
    const ask = rig(({ request }) => {
      return JSON.parse(JSON.stringify(request).replaceAll(ofAnybody, ofAccount))
    })
    const [body = {}] = bodiesOf(wire, ofAnybody)
    expect((await ask(wire, wire, body)).sent).toContain(ofAccount)
    const [other = {}] = bodiesOf(wire, ofAccount)
    expect((await ask(wire, wire, other)).sent).toBe('')
  })
})

it.each(accountFiles)('nor does a page that asks by isoglot’s own wire: %s', async (url) => {
  const ask = rig()
  for (const place of places)
    for (const field of [{ url }, { fileId: url }]) {
      const media = { type: 'image', ...field } as ContentBlock
      const question = { version: 1, model: 'gemini', context: { messages: place(media), system: [] }, options: {} }
      expect(await ask('isoglot' as WireName, 'gemini', question)).toMatchObject({ status: 400, sent: '' })
    }
})
