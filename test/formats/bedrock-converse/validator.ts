/**
 * Finds why Bedrock Converse would answer with a 400. Written only from wire/bedrock-converse.md §2 to §2.5 and §8, and from the pages that are
 * named beside a rule.
 */
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
  'messages system inferenceConfig toolConfig additionalModelRequestFields additionalModelResponseFieldPaths outputConfig ' +
    'guardrailConfig performanceConfig serviceTier requestMetadata promptVariables',
)
const blockKeys = words(
  'text image document video audio toolUse toolResult reasoningContent searchResult citationsContent guardContent cachePoint',
)
const ofUsers = words('text image document video audio toolResult searchResult guardContent cachePoint')

/** §2.2, §2.5 and §8: what the models of a family refuse. */
interface RefusedBy {
  /** Results stand alone in their turn. */
  readonly besideResults?: true
  /** Media in results, by the key of their block. */
  readonly inResults?: readonly string[]
  readonly choices?: readonly string[]
  readonly cachePoints?: true
  readonly pointsAfterTools?: true
  readonly hours?: true
  readonly schemas?: true
  readonly status?: true
  readonly ids?: RegExp
  /** Temperatures other than 1 and `topP` while the model thinks, and a prefill. */
  readonly thinking?: true
  /** Forced calls while the model thinks: Claude 4.8 and 5 take them (langchain-ai/langchain-aws#1141). */
  readonly forcedThoughts?: true
  /** An assistant's turn at the end: "not on newer Claude" (§2.2), which is from 4.6 on (platform.claude.com, migration guide). */
  readonly prefill?: true
  /** `temperature` and `topP` in one request. */
  readonly bothSamplings?: true
}
const claude: RefusedBy = { inResults: ['video', 'audio'], thinking: true, forcedThoughts: true }
const newClaude: RefusedBy = { ...claude, bothSamplings: true }
const refusedBy: readonly (readonly [RegExp, RefusedBy])[] = [
  [/claude-(?:3|opus-4-1|opus-4-2025|sonnet-4-2025)/, { ...claude, hours: true, schemas: true }],
  [/claude-(?:haiku|sonnet|opus)-4-5/, newClaude],
  [/claude-(?:haiku|sonnet|opus)-4-6/, { ...newClaude, prefill: true }],
  [/claude-(?:haiku|sonnet|opus)-4-7/, { ...newClaude, prefill: true, schemas: true }],
  [/claude/, { inResults: ['video', 'audio'], thinking: true, bothSamplings: true, prefill: true, schemas: true }],
  [/nova-2/, { hours: true, schemas: true }],
  [/nova/, { hours: true, schemas: true, pointsAfterTools: true }],
  [
    /llama/,
    { besideResults: true, inResults: ['video', 'audio'], choices: ['any', 'tool'], cachePoints: true, schemas: true },
  ],
  [
    /mistral/,
    {
      besideResults: true,
      inResults: ['image', 'video', 'audio'],
      choices: ['tool'],
      cachePoints: true,
      ids: /^[a-zA-Z0-9]{9}$/,
    },
  ],
  [/writer/, { besideResults: true, status: true }],
  [/gpt-oss/, { choices: ['any', 'tool'], cachePoints: true }],
  [/qwen|glm|kimi/, { inResults: ['image', 'document', 'video', 'audio'], cachePoints: true }],
]

/** The validator for one model. Models of unknown families are judged by what all families have in common. */
export function validatorFor(model: string): Validator {
  const refused = refusedBy.find(([pattern]) => pattern.test(model))?.[1] ?? {}
  return validator((body, found) => {
    check(body, found)
    checkFamily(body, refused, found)
    if (/claude/.test(model)) checkClaude(body, found)
    // §6: "echo `citationsContent` only … to Claude".
    else found.check(!JSON.stringify(body.messages).includes('"citationsContent"'), 'messages', 'citations')
  })
}

export const validate: Validator = validator(check)

