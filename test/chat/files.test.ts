/** Files of a page as blocks of a message. */
import { describe, expect, it } from 'vitest'
import { type FileRules, toBlock } from '../../src/chat/index.ts'
import { openChat, settle } from './open.ts'

const bytes = (...values: readonly (number | string)[]) =>
  Uint8Array.from(values.flatMap((value) => (typeof value === 'string' ? [...Buffer.from(value, 'latin1')] : [value])))
const file = (content: Uint8Array<ArrayBuffer> | string, name: string, type = '') => new File([content], name, { type })
const png = bytes(0x89, 'PNG', 13, 10, 0x1a, 10, 'rest')

describe('toBlock', () => {
  it.each([
    ['image/svg+xml', 'image'],
    ['audio/mpeg', 'audio'],
    ['video/mp4', 'video'],
    ['application/zip', 'file'],
  ])('makes a block of the right type from %s', async (type, blockType) => {
    const block = await toBlock(file(bytes(0, 1, 2), 'a', type))
    expect(block).toMatchObject({ type: blockType, data: 'AAEC', mimeType: type })
  })

  it.each(['text/markdown', 'application/json'])('reads %s as text with its name', async (type) => {
    expect(await toBlock(file('{"ä": 1}', 'a.json', type))).toEqual({
      type: 'plain_text',
      text: '{"ä": 1}',
      title: 'a.json',
      mimeType: type,
    })
  })

  // The signatures are those of https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern, and %PDF- of ISO 32000.
  it.each([
    ['image/png', png],
    ['image/jpeg', bytes(0xff, 0xd8, 0xff, 0xe0)],
    ['image/gif', bytes('GIF89a')],
    ['image/webp', bytes('RIFF', 1, 2, 3, 4, 'WEBPVP8 ')],
    ['application/pdf', bytes('%PDF-1.7')],
    ['text/plain', bytes('plain words')],
  ])('recognises %s by its first bytes if the browser does not', async (mimeType, content) => {
    expect(await toBlock(file(content, 'a'))).toMatchObject({ mimeType })
  })

  it('writes base64 that is the same as that of Node, at each length around a piece', async () => {
    for (const length of [0, 1, 2, 3, 24 * 1024 - 1, 24 * 1024, 24 * 1024 + 1, 100_000]) {
      const content = Uint8Array.from({ length }, (_, at) => (at * 7) % 256)
      const block = await toBlock(file(content, 'a', 'image/png'))
      expect('data' in block && block.data === Buffer.from(content).toString('base64')).toBe(true)
    }
  })

  it('refuses a file of unknown type, by name', async () => {
    await expect(toBlock(file(bytes(0, 0xff, 0), 'odd.bin'))).rejects.toThrow(RangeError)
    await expect(toBlock(file(bytes(0, 0xff, 0), 'odd.bin'))).rejects.toThrow('"odd.bin"')
  })

  it('sends the URL of a file that is stored elsewhere', async () => {
    const upload = async () => ({ url: 'https://files.example/1' })
    const block = await toBlock(file(png, 'a.png', 'image/png'), { upload })
    expect(block).toEqual({ type: 'image', url: 'https://files.example/1', mimeType: 'image/png' })
  })
})

describe('send with files', () => {
  const open = (files: FileRules = {}) => openChat({ files })

  it('shows the text immediately, and sends the files before it', async () => {
    const { chat, turns, answered } = open()
    const sent = chat.send({ content: 'What is it?', files: [file(png, 'a.png', 'image/png')] })
    expect(chat.getSnapshot()).toMatchObject({ status: 'submitted', messages: [{ parts: [{ text: 'What is it?' }] }] })
    const { id } = chat.getSnapshot().messages[0] ?? {}
    await settle()
    expect(turns[0]?.added).toMatchObject([{ content: [{ type: 'image' }, { type: 'text', text: 'What is it?' }] }])
    await answered(sent, 'A picture')
    expect(chat.getSnapshot().messages[0]).toMatchObject({ id, parts: [{ type: 'media' }, { type: 'text' }] })
  })

  it.each<[string, FileRules, string]>([
    ['too large', { maxBytes: 3 }, '"a.png": it has 12 bytes'],
    ['too many', { maxFiles: 0 }, '"files.maxFiles" is 0'],
    ['not accepted', { accept: ['application/pdf', 'text/*'] }, 'its type is "image/png"'],
    ['of unknown content', {}, '"odd.bin": its type is unknown'],
  ])('keeps the text beside one that is %s, says why, and sends nothing', async (what, rules, finding) => {
    const { chat, turns } = open(rules)
    const one = what === 'of unknown content' ? file(bytes(0, 0xff), 'odd.bin') : file(png, 'a.png', 'image/png')
    await chat.send({ content: 'What is it?', files: [one] })
    const { status, error, messages } = chat.getSnapshot()
    expect([status, messages.length, turns.length]).toEqual(['error', 1, 0])
    expect(messages[0]).toMatchObject({ state: 'failed', parts: [{ text: 'What is it?' }] })
    expect(error).toBeInstanceOf(RangeError)
    expect((error as Error).message).toContain(finding)
    await chat.retry() // the file is still the same
    expect([chat.getSnapshot().status, turns.length]).toEqual(['error', 0])
    void chat.send('Hello')
    expect(turns.map((turn) => turn.messages.map(({ content }) => content))).toEqual([['Hello']])
    expect(chat.getSnapshot().messages.map(({ state }) => state)).toEqual(['failed', 'sending'])
  })

  it('reads the files again when a message is retried whose upload failed', async () => {
    let isDown = true
    const upload = async () => {
      if (isDown) throw new Error('No network')
      return { url: 'https://files.test/a' }
    }
    const { chat, turns, answered } = open({ upload })
    await chat.send({ content: 'What is it?', files: [file(png, 'a.png', 'image/png')] })
    expect(chat.getSnapshot()).toMatchObject({ status: 'error', error: { message: 'No network' } })
    const { id } = chat.getSnapshot().messages[0] ?? {}
    isDown = false
    const again = chat.retry()
    await settle()
    expect(turns.map(({ trigger, added }) => [trigger, added[0]?.content])).toMatchObject([
      ['send', [{ type: 'image', url: 'https://files.test/a' }, { text: 'What is it?' }]],
    ])
    await answered(again, 'A picture')
    const shown = chat.getSnapshot().messages.map(({ state, parts }) => `${state}: ${parts.map(({ type }) => type)}`)
    expect(shown).toEqual(['done: media,text', 'done: text'])
    expect(chat.getSnapshot().messages[0]?.id).toBe(id)
  })

  it('is stopped while files are read', async () => {
    const { chat, turns } = open()
    const sent = chat.send({ content: 'Hm', files: [file(png, 'a.png', 'image/png')] })
    await chat.stop()
    await sent
    expect(turns).toEqual([])
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', messages: [{ state: 'failed' }] }) // it was never sent
    void chat.send('Hello')
    expect(turns[0]?.messages.map(({ content }) => content)).toEqual(['Hello'])
  })
})
