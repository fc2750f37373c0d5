/**
 * Gemini Interactions: encodes the blocks of an assistant's turn as steps, for the history of a request and for an answer.
 *
 * @see https://ai.google.dev/gemini-api/docs/thinking (read 2026-11)
 *
 * @module
 */
import { arrayOf, compact, field, isObject, stringOr, textOr, unlessEmpty } from '../../core/lookup.ts'
import type {
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  Opaque,
  ReasoningBlock,
  ServerToolCall,
  ServerToolResult,
  ToolCall,
  UnknownBlock,
} from '../../core/model.ts'
import { isEnvelope } from '../../kit/envelope.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { encodeContent, keptFields, verbatim } from './content.ts'
import { format } from './tables.ts'
import { encodeCall } from './tools.ts'
import type { WireContent, WireStep, WireThought } from './wire.ts'

/** The reader of the steps, and the proofs that it may receive. */
export interface TurnScope {
  readonly losses: Losses
  /** `client` receives everything. `server` refuses a thought without a signature, so such a thought is not sent. */
  readonly reader: 'client' | 'server'
  /** Returns the data of the proof if it may be sent to this reader. */
  proof(opaque: Opaque | undefined): JsonObject | undefined
  /** Gets the path of each call. */
  readonly paths?: Map<WireStep, string>
}

interface Turn {
  readonly scope: TurnScope
  readonly steps: WireStep[]
  /** The signature of the last thought. The next call takes it; it is then `undefined`. */
  signature: string | undefined
}

/** Encodes the blocks of one turn as steps. Invalid calls are dropped and reported. */
export function encodeTurn(
  blocks: readonly ContentBlock[],
  invalidCalls: readonly InvalidToolCall[],
  path: string,
  scope: TurnScope,
): WireStep[] {
  const turn: Turn = { scope, steps: [], signature: undefined }
  for (const [at, block] of blocks.entries()) addBlock(turn, block, `${path}.content[${at}]`)
  for (const at of invalidCalls.keys()) {
    reportLoss(scope.losses, 'dropped', `${path}.invalidToolCalls[${at}]`, 'the arguments are not an object')
  }
  return turn.steps
}

function addBlock(turn: Turn, block: ContentBlock, path: string): void {
  switch (block.type) {
    case 'reasoning':
      addThought(turn, block, path)
      break
    case 'tool_call':
      addCall(turn, block, path)
      break
    case 'server_tool_call':
    case 'server_tool_result':
      addHosted(turn, block, path)
      break
    case 'text':
      if (block.text !== '')
        addContent(turn, encodeContent(block, path, turn.scope.losses, turn.scope.reader === 'client'))
      else reportLoss(turn.scope.losses, 'dropped', path, reasons.empty, 'info')
      break
    case 'unknown':
      addUnknown(turn, block, path)
      break
    default:
      addContent(turn, encodeContent(block, path, turn.scope.losses))
      break
  }
}

/** Adds a content to the last step if that is a `model_output`, otherwise as a new step. */
function addContent({ steps }: Turn, content: WireContent | undefined): void {
  if (content === undefined) return
  const last = steps.at(-1)
  if (last?.type === 'model_output') last.content.push(content)
  else steps.push({ type: 'model_output', content: [content] })
}

function addThought(turn: Turn, block: ReasoningBlock, path: string): void {
  const { losses, reader } = turn.scope
  const signature = textOr(field(turn.scope.proof(block.opaque), 'signature'), undefined)
  if (signature === undefined && reader === 'server') {
    reportLoss(losses, 'dropped', path, reasons.reasoningProof)
    return
  }
  if (signature === undefined && block.opaque !== undefined) {
    reportLoss(losses, 'dropped', `${path}.opaque`, reasons.foreignProof, 'info')
  }
  turn.signature = signature !== undefined && isEnvelope(signature) ? undefined : signature
  turn.steps.push(encodeThought(block, signature))
}

function encodeThought(block: ReasoningBlock, signature: string | undefined): WireThought {
  const { summary: pictures, ...kept } = keptFields(block)
  const summary = [
    ...(block.text === '' ? [] : [{ type: 'text' as const, text: block.text }]),
    ...arrayOf(pictures).map((picture) => verbatim<WireContent>(picture ?? {})),
  ]
  return { ...kept, type: 'thought', ...compact({ signature, summary: unlessEmpty(summary) }) }
}

/** Adds a call. Gemini 3 refuses the first call of a turn without a signature, so for the server, a call without one takes that of its thought. */
function addCall(turn: Turn, call: ToolCall, path: string): void {
  const { proof, reader, paths } = turn.scope
  const own = textOr(field(proof(call.opaque), 'signature'), undefined)
  const signature = own ?? (reader === 'server' ? turn.signature : undefined)
  turn.signature = undefined
  const step = { ...encodeCall(call), ...compact({ signature }) }
  turn.steps.push(step)
  paths?.set(step, path)
}

/** Adds a call or a result of a server tool. It is sent unchanged to the server that ran it. For other servers it is dropped and reported. */
function addHosted(turn: Turn, block: ServerToolCall | ServerToolResult, path: string): void {
  const data = turn.scope.proof(block.opaque)
  if (data === undefined) reportLoss(turn.scope.losses, 'dropped', path, reasons.serverTool)
  else turn.steps.push(verbatim(encodeHosted(block, data)))
}

export function encodeHosted(block: ServerToolCall | ServerToolResult, data: JsonObject): JsonObject {
  if (block.type === 'server_tool_call') {
    const given = unlessEmpty(block.arguments) // some kinds of call have no such field
    return { ...data, id: block.id ?? '', ...compact({ arguments: given }) }
  }
  return {
    ...data,
    call_id: block.toolCallId ?? '',
    ...compact({ result: block.output as Json | undefined, is_error: block.status === 'error' || undefined }),
  }
}

function addUnknown(turn: Turn, block: UnknownBlock, path: string): void {
  if (block.format !== format || !isObject(block.value)) {
    reportLoss(turn.scope.losses, 'dropped', path, reasons.foreignBlock)
    return
  }
  if (keptFields(block).content === true) addContent(turn, verbatim(block.value))
  else if (stringOr(block.value.type, '') !== '') turn.steps.push(verbatim(block.value))
}
