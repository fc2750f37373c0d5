/**
 * `node bench/limits.mjs`: how long the hardest inputs take that tests try only for their outcome, and the time of four times as much: in
 * work that grows with the input, four times as long. Prints JSON.
 */
import { median, workedMs } from './lib/measure.mjs'
import { buildModule } from './lib/subject.mjs'

const address = await buildModule(
  'limits.mjs',
  `export { decodeSse } from './src/framing/text.ts'
export { fold } from './src/assemble/assemble.ts'
export { splitMessage } from './src/messages/split-message.ts'
export { invokeTool } from './src/tools/run.ts'
export { tool } from './src/tools/tool.ts'
export { parseArguments } from './src/core/content.ts'
export { streamObject } from './src/client/structured.ts'
export { decodeResponse, openaiChat } from './src/formats/openai-chat/index.ts'
export { createClientCodec, decodeRequest } from './src/formats/anthropic/index.ts'`,
)
const isoglot = await import(address)
const encoder = new TextEncoder()
const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties) })

/** By name: the size tried, and what is made of a size: a function to be timed. */
const cases = {
  'an event of 8 MiB in chunks of one byte': [8 * 2 ** 20, readByteByByte],
  '10,000 calls told apart by position': [10_000, (count) => putTogether(count, byPosition)],
  '10,000 calls told apart by order': [10_000, (count) => putTogether(count, byOrder)],
  'preparing 20,000 calls and results, half of them strays': [20_000, prepareStrays],
  'splitting a text of 2 MB': [400_000, splitText],
  'a structured answer of 40,000 pieces, a view each': [40_000, readStructured],
  'a call with 100,000 wrong arguments': [100_000, refuseArguments],
  'arguments of 100,000 brackets': [100_000, (count) => () => isoglot.parseArguments(`{"a":${'['.repeat(count)}`)],
  'arguments with a number of a million digits': [1e6, (count) => () => isoglot.parseArguments(digits(count))],
  'a request whose body is 100,000 levels deep': [100_000, refuseRequest],
  'an answer whose body is 100,000 levels deep': [100_000, refuseAnswer],
}

const rows = []
for (const [name, [size, make]] of Object.entries(cases)) {
  const few = await time(make(Math.round(size / 4)))
  const ms = await time(make(size))
  rows.push({ name, ms, growth: few < 2 ? undefined : ms / few })
}
console.log(JSON.stringify(rows))

/** The median of three times, after one that warms up. */
async function time(action) {
  await action()
  const times = []
  for (let round = 0; round < 3; round++) {
    const started = workedMs()
    await action()
    times.push(workedMs() - started)
  }
  return median(times)
}

// ---- cases ------------------------------------------------------------------------------------

function readByteByByte(size) {
  const bytes = encoder.encode(`data: ${'x'.repeat(size - 8)}\n\n`)
  return () => {
    const framing = isoglot.decodeSse()
    const frames = []
    for (let at = 0; at < bytes.length; at++) framing.push(bytes.subarray(at, at + 1), frames)
    expect(frames.length === 1)
  }
}

function byPosition(position) {
  return [
    { type: 'call', position, id: `c${position}`, name: 'f' },
    { type: 'call', position, arguments: '{}' },
  ]
}

function byOrder(at) {
  return [
    { type: 'call', name: `f${at}` },
    { type: 'call', arguments: '{"a":' },
    { type: 'call', arguments: '1}' },
  ]
}

function putTogether(count, make) {
  const fragments = Array.from({ length: count }, (_, at) => make(at)).flat()
  return () => {
    const { message } = isoglot.fold([...fragments, { type: 'end', stopReason: 'tool_calls' }], { maxBlocks: count })
    expect(message.content.length === count)
  }
}

function prepareStrays(count) {
  const messages = Array.from({ length: count }, (_, at) => [
    {
      role: 'assistant',
      content: [
        { type: 'tool_call', id: 'x', name: 'f', arguments: {}, argumentsText: '{}', index: 0, complete: true },
      ],
    },
    { role: 'tool', toolCallId: at % 2 === 0 ? 'x' : `stray_${at}`, name: 'f', content: 'sunny' },
  ]).flat()
  const codec = isoglot.createClientCodec()
  return () => expect(codec.encodeRequest({ messages }, { model: 'm' }).body.messages.length > count)
}

function splitText(words) {
  const long = { role: 'user', content: 'word '.repeat(words) }
  return () => expect(isoglot.splitMessage(long, { maxTokens: 100 }).length === words / 100)
}

function readStructured(count) {
  const text = `{"list":[${'"0123456789",'.repeat(count)}"end"]}`
  const chunk = (delta, finish_reason = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const pieces = text.match(/.{1,13}/g).map((content) => chunk({ content }))
  const chunks = [...pieces, chunk({}, 'stop'), 'data: [DONE]\n\n'].map((piece) => encoder.encode(piece))
  const fetch = async () => new Response(streamOf(chunks), { headers: { 'content-type': 'text/event-stream' } })
  const model = isoglot.openaiChat('m', { baseUrl: 'http://provider.test', fetch })
  const schema = object({ list: { type: 'array', items: { type: 'string' } } })
  return async () => {
    let views = 0
    for await (const _ of isoglot.streamObject({ model, prompt: 'x', schema })) views++
    expect(views > count / 2)
  }
}

function streamOf(chunks) {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at < chunks.length) controller.enqueue(chunks[at++])
      else controller.close()
    },
  })
}

function refuseArguments(count) {
  const argumentsText = `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`
  const call = {
    type: 'tool_call',
    id: 'a',
    name: 'add',
    arguments: JSON.parse(argumentsText),
    argumentsText,
    index: 0,
    complete: true,
  }
  const add = isoglot.tool({
    name: 'add',
    parameters: { ...object({ a: { type: 'number' } }), additionalProperties: false },
    execute: () => 1,
  })
  return async () => expect((await isoglot.invokeTool(call, new Map([['add', add]]))).error !== undefined)
}

function digits(count) {
  return `{"n":${'9'.repeat(count)}}`
}

function nested(count) {
  let value = 1
  for (let level = 0; level < count; level++) value = [value]
  return value
}

function refuseRequest(count) {
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: nested(count) }] }
  return () => expect(throws(() => isoglot.decodeRequest(body)))
}

function refuseAnswer(count) {
  const body = {
    choices: [{ message: { role: 'assistant', content: 'x', extra: nested(count) }, finish_reason: 'stop' }],
  }
  return () => expect(throws(() => isoglot.decodeResponse(body)))
}

function throws(action) {
  try {
    action()
    return false
  } catch (error) {
    return error.code === 'decode'
  }
}

function expect(isTrue) {
  if (!isTrue) throw new Error('a case has another outcome than it should')
}
