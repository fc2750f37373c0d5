/** W16: a hundred readers at 1 KB a second, each of an answer of 10 MB; what does the Worker keep for each? */
import { send } from './client.mjs'
import { begin, longPieces } from './provider.mjs'
import { eachOf, models, pause } from './rig.mjs'

const [readers, answerBytes, deadlineMs] = [100, 10 * 1024 * 1024, 20_000]
/** As many tokens as such an answer takes: a longer one is cut off. */
const maxTokens = 100_000
export const shortDeadline = { TOTAL_TIMEOUT_MS: `${deadlineMs}`, MAX_OUTPUT_TOKENS: `${maxTokens}` }

export async function slow({ worker, upstream, token }) {
  upstream.play = pour
  await Promise.all(Array.from({ length: 20 }, () => drain(worker, token)))
  const before = await worker.heldKiB()
  const startedAt = performance.now()
  const closings = upstream.asked.length
  const open = await eachOf(Array.from({ length: readers }), readers, async () => {
    const { answer, leave } = send(worker.url, { wire: 'anthropic', model: models.anthropic, token, maxTokens })
    sip(await answer)
    return leave
  })
  let peak = 0
  while (performance.now() - startedAt < deadlineMs * 0.7) {
    await pause(2000)
    peak = Math.max(peak, (await worker.heldKiB()) - before)
  }
  const ended = await Promise.race([
    Promise.all(upstream.asked.slice(closings).map((asked) => asked.closed)),
    pause(deadlineMs).then(() => [Number.POSITIVE_INFINITY]),
  ])
  const late = Math.max(...ended) - startedAt - deadlineMs
  for (const leave of open) leave()
  const each = peak / readers
  return [
    {
      what: `memory for each of ${readers} readers at 1 KB/s of 10 MB`,
      figure: `${each.toFixed(0)} KiB`,
      bar: '256 KiB',
      met: each <= 256,
    },
    {
      what: `cut at the whole answer's limit (${deadlineMs / 1000} s)`,
      figure: `the last ${late.toFixed(0)} ms after it`,
      bar: 'all cut',
      met: late < 5000,
    },
  ]
}

async function pour(asked, response) {
  const { before, said, after } = longPieces(asked.wire, ['x'.repeat(1000)])
  begin(response, asked.wire)
  response.write(before.join(''))
  const times = asked.text.includes('little') ? 20 : answerBytes / 1000
  for (let count = 0; count < times && !response.destroyed; count++) {
    if (!response.write(said[0]))
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), asked.closed])
  }
  response.end(after.join(''))
}

async function drain(worker, token) {
  const answer = await send(worker.url, { wire: 'anthropic', model: models.anthropic, token, say: 'little' }).answer
  answer.resume()
  await new Promise((resolve) => answer.once('end', resolve))
}

/** Reads 1,000 bytes now and then; its own buffers hold no more than Node gives a socket. */
function sip(answer) {
  answer.on('error', () => {})
  answer.once('readable', async () => {
    while (!answer.destroyed && !answer.readableEnded) {
      answer.read(1000)
      await pause(1000)
    }
  })
}
