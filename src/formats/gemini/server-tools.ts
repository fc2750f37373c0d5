/**
 * Gemini: encodes and decodes calls and results of tools that Google runs itself: code execution, and other tools if the request asks for
 * their calls.
 *
 * @see https://ai.google.dev/gemini-api/docs/code-execution (read 2026-11)
 *
 * @module
 */

import { compact, field, isObject, lookup, otherFields, stringOr } from '../../core/lookup.ts'
import type { JsonObject, ProviderData, ServerToolCall, ServerToolResult } from '../../core/model.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { drop, type Origin, proofOf, type Scope, signatureOf } from './part.ts'
import { knownFields, outcomes } from './tables.ts'
import type { WirePart } from './wire.ts'

// ---- decode -----------------------------------------------------------------------------------

/** Reads `executableCode` as a call of the server tool `code_execution`. */
export function readCode(part: JsonObject, code: JsonObject, origin: Origin): ServerToolCall {
  const args = otherFields(code, new Set(['id'])) ?? {}
  return readServerCall(part, 'executableCode', { tool: 'code_execution', args, rest: {} }, origin)
}

/** Reads `codeExecutionResult`. */
export function readCodeResult(part: JsonObject, result: JsonObject, origin: Origin): ServerToolResult {
  return readServerResult(part, 'codeExecutionResult', origin, {
    name: 'code_execution',
    status: lookup(outcomes, field(result, 'outcome')),
    output: field(result, 'output'),
  })
}

/** Reads `toolCall`; `undefined` if its arguments are not an object. */
export function readToolCall(part: JsonObject, call: JsonObject, origin: Origin): ServerToolCall | undefined {
  const args = field(call, 'args') ?? {}
  const tool = stringOr(field(call, 'toolType'), '')
  const rest = otherFields(call, knownFields.toolCall) ?? {}
  return isObject(args) ? readServerCall(part, 'toolCall', { tool, args, rest }, origin) : undefined
}

/** Reads `toolResponse`. */
export function readToolResponse(part: JsonObject, response: JsonObject, origin: Origin): ServerToolResult {
  return readServerResult(part, 'toolResponse', origin, {
    name: stringOr(field(response, 'toolType'), undefined),
    output: field(response, 'response'),
  })
}

function readServerCall(
  part: JsonObject,
  name: 'executableCode' | 'toolCall',
  { tool, args, rest }: { readonly tool: string; readonly args: JsonObject; readonly rest: JsonObject },
  origin: Origin,
): ServerToolCall {
  const id = stringOr(field(field(part, name), 'id'), undefined)
  return {
    type: 'server_tool_call',
    name: tool,
    arguments: args,
    ...compact({ id, opaque: proofOf(part, origin) }),
    providerData: marked(part, name, rest),
  }
}

function readServerResult(
  part: JsonObject,
  name: 'codeExecutionResult' | 'toolResponse',
  origin: Origin,
  facts: Pick<ServerToolResult, 'output'> & {
    readonly name: string | undefined
    readonly status?: ServerToolResult['status'] | undefined
  },
): ServerToolResult {
  const toolCallId = stringOr(field(field(part, name), 'id'), undefined)
  const rest = otherFields(field(part, name) as JsonObject, knownFields[name]) ?? {}
  const providerData = marked(part, name, rest)
  return {
    type: 'server_tool_result',
    ...compact({ toolCallId, ...facts, opaque: proofOf(part, origin) }),
    providerData,
  }
}

/** Returns the kept fields of a part. They always include the data field, because only its name shows the kind of the part. */
function marked(part: JsonObject, name: string, rest: JsonObject): ProviderData {
  return { gemini: { ...otherFields(part, new Set([name, 'thoughtSignature'])), [name]: rest } }
}

// ---- encode -----------------------------------------------------------------------------------

/** Writes a call as the part that it was read from. A call of another provider is dropped and reported as a loss. */
export function encodeServerCall(block: ServerToolCall, scope: Scope, path: string): WirePart | undefined {
  const ours = block.providerData?.gemini
  const common = { ...ours, ...signatureOf(block, scope, path) }
  const id = compact({ id: block.id })
  if (isObject(field(ours, 'executableCode'))) return { ...common, executableCode: { ...block.arguments, ...id } }
  const call = field(ours, 'toolCall')
  if (!isObject(call)) return drop(scope, path, lackReasons.serverTool)
  return { ...common, toolCall: { ...call, ...id, toolType: block.name, args: block.arguments } }
}

/** Writes a result as the part that it was read from. A result of another provider is dropped and reported as a loss. */
export function encodeServerResult(block: ServerToolResult, scope: Scope, path: string): WirePart | undefined {
  const ours = block.providerData?.gemini
  const common = { ...ours, ...signatureOf(block, scope, path) }
  const id = compact({ id: block.toolCallId })
  const ran = field(ours, 'codeExecutionResult')
  if (isObject(ran)) {
    const output = compact({ output: block.output as string | undefined })
    return { ...common, codeExecutionResult: { ...ran, outcome: outcomeOf(block, ran), ...output, ...id } }
  }
  const response = field(ours, 'toolResponse')
  if (!isObject(response)) return drop(scope, path, lackReasons.serverTool)
  const facts = compact({ toolType: block.name, response: block.output as JsonObject | undefined })
  return { ...common, toolResponse: { ...response, ...facts, ...id } }
}

/** Returns the `outcome` that was received if it still matches the block's status, otherwise the one for that status. */
function outcomeOf(block: ServerToolResult, ran: JsonObject): string {
  const word = stringOr(field(ran, 'outcome'), undefined)
  if (word !== undefined && lookup(outcomes, word) === block.status) return word
  return block.status === 'error' ? 'OUTCOME_FAILED' : 'OUTCOME_OK'
}
