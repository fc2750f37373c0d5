import { describe, expect, it } from 'vitest'
import { createScrubber } from '../../examples/worker/scrub.ts'
import { watch } from '../../examples/worker/watch.ts'
import { anthropic, openaiChat } from '../../examples/worker/wires.ts'
import { canary } from './harness.ts'

const finish = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
const delta = 'data: {"choices":[{"index":0,"delta":{"content":"Hé 👋"},"finish_reason":null}]}\n\n'
const done = 'data: [DONE]\n\n'
const block =
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hé 👋"}}\n\n'
const stop = 'event: message_stop\ndata: {"type":"message_stop"}\n\n'

/** Reads an answer in pieces, then the end of the line. */
function read(wire: typeof openaiChat, pieces: Iterable<string>) {
  const answer = watch(wire)
  let out = ''
  for (const piece of pieces) {
    answer.feed(piece)
    out += answer.take()
  }
  answer.close()
  return { out: out + answer.take(), outcome: answer.outcome }
}

describe('an answer on its way', () => {
  it('is the same however it was cut', () => {
    for (const [wire, whole] of [[openaiChat, delta + finish + done] as const, [anthropic, block + stop] as const]) {
      for (let size = 1; size < 40; size++) {
        const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
        expect(read(wire, pieces)).toEqual({ out: whole, outcome: 'done' })
      }
    }
  })

  it.each([
    ['chat without an end', openaiChat, [delta], 'upstream_truncated', delta],
    ['chat that says [DONE] with no finish_reason', openaiChat, [delta, done], 'upstream_truncated', delta],
    ['chat that forgets [DONE]', openaiChat, [delta, finish], 'done', delta + finish + done],
    [
      'chat whose last event lacks its blank line',
      openaiChat,
      [delta, finish, 'data: [DONE]'],
      'done',
      delta + finish + done,
    ],
    ['chat cut in the middle of an event', openaiChat, [delta, finish.slice(0, 30)], 'upstream_truncated', delta],
    ['nothing at all', openaiChat, [], 'upstream_truncated', ''],
    ['messages without message_stop', anthropic, [block], 'upstream_truncated', block],
    ['messages that are cut in their last event', anthropic, [block, stop.slice(0, -8)], 'upstream_truncated', block],
    ['what comes after the end', anthropic, [block, stop, block], 'done', block + stop],
    ['an event that is not JSON', openaiChat, [delta, 'data: {oops\n\n', delta], 'upstream_failed', delta],
    [
      'an error event of chat',
      openaiChat,
      [delta, 'data: {"error":{"message":"m","type":"rate_limit_exceeded"}}\n\n'],
      'upstream_rate_limited',
      delta,
    ],
    [
      'an error event of messages',
      anthropic,
      [block, 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n'],
      'upstream_overloaded',
      block,
    ],
    [
      'an error of a kind that every object has',
      anthropic,
      ['data: {"type":"error","error":{"type":"constructor"}}\n\n'],
      'upstream_failed',
      '',
    ],
    [
      'an error that only its name tells',
      openaiChat,
      [delta, 'event: error\ndata: {"message":"m"}\n\n'],
      'upstream_failed',
      delta,
    ],
    [
      'lines that end in CRLF',
      anthropic,
      [block, stop].map((text) => text.replaceAll('\n', '\r\n')),
      'done',
      block + stop,
    ],
    ['a comment', anthropic, [': hello\n\n', block, stop], 'done', `:\n\n${block}${stop}`],
    ['a field no client needs', anthropic, [`id: 7\nretry: 1\n${block}`, stop], 'done', block + stop],
    [
      'an event of a type to come',
      anthropic,
      ['event: x\ndata: {"type":"x"}\n\n', stop],
      'done',
      `event: x\ndata: {"type":"x"}\n\n${stop}`,
    ],
  ])('with %s ends as it should', (_, wire, pieces, outcome, out) => {
    expect(read(wire, pieces)).toEqual({ out, outcome })
  })

  it.each([
    ['in one chunk', 1],
    ['in many', 64],
  ])('is given up when one event is longer than 1 MiB, %s', (_, count) => {
    const answer = watch(openaiChat)
    answer.feed(delta)
    const event = `data: {"x":"${'x'.repeat(2 ** 20)}"}\n\n`
    const size = Math.ceil(event.length / count)
    for (let i = 0; i < count; i++) answer.feed(event.slice(i * size, (i + 1) * size))
    expect([answer.outcome, answer.take()]).toEqual(['upstream_too_large', delta])
  })
})

describe('the scrubber', () => {
  const scrub = createScrubber([canary])

  it('cuts a secret out in each of its disguises, and leaves the rest', () => {
    const disguised = [canary, encodeURIComponent(canary)]
    for (const before of ['', 'x', 'xy', 'Bearer ', 'user:']) {
      disguised.push(
        Buffer.from(before + canary).toString('base64'),
        Buffer.from(`${before + canary}z`).toString('base64url'),
      )
    }
    for (const text of disguised) {
      const clean = scrub(`before ${text} after`)
      expect(clean).toMatch(/^before .*\[redacted\].* after$/)
      expect(clean.length).toBeLessThan('before [redacted] after'.length + 14)
    }
  })

  it('changes nothing where there is no secret', () => {
    expect(scrub('sk-canary, base64 c2stY2FuYXJ5 and the like')).toBe('sk-canary, base64 c2stY2FuYXJ5 and the like')
  })
})
