/**
 * Finds why Anthropic Messages would answer with a 400. Written only from wire/anthropic.md (§1.1, §2, §2.1, §2.2, §2.4, §6), and from the
 * pages that are named beside a rule.
 */
import {
  type Findings,
  isBase64,
  isObject,
  isWebAddress,
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
  'model max_tokens system messages stream tools tool_choice stop_sequences thinking output_config output_format metadata service_tier ' +
    'speed inference_geo cache_control container context_management mcp_servers temperature top_p top_k fallbacks',
)
/** §3: "Server tools … echo verbatim". */
const serverBlocks =
  /^(?:server_tool_use|mcp_tool_use|mcp_tool_result|\w+_tool_result|container_upload|fallback|compaction)$/
const results = words('text image document search_result tool_reference')

/**
 * "Extra inputs are not permitted" (§1.1): the fields of the `…BlockParam` and `…CitationParam` types of `@anthropic-ai/sdk` 1.11.0. Answers
 * have more, such as `file_id` of a citation.
 */
const fields: Readonly<Record<string, ReadonlySet<string>>> = {
  text: words('type text cache_control citations'),
  image: words('type source cache_control'),
  document: words('type source title context citations cache_control'),
  search_result: words('type source title content citations cache_control'),
  tool_use: words('type id name input caller cache_control toolset_name'),
  tool_result: words('type tool_use_id content is_error cache_control'),
  thinking: words('type thinking signature'),
  redacted_thinking: words('type data'),
  char_location: words('type cited_text document_index document_title start_char_index end_char_index'),
  page_location: words('type cited_text document_index document_title start_page_number end_page_number'),
  content_block_location: words('type cited_text document_index document_title start_block_index end_block_index'),
  search_result_location: words('type cited_text search_result_index source start_block_index end_block_index title'),
  web_search_result_location: words('type cited_text encrypted_index title url'),
}

/**
 * A model's version, which its rules depend on: 406 is 4.6. "Prefilling assistant messages returns a 400 error on Claude 4.6 models", and on later ones
 * (platform.claude.com, migration guide). Up to 4.7, "thinking may not be enabled when tool_choice forces tool use", adaptive thinking too
 * (langchain-ai/langchain-aws#1141).
 */
function versionOf(model: unknown): number {
  const [, major = 0, minor = 0] = /claude-[a-z]+-(\d)(?:[-.](\d)(?!\d))?(?!\d)/.exec(String(model)) ?? []
  return Number(major) * 100 + Number(minor)
}

interface Turn {
  readonly role: unknown
  readonly path: string
  readonly content: Wire[]
}

const validate = (model?: string): Validator =>
  validator((body, found) => checkBody(body, versionOf(model ?? body.model), found))

function checkBody(body: Wire, version: number, found: Findings): void {
  found.keys(body, bodyKeys, 'body')
  found.text(body.model, 'model')
  found.check(Number.isInteger(body.max_tokens) && Number(body.max_tokens) > 0, 'max_tokens', 'is required')
  checkSystem(body.system, found)
  list(body.tools).forEach((tool, at) => {
    checkTool(tool, `tools[${at}]`, found)
  })
  const turns = mergeTurns(list(body.messages), found)
  checkTurns(turns, found)
  checkServerCalls(turns, body, found)
  checkThinking(turns, body, version, found)
  checkCacheMarks(body, found)
}

function checkSystem(system: unknown, found: Findings): void {
  if (system === undefined || typeof system === 'string') return
  list(system).forEach((block, at) => {
    found.check(block.type === 'text', `system[${at}]`, `type "${block.type}"`)
    checkText(block, `system[${at}]`, found)
  })
}

function checkTool(tool: Wire, path: string, found: Findings): void {
  if (typeof tool.type === 'string' && tool.type !== 'custom') return
  found.match(tool.name, /^[a-zA-Z0-9_-]{1,128}$/, `${path}.name`)
  found.check(object(tool.input_schema).type === 'object', `${path}.input_schema`, 'its type must be "object"')
}

