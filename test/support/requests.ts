/**
 * A request as a provider gets it in another wire, by rules written from the wires' documents.
 */
import { blocksOf, blocksOfTurn } from '../../src/core/content.ts'
import type {
  Content,
  ContentBlock,
  Context,
  Message,
  ProviderTool,
  RequestOptions,
  ToolChoice,
  ToolDefinition,
} from '../../src/core/messages.ts'
import { isTextFile } from '../formats/facts.ts'
import { facts } from '../formats/index.ts'
import { appliesTo, canonical, type Wire } from './answers.ts'

export interface SeenTurn {
  readonly role: string
  readonly blocks: readonly SeenPart[]
}
export type SeenPart = { readonly type: string; readonly [field: string]: unknown }

/** All of a request that the model has words for, with neighbours of one role as one turn. */
export interface SeenRequest {
  /** System and developer text before everything else. */
  readonly system: readonly string[]
  readonly turns: readonly SeenTurn[]
  readonly tools: readonly (Partial<ToolDefinition> | ProviderTool)[]
  readonly options: Partial<RequestOptions>
  /** That the provider stores what came before. */
  readonly isStored?: true
  /** The same, in a conversation with an id of its own. */
  readonly inConversation?: true
}

export function seeRequest(context: Context, options: RequestOptions): SeenRequest {
  const system = texts(context.system ?? '')
  const turns: SeenTurn[] = []
  let isLeading = true
  for (const message of context.messages) {
    const isSystem = message.role === 'system' || message.role === 'developer'
    isLeading = isLeading && isSystem
    if (isLeading) system.push(...texts(message.content ?? ''))
    else addTurn(turns, message)
  }
  const { providerOptions: _, strict: __, model: ___, ...rest } = options
  const { previousResponseId, conversationId } = context.providerState ?? {}
  const isStored = previousResponseId !== undefined
  const inConversation = conversationId !== undefined
  const tools = (context.tools ?? []).flatMap(seeTool)
  return {
    system,
    turns,
    tools,
    options: rest,
    ...(isStored && { isStored }),
    ...(inConversation && { inConversation }),
  }
}

function texts(content: Content): string[] {
  return blocksOf(content).flatMap((block) =>
    'text' in block && block.text !== undefined && block.text !== '' ? [block.text] : [],
  )
}

function addTurn(turns: SeenTurn[], message: Message): void {
  const blocks = seeMessage(message)
  const role = message.role === 'tool' ? 'user' : message.role
  const last = turns.at(-1)
  if (last?.role === role) turns.splice(-1, 1, { role, blocks: [...last.blocks, ...blocks] })
  else turns.push({ role, blocks })
}

function seeMessage(message: Message): SeenPart[] {
  if (message.role === 'tool') {
    const { toolCallId, name, status, content } = message
    return [
      { type: 'tool_result', toolCallId, name, isError: status === 'error', blocks: blocksOf(content).map(seePart) },
    ]
  }
  if (message.role === 'assistant') {
    const invalid = (message.invalidToolCalls ?? []).map(({ id, name, argumentsText }) => ({
      type: 'invalid',
      id,
      name,
      argumentsText,
    }))
    return [...blocksOfTurn(message).map(seePart), ...invalid]
  }
  return blocksOf(message.content).map(seePart)
}

function seePart(block: ContentBlock): SeenPart {
  const { providerData: _, metadata: __, opaque: ___, ...rest } = block as ContentBlock & { opaque?: unknown }
  if (block.type === 'tool_result') {
    return {
      type: 'tool_result',
      toolCallId: block.toolCallId,
      name: block.name,
      isError: block.isError === true,
      blocks: blocksOf(block.content).map(seePart),
    }
  }
  if (block.type !== 'tool_call') return rest as SeenPart
  const { id, name, argumentsText, arguments: value } = block
  return { type: 'tool_call', id, name, argumentsText, arguments: value }
}

