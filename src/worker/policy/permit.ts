/**
 * Checks what a client asks for: one policy for all formats, on the decoded request. What is sent to a provider is written anew from the
 * checked request, so nothing is sent that was not checked.
 *
 * Fields that a format's codec did not understand are refused, because leaving one out silently would change the request: among them are
 * those that are billed separately (web search, code, audio, `service_tier`), that store data, or that choose a destination (such as
 * `base_url`). Harmless ones are in `own-fields.ts`; others can be allowed by name.
 *
 * @module
 */

import * as v from 'valibot'
import type { DecodedRequest } from '../../core/codec.ts'
import { compact, isObject, unlessEmpty } from '../../core/json.ts'
import type {
  Content,
  ContentBlock,
  Json,
  JsonObject,
  Message,
  ProviderData,
  ProviderTool,
} from '../../core/messages.ts'
import type { CheckedRequest, WireName } from '../../gateway/types.ts'
import { refuse } from '../refusal.ts'
import { leftOut, ownFields, ownPartFields, type PartKind, toolsByKey } from './own-fields.ts'
import { permittedQuestion } from './question.ts'

/** The names of fields and tools that are allowed beside the known ones, such as `anthropic.context_management`. */
export type Allowed = ReadonlySet<string>

/** The request that may be sent. @throws {ApiError} `invalid_request`, with the name of the field. */
export function permit({ wire, request, body }: CheckedRequest, user: string, allowed: Allowed): DecodedRequest {
  if (body.store === true) throw refuse('invalid_request', '"store" has a value that is not allowed')
  const lost = request.losses.find(({ action }) => action === 'dropped')
  if (lost !== undefined) throw refuseField(lost.path)
  const { system, messages, tools = [], providerState } = request.context
  if (Object.keys(providerState ?? {}).length > 0) {
    const place = wire === 'isoglot' ? '"context.providerState"' : 'it'
    throw refuse(
      'invalid_request',
      `${place} continues a conversation that the provider stores, which is not an allowed field`,
    )
  }
  const mayRunTools = [...allowed].some((name) => name.includes('.tools.'))
  const scope: Scope = { allowed, runsTools: mayRunTools || tools.some(isHosted) } // a tool that is not allowed is the error to report
  const { model, stream, providerOptions = {}, ...options } = request.options
  const own = Object.entries(providerOptions).map(([format, fields]): [string, JsonObject] => {
    return [
      format,
      permitOptions(format, fields, wire === 'isoglot' ? `options.providerOptions.${format}.` : '', allowed),
    ]
  })
  const read = readQuestion(permittedQuestion, {
    ...compact({ system: system && permitContent(system, 'system', 'block', scope) }),
    messages: messages.map((message, at) => permitPart(message, `messages.${at}`, kindOf(message), scope)),
    ...compact({ tools: unlessEmpty(tools.map((tool, at) => permitTool(tool, `tools.${at}`, scope))) }),
    options,
    ...compact({ takenIds: request.takenIds }),
  }) as ReadQuestion
  return {
    ...request,
    losses: [],
    context: compact({ system: read.system, messages: read.messages, tools: read.tools }),
    options: {
      ...read.options,
      ...compact({
        model,
        stream,
        user: read.options.user && user,
        providerOptions: unlessEmpty(Object.fromEntries(own)),
      }),
    },
  }
}

type DecodedContext = DecodedRequest['context']
type AnyContextTool = NonNullable<DecodedContext['tools']>[number]
type OwnTool = Exclude<AnyContextTool, ProviderTool>
type ReadQuestion = DecodedContext & Pick<DecodedRequest, 'options'>

interface Scope {
  readonly allowed: Allowed
  /** Some tools that a provider runs are allowed, so a history may have their calls: also where the request has the tools no more. */
  readonly runsTools: boolean
}

function refuseField(path: string): Error {
  return refuse('invalid_request', `"${path.slice(0, 100)}" is not an allowed field`)
}

// ---- what isoglot has no word for ---------------------------------------------------------------

/** The options of one format: what its list has, as the list reads it, and what is allowed by name. `prefix` is their place in the request. */
function permitOptions(format: string, fields: JsonObject, prefix: string, allowed: Allowed): JsonObject {
  const schema = Object.hasOwn(ownFields, format) ? ownFields[format as WireName] : undefined
  const [named, others] = splitNamed(fields, format, allowed)
  return mergeObjects(readQuestion(schema ?? v.strictObject({}), others, prefix) as JsonObject, named)
}

/** The fields that are allowed by name, and all others. `null` is no value, so neither has it. */
function splitNamed(
  fields: JsonObject,
  name: string,
  allowed: Allowed,
): readonly [named: JsonObject, others: JsonObject] {
  const named: [string, Json][] = []
  const others: [string, Json][] = []
  for (const [key, value] of Object.entries(fields)) {
    const path = `${name}.${key}`
    if (value === null) continue
    if (allowed.has(path)) named.push([key, value])
    else if (!isObject(value)) others.push([key, value])
    else {
      const [inner, rest] = splitNamed(value, path, allowed)
      if (Object.keys(inner).length > 0) named.push([key, inner])
      // An object of which nothing is left is still a field, unless all of it was allowed.
      if (Object.keys(inner).length === 0 || Object.keys(rest).length > 0) others.push([key, rest])
    }
  }
  return [Object.fromEntries(named), Object.fromEntries(others)]
}

function mergeObjects(one: JsonObject, other: JsonObject): JsonObject {
  const both = Object.entries(other).map(([key, value]): [string, Json] => {
    const mine = Object.hasOwn(one, key) ? one[key] : undefined
    return [key, isObject(mine) && isObject(value) ? mergeObjects(mine, value) : value]
  })
  return { ...one, ...Object.fromEntries(both) }
}

