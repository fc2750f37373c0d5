/**
 * Anthropic Messages: writes a client's request again for another host of Claude, or for another format. Half of what a server needs; no
 * page loads it.
 *
 * @see https://platform.claude.com/docs/en/api/beta-headers (read 2026-11)
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/bash-tool (read 2026-11)
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool (read 2026-11)
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool (read 2026-11)
 *
 * @module
 */
import type { PortedRequest, PortTarget } from '../../core/codec.ts'
import { arrayOf, field, isObject, lookup, stringOr, textOr } from '../../core/json.ts'
import type { JsonObject, Loss } from '../../core/model.ts'
import * as reasons from '../../kit/reasons.ts'
import { type BetaFields, fieldsOfBetas, namesAt } from './betas.ts'
import { format } from './words.ts'

/** Writes a request again. Returns `undefined` if nothing of it changes. */
export function port(body: JsonObject, target: PortTarget): PortedRequest | undefined {
  const losses: Loss[] = []
  const isOwn = target.provider === format
  const system = isOwn ? body : withoutBilling(body, losses)
  const ported = target.format === format ? withBetas(system, target, losses) : withFunctions(system, losses)
  return ported === body ? undefined : { body: ported, calls: new Map(), losses }
}

function note(
  losses: Loss[],
  path: string,
  action: Loss['action'],
  reason: string,
  severity: Loss['severity'] = 'info',
) {
  losses.push({ path, action, reason, severity })
}

// ---- the line for billing -----------------------------------------------------------------------

/** The first line of Claude Code's system text. It has a value that changes with each request, so that no cache would hold the text after it. */
const billing = /^x-anthropic-billing-header:[^\n]*\n*/

function withoutBilling(body: JsonObject, losses: Loss[]): JsonObject {
  const isText = typeof body.system === 'string'
  const [first, ...rest] = isText ? [{ text: body.system as string }] : arrayOf(body.system)
  const said = field(first, 'text')
  if (!isObject(first) || typeof said !== 'string' || !billing.test(said)) return body
  note(
    losses,
    isText ? 'system' : 'system[0]',
    'dropped',
    'it is for the billing of Anthropic, and changes with each request',
  )
  const text = said.replace(billing, '')
  if (isText) return { ...body, system: text }
  return { ...body, system: text === '' ? rest : [{ ...first, text }, ...rest] }
}

// ---- betas --------------------------------------------------------------------------------------

/**
 * The request with the betas that the host takes, in the field `anthropic_beta`, and without the fields that only the others permit.
 */
function withBetas(body: JsonObject, { provider, model, headers }: PortTarget, losses: Loss[]): JsonObject {
  const inBody = arrayOf(body.anthropic_beta).flatMap((beta) => textOr(beta, []))
  const inHeader = (headers['anthropic-beta'] ?? '').split(',').flatMap((beta) => textOr(beta.trim(), []))
  const asked = [...new Set([...inHeader, ...inBody])]
  if (asked.length === 0) return body
  const tools = arrayOf(body.tools)
  const isUsed = (beta: string) =>
    fieldsOf(beta).tool?.some((name) => tools.some((tool) => field(tool, name) !== undefined))
  const names = asked.map((beta) => namesAt(provider, model, beta).filter((name) => name === beta || isUsed(name)))
  const taken = names.flat()
  let left: JsonObject = { ...body, anthropic_beta: taken }
  for (const [at, beta] of asked.entries()) {
    if (names[at]?.includes(beta)) continue
    const what = `the beta "${beta}"`
    const as = names[at]?.length === 0 ? 'does not take it' : `takes it as ${names[at]?.join(', ')}`
    note(
      losses,
      'headers.anthropic-beta',
      names[at]?.length === 0 ? 'dropped' : 'changed',
      `${what}: ${provider} ${as}`,
    )
    left = withoutFields(left, beta, taken, `it needs ${what}, which ${provider} does not take`, losses)
  }
  return left
}

/** The name without its date. */
const stemOf = (name: string): string => name.replace(/[-_]\d{4}-?\d\d-?\d\d$/, '')

function fieldsOf(beta: string): BetaFields {
  return lookup(fieldsOfBetas, stemOf(beta)) ?? {}
}