function checkFamily(body: Wire, refused: RefusedBy, found: Findings): void {
  const { tools, toolChoice } = object(body.toolConfig)
  for (const choice of refused.choices ?? []) found.check(!(choice in object(toolChoice)), 'toolChoice', choice)
  const points = [...list(tools), ...list(body.system), ...list(body.messages).flatMap((one) => list(one.content))]
    .filter((block) => 'cachePoint' in block)
    .map((block) => object(block.cachePoint))
  found.check(points.length <= 4, 'cachePoint', `${points.length} of them`)
  found.check(!refused.cachePoints || points.length === 0, 'cachePoint', 'extraneous key')
  found.check(!refused.hours || points.every(({ ttl }) => ttl !== '1h'), 'cachePoint.ttl', 'is 1h')
  found.check(
    !refused.pointsAfterTools || list(tools).every((tool) => !('cachePoint' in tool)),
    'tools',
    'a cache point',
  )
  found.check(!refused.schemas || body.outputConfig === undefined, 'outputConfig', 'is not supported')
  const { temperature, topP } = object(body.inferenceConfig)
  const { type } = object(object(body.additionalModelRequestFields).thinking)
  const isPrefilled = list(body.messages).at(-1)?.role === 'assistant'
  found.check(!refused.prefill || !isPrefilled, 'messages', 'does not support assistant message prefill')
  if (refused.thinking && (type === 'enabled' || type === 'adaptive')) {
    found.check(temperature === undefined || temperature === 1, 'temperature', 'with thinking')
    found.check(topP === undefined, 'topP', 'with thinking')
    found.check(!isPrefilled, 'messages', 'a prefill with thinking')
    const isFree = toolChoice === undefined || 'auto' in object(toolChoice)
    found.check(!refused.forcedThoughts || isFree, 'toolChoice', 'with thinking')
  }
  found.check(!refused.bothSamplings || temperature === undefined || topP === undefined, 'topP', 'with temperature')
  list(body.messages).forEach(({ content }, at) => {
    const path = `messages[${at}]`
    const blocks = list(content)
    const results = blocks.filter((block) => 'toolResult' in block).map((block) => object(block.toolResult))
    const isMixed = results.length > 0 && results.length < blocks.length
    found.check(!refused.besideResults || !isMixed, path, 'something beside results')
    for (const { status, content: parts, toolUseId } of results) {
      found.check(!refused.status || status === undefined, path, 'a status')
      if (refused.ids) found.match(toolUseId, refused.ids, `${path}.toolUseId`)
      for (const kind of refused.inResults ?? [])
        found.check(!list(parts).some((part) => kind in part), path, `a result with a ${kind}`)
    }
    blocks.forEach((block, index) => {
      if (refused.ids && 'toolUse' in block) found.match(object(block.toolUse).toolUseId, refused.ids, path)
      if (!('cachePoint' in block)) return
      const before = blocks[index - 1]
      found.check(before !== undefined, path, 'a cache point is first')
      for (const kind of ['document', 'video', 'cachePoint'])
        found.check(!(kind in object(before)), path, `a cache point directly behind a ${kind}`)
    })
  })
}

/** Claude itself refuses (anthropic.md §2.4): thoughts at the end, a round without its thoughts, media in an error. */
function checkClaude(body: Wire, found: Findings): void {
  const messages = list(body.messages)
  const { type } = object(object(body.additionalModelRequestFields).thinking)
  const [round, results] = messages.slice(-2)
  const goesOn = round?.role === 'assistant' && list(results?.content).some((block) => 'toolResult' in block)
  const first = list(round?.content)[0] ?? {}
  found.check(type !== 'enabled' || !goesOn || 'reasoningContent' in first, 'messages', 'Expected thinking')
  messages.forEach(({ role, content }, at) => {
    const blocks = list(content).filter((block) => !('cachePoint' in block))
    const isThought = 'reasoningContent' in (blocks.at(-1) ?? {})
    found.check(role !== 'assistant' || !isThought, `messages[${at}]`, 'The final block may not be thinking')
    for (const { status, content: parts } of blocks.map(({ toolResult }) => object(toolResult)))
      found.check(
        status !== 'error' || list(parts).every((part) => 'text' in part || 'json' in part),
        `messages[${at}]`,
        'all content must be type `text` if `is_error` is true',
      )
  })
}

function check(body: Wire, found: Findings): void {
  found.keys(body, bodyKeys, 'body')
  const tools = list(object(body.toolConfig).tools)
  if (body.toolConfig !== undefined) found.check(tools.length > 0, 'toolConfig.tools', 'is empty')
  tools.forEach((tool, at) => {
    if (tool.systemTool !== undefined || tool.cachePoint !== undefined) return // run by Bedrock, or no tool
    const { name, description, inputSchema } = object(tool.toolSpec)
    found.match(name, /^[\w-]{1,64}$/, `toolConfig.tools[${at}].name`)
    found.check(
      description === undefined || String(description).trim() !== '',
      `toolConfig.tools[${at}]`,
      'a blank description',
    )
    found.check(
      object(object(inputSchema).json).type === 'object',
      `toolConfig.tools[${at}]`,
      'the schema is of no object',
    )
  })
  for (const entry of list(body.system)) found.check(String(entry.text).trim() !== '', 'system', 'blank text')
  const messages = list(body.messages)
  checkMessages(messages, found)
  const hasCalls = messages.some(({ content }) =>
    list(content).some((block) => 'toolUse' in block || 'toolResult' in block),
  )
  found.check(!hasCalls || tools.length > 0, 'toolConfig', 'must be defined when using toolUse and toolResult')
}