/** "Consecutive same-role messages are merged by the server." */
function mergeTurns(messages: readonly Wire[], found: Findings): readonly Turn[] {
  const turns: Turn[] = []
  messages.forEach(({ role, content, ...rest }, at) => {
    const path = `messages[${at}]`
    found.check(Object.keys(rest).length === 0, path, `unknown fields ${Object.keys(rest)}`)
    found.check(role === 'user' || role === 'assistant', path, `role "${role}"`)
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : list(content)
    found.check(blocks.length > 0, path, 'all messages must have non-empty content')
    const last = turns.at(-1)
    if (last?.role === role) last?.content.push(...blocks)
    else turns.push({ role, path, content: [...blocks] })
  })
  return turns
}

function checkTurns(turns: readonly Turn[], found: Findings): void {
  found.check(turns[0]?.role === 'user', 'messages', 'the first message is not a user’s')
  const seen = new Set<unknown>()
  turns.forEach((turn, at) => {
    const { role, path, content } = turn
    content.forEach((block, index) => {
      checkBlock(block, role, `${path}[${index}]`, found)
    })
    checkResults(turn, turns[at - 1], found)
    for (const { id } of content.filter(isCall)) {
      found.check(!seen.has(id), path, '`tool_use` ids must be unique')
      seen.add(id)
    }
    if (role === 'assistant') checkAssistant(content, path, found)
  })
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return
  found.check(!last.content.some(isCall), last.path, '`tool_use` ids were found without `tool_result` blocks')
  const { text } = object(last.content.at(-1))
  found.check(typeof text !== 'string' || text === text.trimEnd(), last.path, 'cannot end with trailing whitespace')
}

const isCall = ({ type }: Wire) => type === 'tool_use'
const isServerCall = ({ type }: Wire) => type === 'server_tool_use' || type === 'mcp_tool_use'
const isServerResult = ({ type }: Wire) => type !== 'tool_result' && /_tool_result$/.test(String(type))

/**
 * "Each `advisor_tool_result` block must have a corresponding `server_tool_use` block before it" (anthropics/claude-code#95406), and each call
 * its result, which comes in the answer that goes on: after `pause_turn` (§3), or after results that code waits for. "container_id is required
 * when there are pending tool uses generated by code execution with tools" (anthropics/anthropic-sdk-python#1801): then results stand alone
 * (responses-extras.md §5.1).
 */
function checkServerCalls(turns: readonly Turn[], body: Wire, found: Findings): void {
  const open = new Map<unknown, number>()
  turns.forEach(({ content, path }, at) => {
    for (const block of content) {
      if (isServerCall(block)) open.set(block.id, at)
      if (!isServerResult(block)) continue
      const isKnown = open.delete(block.tool_use_id)
      found.check(isKnown, path, `unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${block.tool_use_id}`)
    }
  })
  const end = turns.findLastIndex(({ role }) => role === 'assistant')
  const waits = turns[end]?.content.some(({ caller }) => object(caller).tool_id !== undefined) === true
  const isWaiting = waits && open.size > 0 && end >= turns.length - 2
  for (const [id, at] of open) {
    const goesOn = at === end && (end === turns.length - 1 || isWaiting)
    found.check(goesOn, turns[at]?.path ?? '', `the server tool use ${id} was found without its result`)
  }
  if (!isWaiting) return
  found.check(body.container !== undefined, 'container', 'container_id is required: code waits')
  const isAlone = list(body.messages).at(-1)?.role === 'assistant' || turns.at(-1)?.content.every(isResult) === true
  found.check(isAlone, 'messages', 'code waits, and takes results alone')
}
const isResult = ({ type }: Wire) => type === 'tool_result'

/** §2, §2.3, §2.4. */
function checkThinking(turns: readonly Turn[], body: Wire, version: number, found: Findings): void {
  const { type } = object(body.thinking)
  const isOn = type === 'enabled' || type === 'adaptive'
  const { type: choice } = object(body.tool_choice)
  const isForced = choice === 'any' || choice === 'tool'
  const isRefused = type === 'enabled' || (type === 'adaptive' && version <= 407)
  found.check(!isForced || !isRefused, 'thinking', 'may not be enabled when tool_choice forces tool use')
  const last = turns.at(-1)
  if (last?.role === 'assistant') {
    // `pause_turn`: "resend the assistant content as is, no user message" (§3).
    const isPaused = last.content.some(({ type }) => serverBlocks.test(String(type)))
    const isPrefill = !isPaused
    found.check(!isPrefill || version < 406, last.path, 'This model does not support assistant message prefill')
    found.check(!isPrefill || !isOn, last.path, 'thinking forbids a prefill')
  }
  // "Expected `thinking` or `redacted_thinking`, but found `tool_use`": adaptive thinking does not check it (platform.claude.com).
  const round = turns.findLast(({ role }) => role === 'assistant')
  const goesOn = last?.role === 'user' && last.content.some(isResult)
  const first = String(round?.content[0]?.type)
  found.check(
    type !== 'enabled' || !goesOn || /thinking$/.test(first),
    String(round?.path),
    `Expected thinking, but found ${first}`,
  )
}