/** The request without the fields of a beta that no beta that is sent permits. */
function withoutFields(
  body: JsonObject,
  beta: string,
  taken: readonly string[],
  reason: string,
  losses: Loss[],
): JsonObject {
  const { body: top = [], tool = [], mark = [] } = fieldsOf(beta)
  const permitted = taken.flatMap((name) => fieldsOf(name).tool ?? [])
  let left = without(body, top, 'options.providerOptions.anthropic', reason, losses)
  const dropped = tool.filter((name) => !permitted.includes(name))
  if (dropped.length > 0)
    left = mapIn(left, 'tools', (one, path) => without(one, dropped, `${path}.providerData.anthropic`, reason, losses))
  return mark.length === 0 ? left : withoutMarks(left, mark, reason, losses)
}

function without(
  value: JsonObject,
  names: readonly string[],
  path: string,
  reason: string,
  losses: Loss[],
): JsonObject {
  const found = names.filter((name) => value[name] !== undefined)
  if (found.length === 0) return value
  for (const name of found) note(losses, `${path}.${name}`, 'dropped', reason, 'minor')
  return Object.fromEntries(Object.entries(value).filter(([name]) => !found.includes(name)))
}

/** The objects of a list in the body, each as `change` returns it. */
function mapIn(body: JsonObject, name: string, change: (one: JsonObject, path: string) => JsonObject): JsonObject {
  const list = body[name]
  if (!Array.isArray(list)) return body
  const changed = list.map((one, at) => (isObject(one) ? change(one, `${name}[${at}]`) : one))
  return changed.every((one, at) => one === list[at]) ? body : { ...body, [name]: changed }
}

/** The request with cache marks that do not have these fields. The marks themselves stay. */
function withoutMarks(body: JsonObject, names: readonly string[], reason: string, losses: Loss[]): JsonObject {
  const unmark = (one: JsonObject, path: string): JsonObject => {
    const { cache_control: mark } = one
    if (!isObject(mark) || names.every((name) => mark[name] === undefined)) return one
    note(losses, `${path}.metadata.cacheHint`, 'changed', reason)
    return { ...one, cache_control: Object.fromEntries(Object.entries(mark).filter(([name]) => !names.includes(name))) }
  }
  const inMessage = (message: JsonObject, path: string) =>
    mapIn(message, 'content', (block, place) => unmark(block, `${path}.${place}`))
  return mapIn(mapIn(mapIn(body, 'system', unmark), 'tools', unmark), 'messages', inMessage)
}

// ---- tools of another format ----------------------------------------------------------------------

/** A tool of this format that the client runs. Claude knows its parameters. */
interface ClientTool {
  readonly description: string
  readonly commands?: readonly string[]
  readonly fields: string
  readonly required: readonly string[]
}

/** By the type of the tool, without its date. */
const clientTools: Readonly<Record<string, ClientTool>> = {
  bash: {
    description: "Runs a command in a shell on the user's machine.",
    fields: 'command restart',
    required: [],
  },
  text_editor: {
    description: 'Shows and changes files.',
    commands: ['view', 'create', 'str_replace', 'insert'],
    fields: 'command path file_text old_str new_str insert_line insert_text view_range',
    required: ['command', 'path'],
  },
  memory: {
    description: 'Keeps notes in files below /memories.',
    commands: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'],
    fields: 'command path file_text old_str new_str insert_line insert_text old_path new_path view_range',
    required: ['command'],
  },
}

/** The types of fields that are not texts. */
const fieldTypes: Readonly<Record<string, JsonObject>> = {
  restart: { type: 'boolean' },
  insert_line: { type: 'integer' },
  view_range: { type: 'array', items: { type: 'integer' } },
}

function schemaOf({ commands, fields, required }: ClientTool): JsonObject {
  const properties = fields.split(' ').map((name): [string, JsonObject] => {
    const text = name === 'command' && commands ? { type: 'string', enum: [...commands] } : { type: 'string' }
    return [name, lookup(fieldTypes, name) ?? text]
  })
  return { type: 'object', properties: Object.fromEntries(properties), required: [...required] }
}

/** The request with functions for the tools that the client runs, and with cache marks that other formats can have. */
function withFunctions(body: JsonObject, losses: Loss[]): JsonObject {
  const ported = mapIn(body, 'tools', (tool, path) => {
    const known = lookup(clientTools, stemOf(stringOr(tool.type, '')))
    if (known === undefined) return tool
    note(losses, path, 'changed', reasons.asFunction)
    const { type: _, ...fields } = tool
    return { ...fields, description: known.description, input_schema: schemaOf(known) }
  })
  return withoutMarks(ported, ['scope'], 'the target has no scopes of caches', losses)
}
