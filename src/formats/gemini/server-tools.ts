/**
 * Gemini: calls and results of tools that Google runs itself: code execution, and other tools if the request asks for their calls.
 *
 * @see https://ai.google.dev/gemini-api/docs/code-execution (read 2026-11)
 *
 * @module
 */

import { isObject, lookup, objectIn, stringOr } from '../../core/lookup.ts'
import type { JsonObject, ServerToolCall, ServerToolResult } from '../../core/model.ts'
import * as reasons from '../../kit/reasons.ts'
import { drop, partWith, type Reader, type Scope } from './part.ts'
import { outcomes } from './tables.ts'
import type { WirePart } from './wire.ts'

/** The fields of a call and of a result. The name of the data field says which of them a block is. */
type ServerBlock = Omit<ServerToolCall, 'type'> & Omit<ServerToolResult, 'type'>

/** How a part becomes a block, and a block a part. */
interface ServerPart {
  readonly read: Reader
  /** Writes the data field. `kept` has its fields that isoglot has no field for. */
  readonly write: (block: ServerBlock, kept: JsonObject) => object
}

/** The parts, by their data field. */
export const serverParts: Readonly<Record<string, ServerPart>> = {
  executableCode: {
    read: ({ id: _, ...code }, id) => {
      return { type: 'server_tool_call', id, name: 'code_execution', arguments: code, rest: {} }
    },
    write: ({ id, arguments: code }) => ({ ...code, id }),
  },
  codeExecutionResult: {
    read: ({ id: _, output, ...rest }, toolCallId) => {
      const status = lookup(outcomes, rest.outcome)
      return { type: 'server_tool_result', toolCallId, name: 'code_execution', status, output, rest }
    },
    write: ({ toolCallId, status, output }, { outcome }) => {
      const isSame = lookup(outcomes, outcome) === status
      return { id: toolCallId, outcome: isSame ? outcome : `OUTCOME_${status === 'error' ? 'FAILED' : 'OK'}`, output }
    },
  },
  toolCall: {
    read: ({ id: _, toolType, args, ...rest }, id) => {
      const given = args ?? {}
      if (!isObject(given)) return undefined
      return { type: 'server_tool_call', id, name: stringOr(toolType, ''), arguments: given, rest }
    },
    write: ({ id, name, arguments: args }) => ({ id, toolType: name, args }),
  },
  toolResponse: {
    read: ({ id: _, toolType, response, ...rest }, toolCallId) => {
      const name = stringOr(toolType, undefined)
      return { type: 'server_tool_result', toolCallId, name, output: response, rest }
    },
    write: ({ toolCallId, name, output }) => ({ id: toolCallId, toolType: name, response: output }),
  },
}

/** Writes a call or a result as the part that it was read from. One without kept fields is of another provider, and is left out. */
export function encodeServerTool(
  block: ServerToolCall | ServerToolResult,
  scope: Scope,
  path: string,
): WirePart | undefined {
  const ours = block.providerData?.gemini
  for (const name of Object.keys(ours ?? {})) {
    const data = lookup(serverParts, name)?.write(block as ServerBlock, objectIn(ours, name))
    if (data !== undefined) return partWith(name, data, block)
  }
  return drop(scope, path, reasons.serverTool)
}