function seeTool(tool: ToolDefinition | ProviderTool): (Partial<ToolDefinition> | ProviderTool)[] {
  if (!('name' in tool)) return [tool]
  const { name, description, parameters, strict } = tool
  return [
    {
      name,
      ...(description !== undefined && { description }),
      ...(parameters && { parameters }),
      ...(strict !== undefined && { strict }),
    },
  ]
}

// ---- rules ------------------------------------------------------------------------------------

export interface RequestRule {
  readonly name: string
  /** `some`: the wires that name it among their facts. Default: every wire. */
  readonly to?: 'some'
  readonly reason: string
  readonly severity: 'info' | 'minor' | 'major'
  /** The reported loss: a pattern for `path: reason`. Losses of severity `info` need not be reported. */
  readonly told?: RegExp
}

/** The whole request after the rule. */
interface Reshaping extends RequestRule {
  /** Within one wire too. */
  readonly within?: true
  apply(seen: SeenRequest, to: Wire): SeenRequest
}

/** Which single fields the rule lets differ, and how. */
interface FieldRule extends RequestRule {
  readonly path: RegExp
  allows?(before: unknown, after: unknown): boolean
}

const onParts = (seen: SeenRequest, change: (part: SeenPart, role: string) => readonly SeenPart[]): SeenRequest => ({
  ...seen,
  turns: seen.turns.map((turn) => ({ ...turn, blocks: turn.blocks.flatMap((part) => change(part, turn.role)) })),
})

const without =
  (...types: readonly string[]) =>
  (part: SeenPart) =>
    types.includes(part.type) ? [] : [part]

