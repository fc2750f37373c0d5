/**
 * The streams in which libraries merged, lost, mended or ran the wrong call: what each comes to here.
 *
 * @see peers.md §1d and appendix A
 */
import { expect, it } from 'vitest'
import { InterruptedError } from '../../../src/core/errors.ts'
import { compatible, openai } from '../../../src/formats/openai-chat/index.ts'
import { decodeChunks, decodeSse, delta, sse } from './run.ts'

const first = delta({ role: 'assistant', content: '' })

it('OpenAI: [DONE] without a reason to stop is an interruption; hosts known for it are believed', () => {
  const chunks = [first, delta({ content: 'Hi' }), '[DONE]']
  expect(decodeSse(sse(...chunks), openai).error).toBeInstanceOf(InterruptedError)
  expect(decodeSse(sse(...chunks), compatible).response?.stopReason).toBe('stop')
})

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
it.each([
  ['in a chunk of their own', [delta({}, 'stop'), { ...delta({}), choices: [], usage }]],
  ['with the reason to stop', [{ ...delta({}, 'stop'), usage }]],
  ['with no choices at all', [delta({}, 'stop'), { id: 'chatcmpl-1', usage }]],
  [
    'with every chunk: the last counts',
    [
      { ...first, usage: { prompt_tokens: 10 } },
      { ...delta({}, 'stop'), usage },
    ],
  ],
  ['under x_groq', [{ ...delta({}, 'stop'), x_groq: { id: 'req_1', usage } }]],
  ['in the choice', [{ ...delta({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }]],
])('reads figures %s', (_, chunks) => {
  const { response } = decodeChunks([first, delta({ content: 'Hi' }), ...chunks])
  expect(response?.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, totalTokens: 15 })
})
