/** One conversation through the Worker, with the SDK. It uses a session token in place of a key. */
import { stream, t, tool } from '../dist/index.js'
import { model as modelNamed } from '../dist/models.js'

/** The formats of the Worker, and the start of their paths. */
const wires = {
  'openai-chat': '/v1',
  openai: '/v1',
  'openai-responses': '/v1',
  anthropic: '/v1',
  gemini: '/v1beta',
  ollama: '',
}

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string() }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

/** Sends `text` to `model`, such as `anthropic:demo-model`, through the Worker at `url`. Prints text, calls and results as they arrive. */
export async function say({ url, text, model }) {
  const run = stream({ model: await modelOf(model, url), prompt: text, tools: [weather] })
  const page = typewriter()
  page.line(`> ${text}`)
  try {
    for await (const event of run) show(page, event)
  } finally {
    page.line('')
  }
  const { message } = await run.response
  if (!message.content?.length) throw new Error('Cannot finish the conversation: the model said nothing')
}

function show(page, event) {
  switch (event.type) {
    case 'reasoning_delta':
      page.type('reasoning', event.text)
      break
    case 'text_delta':
      page.type('text', event.text)
      break
    case 'tool_call':
      page.line(`[call ${event.call.name} ${JSON.stringify(event.call.arguments)}]`)
      break
    case 'invalid_tool_call':
      page.line(`[call that cannot run: ${event.call.error}]`)
      break
    case 'tool_result':
      page.line(
        `[${event.result.status === 'error' ? 'failed' : 'result'} ${event.result.name}: ${event.result.content}]`,
      )
      break
  }
}

/** Writes deltas as they arrive, with a new line when their kind changes. */
function typewriter() {
  let current
  const begin = (kind) => {
    if (current && current !== kind) process.stdout.write('\n')
    current = kind
  }
  return {
    type(kind, words) {
      begin(kind)
      process.stdout.write(printable(words))
    },
    line(words) {
      begin(undefined)
      if (words) console.log(printable(words))
    },
  }
}

/** Without what controls a terminal or the direction of writing. */
function printable(words) {
  return words.replace(/[^\P{Cc}\t\n]|\p{Bidi_C}/gu, '')
}

async function modelOf(name, url) {
  const [wire, model] = name.split(/:(.*)/)
  if (!Object.hasOwn(wires, wire) || !model)
    throw new Error(`Cannot ask "${name}": a model is named by a wire and itself, such as anthropic:demo-model`)
  return modelNamed(name, { apiKey: await openSession(url), baseUrl: url + wires[wire] })
}

async function openSession(url) {
  const headers = { origin: url, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/session`, { method: 'POST', headers, body: '{}' })
  const body = await answer.json()
  if (!answer.ok) throw new Error(`Cannot open a session: ${answer.status} ${body.error?.message}`)
  return body.token
}