function checkMessages(messages: readonly Wire[], found: Findings): void {
  found.check(messages[0]?.role === 'user', 'messages', 'A conversation must start with a user message')
  const names = new Set<unknown>()
  let due: unknown[] = []
  messages.forEach((message, at) => {
    const path = `messages[${at}]`
    found.keys(message, words('role content'), path)
    found.check(message.role !== messages[at - 1]?.role, path, 'must alternate between user and assistant roles')
    const blocks = Array.isArray(message.content) ? list(message.content) : []
    found.check(blocks.length > 0, path, 'has no content')
    for (const block of blocks) {
      const keys = Object.keys(block)
      found.check(keys.length === 1 && blockKeys.has(String(keys[0])), path, `a block of ${keys.join()}`)
      found.check(message.role === 'assistant' || ofUsers.has(String(keys[0])), path, `a user says ${keys.join()}`)
      checkBlock(block, path, names, found)
    }
    // Those of tools that Bedrock ran stand in the same message as their calls.
    const isAnswered = message.role === 'user'
    const results = blocks.flatMap((block) =>
      isAnswered && 'toolResult' in block ? [object(block.toolResult).toolUseId] : [],
    )
    found.check(
      String([...due].sort()) === String([...results].sort()),
      path,
      `results ${results} where ${due} are due`,
    )
    due = blocks.flatMap((block) => {
      const { toolUseId, type } = object(block.toolUse)
      return 'toolUse' in block && type !== 'server_tool_use' ? [toolUseId] : []
    })
    found.check(new Set(due).size === due.length, path, 'one id twice')
    // "Expected toolResult blocks … for the following Ids" (§2.2), in the same message for a call that Bedrock ran (§3).
    const hosted = blocks.flatMap(({ toolUse }) =>
      object(toolUse).type === 'server_tool_use' ? [object(toolUse).toolUseId] : [],
    )
    const itsOwn = isAnswered
      ? []
      : blocks.flatMap(({ toolResult }) => (toolResult ? [object(toolResult).toolUseId] : []))
    found.check(String(hosted) === String(itsOwn), path, `results ${itsOwn} of the calls ${hosted} that Bedrock ran`)
    const hasDocument = blocks.some((block) => 'document' in block)
    found.check(!hasDocument || blocks.some((block) => 'text' in block), path, 'a document without a text')
  })
  found.check(due.length === 0, 'messages', 'end with calls that have no results')
  const last = messages.at(-1)
  const text = String(list(last?.content).at(-1)?.text ?? '')
  found.check(last?.role !== 'assistant' || text.trimEnd() === text, 'messages', 'a prefill ends in white space')
}

function checkBlock(block: Wire, path: string, names: Set<unknown>, found: Findings): void {
  if ('text' in block) found.check(String(block.text).trim() !== '', path, 'The text field is blank')
  if ('toolUse' in block) {
    const { toolUseId, name, input } = object(block.toolUse)
    found.match(toolUseId, /^[\w.:-]{1,64}$/, `${path}.toolUseId`)
    found.match(name, /^[\w-]{1,64}$/, `${path}.name`)
    found.check(isObject(input), `${path}.input`, 'is no object')
  }
  if ('toolResult' in block) {
    const { content, status } = object(block.toolResult)
    found.check(Array.isArray(content), path, 'a result without a list of content')
    found.check(status !== 'error' || list(content).length > 0, path, 'cannot be empty when status value is error')
    for (const part of list(content)) checkBlock(part, path, names, found)
  }
  if ('document' in block) {
    const { name } = object(block.document)
    found.match(name, /^(?!.*\s\s)[A-Za-z0-9\s()[\]-]{1,200}$/, `${path}.document.name`)
    found.check(!names.has(name), path, `two documents are called "${name}"`)
    names.add(name)
  }
  for (const kind of ['image', 'video', 'audio', 'document']) {
    if (!(kind in block)) continue
    const { bytes, text, s3Location } = object(object(block[kind]).source)
    found.check(isBase64(bytes) || typeof text === 'string' || isObject(s3Location), path, `a ${kind} without a source`)
  }
  if ('citationsContent' in block) {
    const { content } = object(block.citationsContent)
    for (const { text } of list(content)) found.check(String(text).trim() !== '', path, 'The text field is blank')
  }
  if ('reasoningContent' in block) {
    const { reasoningText, redactedContent } = object(block.reasoningContent)
    const isSigned = typeof object(reasoningText).signature === 'string' || isBase64(redactedContent)
    found.check(isSigned, path, 'reasoning without a signature')
  }
}

