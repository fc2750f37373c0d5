/**
 * A stream whose connection is cut again and again. It continues by itself, because the Worker stores the answer. Then the same answer is
 * read again by its name, as a page does after a reload. Then one answer is stopped. `npm run example resume`.
 */
import { resumable, stream, textOf } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'
import { startDemo } from './worker.mjs'

/** A network that breaks each connection after 3 KB. */
async function badFetch(url, init) {
  const response = await fetch(url, init)
  let bytes = 0
  const cut = new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      controller.enqueue(chunk)
      if (bytes > 3000) controller.error(new TypeError('the connection broke'))
    },
  })
  console.error(init.method === 'GET' ? `[cut; continued after event ${init.headers['last-event-id']}]` : '[asked]')
  return new Response(response.body?.pipeThrough(cut), response)
}

const { url, token, stop } = await startDemo()
const ask = { model: openaiChat('demo-model', { baseUrl: `${url}/v1`, apiKey: token }), prompt: 'A slow answer' }
try {
  const run = stream({ ...ask, model: { ...ask.model, fetch: badFetch }, resume: resumable() })
  for await (const text of run.text()) process.stdout.write(text)
  const { message } = await run.response

  const again = await stream({ ...ask, resume: resumable(run.streamId) }).response
  console.log(`\n\nSent again by its name: ${textOf(again.message) === textOf(message) ? 'the same' : 'another'}`)

  const other = stream({ ...ask, resume: resumable() })
  for await (const event of other) {
    if (event.type === 'text_delta') break
  }
  await other.stop()
  console.log(`Stopped after: ${textOf(other.partial)}`)
} finally {
  await stop()
}
