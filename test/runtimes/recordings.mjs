/** Recorded answers: any cut gives the same events, and every runtime the same as the others. */
import { compatible, createClientCodec } from '../../dist/openai-chat.js'
import { equal, ok } from './assert.mjs'
import { codecs, decodeChunks, fingerprint, transcript } from './decode.mjs'

const pieceBytes = 61
const chatDialect = createClientCodec(compatible)

export function recordingCases(base) {
  return [['recorded answers: pieces of 61 bytes give the same events', () => checkAll(base)]]
}

async function checkAll(base) {
  const list = await (await fetch(`${base}/corpus`)).json()
  ok(list.length > 60, `only ${list.length} recordings`)
  const prints = []
  for (const one of list) prints.push(await check(base, one))
  return fingerprint(prints.join(' '))
}

async function check(base, { format, name, kind }) {
  const response = await fetch(`${base}/corpus/${format}/${name}/${kind}`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  const codec = codecs[format] ?? (format.startsWith('openai-chat') ? chatDialect : codecs['openai-responses'])
  const expected = transcript(decodeChunks(codec, [bytes]))
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  )
  const found = transcript(decodeChunks(codec, pieces))
  if (found !== expected) equal(found, expected, `${format}/${name}`)
  return fingerprint(expected)
}