const reshapings = [
  {
    name: 'parts of one wire',
    reason: 'a part that only one wire has is not sent to other wires',
    severity: 'minor',
    told: /block of another format|another provider ran it|nothing of it can be sent|only text may stand here/,
    apply: (seen) =>
      onParts(seen, (part) => {
        const ofOne = without('unknown', 'server_tool_call', 'server_tool_result')
        if (part.type !== 'tool_result') return ofOne(part)
        return [{ ...part, blocks: (part.blocks as SeenPart[]).flatMap(ofOne) }]
      }),
  },
  {
    name: 'media that the wire does not take',
    reason: 'isoglot throws a typed error; it leaves the media out only if the caller asks for that',
    severity: 'major',
    told: /audio|video|images? |only text|images alone|nothing of it can be sent|by URL|stored at one provider|Bedrock takes media|type of media|an assistant says text/,
    apply: (seen, to) => onParts(seen, (part, role) => (facts[to].requests.takes(part, role) ? [part] : [])),
  },
  {
    name: 'tools of one wire',
    reason: 'a tool that a provider runs itself, or that only one wire has, is not sent to other wires',
    severity: 'minor',
    told: /^tools\[/,
    apply: (seen) => ({ ...seen, tools: seen.tools.filter((tool) => !('type' in tool)) }),
  },
  {
    name: 'conversations that a provider stores',
    to: 'some',
    reason: 'the provider stores the earlier messages, and the request does not have them',
    severity: 'major',
    told: /previousResponseId/,
    apply: ({ isStored: _, ...seen }) => seen,
  },
  {
    name: 'conversations that OpenAI stores',
    to: 'some',
    reason: 'OpenAI stores the conversation, and no other wire has this feature',
    severity: 'major',
    told: /conversationId/,
    apply: ({ inConversation: _, ...seen }) => seen,
  },
  {
    name: 'text documents',
    to: 'some',
    reason: 'a document of plain text is read as normal text',
    severity: 'info',
    apply: (seen) => onParts(seen, (part) => [asText(part)]),
  },
  {
    name: 'files of plain text',
    to: 'some',
    reason: 'a document of plain text is sent as text, and not as data',
    severity: 'info',
    apply: (seen) => onParts(seen, (part) => [part.mimeType === 'text/plain' ? asDocument(part) : part]),
  },
  {
    name: 'text of files',
    to: 'some',
    reason: 'the wire has no documents of text except CSV: the text is sent',
    severity: 'info',
    apply: (seen) => onParts(seen, (part) => [part.mimeType === 'text/csv' ? part : asText(asDocument(part))]),
  },
  {
    name: 'documents beside the conversation',
    within: true,
    to: 'some',
    reason: 'documents are fields of the request: they are read as the first blocks of the last user message',
    severity: 'info',
    apply: (seen) => documentsLast(asDocuments(seen)),
  },
  {
    name: 'strictness of all tools or none',
    to: 'some',
    reason: 'one option applies to all tools: if only some are strict, none is sent as strict',
    severity: 'minor',
    told: /\.strict: /,
    apply: (seen) => {
      const tools = seen.tools as readonly Partial<ToolDefinition>[]
      const { toolChoice } = seen.options
      const chosen = typeof toolChoice !== 'object' ? tools : tools.filter(({ name }) => isChosen(toolChoice, name))
      if (chosen.every(({ strict }) => strict === true) || chosen.every(({ strict }) => strict !== true)) return seen
      return { ...seen, tools: tools.map(({ strict: _, ...tool }) => tool) }
    },
  },
  {
    name: 'JSON without a schema',
    to: 'some',
    reason: 'the wire has no JSON mode: the model is asked for JSON in words',
    severity: 'minor',
    told: /responseFormat/,
    apply: (seen) => {
      const { responseFormat, ...options } = seen.options
      if (responseFormat === undefined || responseFormat.schema !== undefined) return seen
      return { ...seen, options, system: [...seen.system, 'Give the final answer as JSON only.'] }
    },
  },
  {
    name: 'JSON beside tools',
    to: 'some',
    reason: 'the wire has no JSON mode beside tools: the model is asked for JSON of the schema in words',
    severity: 'minor',
    told: /responseFormat/,
    apply: (seen) => {
      const { responseFormat, ...options } = seen.options
      if (responseFormat === undefined || seen.tools.length === 0) return seen
      const { schema } = responseFormat
      const rule = schema === undefined ? '' : ` It must match this JSON Schema: ${JSON.stringify(schema)}`
      const text = `Give the final answer as JSON only.${rule}`
      return { ...seen, options, system: [text, ...seen.system] }
    },
  },
  {
    name: 'one text a result',
    within: true,
    to: 'some',
    reason: 'a result has one text: texts are joined by line ends',
    severity: 'info',
    apply: (seen) => ({
      ...seen,
      turns: seen.turns.map(({ role, blocks }) => ({
        role,
        blocks: blocks.map((part) => (part.type === 'tool_result' ? withOneText(part) : part)),
      })),
    }),
  },
  {
    name: 'one text a message',
    within: true,
    to: 'some',
    reason:
      'a message has one text and a list of images: texts are joined by line ends. Interactions has one system text',
    severity: 'info',
    apply: (seen, to) => ({
      ...seen,
      system: seen.system.length > 1 ? [seen.system.join(facts[to].requests.systemSeparator)] : seen.system,
      turns: facts[to].requests.hasOneText ? seen.turns.map(joinTexts) : seen.turns,
    }),
  },
] as const satisfies readonly Reshaping[]

function isChosen(choice: ToolChoice & object, name: string | undefined): boolean {
  return 'name' in choice ? choice.name === name : choice.names.includes(String(name))
}

function asText(part: SeenPart): SeenPart {
  if (part.type === 'tool_result') return { ...part, blocks: (part.blocks as SeenPart[]).map(asText) }
  return part.type === 'plain_text' ? { type: 'text', text: part.text } : part
}

function asDocument(part: SeenPart): SeenPart {
  if (part.type === 'tool_result') return { ...part, blocks: (part.blocks as SeenPart[]).map(asDocument) }
  if (!isTextFile(part)) return part
  const text = Buffer.from(String(part.data), 'base64').toString()
  return { type: 'plain_text', text, ...(part.filename !== undefined && { title: part.filename }) }
}

/** Files of text are documents on that wire, and where a response format stands, or nothing else is said, documents are text. */
function asDocuments(seen: SeenRequest): SeenRequest {
  return { ...seen, turns: seen.turns.map((turn) => ({ ...turn, blocks: turn.blocks.map(asDocument) })) }
}

function documentsLast(seen: SeenRequest): SeenRequest {
  const isDocument = ({ type }: SeenPart) => type === 'plain_text'
  const isSaid = ({ type }: SeenPart) => type === 'text' || type === 'image'
  const documents: SeenPart[] = []
  const turns = seen.turns.map((turn) => {
    if (!turn.blocks.some(isDocument)) return turn
    const inPlace = seen.options.responseFormat !== undefined || !turn.blocks.some(isSaid)
    if (inPlace) {
      return { ...turn, blocks: turn.blocks.map(asText) }
    }
    documents.push(...turn.blocks.filter(isDocument))
    return { ...turn, blocks: turn.blocks.filter((part) => !isDocument(part)) }
  })
  const last = turns.findLastIndex(({ role, blocks }) => role === 'user' && blocks.some(isSaid))
  const shown = turns.map((turn, at) => {
    if (at !== last || documents.length === 0) return turn
    const results = turn.blocks.filter(({ type }) => type === 'tool_result')
    return { ...turn, blocks: [...results, ...documents, ...turn.blocks.filter((part) => !results.includes(part))] }
  })
  return { ...seen, turns: shown }
}

function withOneText(result: SeenPart): SeenPart {
  return { ...result, blocks: joinTexts({ role: 'user', blocks: result.blocks as SeenPart[] }).blocks }
}

function joinTexts({ role, blocks: all }: SeenTurn): SeenTurn {
  const blocks = all.map((part) => (part.type === 'tool_result' ? withOneText(part) : part))
  const texts = blocks.filter(({ type }) => type === 'text')
  if (texts.length === 0) return { role, blocks }
  const text = texts.map((part) => part.text).join(role === 'assistant' ? '' : '\n')
  return { role, blocks: [{ type: 'text', text }, ...blocks.filter(({ type }) => type !== 'text')] }
}

const onlyIf = (from: unknown) => (before: unknown) => JSON.stringify(before) === JSON.stringify(from)
const isGone = (_before: unknown, after: unknown) => after === undefined
const isNew = (before: unknown) => before === undefined

const fieldRules = [
  {
    name: 'who asks',
    to: 'some',
    path: /^options\.user$/,
    allows: isGone,
    reason: 'the wire has no field for the user, and the answer does not depend on it',
    severity: 'info',
    told: /user/,
  },
  {
    name: 'choice among the tools that are sent',
    path: /^options\.toolChoice$/,
    allows: (before, after) =>
      (before === 'none' || typeof before === 'object') && (after === undefined || after === 'auto'),
    reason: 'only the tools that may be called are sent; a tool of another wire is not sent, so it cannot be chosen',
    severity: 'info',
    told: /toolChoice/,
  },
  {
    name: 'tools that may not be called',
    to: 'some',
    path: /^tools\.length$/,
    allows: (before, after) => (after as unknown[]).length < (before as unknown[]).length,
    reason: 'the wire cannot limit the choice to some tools: tools that may not be called are left out',
    severity: 'info',
    told: /toolChoice|^tools\[/,
  },
  {
    name: 'schemas of tools without arguments',
    to: 'some',
    path: /^tools\[\d+\]\.parameters$/,
    allows: isNew,
    reason: 'a tool must have a schema: without arguments, it is the schema of an empty object',
    severity: 'info',
  },
  {
    name: 'made names of files',
    to: 'some',
    path: /\.filename$/,
    allows: isNew,
    reason: 'a file must have a name',
    severity: 'info',
  },
  {
    name: 'longest answer',
    to: 'some',
    path: /^options\.maxTokens$/,
    allows: isNew,
    reason: 'the wire requires a limit: isoglot sends a default',
    severity: 'info',
  },
  {
    name: 'least length',
    to: 'some',
    path: /^options\.maxTokens$/,
    allows: (_before, after) => after === 16,
    reason: 'the wire refuses a limit of fewer than 16 tokens',
    severity: 'minor',
    told: /maxTokens/,
  },
  {
    name: 'choice of one tool by leaving out the others',
    to: 'some',
    path: /^options\.toolChoice$/,
    allows: (before, after) => typeof before === 'object' && after === 'required',
    reason: 'the wire cannot name the allowed tools: only those are sent',
    severity: 'info',
  },
  {
    name: 'options the wire has no field for',
    path: /^options\.(?:seed|stop|temperature|topK|frequencyPenalty|presencePenalty|toolChoice|parallelToolCalls)$/,
    allows: (before, after) => before !== true && before !== 'auto' && isGone(before, after),
    reason: 'dropped with a warning',
    severity: 'minor',
    told: /seed|stop|temperature|topK|frequencyPenalty|presencePenalty|toolChoice|parallelToolCalls/,
  },
  {
    name: 'parallel calls, where they are always allowed',
    to: 'some',
    path: /^options\.parallelToolCalls$/,
    allows: (before, after) => before === true && isGone(before, after),
    reason: 'the wire has no option for parallel calls: they are always allowed',
    severity: 'info',
  },
  {
    name: 'stop sequences of white space',
    to: 'some',
    path: /^options\.stop\.length$/,
    reason: 'the wire refuses them',
    severity: 'minor',
    told: /stop/,
  },
  {
    name: 'reasoning without an effort',
    to: 'some',
    path: /^options\.reasoning$/,
    allows: onlyIf({}),
    reason: 'the request asks for reasoning without an effort: the model uses its default',
    severity: 'minor',
    told: /reasoning/,
  },
  {
    name: 'reasoning by models that others make',
    to: 'some',
    path: /^options\.reasoning$/,
    allows: isGone,
    reason: 'each family of models there has its own field for reasoning, and refuses the fields of others',
    severity: 'minor',
    told: /reasoning/,
  },
  {
    name: 'reasoning shown',
    to: 'some',
    path: /^options\.reasoning$/,
    allows: onlyIf({}),
    reason: 'models of this wire reason by default: the option only shows their reasoning',
    severity: 'info',
  },
  {
    name: 'choice left to the model',
    to: 'some',
    path: /^options\.toolChoice$/,
    allows: (before, after) => before === 'auto' && isGone(before, after),
    reason: 'this is the default of the wire, which has no value for it',
    severity: 'info',
  },
  {
    name: 'budgets and efforts',
    path: /^options\.reasoning\.(?:effort|budgetTokens)$/,
    told: /reasoning/,
    reason: 'a model takes a budget or an effort, not both: the nearest value is sent',
    severity: 'info',
  },
  {
    name: 'name of the response format',
    to: 'some',
    path: /^options\.responseFormat\.name$/,
    allows: isNew,
    reason: 'the wire needs a name',
    severity: 'info',
  },
  {
    name: 'fields beside the schema',
    to: 'some',
    path: /^options\.responseFormat\.(?:name|description|strict)$/,
    allows: isGone,
    reason: 'the wire takes only the schema',
    severity: 'info',
  },
  {
    name: 'keywords of schemas',
    to: 'some',
    path: /^options\.responseFormat\.schema\..*(?:\$schema|additionalProperties)$/,
    reason: 'objects must be closed, and keywords that the wire does not have are moved into descriptions',
    severity: 'info',
  },
  {
    name: 'whether the answer streams',
    to: 'some',
    path: /^options\.stream$/,
    allows: (before, after) => (before ?? false) === false && (after ?? false) === false,
    reason: 'the path of the request decides it, or the wire streams by default',
    severity: 'info',
  },
  {
    name: 'strict tools',
    to: 'some',
    path: /^tools\[\d+\]\.strict$/,
    allows: (before, after) => before === true && isGone(before, after),
    reason: 'the wire has no strict tools',
    severity: 'minor',
    told: /\.strict: /,
  },
  {
    name: 'tools that are not strict',
    to: 'some',
    path: /^tools\[\d+\]\.strict$/,
    allows: (before, after) => before === false && isGone(before, after),
    reason: 'the wire has no strict tools, so all tools are not strict',
    severity: 'info',
  },
  {
    name: 'strictness said',
    to: 'some',
    path: /^tools\[\d+\]\.strict$/,
    allows: (before, after) => before === undefined && after === false,
    reason: 'without the field, the wire tries to be strict',
    severity: 'info',
  },
  {
    name: 'tools without arguments',
    to: 'some',
    path: /^tools\[\d+\]\.parameters$/,
    allows: isGone,
    reason: 'a schema without properties is left out',
    severity: 'info',
  },
  {
    name: 'text of earlier arguments',
    to: 'some',
    path: /argumentsText$/,
    allows: (before, after) =>
      JSON.stringify(JSON.parse(String(before) || '{}')) === JSON.stringify(JSON.parse(String(after) || '{}')),
    reason: 'arguments are an object on this wire: spaces are lost',
    severity: 'info',
  },
  {
    name: 'no earlier arguments',
    to: 'some',
    path: /argumentsText$/,
    allows: (before, after) => before === '' && after === '{}',
    reason: 'missing arguments are sent as an empty object',
    severity: 'info',
  },
  {
    name: 'names of results without their calls',
    to: 'some',
    path: /^turns\[\d+\]\.blocks\[\d+\]\.name$/,
    allows: isGone,
    reason: 'a result names only the id of its call; the name of the tool is in the call, if the request has it',
    severity: 'info',
  },
  {
    name: 'detail of images',
    path: /\.detail$/,
    allows: (before, after) => before === undefined || after === undefined,
    reason: 'a hint that some wires do not have, and one wire requires',
    severity: 'info',
  },
  {
    name: 'names of files',
    to: 'some',
    path: /\.filename$/,
    reason: 'the wire has no names of files',
    severity: 'info',
  },
  {
    name: 'tools of earlier calls',
    to: 'some',
    path: /^tools\.length$/,
    allows: (before) => (before as unknown[]).length === 0,
    reason: 'calls in the history require definitions of their tools: isoglot adds definitions without a schema',
    severity: 'info',
  },
  {
    name: 'blank descriptions of tools',
    to: 'some',
    path: /^tools\[\d+\]\.description$/,
    allows: (before, after) => String(before).trim() === '' && isGone(before, after),
    reason: 'the wire refuses them',
    severity: 'info',
  },
  {
    name: 'names of documents',
    to: 'some',
    path: /\.(?:filename|title)$/,
    reason: 'a document must have a unique name, without an extension and without characters that the wire refuses',
    severity: 'info',
  },
  {
    name: 'made ids',
    to: 'some',
    path: /\.(?:id|toolCallId)$/,
    allows: (before, after) =>
      /^(?:ollama|gemini)_\d+$/.test(String(before)) && /^(?:ollama|gemini)_\d+$/.test(String(after)),
    reason: 'made ids are not sent if the wire matches calls and results by their order',
    severity: 'info',
  },
  {
    name: 'addresses of images',
    to: 'some',
    path: /^turns\[\d+\]\.blocks\[\d+\]\.type$/,
    allows: (before, after) => before === 'image' && after === 'file',
    reason: 'the wire has no media type for an address',
    severity: 'minor',
    told: /url/,
  },
  {
    name: 'rounds of calls without a signature',
    to: 'some',
    path: /^turns\.length$/,
    allows: (_, after) => JSON.stringify(after).includes('<tool_call name='),
    reason: 'Gemini 3 refuses calls of other providers after the last question, so they are sent as text',
    severity: 'minor',
    told: /Gemini 3 refuses/,
  },
  {
    name: 'names of results',
    to: 'some',
    path: /^turns\[\d+\]\.blocks\[\d+\]\.name$/,
    allows: isGone,
    reason: 'a result names only its call',
    severity: 'info',
  },
  {
    name: 'types of text documents',
    to: 'some',
    path: /\.mimeType$/,
    allows: (before, after) => before === undefined || after === undefined,
    reason: 'one wire says that a document is plain text, and the other has no types of documents',
    severity: 'info',
  },
  {
    name: 'types of images asked about',
    to: 'some',
    path: /\.mimeType$/,
    reason: 'an image is sent only as base64; its type is read from its first bytes',
    severity: 'info',
  },
] as const satisfies readonly FieldRule[]

export const requestRules = [...reshapings, ...fieldRules]

/** A rule that formats name among their facts. */
export type RequestRuleName = Extract<
  (typeof reshapings)[number] | (typeof fieldRules)[number],
  { readonly to: 'some' }
>['name']

export interface RequestOutcome {
  readonly fired: readonly RequestRule[]
  /** Differences that no rule names. */
  readonly unnamed: readonly string[]
}

/** Holds a request, as it was meant for the provider, against what the provider's wire says. */
export function judgeRequest(
  meant: SeenRequest,
  read: SeenRequest,
  { from, to }: { readonly from: Wire; readonly to: Wire },
): RequestOutcome {
  const fired = new Set<RequestRule>()
  let expected = settle(meant)
  const named = facts[to].requests.rules
  let before = canonical(expected)
  for (const rule of reshapings as readonly Reshaping[]) {
    if (!appliesTo(rule, named) || (from === to && rule.within !== true)) continue
    expected = settle(rule.apply(expected, to))
    const after = canonical(expected)
    if (after !== before) fired.add(rule)
    before = after
  }
  const actual = facts[to].requests.hasOneText ? { ...read, turns: read.turns.map(joinTexts) } : read
  const unnamed: string[] = []
  for (const [path, meantThere, readThere] of differences(JSON.parse(before), JSON.parse(canonical(settle(actual))))) {
    const rule = (fieldRules as readonly FieldRule[]).find(
      (one) => appliesTo(one, named) && one.path.test(path) && (one.allows?.(meantThere, readThere) ?? true),
    )
    if (rule === undefined)
      unnamed.push(`${path}: ${canonical(meantThere)?.slice(0, 200)} → ${canonical(readThere)?.slice(0, 200)}`)
    else fired.add(rule)
  }
  return { fired: [...fired], unnamed }
}

/** Without turns that say nothing. */
function settle(seen: SeenRequest): SeenRequest {
  const turns: SeenTurn[] = []
  for (const turn of seen.turns) {
    const last = turns.at(-1)
    if (turn.blocks.length === 0) continue
    if (last?.role === turn.role) turns.splice(-1, 1, { role: turn.role, blocks: [...last.blocks, ...turn.blocks] })
    else turns.push(turn)
  }
  return { ...seen, turns }
}

type Difference = readonly [path: string, before: unknown, after: unknown]

function differences(before: unknown, after: unknown, path = ''): Difference[] {
  if (Object.is(before, after)) return []
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null)
    return [[path, before, after]]
  if (Array.isArray(before) !== Array.isArray(after)) return [[path, before, after]]
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) return [[`${path}.length`, before, after]]
    return before.flatMap((one, at) => differences(one, after[at], `${path}[${at}]`))
  }
  const [one, other] = [before as Record<string, unknown>, after as Record<string, unknown>]
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].flatMap((key) => differences(one[key], other[key], path === '' ? key : `${path}.${key}`))
}
