/** Finds why Anthropic Messages would answer with a 400. Written only from wire/anthropic.md (§1.1, §2, §2.1, §2.2, §2.4, §6). */
import {
  type Findings,
  isBase64,
  isObject,
  isWebAddress,
  list,
  object,
  type Validator,
  validator,
  type Wire,
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

interface Turn {
  readonly role: unknown
  readonly path: string
  readonly content: Wire[]
}

const validate: Validator = validator((body, found) => {
  found.keys(body, bodyKeys, 'body')
  found.text(body.model, 'model')
  found.check(Number.isInteger(body.max_tokens) && Number(body.max_tokens) > 0, 'max_tokens', 'is required')
  checkSystem(body.system, found)
  list(body.tools).forEach((tool, at) => {
    checkTool(tool, `tools[${at}]`, found)
  })
  checkTurns(mergeTurns(list(body.messages), found), found)
  checkCacheMarks(body, found)
})

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

function checkText({ text }: Wire, path: string, found: Findings): void {
  found.check(typeof text === 'string' && text.trim() !== '', path, 'text content blocks must be non-empty')
}

function checkResult({ content }: Wire, path: string, found: Findings): void {
  if (content === undefined || typeof content === 'string') return
  found.check(Array.isArray(content), `${path}.content`, 'is neither text nor blocks')
  list(content).forEach((block, at) => {
    const where = `${path}.content[${at}]`
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

/** §2.3: "≤4 in total … not on thinking". */
function checkCacheMarks(body: Wire, found: Findings): void {
  const marks = JSON.stringify(body).match(/"cache_control":\{/g) ?? []
  found.check(marks.length <= 4, 'body', `${marks.length} marks of \`cache_control\``)
}

/** The validator of one provider of this format. */
export function validatorOf(provider: string): Validator {
  return clouds[provider] ?? validate
}

/** cloud-auth.md §3: "`model` out of the body, into the path"; the version is in the body. §6: so are Amazon's betas, and "no stream". */
const clouds: Readonly<Record<string, Validator>> = {
  'bedrock-invoke': (body) => {
    const { anthropic_beta: _, ...rest } = object(body)
    return [
      ...inCloud(rest, 'bedrock-2023-05-31'),
      ...('stream' in rest ? ['stream: is not as that cloud has it'] : []),
    ]
  },
  'vertex-anthropic': (body) => inCloud(object(body), 'vertex-2023-10-16'),
}

function inCloud(body: ReturnType<typeof object>, expected: string): readonly string[] {
  const { anthropic_version: version, ...rest } = body
  const findings = validate({ model: 'in the path', ...rest })
  const wrong = [...(version === expected ? [] : ['anthropic_version']), ...('model' in rest ? ['model'] : [])]
  return [...findings, ...wrong.map((name) => `${name}: is not as that cloud has it`)]
}
