/**
 * Anthropic Messages: writes a client's request again for another host of Claude, or for another format. Half of what a server needs; no
 * page loads it.
 *
 * @see https://platform.claude.com/docs/en/api/beta-headers (read 2026-11)
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/bash-tool (read 2026-11)
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool (read 2026-11)
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool (read 2026-11)
 * @see `BetaRequestToolAdditionBlock` and `BetaRequestToolRemovalBlock` of the official SDK (@anthropic-ai/sdk 1.11)
 *
 * @module
 */
import type { PortedRequest, PortTarget } from '../../../core/codec.ts'
import { arrayOf, field, isObject, lookup, stringOr, textOr } from '../../../core/json.ts'
import type { Json, JsonObject, Loss } from '../../../core/messages.ts'
import * as reasons from '../../shared/reasons.ts'
import { shortSchema } from '../../shared/short-schema.ts'
import { type BetaPlace, fieldsOf, namesAt, stemOf } from '../betas.ts'
import { format } from '../tables.ts'

/** Writes a request again. Returns `undefined` if nothing of it changes. */
export function port(body: JsonObject, target: PortTarget): PortedRequest | undefined {
  const losses: Loss[] = []
  const said = target.provider === format ? body : withoutBilling(body, losses)
  const ported =
    target.format === format
      ? withBetas(said, target, losses)
      : without(
          withFunctions(withToolsAtEnd(said, losses), losses),
          'mark',
          ['scope'],
          'the target has no scopes of caches',
          losses,
        )
  if (target.format !== format && target.headers['anthropic-beta'])
    note(losses, 'dropped', 'headers.anthropic-beta', 'only hosts of Claude have these betas')
  return ported === body && losses.length === 0 ? undefined : { body: ported, calls: new Map(), losses }
}

function note(
  losses: Loss[],
  action: Loss['action'],
  path: string,
  reason: string,
  severity: Loss['severity'] = 'info',
) {
  losses.push({ path, action, reason, severity })
}

/** The objects of a list in a holder, each as `change` returns it. The same holder if they are the same. */
function mapIn(holder: JsonObject, name: string, change: (one: JsonObject, path: string) => JsonObject): JsonObject {
  const list = arrayOf(holder[name])
  const changed = list.map((one, at) => (isObject(one) ? change(one, `${name}[${at}]`) : one))
  return changed.every((one, at) => one === list[at]) ? holder : { ...holder, [name]: changed }
}

// ---- the line for billing -----------------------------------------------------------------------

/** The first line of Claude Code's system text. It changes with each request, so that no cache would hold the text after it. */
const billing = /^x-anthropic-billing-header:[^\n]*\n*/

function withoutBilling(body: JsonObject, losses: Loss[]): JsonObject {
  const { system } = body
  const [first, ...rest] = typeof system === 'string' ? [{ text: system }] : arrayOf(system)
  const said = stringOr(field(first, 'text'), '')
  const text = said.replace(billing, '')
  if (text === said) return body
  note(losses, 'dropped', 'system[0]', 'it is for the billing of Anthropic, and changes with each request')
  if (typeof system === 'string') return { ...body, system: text }
  return { ...body, system: text === '' ? rest : [{ ...(first as JsonObject), text }, ...rest] }
}

// ---- betas --------------------------------------------------------------------------------------

/** The request with the betas that the host takes, in the field `anthropic_beta`, and without the fields that only others permit. */
function withBetas(body: JsonObject, { provider, model, headers }: PortTarget, losses: Loss[]): JsonObject {
  const given = [...(headers['anthropic-beta'] ?? '').split(','), ...arrayOf(body.anthropic_beta)]
  const asked = [...new Set(given.flatMap((beta) => textOr(stringOr(beta, '').trim(), [])))]
  if (asked.length === 0) return body
  const hasFieldOf = (beta: string) =>
    arrayOf(body.tools).some((tool) => fieldsOf(beta)[1].some((name) => field(tool, name) !== undefined))
  const taken = asked.map((beta) => namesAt(provider, model, beta).filter((name) => name === beta || hasFieldOf(name)))
  const permitted = taken.flat().flatMap((name) => fieldsOf(name)[1])
  let left: JsonObject = { ...body, anthropic_beta: taken.flat() }
  for (const [at, beta] of asked.entries()) {
    const names = taken[at]?.join() ?? ''
    if (names === beta) continue
    const [place, fields] = fieldsOf(beta)
    const reason = `${provider} does not take the beta "${beta}"`
    if (names === '') note(losses, 'dropped', 'headers.anthropic-beta', reason)
    else note(losses, 'changed', 'headers.anthropic-beta', `${provider} takes the beta "${beta}" as ${names}`)
    left = without(
      left,
      place,
      fields.filter((name) => !permitted.includes(name)),
      reason,
      losses,
    )
  }
  return left
}

