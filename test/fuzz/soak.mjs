/**
 * `npm run soak`: how much memory a stream may make us take, and whether many streams at once, or one after another, leave any allocated.
 * Prints one line for each measurement, and fails if one is beyond its bar.
 *
 * @see docs/evidence/reliability.md for the figures
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { contents, cutStream, writeEvents } from '../../bench/lib/streams.mjs'
import { decodeAnswer } from '../../src/ask/http-model.ts'
import { generate, stream } from '../../src/client/run.ts'
import { createClientCodec as createOllama } from '../../src/formats/ollama/index.ts'
import { createClientCodec, openaiChat } from '../../src/formats/openai-chat/index.ts'

const KiB = 1024
const MiB = 1024 * KiB
const encoder = new TextEncoder()
const rss = () => process.memoryUsage.rss()
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

// ---- S10: one answer without end --------------------------------------------------------------

const line = encoder.encode('x'.repeat(64 * KiB))
hostile('1 GiB without a line end', createClientCodec(), [line], 16_384, 'maxEventBytes')
hostile('1 GiB without a line end, NDJSON', createOllama(), [line], 16_384, 'maxEventBytes')
hostile('1 GiB as one line of data', createClientCodec(), [encoder.encode('data: '), line], 16_384, 'maxEventBytes')
hostile(
  '1 GiB of comments of one byte',
  createClientCodec(),
  [encoder.encode(':x\n\n'.repeat(16 * KiB))],
  16_384,
  undefined,
)
hostile(
  '10 million empty lines of data',
  createClientCodec(),
  [encoder.encode('data:\n'.repeat(10_000))],
  1_000,
  'maxEventBytes',
)
await hostileBody()

/** Pushes the first chunk once, or all if there is one, and the last again and again. */
function hostile(name, codec, chunks, times, limit) {
  collect()
  const before = rss()
  let peak = 0
  let found
  const decoder = decodeAnswer(codec)
  try {
    if (chunks.length > 1) decoder.push(chunks[0], [])
    for (let count = 0; count < times; count++) {
      decoder.push(chunks.at(-1), [])
      if (count % 64 === 0) peak = Math.max(peak, rss() - before)
    }
  } catch (error) {
    found = error.limit ?? error.name
  }
  report(`S10 ${name}: ends at ${found ?? 'its end'}, grows by`, peak / MiB, 64, 'MiB', found === limit)
}

async function hostileBody() {
  collect()
  const before = rss()
  let peak = 0
  let left = 16_384
  const pull = (controller) => {
    peak = Math.max(peak, rss() - before)
    if (left-- > 0) controller.enqueue(line)
    else controller.close()
  }
  const fetch = async () => new Response(new ReadableStream({ pull }))
  const found = await generate({ model: openaiChat('m', { apiKey: 'key', fetch }), prompt: 'Hello' }).catch(
    (error) => error.limit,
  )
  report(`S10 1 GiB as one body: ends at ${found}, grows by`, peak / MiB, 64, 'MiB', found === 'maxBodyBytes')
}

// ---- S19: a slow reader -----------------------------------------------------------------------

{
  const chunk = encoder.encode(writeEvents('openai-chat', contents.text(100)).slice(0, -2).join(''))
  let pulled = 0
  const pull = (controller) => {
    pulled += chunk.length
    controller.enqueue(chunk)
  }
  const fetch = async () => new Response(new ReadableStream({ pull }))
  let seen = 0
  for await (const event of stream({ model: openaiChat('m', { apiKey: 'key', fetch }), prompt: 'Hello' })) {
    if (event.type !== 'text_delta' || ++seen < 5) continue
    await new Promise((resolve) => setTimeout(resolve, 1000))
    break
  }
  report('S19 a reader that stops at five events: pulled', pulled / KiB, 256, 'KiB', true)
}

// ---- S28: many streams ------------------------------------------------------------------------

const events = writeEvents('openai-chat', contents.text(200)).join('')
const expected = contents.text(200).text.join('')

{
  const decoders = Array.from({ length: 1000 }, () => decodeAnswer(createClientCodec()))
  const chunks = cutStream(events, 512)
  collect()
  const before = process.memoryUsage()
  const texts = decoders.map(() => '')
  let held = 0
  for (const [at, chunk] of chunks.entries()) {
    for (const [index, decoder] of decoders.entries()) {
      const out = []
      decoder.push(chunk, out)
      for (const event of out) if (event.type === 'message_end') texts[index] = event.message.content[0].text
    }
    if (at !== chunks.length - 3) continue
    collect()
    const now = process.memoryUsage()
    held = now.heapUsed + now.arrayBuffers - before.heapUsed - before.arrayBuffers
  }
  const isExact = texts.every((text) => text === expected)
  report('S28 1,000 streams of 200 events at once, all exact: each holds', held / 1000 / KiB, 60, 'KiB', isExact)
}

{
  const fetch = async () => new Response(events)
  const model = openaiChat('m', { apiKey: 'key', fetch })
  let wrong = 0
  let middle = 0
  for (let count = 0; count < 10_000; count++) {
    const { message } = await stream({ model, prompt: 'Hello' }).response
    if (message.content[0].text !== expected) wrong++
    if (count !== 5000) continue
    collect()
    middle = process.memoryUsage().heapUsed
  }
  collect()
  const grown = process.memoryUsage().heapUsed - middle
  report('S28 10,000 runs one after another, all exact: the last 5,000 leave', grown / MiB, 5, 'MiB', wrong === 0)
}

function report(name, figure, bar, unit, isRight) {
  const isMet = isRight && figure <= bar
  console.log(`${isMet ? 'ok    ' : 'FAILED'} ${name} ${Math.max(0, figure).toFixed(1)} ${unit} (at most ${bar})`)
  if (!isMet) process.exitCode = 1
}
