/**
 * The providers on one loopback server, each at a path of its own and each in its own wire: what a request says is read, what is against
 * the rules of the wire is a 400, and what is asked for is answered, whole or in pieces.
 */
import type { ServerResponse } from 'node:http'
import { facts } from '../formats/index.ts'
import type { Json, Speaker } from '../formats/provider.ts'
import { type Wire as WireName, wires as wireNames } from '../support/answers.ts'
import {
  type Answering,
  type Asked,
  json,
  startUpstream,
  chunks as textChunks,
  type Upstream,
} from '../support/upstream.ts'
import { say } from './dialogue.ts'
import { amazonMessages } from './wire.ts'

export { type Wire as WireName, wires as wireNames } from '../support/answers.ts'

export const speakers = Object.fromEntries(wireNames.map((name) => [name, facts[name].provider])) as Readonly<
  Record<WireName, Speaker>
>

/** A message of a stream of Bedrock; `kind` is `event` or `exception`. */
export function bedrockMessage(type: string, payload: Json, kind: 'event' | 'exception' = 'event'): Uint8Array {
  const text = (value: string) => ({ type: 'string' as const, value })
  return amazonMessages.encode({
    headers: {
      [`:${kind}-type`]: text(type),
      ':content-type': text('application/json'),
      ':message-type': text(kind),
    },
    body: new TextEncoder().encode(JSON.stringify(payload)),
  })
}

const line = /^:(event|exception)-type (\w+) (.*)$/gm

/** The body that a provider sends for these pieces of text: lines of Bedrock's messages become their bytes. */
export function toWire(text: string): string | Uint8Array<ArrayBuffer> {
  if (!/^:\w+-type /.test(text)) return text
  const bytes = [...text.matchAll(line)].map(([, kind, type = '', payload = '']) =>
    bedrockMessage(type, JSON.parse(payload), kind as 'event' | 'exception'),
  )
  return new Uint8Array(Buffer.concat(bytes))
}

/** Sends pieces as `chunks` of `upstream.ts` does, in the bytes of their wire. */
export function chunks(
  pieces: readonly (string | Uint8Array)[],
  options?: Parameters<typeof textChunks>[1],
): Answering {
  return textChunks(
    pieces.map((piece) => (typeof piece === 'string' ? toWire(piece) : piece)),
    options,
  )
}

/** The wire of a path such as `/anthropic/v1/messages`. */
export function wireOf(path: string): WireName | undefined {
  return wireNames.find((name) => path.startsWith(`/${name}/`) && speakers[name].path.test(path.slice(name.length + 1)))
}

/** Answers as the provider of the path would. */
export const answerAll: Answering = (response, asked) => {
  const wire = wireOf(asked.path)
  if (wire === undefined) return json({ error: 'no such path' }, 404)(response, asked)
  const speaker = speakers[wire]
  if (!speaker.holdsKey(asked)) return json(speaker.error(401, 'Who are you?'), 401)(response, asked)
  const wrong = facts[wire].violations(asked.body)
  if (wrong.length > 0) return json(speaker.error(400, wrong.join('; ')), 400)(response, asked)
  const heard = speaker.hear(asked.body)
  if (heard.prompt.includes('busy')) {
    return json(speaker.error(429, 'Slow down, org-secret-17'), 429, { 'retry-after': '7' })(response, asked)
  }
  const said = say(heard)
  if (!speaker.isStream(asked)) return json(speaker.whole(said))(response, asked)
  const endless = heard.prompt.includes('endless')
  const pieces = speaker.pieces(said)
  return endless ? trickle(pieces.slice(0, -1), response, asked) : chunks(pieces)(response, asked)
}

/** Says what it has to say and then nothing, until the other side goes. */
function trickle(pieces: readonly string[], response: ServerResponse, asked: Asked): void | Promise<void> {
  return chunks(pieces, { after: 'hang' })(response, asked)
}

export async function startProviders(): Promise<Upstream> {
  const upstream = await startUpstream()
  upstream.answer(answerAll)
  return upstream
}