function permitTool(tool: AnyContextTool, place: string, scope: Scope): AnyContextTool {
  if (!isHosted(tool)) return permitPart(tool, place, 'tool', scope)
  const { format, value } = tool
  // Such as `gemini.tools.googleSearch`, or `anthropic.tools.web_search_20250305`.
  const names = toolsByKey.has(format) ? Object.keys(value) : [value.type]
  const isAllowed = (name: unknown) => typeof name === 'string' && scope.allowed.has(`${format}.tools.${name}`)
  if (names.length > 0 && names.every(isAllowed)) return tool
  throw refuse('invalid_request', `"${place}" is a tool of the provider's own, which is not allowed`)
}

function isHosted(tool: AnyContextTool): tool is ProviderTool {
  return 'format' in tool
}

function kindOf({ role }: Message): PartKind {
  return role === 'assistant' ? 'answer' : role === 'tool' ? 'result' : 'message'
}

/** A message, or a tool of the caller's. */
function permitPart<Part extends Message | OwnTool>(part: Part, place: string, kind: PartKind, scope: Scope): Part {
  const { content } = part as Partial<Message>
  const ofBlocks = kind === 'answer' ? kind : 'block'
  return {
    ...part,
    ...(content && { content: permitContent(content, `${place}.content`, ofBlocks, scope) }),
    ...permitUnknown(part, place, kind, scope),
  }
}

function permitContent(content: Content, place: string, kind: PartKind, scope: Scope): Content {
  if (typeof content === 'string') return content
  return content.map((block, at) => {
    if (!mayStand(block, kind, scope))
      throw refuse('invalid_request', `"${place}.${at}" is a block of the provider's own, which is not allowed`)
    return { ...block, ...permitUnknown(block, `${place}.${at}`, kind, scope) } as ContentBlock
  })
}

/** Whether a block of a provider's own is allowed: by a name such as `anthropic.blocks.tool_reference`, or because the provider's tools are. */
function mayStand(block: ContentBlock, kind: PartKind, { allowed, runsTools }: Scope): boolean {
  if (kind === 'answer' && runsTools) return true
  if (block.type !== 'unknown') return !block.type.startsWith('server_tool_')
  const name = `${block.format}.blocks.${block.providerType}`
  // A result as JSON, which only Bedrock has, is a text.
  const isJson = name === 'bedrock-converse.blocks.json' && Object.keys(block.value ?? {}).join() === 'json'
  return isJson || allowed.has(name)
}

/**
 * The fields of a part that isoglot has no word for. Of an answer, which the client only sends back, most are left out: they say what its
 * provider did.
 */
function permitUnknown(
  { providerData }: { readonly providerData?: ProviderData },
  place: string,
  kind: PartKind,
  { allowed }: Scope,
): { readonly providerData?: ProviderData } {
  if (providerData === undefined) return {}
  const known = ownPartFields[kind]
  const keep = (name: string, value: unknown, path: string): unknown => {
    const schema = Object.hasOwn(known, name) ? known[name] : undefined
    if (allowed.has(name) || (schema && v.is(schema, value))) return value
    if (value === null || leftOut.has(name)) return undefined
    if (isObject(value) && Object.keys(value).length > 0) {
      const kept = Object.entries(value).map(([key, inner]) => [key, keep(`${name}.${key}`, inner, `${path}.${key}`)])
      return unlessEmpty(Object.fromEntries(kept.filter(([, inner]) => inner !== undefined)))
    }
    if (kind === 'answer') return undefined
    throw refuseField(path)
  }
  const kept = Object.entries(providerData).map(([format, fields]) => {
    return [format, (unlessEmpty(fields) && keep(format, fields, place)) ?? {}]
  })
  return { providerData: Object.fromEntries(kept) as ProviderData }
}

/** The path of the first field below an object of fields that a codec did not know. */
function firstPath(place: string, value: unknown): string {
  const [first] = isObject(value) ? Object.entries(value) : []
  return first === undefined ? place : firstPath(`${place}.${first[0]}`, first[1])
}

// ---- what isoglot understands -------------------------------------------------------------------

/** @throws {ApiError} `invalid_request`, with the place of the problem after `prefix`. */
function readQuestion(schema: v.GenericSchema, given: object, prefix = ''): unknown {
  const result = v.safeParse(schema, given, { abortEarly: true })
  if (result.success) return result.output
  throw refuse('invalid_request', describe(result.issues[0], prefix))
}

/** Says where the problem is, but never the value. */
function describe(issue: v.BaseIssue<unknown>, prefix: string): string {
  const deepest = deepestOf(issue)
  const place = `${prefix}${v.getDotPath(deepest) ?? 'body'}`
  const isUnknown = deepest.expected === 'never'
  const path = (isUnknown ? firstPath(place, deepest.path?.at(-1)?.value) : place).slice(0, 100)
  if (isUnknown) return `"${path}" is not an allowed field`
  return deepest.received === 'undefined' ? `"${path}" is missing` : `"${path}" has a value that is not allowed`
}

/** In a union, the reason is one level down, in the member that matched the value best: the issue with the longest path. */
function deepestOf(issue: v.BaseIssue<unknown>): v.BaseIssue<unknown> {
  const inner = issue.issues
    ?.filter((sub) => (sub.path?.length ?? 0) > 0)
    .map((sub) => ({ ...sub, path: [...(issue.path ?? []), ...(sub.path ?? [])] }))
  const best = inner?.sort((a, b) => b.path.length - a.path.length)[0]
  return best ? deepestOf(best as v.BaseIssue<unknown>) : issue
}