function checkResults({ content, path }: Turn, before: Turn | undefined, found: Findings): void {
  const due = before?.role === 'assistant' ? before.content.filter(isCall).map(({ id }) => id) : []
  const given = content.filter(({ type }) => type === 'tool_result').map((block) => block.tool_use_id)
  for (const id of given) found.check(due.includes(id), path, `unexpected \`tool_use_id\` found: ${id}`)
  for (const id of due) {
    const times = given.filter((one) => one === id).length
    found.check(times === 1, path, `${times} \`tool_result\` blocks for the \`tool_use\` ${id}`)
  }
  const leads = content.slice(0, given.length).every(({ type }) => type === 'tool_result')
  found.check(leads, path, '`tool_result` blocks come first')
}

function checkAssistant(content: readonly Wire[], path: string, found: Findings): void {
  const last = String(content.at(-1)?.type)
  found.check(last !== 'thinking' && last !== 'redacted_thinking', path, 'The final block may not be thinking')
  // Blocks of the provider's own tools go back unchanged (§3).
  if (content.some(({ type }) => serverBlocks.test(String(type)))) return
  const first = content.findIndex(isCall)
  const later = first < 0 ? [] : content.slice(first).filter(({ type }) => type === 'text')
  found.check(later.length === 0, path, 'text after a tool_use has been refused')
}

function checkBlock(block: Wire, role: unknown, path: string, found: Findings): void {
  const isUser = role === 'user'
  checkFields(block, path, found)
  switch (block.type) {
    case 'text':
      if (isUser) found.check(list(block.citations).length === 0, path, 'citations on text of a user (2026-10-21)')
      checkText(block, path, found)
      return
    case 'document':
      found.check(isUser, path, 'a document in an assistant message (§1.1)')
      checkSource(block, path, found)
      return
    case 'image': // §2.1 does not say whose; an answer has none
      checkSource(block, path, found)
      return
    case 'search_result':
      found.check(isUser, path, 'a "search_result" block in an assistant message')
      return
    case 'tool_result':
      found.check(isUser, path, 'a result in an assistant message')
      checkResult(block, path, found)
      return
    case 'tool_use':
      found.check(!isUser, path, 'a call in a user message')
      found.match(block.id, /^[a-zA-Z0-9_-]{1,64}$/, `${path}.id`)
      found.match(block.name, /^[a-zA-Z0-9_-]{1,128}$/, `${path}.name`)
      found.check(isObject(block.input), `${path}.input`, 'is not an object')
      return
    case 'thinking':
      found.check(!isUser, path, 'thinking in a user message')
      found.text(block.thinking, `${path}.thinking`)
      found.match(block.signature, /^.+$/s, `${path}.signature`)
      return
    case 'redacted_thinking':
      found.match(block.data, /^.+$/s, `${path}.data`)
      return
    default:
      found.check(serverBlocks.test(String(block.type)) && !isUser, path, `a block of the type "${block.type}"`)
  }
}

function checkFields(block: Wire, path: string, found: Findings): void {
  const known = fields[String(block.type)]
  if (known !== undefined) found.keys(block, known, path)
  if (block.type !== 'text') return
  list(block.citations).forEach((citation, at) => {
    checkFields(citation, `${path}.citations[${at}]`, found)
  })
}

function checkText({ text }: Wire, path: string, found: Findings): void {
  found.check(typeof text === 'string' && text.trim() !== '', path, 'text content blocks must be non-empty')
}

