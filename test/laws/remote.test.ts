/** Every recorded answer through a server of ours gives what it gives directly: events, result, error, and the part of it that came. */
import { describe, expect, it } from 'vitest'
import type { MessageEvent } from '../../src/core/messages.ts'
import type { Model } from '../../src/core/question.ts'
import { createGateway, isoglotFormat } from '../../src/gateway/index.ts'
import { generate, stream } from '../../src/index.ts'
import { remote } from '../../src/remote/index.ts'
import { corpus } from '../support/corpus.ts'
import { inTurn } from '../support/cuts.ts'
import { formats } from '../support/formats.ts'
import { recordedModel } from '../support/recorded-model.ts'

const plain = (value: unknown) => JSON.parse(JSON.stringify(value ?? null))

interface Told {
  readonly events?: unknown
  readonly result?: unknown
  readonly error?: { code?: string; kind?: string; status?: number; retryable?: boolean }
  readonly partial?: unknown
}

async function told(model: Model, isWhole: boolean): Promise<Told> {
  const events: unknown[] = []
  const request = { model, prompt: 'x', maxRounds: 1, retries: 0, strict: false } as const
  try {
    if (isWhole) return { result: plain(await generate(request)) }
    for await (const event of stream(request)) events.push(event)
    return { events: plain(events) }
  } catch (error) {
    const { code, kind, status, retryable, partial } = error as Record<string, unknown>
    return { events: plain(events), error: plain({ code, kind, status, retryable }), partial: plain(partial) }
  }
}

/**
 * What a page may know of an answer that failed. A provider that refuses our key is the server's own trouble. The status is that of our
 * server: an answer that fails before its first content is an error with a status, so nothing before it arrives.
 */
function forPage(direct: Told, { error: page, events }: Told): Told {
  const { error } = direct
  if (error === undefined) return direct
  const isOurs = error.kind === 'authentication' || error.kind === 'permission'
  const shown = { ...error, ...(isOurs && { kind: 'server' }), ...(page?.status && { status: page.status }) }
  const isSilent = (direct.events as MessageEvent[]).every(({ type }) => type === 'warning' || type === 'message_start')
  return { ...direct, error: shown, events: isSilent ? events : direct.events }
}

describe.each(formats.map(({ folder, client }) => [folder, client] as const))('%s', (folder, client) => {
  const cases = corpus.filter(({ format }) => format === folder)
  for (const isWhole of [false, true]) {
    // In `npm test` one half is asked for whole, and the other as a stream.
    it.each(inTurn(cases, 2, isWhole ? 1 : 0).map((one) => [one.id, one] as const))(
      `%s ${isWhole ? 'whole' : ''}`,
      async (_id, one) => {
        const model = recordedModel(client, one)
        const gateway = createGateway({ formats: [isoglotFormat], models: { m: model } })
        const ask = (url: RequestInfo | URL, init?: RequestInit) => gateway.fetch(new Request(url, init))
        const behind = { ...remote('m', { url: 'https://a.example/answer', fetch: ask }), provider: client.provider }
        const other = await told(behind, isWhole)
        expect(other).toEqual(forPage(await told(model, isWhole), other))
      },
    )
  }
})

it('has recordings to try', () => {
  expect(corpus.length).toBeGreaterThan(100)
})
