/**
 * Input of a server or a client is read in time linear in its length. A reader that is not takes minutes for a text of this length, so that
 * the time limit of a test, a few hundred times what is needed, is the law.
 */
import { describe, expect, it } from 'vitest'
import { decodeAnswer } from '../../src/ask/http-model.ts'
import { modelFamily, parseArguments } from '../../src/core/content.ts'
import type { MessageEvent } from '../../src/core/messages.ts'
import { readErrorBody } from '../../src/formats/shared/api-error.ts'
import { normalizeMessages } from '../../src/import/index.ts'
import { formats } from '../support/formats.ts'

const length = 64 * 1024
const units = [
  '<',
  '>',
  ' ',
  '"',
  '\\',
  '{',
  '}',
  '[',
  'a',
  '-1234',
  '<a',
  'input token count',
  'input length',
  '=',
  ';base64',
  '\n',
  '%',
  'data:',
  '```',
]
const texts = units.map((unit) => [unit, unit.repeat(Math.ceil(length / unit.length))] as const)
const headers = { get: () => null }
const limitMs = 5000
/** One of each format: its dialects read by the same code. */
const clients = [...new Map(formats.map(({ client }) => [client.name, client])).values()]

describe.each(texts)('of %j over and over', (_unit, text) => {
  it('an error is read', { timeout: limitMs }, () => {
    for (const body of [
      text,
      `<${text}`,
      `<html>${text}`,
      { error: { message: text } },
      { detail: text },
      { error: text },
    ]) {
      expect(readErrorBody(body).message.length).toBeLessThanOrEqual(length + 20)
      for (const client of clients) {
        const error = client.decodeError({ status: 400, headers, body })
        expect(error.kind).not.toBe('')
      }
    }
  })

  it('a stream is read', { timeout: limitMs }, () => {
    for (const client of clients) {
      for (const sent of [text, `data: ${text}\n\n`, `data: ${JSON.stringify({ error: { message: text } })}\n\n`]) {
        const decoder = decodeAnswer(client, { maxEventBytes: 4 * length })
        const out: MessageEvent[] = []
        try {
          decoder.push(new TextEncoder().encode(sent), out)
          decoder.end(out)
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
        }
        expect(out.length).toBeLessThan(10)
      }
    }
  })

  it('names and messages are read', { timeout: limitMs }, () => {
    expect(modelFamily(`${text}x`).length).toBeGreaterThan(200)
    expect(parseArguments(text)).toBeDefined()
    const url = { type: 'image_url', image_url: { url: `data:image/png;${text},` } }
    try {
      normalizeMessages([{ role: 'user', content: [url] }])
    } catch (error) {
      expect(error).toBeInstanceOf(Error)
    }
  })
})
