/**
 * The answers of the embedded provider: scripted conversations, the same for all formats.
 *
 * A word in the user's last message selects one, so that you can try them in a chat.
 *
 * @see https://aimock.copilotkit.dev/fixtures
 * @module
 */

/** Milliseconds between two chunks, and characters in one: slow enough to see the stream. */
const pace = { latency: 15, chunkSize: 9 }

const cities = ['Amsterdam', 'Berlin', 'Cairo', 'Lima', 'London', 'New York', 'Oslo', 'Paris', 'Sydney', 'Tokyo']

/** The facts in the text of `examples/tools/extract.mjs`. */
const person = { name: 'Ada Lovelace', born: 1815, works: ['Notes', 'Sketch of the Analytical Engine'] }

/** The page that an answer cites, and the words that cite it. */
export const page = {
  url: 'https://developer.mozilla.org/docs/Web/API/Streams_API',
  title: 'Streams API',
  said: 'A `ReadableStream` is read piece by piece',
}

/** An answer with code and a source. `by-hand.mjs` streams it with the citation, since aimock cannot. */
export const sourced = `${page.said}, and so is an answer:

\`\`\`js
const run = stream({ model, prompt: 'Hello' })
for await (const text of run.text()) show(text)
\`\`\`

- \`text()\` has the words as they arrive.
- The events of \`run\` have *all* of it: reasoning, calls and sources.
`

/**
 * The scripts; the first match counts. `response` may be a function of the request, which aimock passes in the form of Chat Completions.
 */
export const conversations = [
  { match: { userMessage: /weather/i, hasToolResult: true }, response: reportResults, ...pace },
  { match: { userMessage: /weather/i }, response: askForWeather, ...pace },
  { match: { userMessage: /\bdark\b/i, hasToolResult: true }, response: reportResults, ...pace },
  { match: { userMessage: /\bdark\b/i }, response: askForDark, ...pace },
  { match: { userMessage: /\b(think|reason|why)\b/i }, response: thinkFirst, ...pace },
  { match: { userMessage: /\bextract\b/i }, response: say(JSON.stringify(person)), ...pace },
  { match: { userMessage: /\bwith its source\b/i }, response: say(sourced), ...pace },
  { match: { userMessage: /\bslow/i }, response: say(countTo(30)), latency: 250, chunkSize: 6 },
  { match: { userMessage: /\b(hang up|cut)\b/i }, response: say(countTo(30)), ...pace, truncateAfterChunks: 8 },
  {
    match: { userMessage: /\bbusy\b/i },
    response: {
      error: { message: 'Rate limit reached', type: 'rate_limit_error', code: 'rate_limit_exceeded' },
      status: 429,
      retryAfter: 7,
    },
  },
  { match: {}, response: introduce, ...pace },
]

function introduce(request) {
  return withUsage(request, {
    content:
      'Hello from the embedded provider. Nothing you type leaves this machine. ' +
      'Ask for the weather in Tokyo to see a tool run, or in Tokyo and Paris to see two run at once. ' +
      'Say "think" for reasoning, "slow" for a slow answer, "fail" or "hang up" for one that breaks.',
  })
}

function say(content) {
  return (request) => withUsage(request, { content })
}

function thinkFirst(request) {
  return withUsage(request, {
    reasoning: 'The word is s-t-r-a-w-b-e-r-r-y. One r after the t, two more before the y: three.',
    content: 'There are three: st**r**awbe**rr**y.',
  })
}

/** One call for each city in the text. Several calls are parallel. */
function askForWeather(request) {
  const tool = weatherTool(request.tools ?? [])
  if (!tool) return withUsage(request, { content: 'I would look out of the window, but I was given no weather tool.' })
  const text = lastUserText(request.messages)
  const named = cities.filter((city) => text.includes(city)).sort((a, b) => text.indexOf(a) - text.indexOf(b))
  const [field = 'city'] = Object.keys(tool.parameters?.properties ?? {})
  return withUsage(request, {
    toolCalls: (named.length ? named : ['Tokyo']).map((city) => ({
      name: tool.name,
      arguments: JSON.stringify({ [field]: city }),
    })),
  })
}

/** A call of the tool that turns a page dark. */
function askForDark(request) {
  const tool = (request.tools ?? []).find(({ function: { name } }) => name === 'set_theme')
  if (!tool) return introduce(request)
  return withUsage(request, { toolCalls: [{ name: 'set_theme', arguments: '{"dark":true}' }] })
}

function reportResults(request) {
  const start = request.messages.findLastIndex((message) => message.role === 'user')
  const results = request.messages
    .slice(start + 1)
    .filter((message) => message.role === 'tool')
    .map((message) => outputOf(textOf(message.content)))
  return withUsage(request, { content: `Here is what I found. ${tableOf(results) ?? `${results.join('. ')}.`}` })
}

/** Several results of the playground's tool, such as `Tokyo: 24 °C, windy`, as a table of Markdown. */
function tableOf(results) {
  const rows = results.map((result) => /^(.+): (-?\d+ °C), (.+)$/.exec(result)?.slice(1))
  if (rows.length < 2 || rows.includes(undefined)) return undefined
  const lines = [['City', 'Temperature', 'Sky'], ['---', '---', '---'], ...rows].map(
    (cells) => `| ${cells.join(' | ')} |`,
  )
  return `All at once:\n\n${lines.join('\n')}\n\n**${rows[0][0]}** was asked first.\n`
}

/** In one format, a result is an object that contains the text. */
function outputOf(text) {
  return /^\{"output":"(.*)"\}$/.exec(text)?.[1] ?? text
}

function weatherTool(tools) {
  const functions = tools.map((tool) => tool.function)
  return functions.find(({ name }) => /weather/i.test(name)) ?? functions[0]
}

function countTo(last) {
  return Array.from({ length: last }, (_, i) => `${i + 1}`).join(', ')
}

/** The text of the last message of the user. `messages` may have any format; parts that are not text are ignored. */
export function lastUserText(messages) {
  return textOf(messages.findLast((message) => message.role === 'user' && textOf(message.content))?.content)
}

function textOf(content) {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : ''
}

/** A token count that both formats can report: about four characters are one token. */
function withUsage(request, response) {
  const input = Math.ceil(JSON.stringify(request.messages).length / 4)
  const output = Math.ceil(JSON.stringify(response).length / 4)
  return {
    ...response,
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      input_tokens: input,
      output_tokens: output,
    },
  }
}