function checkResult({ content, is_error: isError }: Wire, path: string, found: Findings): void {
  if (content === undefined || typeof content === 'string') return
  found.check(Array.isArray(content), `${path}.content`, 'is neither text nor blocks')
  list(content).forEach((block, at) => {
    const where = `${path}.content[${at}]`
    checkFields(block, where, found)
    // vellum-ai/vellum-assistant#18387
    found.check(
      isError !== true || block.type === 'text',
      where,
      'all content must be type `text` if `is_error` is true',
    )
    found.check(results.has(String(block.type)), where, `a block of the type "${block.type}"`)
    if (block.type === 'text') checkText(block, where, found)
    if (block.type === 'image' || block.type === 'document') checkSource(block, where, found)
  })
}

function checkSource(block: Wire, path: string, found: Findings): void {
  const source = object(block.source)
  switch (source.type) {
    case 'base64': {
      const types = block.type === 'image' ? /^image\/(?:jpeg|png|gif|webp)$/ : /^application\/pdf$/
      found.match(source.media_type, types, `${path}.source.media_type`)
      found.check(isBase64(source.data), `${path}.source.data`, 'is not raw base64')
      return
    }
    case 'text':
      found.check(block.type === 'document' && source.media_type === 'text/plain', path, 'a source of the type "text"')
      found.text(source.data, `${path}.source.data`)
      return
    case 'url':
      found.check(isWebAddress(source.url), `${path}.source.url`, `"${source.url}"`)
      return
    case 'file':
      found.text(source.file_id, `${path}.source.file_id`)
      return
    default:
      found.check(source.type === 'content' && block.type === 'document', path, `a source of the type "${source.type}"`)
  }
}

/** §2.3: "≤4 in total, 1h ones before 5m ones; not on thinking, not on empty text, not on `defer_loading` tools". */
function checkCacheMarks(body: Wire, found: Findings): void {
  const times: string[] = []
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) collect(one)
    if (!isObject(value)) return
    for (const inner of Object.values(value)) collect(inner)
    if (!isObject(value.cache_control)) return
    times.push(value.cache_control.ttl === '1h' ? '1h' : '5m')
    found.check(!/thinking$/.test(String(value.type)), 'cache_control', 'on thinking')
    found.check(value.defer_loading !== true, 'cache_control', 'on a tool whose loading is deferred')
  }
  for (const part of [body.tools, body.system, list(body.messages).map(({ content }) => content)]) collect(part)
  if (isObject(body.cache_control)) times.push('5m')
  found.check(times.length <= 4, 'body', `${times.length} marks of \`cache_control\``)
  const isSorted = times.lastIndexOf('1h') < (times.includes('5m') ? times.indexOf('5m') : times.length)
  found.check(isSorted, 'body', 'a mark of 1h after one of 5m')
}

/** The validator of one provider of this format. */
export function validatorOf(provider: string, model?: string): Validator {
  return clouds[provider]?.(model) ?? validate(model)
}

/** cloud-auth.md §3: "`model` out of the body, into the path"; the version is in the body. §6: so are Amazon's betas, and "no stream". */
const clouds: Readonly<Record<string, (model?: string) => Validator>> = {
  'bedrock-invoke': (model) => (body) => {
    const { anthropic_beta: _, ...rest } = object(body)
    return [
      ...inCloud(rest, 'bedrock-2023-05-31', model),
      ...('stream' in rest ? ['stream: is not as that cloud has it'] : []),
    ]
  },
  'vertex-anthropic': (model) => (body) => inCloud(object(body), 'vertex-2023-10-16', model),
}

function inCloud(body: ReturnType<typeof object>, expected: string, model?: string): readonly string[] {
  const { anthropic_version: version, ...rest } = body
  const findings = validate(model)({ model: 'in the path', ...rest })
  const wrong = [...(version === expected ? [] : ['anthropic_version']), ...('model' in rest ? ['model'] : [])]
  return [...findings, ...wrong.map((name) => `${name}: is not as that cloud has it`)]
}

