/**
 * A codec of one's own, for an API that isoglot does not know: Acme streams one JSON object per line. `acme.test.ts` runs the laws of
 * isoglot's own formats on it.
 *
 * A request: `{ model, rules, turns: [{ who: "user" | "model", say, calls }, { who: "tool", id, say, failed }], tools, limit }`
 * An answer: `{ "say": "Hel" }`, `{ "say": "lo" }`, `{ "call": { "id", "tool", "with": {} } }`, `{ "end": "done", "tokens": [9, 2] }`
 */
import { ApiError, type AssistantMessage, type ContentBlock, DecodeError, type Message } from 'isoglot'
import {
  type ClientCodec,
  decodeNdjson,
  type Fragment,
  fold,
  type HttpModel,
  httpModel,
  type Losses,
  prepare,
  reportLoss,
  type Target,
} from 'isoglot/codec'

const name = 'acme'

/** What Acme takes of a conversation. `prepare` changes a request by it. */
const target: Target = {
  format: name,
  provider: name,
  title: 'Acme',
  callId: { pattern: /[\w-]/, maxLength: 64 },
  toolName: { pattern: /[\w-]/, maxLength: 64 },
  resultMedia: new Set(),
  foreignReasoning: 'drop',
  lateInstructions: 'user',
  userFirst: true,
  refusesEmpty: true,
}

/** A model of Acme. */
export function acme(model: string, apiKey: string): HttpModel {
  return httpModel(acmeCodec, model, { apiKey, baseUrl: 'https://api.acme.example/v1' })
}

// ---- the request --------------------------------------------------------------------------------

const encodeRequest: ClientCodec['encodeRequest'] = (given, asked) => {
  const { context, options, report: losses, offered } = prepare(given, target, asked)
  const { model, stream, maxTokens, strict: _, ...others } = options
  for (const [option, value] of Object.entries(others)) {
    if (value !== undefined) reportLoss(losses, 'dropped', `options.${option}`, 'Acme has no field for it')
  }
  const head = context.messages.filter(({ role }) => role === 'system' || role === 'developer')
  const told = [context.system, ...head.map(({ content }) => content)].map((content, at) =>
    textOf(content, at === 0 ? 'system' : 'messages', losses),
  )
  const turns = context.messages.flatMap((message, at) =>
    head.includes(message) ? [] : [encodeTurn(message, `messages[${at}]`, losses)],
  )
  const tools = context.tools?.flatMap((tool, at) => {
    if ('name' in tool) return [{ name: tool.name, about: tool.description, takes: tool.parameters ?? {} }]
    reportLoss(losses, 'dropped', `tools[${at}]`, 'it is a tool that another provider runs', 'major')
    return []
  })
  const body = { model, stream, rules: told.join('\n').trim() || undefined, turns, tools, limit: maxTokens }
  return { path: '/talk', headers: {}, body: JSON.parse(JSON.stringify(body)), losses: losses.list, offered }
}

function encodeTurn(message: Message, path: string, losses: Losses): object {
  const say = textOf(message.content, path, losses)
  if (message.role === 'tool')
    return { who: 'tool', id: message.toolCallId, say, ...(message.status === 'error' && { failed: true }) }
  const calls = blocksOf(message.content).flatMap((block) =>
    block.type === 'tool_call' ? [{ id: block.id, tool: block.name, with: block.arguments }] : [],
  )
  return { who: message.role === 'assistant' ? 'model' : 'user', say, ...(calls.length > 0 && { calls }) }
}

function blocksOf(content: Message['content'] | undefined): readonly ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
}

function textOf(content: Message['content'] | undefined, path: string, losses: Losses): string {
  const texts = blocksOf(content).map((block, at) => {
    if (block.type === 'text' || block.type === 'plain_text') return block.text
    if (block.type !== 'tool_call') reportLoss(losses, 'dropped', `${path}.content[${at}]`, 'Acme takes text', 'major')
    return ''
  })
  return texts.filter((text) => text !== '').join('\n')
}

// ---- the answer ---------------------------------------------------------------------------------

/** One line of an answer, as far as it is what the documents of Acme say. */
interface Line {
  readonly say?: unknown
  readonly call?: { readonly id?: unknown; readonly tool?: unknown; readonly with?: unknown }
  readonly end?: unknown
  readonly tokens?: unknown
  readonly problem?: unknown
}

const stopReasons = new Map<unknown, AssistantMessage['stopReason'] & string>([
  ['done', 'stop'],
  ['calls', 'tool_calls'],
  ['limit', 'length'],
])

function readLine(line: Line, out: Fragment[]): void {
  if (line.problem !== undefined) throw errorOf(undefined, line)
  if (typeof line.say === 'string' && line.say !== '') out.push({ type: 'text', text: line.say })
  if (line.call !== undefined) {
    const { id, tool, with: given } = Object(line.call)
    // Whatever is not an object becomes an invalid call, which never runs.
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
    const called = isObject ? { arguments: given } : { arguments: JSON.stringify(given) ?? '' }
    out.push({ type: 'call', id: stringOr(id), name: stringOr(tool), position: out.length, final: true, ...called })
  }
  if (line.end === undefined) return
  const [inputTokens, outputTokens] = Array.isArray(line.tokens) ? line.tokens.filter(Number.isFinite) : []
  if (outputTokens !== undefined) out.push({ type: 'usage', usage: { inputTokens, outputTokens } })
  out.push({ type: 'end', stopReason: stopReasons.get(line.end) ?? 'other', rawStopReason: String(line.end) })
}

function stringOr(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Only the line with `end` ends an answer. A connection that closes before it is an error. */
function decodeStream(): ReturnType<ClientCodec['decodeStream']> {
  return {
    push({ data }, out) {
      let line: unknown
      try {
        line = JSON.parse(data)
      } catch (cause) {
        throw new DecodeError('Cannot read a line of Acme: it is not JSON', { cause })
      }
      readLine(Object(line), out)
    },
    end() {},
  }
}

/** A whole answer has the same fields in one object, and its calls in a list. */
function decodeResponse(body: unknown): ReturnType<ClientCodec['decodeResponse']> {
  const { calls, ...rest } = Object(body)
  const fragments: Fragment[] = []
  readLine({ say: rest.say }, fragments)
  for (const call of Array.isArray(calls) ? calls : []) readLine({ call }, fragments)
  readLine({ ...rest, say: undefined, end: rest.end ?? 'done' }, fragments)
  return fold(fragments, { provider: name, idPrefix: acmeCodec.idPrefix })
}

function errorOf(status: number | undefined, body: unknown): ApiError {
  const { problem, text } = Object(body)
  const kind = problem === 'busy' ? 'overloaded' : problem === 'key' ? 'authentication' : 'invalid_request'
  return new ApiError(`Acme: ${text ?? problem ?? `status ${status}`}`, {
    kind,
    provider: name,
    ...(status && { status }),
  })
}

export const acmeCodec: ClientCodec = {
  name,
  provider: name,
  title: 'Acme',
  framing: 'ndjson',
  decodeFrames: decodeNdjson,
  rules: target,
  idPrefix: 'acme_',
  headers: (apiKey): Record<string, string> => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  encodeRequest,
  decodeResponse,
  decodeStream,
  decodeError: ({ status, body }) => errorOf(status, body),
}
