/** Finds why Bedrock Converse would answer with a 400. Written only from wire/bedrock-converse.md §2 to §2.3. */
import {
  type Findings,
  isBase64,
  isObject,
  list,
  object,
  type Validator,
  validator,
  type Wire,
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

export const validate: Validator = validator((body, found) => {
  found.keys(body, bodyKeys, 'body')
  const tools = list(object(body.toolConfig).tools)
  if (body.toolConfig !== undefined) found.check(tools.length > 0, 'toolConfig.tools', 'is empty')
  tools.forEach((tool, at) => {
    if (tool.systemTool !== undefined) return // run by Bedrock
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
})

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
    const hasDocument = blocks.some((block) => 'document' in block)
    found.check(!hasDocument || blocks.some((block) => 'text' in block), path, 'a document without a text')
  })
  found.check(due.length === 0, 'messages', 'end with calls that have no results')
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
  if ('reasoningContent' in block) {
    const { reasoningText, redactedContent } = object(block.reasoningContent)
    const isSigned = typeof object(reasoningText).signature === 'string' || isBase64(redactedContent)
    found.check(isSigned, path, 'reasoning without a signature')
  }
}
