/** Finds why Cohere would answer with a 400. Written only from wire/cohere.md §2 to §2.3, §6 and §7. */
import {
  type Findings,
  isObject,
  list,
  object,
  parsesToObject,
  type Refusals,
  type Validator,
  validator,
  type Wire,
  withTurns,
  words,
} from '../validator.ts'

const bodyKeys = words(
  'model messages stream tools tool_choice strict_tools documents citation_options response_format thinking safety_mode max_tokens ' +
    'stop_sequences temperature p k seed frequency_penalty presence_penalty logprobs priority',
)
const messageKeys: Readonly<Record<string, ReadonlySet<string>>> = {
  system: words('role content'),
  user: words('role content'),
  assistant: words('role content tool_plan tool_calls citations'),
  tool: words('role tool_call_id content'),
}
const partTypes: Readonly<Record<string, ReadonlySet<string>>> = {
  system: words('text'),
  user: words('text image_url'),
  assistant: words('text thinking'),
  tool: words('text document'),
}

/** §2. */
const ranges: Readonly<Record<string, readonly [number, number]>> = {
  temperature: [0, 1],
  p: [0.01, 0.99],
  k: [0, 500],
  frequency_penalty: [0, 1],
  presence_penalty: [0, 1],
}
/** §7. */
const old = words('command command-r command-r-plus command-r-08-2024 command-r-plus-08-2024')
const thinking = words('command-a-reasoning-08-2025 command-a-plus-05-2026')
/** §2.1: "Images: only vision models". */
const vision = words('command-a-vision-07-2025 command-a-plus-05-2026')

export const validate: Validator = validator((body, found) => {
  found.keys(body, bodyKeys, 'body')
  found.text(body.model, 'model')
  found.check(body.stream === undefined || typeof body.stream === 'boolean', 'stream', 'is no boolean')
  list(body.tools).forEach((tool, at) => {
    const { name, parameters } = object(tool.function)
    found.check(tool.type === 'function', `tools[${at}]`, `type "${tool.type}"`)
    found.match(name, /^[A-Za-z]\w{0,63}$/, `tools[${at}].function.name`)
    found.check(isObject(parameters), `tools[${at}].function.parameters`, 'is required by the type')
  })
  list(body.documents).forEach((document, at) => {
    found.check(isObject(document.data), `documents[${at}]`, 'has no data')
  })
  // "response_format is not supported with RAG"; "excludes tools and documents".
  const excluded = list(body.tools).length + list(body.documents).length > 0
  found.check(body.response_format === undefined || !excluded, 'response_format', 'stands beside tools or documents')
  found.check(body.tool_choice === undefined || list(body.tools).length > 0, 'tool_choice', 'needs tools')
  checkOptions(body, found)
  checkFormat(object(body.response_format), body, found)
  checkMessages(list(body.messages), found)
  const isSeen = vision.has(String(body.model))
  const hasImage = list(body.messages).some(({ content }) => list(content).some(({ type }) => type === 'image_url'))
  found.check(isSeen || !hasImage, 'messages', 'an image to a model without vision')
})

function checkOptions(body: Wire, found: Findings): void {
  const model = String(body.model)
  for (const [name, [least, most]] of Object.entries(ranges)) {
    const value = body[name]
    if (value === undefined) continue
    found.check(typeof value === 'number' && value >= least && value <= most, name, `${value} is out of range`)
  }
  found.check(list(body.stop_sequences).length <= 5, 'stop_sequences', 'more than five')
  // §2: "Both penalties at once are refused by some models".
  found.check(!(body.frequency_penalty && body.presence_penalty), 'presence_penalty', 'both penalties at once')
  // §2.2: "`command-r7b-12-2024` and newer"; §7: old ones have "no `tool_choice`".
  found.check(body.tool_choice === undefined || !old.has(model), 'tool_choice', `${model} has none`)
  if (body.thinking === undefined) return
  // §2.3: "Other models: do not send it"; `token_budget` is "≥1", "below `max_tokens`".
  found.check(thinking.has(model), 'thinking', `${model} does not think`)
  const { token_budget: budget } = object(body.thinking)
  if (budget === undefined) return
  found.check(Number(budget) >= 1, 'thinking.token_budget', 'is less than 1')
  if (typeof body.max_tokens === 'number')
    found.check(Number(budget) < body.max_tokens, 'thinking.token_budget', 'is not below max_tokens')
}

/** §2.3: "top level object with at least one required field", "no recursion"; "Without a schema the prompt must ask for JSON". */
function checkFormat({ type, json_schema: schema }: Wire, { messages }: Wire, found: Findings): void {
  if (type !== 'json_object') return
  if (schema === undefined) found.check(/json/i.test(JSON.stringify(messages)), 'messages', 'no word asks for JSON')
  else {
    const { type: top, required } = object(schema)
    found.check(top === 'object', 'response_format.json_schema', 'is not an object at the top')
    found.check(Array.isArray(required) && required.length > 0, 'response_format.json_schema', 'has no required field')
    found.check(!JSON.stringify(schema).includes('"$ref":"#"'), 'response_format.json_schema', 'is recursive')
  }
}