const user = { role: 'user', content: 'Hello' }
const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })
const says = (...content: unknown[]) => ({ role: 'assistant', content })
const hears = (...content: unknown[]) => ({ role: 'user', content })
const text = (value: string) => ({ type: 'text', text: value })
const thinking = { type: 'thinking', thinking: '', signature: 'x' }
const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
const code = says(
  { ...search, name: 'code_execution' },
  { ...call('a'), caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' } },
)
const good = { model: 'm', max_tokens: 5, messages: [user, says(thinking, call('a')), hears(result('a'), text('x'))] }

export const refusals: readonly Refusals[] = [
  {
    title: 'Messages',
    provider: 'anthropic',
    good,
    cases: withTurns('messages', [
      ['no limit', /max_tokens/, { max_tokens: undefined }],
      ['an assistant first', /not a user/, [says(text('x'))]],
      ['a call without a result', /0 `tool_result` blocks/, [user, says(call('a')), user]],
      ['a result too many', /unexpected/, [hears(result('a'))]],
      ['results behind text', /come first/, [user, says(call('a')), hears(text('x'), result('a'))]],
      ['an id twice', /unique/, [user, says(call('a'), call('a')), hears(result('a'), result('a'))]],
      ['an illegal id', /\.id/, [user, says(call('f:0')), hears(result('f:0'))]],
      ['input that is not an object', /not an object/, [user, says({ ...call('a'), input: '{}' }), hears(result('a'))]],
      ['blank text', /non-empty/, [hears(text(' '))]],
      ['empty content', /non-empty content/, [hears()]],
      ['unsigned thinking', /signature/, [user, says({ ...thinking, signature: '' }, text('x'))]],
      ['thinking that comes last', /final block/, [user, says(text('x'), thinking)]],
      ['text behind a call', /refused/, [user, says(call('a'), text('x')), hears(result('a'))]],
      ['a system message', /role "system"/, [user, { role: 'system', content: 'x' }]],
      ['white space at the end', /whitespace/, [user, says(text('x '))]],
      [
        'a data URL',
        /raw base64/,
        [
          hears({
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,aGk=' },
          }),
        ],
      ],
      ['another schema than an object’s', /must be "object"/, { tools: [{ name: 'f', input_schema: {} }] }],
      [
        'a field that only answers have',
        /unknown field "file_id"/,
        [user, says({ ...text('x'), citations: [{ type: 'char_location', file_id: null }] }), user],
      ],
      [
        'an image in an error',
        /must be type `text`/,
        [user, says(call('a')), hears({ ...result('a'), is_error: true, content: [image] })],
      ],
      ['a server tool without its result', /without its result/, [user, says(search, text('x')), user]],
      ['a result of no server tool', /unexpected/, [user, says(found, text('x')), user]],
      ['results for code that waits nowhere', /container_id is required/, [user, code, hears(result('a'))]],
      [
        'more than results for code that waits',
        /results alone/,
        { container: 'c', messages: [user, code, hears(result('a'), text('x'))] },
      ],
      [
        'a round without its thoughts',
        /Expected thinking/,
        { thinking: { type: 'enabled' }, messages: [user, says(call('a')), hears(result('a'))] },
      ],
      [
        'a prefill while the model thinks',
        /forbids/,
        { thinking: { type: 'enabled' }, messages: [user, says(text('x'))] },
      ],
      [
        'a forced call while the model thinks',
        /forces tool use/,
        { thinking: { type: 'enabled' }, tool_choice: { type: 'any' } },
      ],
      ['a fifth cache mark, in a result', /5 marks/, [user, says(call('a')), hears(marked(5))]],
      ['a mark of an hour after a short one', /1h after/, [user, says(call('a')), hears(marked(1, '1h'))]],
      ['a mark on thinking', /on thinking/, [user, says({ ...thinking, ...mark() }, text('x')), user]],
    ]),
  },
  {
    title: 'Messages of Claude 4.7',
    provider: 'anthropic',
    model: 'claude-opus-4-7',
    good,
    cases: withTurns('messages', [
      ['an answer at the end', /does not support assistant message prefill/, [user, says(text('x'))]],
      [
        'a forced call beside adaptive thinking',
        /forces tool use/,
        { thinking: { type: 'adaptive' }, tool_choice: { type: 'tool', name: 'f' } },
      ],
    ]),
  },
]

function mark(ttl = '5m') {
  return { cache_control: { type: 'ephemeral', ttl } }
}

/** A result with this number of marks in it, and one of its own. */
function marked(inside: number, ttl?: string) {
  const content = Array.from({ length: ttl === undefined ? inside - 1 : inside }, () => ({ ...text('x'), ...mark() }))
  return { ...result('a'), content, ...mark(ttl) }
}