/** The request without fields of its body, its tools or its cache marks. The marks themselves stay. */
function without(
  body: JsonObject,
  place: BetaPlace,
  fields: readonly string[],
  reason: string,
  losses: Loss[],
): JsonObject {
  const drop = (one: JsonObject, path: string, severity: Loss['severity'] = 'minor'): JsonObject => {
    const found = fields.filter((name) => one[name] !== undefined)
    for (const name of found) note(losses, 'dropped', `${path}.${name}`, reason, severity)
    return found.length === 0 ? one : Object.fromEntries(Object.entries(one).filter(([name]) => !found.includes(name)))
  }
  const unmark = (one: JsonObject, path: string): JsonObject => {
    const { cache_control: mark } = one
    const left = isObject(mark) ? drop(mark, `${path}.metadata.cacheHint`, 'info') : mark
    return left === mark ? one : { ...one, cache_control: left as JsonObject }
  }
  switch (place) {
    case 'body':
      return drop(body, 'options.providerOptions.anthropic')
    case 'tool':
      return mapIn(body, 'tools', (tool, path) => drop(tool, `${path}.providerData.anthropic`))
    case 'mark': {
      const inMessages = mapIn(body, 'messages', (message, path) =>
        mapIn(message, 'content', (block, at) => unmark(block, `${path}.${at}`)),
      )
      return mapIn(mapIn(inMessages, 'system', unmark), 'tools', unmark)
    }
  }
}

// ---- tools that come and go -----------------------------------------------------------------------

/** The request with the tools that are offered at its end: only hosts of Claude take changes of tools within the conversation. */
function withToolsAtEnd(body: JsonObject, losses: Loss[]): JsonObject {
  const tools = new Map(arrayOf(body.tools).map((tool, at) => [stringOr(field(tool, 'name'), `${at}`), tool]))
  const removed = new Set<string>()
  const before = losses.length
  const apply = ({ type, tool }: JsonObject): boolean => {
    const definition = field(tool, 'definition')
    const name = field(definition ?? tool, 'name')
    const isKnown = definition !== undefined || field(tool, 'type') === 'tool_reference'
    if ((type !== 'tool_addition' && type !== 'tool_removal') || typeof name !== 'string' || !isKnown) return false
    if (type === 'tool_removal') removed.add(name)
    else removed.delete(name)
    if (definition !== undefined) tools.set(name, definition)
    return true
  }
  const messages = arrayOf(body.messages).flatMap((message, at): Json[] => {
    if (!isObject(message) || message.role !== 'system' || !Array.isArray(message.content)) return [message]
    const { content, ...rest } = message
    const left = arrayOf(content).filter((block, place) => {
      if (!isObject(block) || !apply(block)) return true
      note(
        losses,
        'changed',
        `messages[${at}].content[${place}]`,
        'the target has the resulting tools from the beginning',
      )
      return false
    })
    if (left.length === arrayOf(content).length) return [message]
    if (left.length > 0) return [{ ...rest, content: left }]
    return Object.keys(rest).length > 1 ? [rest] : []
  })
  if (losses.length === before) return body
  const offered = [...tools].flatMap(([name, tool]) => (removed.has(name) ? [] : [tool]))
  return { ...body, messages, tools: offered }
}

// ---- tools of another format ----------------------------------------------------------------------

const edits = 'file_text? old_str? new_str? insert_line?# insert_text? view_range?#[]'

/** Tools of this format that the client runs, by their type without its date. Claude knows their parameters. */
const clientTools: Readonly<Record<string, readonly [description: string, fields: readonly string[]]>> = {
  bash: ["Runs a command in a shell on the user's machine.", ['command? restart?!']],
  text_editor: ['Shows and changes files.', ['command=view|create|str_replace|insert path', edits]],
  memory: [
    'Keeps notes in files below /memories.',
    ['command=view|create|str_replace|insert|delete|rename path? old_path? new_path?', edits],
  ],
}

/** The request with functions for the tools that the client runs. */
function withFunctions(body: JsonObject, losses: Loss[]): JsonObject {
  return mapIn(body, 'tools', (tool, path) => {
    const [description, fields] = lookup(clientTools, stemOf(stringOr(tool.type, ''))) ?? []
    if (description === undefined || fields === undefined) return tool
    note(losses, 'changed', path, reasons.asFunction)
    const { type: _, ...rest } = tool
    return { ...rest, description, input_schema: shortSchema(fields.join(' ')) }
  })
}