const user = (...content: object[]) => ({ role: 'user', content })
const hello = user({ text: 'Hello' })
const call = (toolUseId = 'c1', input: unknown = {}) => ({ toolUse: { toolUseId, name: 'f', input } })
const turn = (...content: object[]) => ({ role: 'assistant', content })
const result = (toolUseId = 'c1', more: object = {}) => ({
  toolResult: { toolUseId, content: [{ text: 'x' }], ...more },
})
const toolConfig = { tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } }] }
const thought = { reasoningContent: { reasoningText: { text: 'x', signature: 'x' } } }
const hosted = { toolUse: { toolUseId: 'c1', name: 'nova_grounding', input: {}, type: 'server_tool_use' } }
const thinks = (type: string) => ({ thinking: { type } })
const good = { toolConfig, messages: [hello, turn(call()), user(result())] }

export const refusals: readonly Refusals[] = [
  {
    title: 'Bedrock',
    provider: 'bedrock',
    good,
    cases: withTurns('messages', [
      ['an unknown field', /unknown field "top_k"/, { top_k: 3 }],
      ['no tools for the calls of a history', /must be defined/, { toolConfig: undefined }],
      ['an assistant first', /start with a user/, [turn({ text: 'x' }), hello]],
      ['two turns of a role', /must alternate/, [hello, hello]],
      ['blank text', /is blank/, [user({ text: ' ' })]],
      ['a call without a result', /no results/, [hello, turn(call())]],
      ['a result of another call', /are due/, [hello, turn(call()), user(result('c2'))]],
      ['arguments as text', /no object/, [hello, turn(call('c1', '{}')), user(result())]],
      [
        'an error without content',
        /cannot be empty/,
        [hello, turn(call()), user(result('c1', { content: [], status: 'error' }))],
      ],
      ['a document without text', /without a text/, [user(documentOf('a'))]],
      ['a name of a document with a dot', /document.name/, [user({ text: 'x' }, documentOf('a.pdf'))]],
      [
        'a thought without a signature',
        /signature/,
        [hello, turn({ reasoningContent: { reasoningText: { text: 'x' } } })],
      ],
      ['a prefill that ends in white space', /white space/, [hello, turn({ text: 'x ' })]],
      ['a call of Bedrock without its result', /Bedrock ran/, [hello, turn(hosted, { text: 'x' }), hello]],
      [
        'cited blank text',
        /is blank/,
        [hello, turn({ citationsContent: { content: [{ text: ' ' }], citations: [] } }), hello],
      ],
    ]),
  },
  {
    title: 'Bedrock, with Claude 4.7',
    provider: 'bedrock',
    model: 'global.anthropic.claude-opus-4-7',
    good,
    cases: withTurns('messages', [
      ['an answer at the end', /does not support assistant message prefill/, [hello, turn({ text: 'x' })]],
      ['a thought at the end', /final block/, [hello, turn({ text: 'x' }, thought), hello]],
      ['a round without its thoughts', /Expected thinking/, { additionalModelRequestFields: thinks('enabled') }],
      [
        'a forced call while it thinks',
        /toolChoice/,
        {
          toolConfig: { ...toolConfig, toolChoice: { any: {} } },
          additionalModelRequestFields: thinks('adaptive'),
        },
      ],
      [
        'an image in an error',
        /must be type `text`/,
        [
          hello,
          turn(call()),
          user(result('c1', { status: 'error', content: [{ image: { source: { bytes: 'AAAA' } } }] })),
        ],
      ],
    ]),
  },
  {
    title: 'Bedrock, with Nova',
    provider: 'bedrock',
    model: 'amazon.nova-lite-v1:0',
    good,
    cases: withTurns('messages', [
      [
        'citations',
        /citations/,
        [hello, turn({ citationsContent: { content: [{ text: 'x' }], citations: [] } }), hello],
      ],
    ]),
  },
]

function documentOf(name: string) {
  return { document: { format: 'pdf', name, source: { bytes: 'AAAA' } } }
}
