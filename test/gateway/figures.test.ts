/** The figures of an answer on which billing relies: the final usage, and the least amount of text. */
import { describe, expect, it } from 'vitest'
import type { EndReport } from '../../src/gateway/index.ts'
import { facts } from '../formats/index.ts'
import { pairsOf } from '../support/pairs.ts'
import { json } from '../support/upstream.ts'
import type { Said } from './dialogue.ts'
import { gatewayOf } from './gateway-of.ts'
import { modelsAt } from './models.ts'
import { chunks, speakers, wireNames } from './provider.ts'
import { ownProviders } from './rig.ts'

const providers = ownProviders()

async function reportOf(
  client: (typeof wireNames)[number],
  provider: (typeof wireNames)[number],
  stream: boolean,
  body: object = {},
): Promise<{ report: EndReport; text: string }> {
  const { promise, resolve } = Promise.withResolvers<EndReport>()
  const gateway = gatewayOf({ models: modelsAt(providers.url), onEnd: resolve })
  const answer = await gateway.ask(client, provider, 'Hello', { stream, body })
  return { text: await answer.text(), report: await promise }
}

const saids: readonly (readonly [what: string, said: Said, bytes: number])[] = [
  ['a text', { text: 'Grüß Gott' }, 11],
  ['a thought and a text', { thought: 'Hm, let me see', text: 'Good day' }, 22],
  ['a call', { calls: [{ id: 'call_1', name: 'f', args: { city: 'Oslo' } }] }, 15],
]
const cases = pairsOf(wireNames, wireNames, 0).flatMap(([client, provider]) =>
  [true, false].flatMap((stream) =>
    saids.map(([what, said, bytes]) => ({ client, provider, stream, what, said, bytes })),
  ),
)

describe('a proper answer', () => {
  it.each(cases)(
    'of $provider to a client of $client (stream: $stream), $what, has a final usage and reports at least its bytes',
    async ({ client, provider, stream, said, bytes }) => {
      const speaker = speakers[provider]
      providers.answer(stream ? chunks(speaker.pieces(said)) : json(speaker.whole(said)))
      const { report } = await reportOf(client, provider, stream)
      expect(report).toMatchObject({ outcome: 'answered', usage: { inputTokens: 11, outputTokens: 7 } })
      expect(report.usageIsOld).toBeUndefined()
      // Chat Completions and Ollama of these speakers have no thoughts.
      const least =
        said.thought !== undefined && !JSON.stringify(speaker.whole(said)).includes('let me see') ? 8 : bytes
      expect(report.outputBytes).toBeGreaterThanOrEqual(least)
      expect(report.outputBytes).toBeLessThanOrEqual(bytes)
    },
  )

  it('with content after its usage has no final usage', async () => {
    const pieces = speakers.anthropic
      .pieces({ text: 'Good day' })
      .map((piece) => piece.replace(',"usage":{"output_tokens":7}', ''))
    for (const client of wireNames) {
      providers.answer(chunks(pieces))
      const { report } = await reportOf(client, 'anthropic', true)
      expect(report).toMatchObject({ outcome: 'answered', usage: { outputTokens: 1 }, usageIsOld: true })
    }
  })
})

describe('an answer that is longer than its limit of output tokens', () => {
  // 64 KiB, and 256 bytes for each of the 10 tokens.
  const most = 64 * 1024 + 2560

  it.each(pairsOf(wireNames, wireNames, 1))(
    'for a client of %s, from %s, is cut off at a length that no tokenizer can reach within the limit, and passes below it',
    async (client, provider) => {
      const go = (length: number) => {
        providers.answer(chunks(speakers[provider].pieces({ text: 'q'.repeat(length) })))
        return reportOf(client, provider, true, facts[client].gateway.limit(10))
      }
      expect((await go(most)).report.outcome).toBe('answered')
      // In two halves: the first is within the limit.
      const { report, text } = await go(most + 2)
      expect(report).toMatchObject({ outcome: 'failed', error: { kind: 'server' } })
      expect(text).toContain('qqq')
    },
  )
})
