/** Bytes in the playground's static build: their wire, frames, and how they end. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { buildPlayground } from '../../scripts/playground.mjs'
import { corpus } from '../support/corpus.ts'

const folder = mkdtempSync(join(tmpdir(), 'isoglot-take-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const site = buildPlayground(join(folder, 'site'))

interface Take {
  readonly ending: { readonly kind: string; readonly text: string }
  readonly entries: readonly { readonly raw: string; readonly events: readonly { readonly type: string }[] }[]
}
interface Modules {
  guessWire(text: string, fileName?: string): string | undefined
  readRecording(recording: { title: string; wire: string; bytes: Uint8Array }): Take
  frameCutter(framing: 'sse' | 'ndjson'): { push(text: string): string[]; end(text?: string): string[] }
  bytesOf(wire: string, raw: string): Uint8Array
  onlyIn(value: unknown, others: readonly unknown[]): Set<string>
}
async function load(...names: string[]): Promise<Modules> {
  const modules = await Promise.all(names.map((name) => import(pathToFileURL(join(site, name)).href)))
  return Object.assign({}, ...modules)
}
const { guessWire, readRecording, frameCutter, bytesOf, onlyIn } = await load('guess-wire.js', 'take.js', 'compare.js')

const recording = (name: string) => readFileSync(join(site, 'recordings', name))
const read = (wire: string, text: string | Uint8Array) =>
  readRecording({ title: '', wire, bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text })

describe('guessing a wire', () => {
  it.each([
    ['data: {"id":"x","choices":[]}\n\n', 'openai-chat'],
    ['data: {"error":{"message":"no","type":"server_error"}}\n\n', 'openai-chat'],
    ['event: response.created\ndata: {"type":"response.created"}\n\n', 'openai-responses'],
    ['data: {"type":"error","sequence_number":0,"error":{}}\n\n', 'openai-responses'],
    ['event: ping\ndata: {"type":"ping"}\n\n', 'anthropic'],
    ['event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n', 'anthropic'],
    ['data: {"candidates":[]}\n\n', 'gemini'],
    ['[{"candidates":[]}\n,\r\n{"candidates":[]}]', 'gemini'],
    ['[{\n  "candidates": [\n    {\n', 'gemini'],
    ['{"error":{"code":503,"message":"no","status":"UNAVAILABLE"}}', 'gemini'],
    ['{"model":"q","message":{"role":"assistant","content":"a"},"done":false}\n', 'ollama'],
    ['{"error":"no"}\n', 'ollama'],
    [': keep-alive\r\n\r\ndata: {"choices":[]}\r\n\r\n', 'openai-chat'],
    ['\uFEFFdata: {"choices":[]}\n\n', 'openai-chat'],
  ])('reads %j as %s', (text, wire) => {
    expect(guessWire(text)).toBe(wire)
  })

  it('uses the file name if the bytes do not decide, and refuses an unknown name', () => {
    expect(guessWire(': nothing yet\n\n', 'gemini.sse')).toBe('gemini')
    expect(guessWire('', 'constructor.sse')).toBeUndefined()
    expect(guessWire('data: [DONE]\n\n')).toBeUndefined()
  })

  it('is right for every recorded stream', () => {
    // Workers AI has a stream of its own too, which is not one of the page's wires.
    const others = /-workers-ai\/native-/
    const streams = corpus.filter(({ kind, id }) => kind !== 'json' && !others.test(id))
    const wrong = streams.flatMap(({ id, format, text }) => {
      const guess = guessWire(text) ?? 'none'
      const expected = guess === 'gemini' ? /^gemini(-vertex)?$/ : new RegExp(`^${guess}(-|$)`)
      return expected.test(format) ? [] : [`${id}: ${guess}`]
    })
    expect(streams.length).toBeGreaterThan(90)
    expect(wrong).toEqual([])
  })
})

describe('a take', () => {
  it('has an entry for each frame, whose raw text together is the recording', () => {
    const bytes = recording('compare-anthropic-1.sse')
    const take = read('anthropic', bytes)
    expect(take.entries.map(({ raw }) => raw).join('')).toBe(bytes.toString())
    expect(take.entries).toHaveLength(bytes.toString().match(/^event: /gm)?.length ?? 0)
    expect(take.ending.kind).toBe('proper')
  })

  it.each([
    ['cut-openai-chat-1.sse', 'openai-chat', 'cut'],
    ['cut-openai-responses-1.sse', 'openai-responses', 'cut'],
    ['cut-anthropic-1.sse', 'anthropic', 'cut'],
    ['cut-gemini-1.sse', 'gemini', 'cut'],
    ['cut-ollama-1.ndjson', 'ollama', 'cut'],
    ['error-openai-chat-1.sse', 'openai-chat', 'error'],
    ['error-openai-responses-1.sse', 'openai-responses', 'error'],
    ['error-anthropic-1.sse', 'anthropic', 'error'],
    ['error-gemini-1.sse', 'gemini', 'error'],
    ['error-ollama-1.ndjson', 'ollama', 'error'],
  ])('shows how %s ended, and keeps the part before', (name, wire, kind) => {
    const take = read(wire, recording(name))
    expect(take.ending.kind).toBe(kind)
    expect(take.entries.flatMap(({ events }) => events).filter(({ type }) => type === 'text_delta')).not.toEqual([])
  })

  it.each([
    ['compare-openai-chat-1.sse', 'openai-chat'],
    ['compare-openai-responses-1.sse', 'openai-responses'],
    ['compare-anthropic-1.sse', 'anthropic'],
    ['compare-gemini-1.sse', 'gemini'],
    ['compare-ollama-1.ndjson', 'ollama'],
  ])('keeps all of %s, wherever it is cut, and marks it as cut', (name, wire) => {
    const bytes = recording(name)
    for (let length = 0; length < bytes.length - 900; length += 13) {
      const take = read(wire, bytes.subarray(0, length))
      expect(take.entries.map(({ raw }) => raw).join('')).toBe(bytes.toString('utf8', 0, length))
      expect(take.ending.kind).toBe('cut')
    }
  })

  it('ends every recorded stream in one way or another, and never in a crash', () => {
    for (const { kind, bytes, text } of corpus) {
      if (kind === 'json') continue
      const wire = guessWire(text) ?? 'openai-chat' // as the page does
      expect(['proper', 'cut', 'error']).toContain(read(wire, bytes).ending.kind)
    }
  })
})

it('has an entry for each message of a binary stream, which together are its bytes, wherever it is cut', () => {
  const { bytes } = corpus.find(({ id }) => id === 'bedrock-converse/text-stream') as { bytes: Uint8Array }
  // Each message says how long it is. https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html (read 2026-11)
  const lengths: number[] = []
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  for (let at = 0; at < bytes.length; at += lengths.at(-1) ?? 0) lengths.push(view.getUint32(at))
  const take = read('bedrock-converse', bytes)
  expect(take.ending.kind).toBe('proper')
  expect(take.entries.map(({ raw }) => raw.length)).toEqual(lengths)
  for (let length = 1; length < bytes.length; length += 13) {
    const { entries } = read('bedrock-converse', bytes.subarray(0, length))
    const frames = entries.flatMap(({ raw }) => [...bytesOf('bedrock-converse', raw)])
    expect(frames).toEqual([...bytes.subarray(0, length)])
  }
})

it('cuts frames at any line end, wherever the bytes are cut', () => {
  const text = 'data: 1\n\ndata: 2\r\n\r\n: c\r\rdata: 3'
  const frames = ['data: 1\n\n', 'data: 2\r\n\r\n', ': c\r\r', 'data: 3']
  expect(frameCutter('sse').end(text)).toEqual(frames)
  for (let at = 1; at < text.length; at++) {
    const cutter = frameCutter('sse')
    expect([...cutter.push(text.slice(0, at)), ...cutter.end(text.slice(at))]).toEqual(frames)
  }
})

it('shows bare JSON line by line, since it has no frames', () => {
  expect(frameCutter('sse').end('[{"a":1}\n,{"b":2}\n]')).toEqual(['[{"a":1}\n', ',{"b":2}\n', ']'])
})

it('highlights keys and values that no other has, at any depth, and skips values without meaning', () => {
  const value = { role: 'model', parts: [{ text: 'Hi', thought: true }], n: null, gone: undefined }
  const others = [{ role: 'assistant', content: 'Hi' }, { messages: [{ role: 'user', n: 1 }] }]
  expect([...onlyIn(value, others)].sort()).toEqual(['key parts', 'key text', 'key thought', 'value "model"'])
})