function checkMessages(messages: readonly Wire[], found: Findings): void {
  const first = messages.find(({ role }) => role !== 'system')
  found.check(first?.role !== 'tool', 'messages', 'begin with a result')
  let due: unknown[] = []
  let isHead = true
  messages.forEach((message, at) => {
    const path = `messages[${at}]`
    const role = String(message.role)
    const keys = messageKeys[role]
    if (!found.check(keys !== undefined, path, `role "${role}"`) || keys === undefined) return
    found.keys(message, keys, path)
    isHead = isHead && role === 'system'
    found.check(role !== 'system' || isHead, path, 'system turn must be the first in the list')
    checkContent(message, path, found)
    if (role === 'tool') {
      found.check(due.includes(message.tool_call_id), path, `answers ${message.tool_call_id}, due are ${due.join()}`)
      due = due.filter((id) => id !== message.tool_call_id)
      return
    }
    found.check(due.length === 0, path, `${due.length} calls without results`)
    const calls = list(message.tool_calls)
    due = calls.map(({ id }) => id)
    found.check(new Set(due).size === due.length, path, 'has one id twice')
    for (const call of calls) {
      found.match(call.id, /^[\w-]{1,64}$/, `${path}.tool_calls`)
      found.match(object(call.function).name, /^[A-Za-z]\w{0,63}$/, `${path}.tool_calls`)
      found.check(
        parsesToObject(object(call.function).arguments),
        `${path}.tool_calls`,
        'arguments are not those of an object',
      )
    }
  })
  found.check(due.length === 0, 'messages', 'end with calls that have no results')
  // §2.1: "A request needs a last turn that can be answered (user or tool)".
  found.check(/^(?:user|tool)$/.test(String(messages.at(-1)?.role)), 'messages', 'the last cannot be answered')
}

function checkContent(message: Wire, path: string, found: Findings): void {
  const { content } = message
  const role = String(message.role)
  const isSaid = typeof content === 'string' ? content.trim() !== '' : list(content).length > 0
  const mayBeSilent = role === 'tool' || (role === 'assistant' && list(message.tool_calls).length > 0)
  found.check(isSaid || mayBeSilent, path, 'message must not be empty in a turn')
  if (typeof content === 'string') return
  for (const part of list(content)) {
    found.check(partTypes[role]?.has(String(part.type)) === true, path, `a part of type "${part.type}"`)
    if (part.type === 'text') found.text(part.text, `${path}.content`)
    if (part.type === 'text' && role === 'user') found.check(String(part.text).trim() !== '', path, 'blank text')
    if (part.type === 'image_url')
      found.match(object(part.image_url).url, /^(?:https?:|data:image\/)/, `${path}.content`)
    if (part.type === 'document') found.check(isObject(object(part.document).data), path, 'a document without data')
  }
}

const user = { role: 'user', content: 'Hello' }
const call = (args: unknown) => ({ id: 'c1', type: 'function', function: { name: 'f', arguments: args } })
const turn = (args: unknown = '{}') => ({ role: 'assistant', tool_calls: [call(args)] })
const result = { role: 'tool', tool_call_id: 'c1', content: 'x' }
const good = { model: 'm', stream: false, messages: [user, turn(), result] }
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }

export const refusals: readonly Refusals[] = [
  {
    title: 'Cohere',
    provider: 'cohere',
    good,
    cases: withTurns('messages', [
      ['a field of another wire', /top_p/, { top_p: 1 }],
      ['both penalties', /both penalties/, { frequency_penalty: 0.1, presence_penalty: 0.1 }],
      ['a temperature above 1', /out of range/, { temperature: 1.1 }],
      ['a tool choice of an old model', /has none/, { model: 'command-r-plus', tools: [tool], tool_choice: 'NONE' }],
      ['thinking of another model', /does not think/, { thinking: { type: 'enabled' } }],
      [
        'a schema without a required field',
        /no required/,
        { response_format: { type: 'json_object', json_schema: { type: 'object' } } },
      ],
      ['JSON that nothing asks for', /asks for JSON/, { response_format: { type: 'json_object' } }],
      ['an assistant at the end', /cannot be answered/, [user, { role: 'assistant', content: 'x' }]],
      ['a developer', /role "developer"/, [{ role: 'developer', content: 'x' }]],
      ['a late system message', /first in the list/, [user, { role: 'system', content: 'x' }]],
      ['arguments as an object', /object/, [user, turn({}), result]],
      ['a result of another call', /due are/, [user, turn(), { ...result, tool_call_id: 'c2' }]],
      ['a call without a result', /no results/, [user, turn()]],
      ['an empty turn', /must not be empty/, [user, { role: 'assistant', content: '' }]],
      [
        'an image of an assistant',
        /type "image_url"/,
        [user, { role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'https://a.example' } }] }],
      ],
      ['a schema beside tools', /beside tools/, { tools: [tool], response_format: { type: 'json_object' } }],
      ['a choice of nothing', /needs tools/, { tool_choice: 'REQUIRED' }],
      ['a tool without a schema', /required by the type/, { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ]),
  },
]
