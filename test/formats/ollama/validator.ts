/** Finds why Ollama's `/api/chat` would answer with a 400, or drop data. Written only from wire/ollama.md §2. */
import {
  type Findings,
  isBase64,
  isObject,
  list,
  object,
  type Refusals,
  type Validator,
  validator,
  type Wire,
  withTurns,
  words,
} from '../validator.ts'

const bodyKeys = words(
  'model stream messages tools format think keep_alive options truncate shift logprobs top_logprobs',
)
const messageKeys: Readonly<Record<string, ReadonlySet<string>>> = {
  system: words('role content'),
  user: words('role content images'),
  assistant: words('role content thinking tool_calls images'),
  tool: words('role content tool_name tool_call_id images'),
}

export const validate: Validator = validator((body, found) => {
  found.keys(body, bodyKeys, 'body')
  found.text(body.model, 'model')
  // "default true when absent: a non-streaming request must say `false`".
  found.check(typeof body.stream === 'boolean', 'stream', 'is not said')
  list(body.tools).forEach((tool, at) => {
    const { name, parameters } = object(tool.function)
    found.check(tool.type === 'function', `tools[${at}]`, `type "${tool.type}"`)
    found.match(name, /^.+$/, `tools[${at}].function.name`)
    if (parameters !== undefined)
      found.check(isObject(parameters), `tools[${at}].function.parameters`, 'is not a schema')
  })
  checkMessages(list(body.messages), found)
})

function checkMessages(messages: readonly Wire[], found: Findings): void {
  found.check(messages.length > 0, 'messages', 'an empty list only loads the model')
  let due: Wire[] = []
  messages.forEach((message, at) => {
    const path = `messages[${at}]`
    const keys = messageKeys[String(message.role)]
    if (!found.check(keys !== undefined, path, `role "${message.role}"`) || keys === undefined) return
    found.keys(message, keys, path)
    found.text(message.content, `${path}.content`)
    if (message.images !== undefined) {
      const images = Array.isArray(message.images) ? message.images : [undefined]
      for (const image of images) found.check(isBase64(image), `${path}.images`, 'is not raw base64')
    }
    if (message.role === 'tool') {
      const call = due.shift()
      // "Calls and results match by order and `tool_name`".
      const name = object(call?.function).name
      found.check(
        call !== undefined && message.tool_name === name,
        path,
        `a result of ${message.tool_name}, ${name} is due`,
      )
      if (message.tool_call_id !== undefined) found.check(message.tool_call_id === call?.id, path, 'the id of no call')
      return
    }
    found.check(due.length === 0, path, `${due.length} calls without results`)
    due = [...list(message.tool_calls)]
    for (const call of due) {
      found.match(object(call.function).name, /^.+$/, `${path}.tool_calls`)
      found.check(isObject(object(call.function).arguments), `${path}.tool_calls`, 'arguments are not an object')
    }
    if (message.role === 'assistant') {
      const isSaid =
        message.content !== '' || due.length > 0 || message.thinking !== undefined || message.images !== undefined
      found.check(isSaid, path, 'an assistant message with nothing in it')
    }
  })
  found.check(due.length === 0, 'messages', 'ends with calls that have no results')
}

const user = { role: 'user', content: 'Hello' }
const call = (args: unknown) => ({ function: { name: 'f', arguments: args } })
const turn = (args: unknown = {}) => ({ role: 'assistant', content: '', tool_calls: [call(args)] })
const result = { role: 'tool', tool_name: 'f', content: 'x' }
const good = { model: 'm', stream: false, messages: [user, turn(), result] }

export const refusals: readonly Refusals[] = [
  {
    title: 'Ollama',
    provider: 'ollama',
    good,
    cases: withTurns('messages', [
      ['silence about streaming', /stream/, { stream: undefined }],
      ['parts', /not text/, [{ role: 'user', content: [] }]],
      ['a developer', /role "developer"/, [{ role: 'developer', content: 'x' }]],
      ['arguments as text', /not an object/, [user, turn('{}'), result]],
      ['a result of another tool', /is due/, [user, turn(), { ...result, tool_name: 'g' }]],
      ['a call without a result', /no results/, [user, turn()]],
      ['an image with its type', /raw base64/, [{ ...user, images: ['data:image/png;base64,aGk='] }]],
      ['an empty turn', /nothing in it/, [user, { role: 'assistant', content: '' }]],
    ]),
  },
]
