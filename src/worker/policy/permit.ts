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
import type { Content, ContentBlock, JsonObject, Message, ProviderData, ProviderTool } from '../../core/model.ts'
import type { CheckedRequest, WireName } from '../../gateway/types.ts'
import { refuse } from '../refusal.ts'
import { keptOfAnswers, leftOut, ownFields, ownPartFields } from './own-fields.ts'
import { question, questionWithProviderTools } from './question.ts'

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
  const { model, stream, providerOptions, ...options } = request.options
  const own = Object.entries(providerOptions ?? {}).map(([format, fields]) => {
    return [
      format,
      permitOptions(format, fields, wire === 'isoglot' ? `options.providerOptions.${format}.` : '', allowed),
    ]
  })
  const read = readQuestion(hasProviderTools(request, allowed) ? questionWithProviderTools : question, {
    ...compact({ system: system && withoutUnknown(system, 'system', allowed) }),
    messages: messages.map((message, at) => withoutUnknownIn(message, `messages.${at}`, allowed)),
    ...compact({ tools: unlessEmpty(tools.map((tool, at) => permitTool(tool, `tools.${at}`, allowed))) }),
    options,
    ...compact({ takenIds: request.takenIds }),
  }) as ReadQuestion
  return {
    ...request,
    losses: [],
    context: compact({ system: read.system, messages: read.messages, tools: read.tools }),
    options: {
      ...read.options,
      ...compact({ model, stream, user: read.options.user && user }),
      ...(own.length > 0 && { providerOptions: Object.fromEntries(own) as ProviderData }),
    },
  }
}

type Context = DecodedRequest['context']
type Tool = NonNullable<Context['tools']>[number]
type OwnTool = Exclude<Tool, ProviderTool>
type ReadQuestion = Context & Pick<DecodedRequest, 'options'>

function refuseField(path: string): Error {
  return refuse('invalid_request', `"${path.slice(0, 100)}" is not an allowed field`)
}

// ---- what isoglot has no word for ---------------------------------------------------------------

/** The options of one format. `prefix` is their place in the client's request. */
function permitOptions(format: string, fields: JsonObject, prefix: string, allowed: Allowed): JsonObject {
  const schema = Object.hasOwn(ownFields, format) ? ownFields[format as WireName] : undefined
  const { store } = readQuestion(
    schema ?? v.strictObject({}),
    withoutAllowed(fields, format, allowed),
    prefix,
  ) as JsonObject
  return { ...fields, ...compact({ store }) }
}

/** The fields that are neither `null` nor allowed by name. */
function withoutAllowed(fields: JsonObject, name: string, allowed: Allowed): JsonObject {
  const left = Object.entries(fields).flatMap(([key, value]): [string, unknown][] => {
    const path = `${name}.${key}`
    if (value === null || allowed.has(path)) return []
    if (!isObject(value) || Object.keys(value).length === 0) return [[key, value]]
    const inner = withoutAllowed(value, path, allowed)
    return Object.keys(inner).length === 0 ? [] : [[key, inner]]
  })
  return Object.fromEntries(left) as JsonObject
}

/** Named as the client writes it, and not as isoglot names its place. */
function permitTool(tool: Tool, place: string, allowed: Allowed): Tool {
  if (!('format' in tool)) return withoutUnknownIn(tool, place, allowed)
  if (allowed.has(nameOfTool(tool))) return tool
  throw refuse('invalid_request', `"${place}" is a tool of the provider's own, which is not allowed`)
}

/** Such as `anthropic.tools.web_search_20250305`, or `gemini.tools.googleSearch`. */
function nameOfTool({ format, value }: ProviderTool): string {
  return `${format}.tools.${typeof value.type === 'string' ? value.type : Object.keys(value)[0]}`
}

function hasProviderTools({ context: { tools = [] } }: DecodedRequest, allowed: Allowed): boolean {
  return tools.some((tool) => 'format' in tool && allowed.has(nameOfTool(tool)))
}

function withoutUnknownIn<Part extends Message | OwnTool>(part: Part, place: string, allowed: Allowed): Part {
  const { content } = part as { content?: Content | null }
  const isAnswer = (part as Message).role === 'assistant'
  return {
    ...part,
    ...(Array.isArray(content) && { content: withoutUnknown(content, `${place}.content`, allowed, isAnswer) }),
    ...providerDataOf(part, place, allowed, isAnswer),
  }
}

function withoutUnknown<Given extends Content>(
  content: Given,
  place: string,
  allowed: Allowed,
  isAnswer = false,
): Given {
  if (typeof content === 'string') return content
  return content.map((block, at) => {
    if (!isAnswer) checkOwnBlock(block, `${place}.${at}`, allowed)
    return { ...block, ...providerDataOf(block, `${place}.${at}`, allowed, isAnswer) }
  }) as Content as Given
}

/** Named such as `anthropic.blocks.tool_reference`. A result as JSON, which only Bedrock has, is a text. */
function checkOwnBlock(block: ContentBlock, place: string, allowed: Allowed): void {
  if (block.type !== 'unknown') return
  const name = `${block.format}.blocks.${block.providerType}`
  const isJson = name === 'bedrock-converse.blocks.json' && Object.keys(block.value ?? {}).join() === 'json'
  if (isJson || allowed.has(name)) return
  throw refuse('invalid_request', `"${place}" is a block of the provider's own, which is not allowed`)
}

/**
 * The fields of a message, a block or a tool that isoglot has no word for. Of an answer, which the client only sends back, most are left out:
 * they say what its provider did.
 */
function providerDataOf(
  { providerData }: { readonly providerData?: ProviderData },
  place: string,
  allowed: Allowed,
  isAnswer: boolean,
): { readonly providerData?: ProviderData } {
  if (providerData === undefined) return {}
  const known = isAnswer ? keptOfAnswers : ownPartFields
  const keep = (name: string, value: unknown, path: string): unknown => {
    if (allowed.has(name) || known.includes(name)) return value
    if (isObject(value) && Object.keys(value).length > 0) {
      const kept = Object.entries(value).map(([key, inner]) => [key, keep(`${name}.${key}`, inner, `${path}.${key}`)])
      return unlessEmpty(Object.fromEntries(kept.filter(([, inner]) => inner !== undefined)))
    }
    if (isAnswer || value === null || leftOut.includes(name)) return undefined
    throw refuseField(path)
  }
  const kept = Object.entries(providerData).map(([format, fields]) => {
    return [format, Object.keys(fields).length === 0 ? fields : (keep(format, fields, place) ?? {})]
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
