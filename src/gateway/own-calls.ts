/** The calls of an answer in the client's own form, where functions stood for its tools: see `port` of a server codec. Pure. @module */
import type { OwnCall } from '../core/codec.ts'
import { blocksOfTurn } from '../core/content.ts'
import { compact } from '../core/json.ts'
import type { ChatResponse, InvalidToolCall, MessageEvent, ToolCall, ToolCallChunk } from '../core/messages.ts'

/** By the names of the functions. */
export type OwnCalls = ReadonlyMap<string | undefined, OwnCall>

type CallOrChunk = ToolCall | InvalidToolCall | ToolCallChunk

function ownCall<Call extends CallOrChunk>(call: Call, calls: OwnCalls): Call {
  const own = calls.get(call.name)
  return own ? { ...call, name: own.name, providerData: { ...call.providerData, ...own.providerData } } : call
}

/** The answer, with the client's own calls. */
export function ownResponse(response: ChatResponse, calls: OwnCalls | undefined): ChatResponse {
  if (!calls?.size) return response
  const { toolCalls: _, invalidToolCalls, ...rest } = response.message
  const content = blocksOfTurn(response.message).map((block) =>
    block.type === 'tool_call' ? ownCall(block, calls) : block,
  )
  const invalid = invalidToolCalls?.map((call) => ownCall(call, calls))
  return { ...response, message: { ...rest, content, ...compact({ invalidToolCalls: invalid }) } }
}

/** The event, with the client's own calls. A chunk without arguments may have only a part of its name, so it stays as it is. */
export function ownEvent(event: MessageEvent, calls: OwnCalls | undefined): MessageEvent {
  if (!calls?.size) return event
  switch (event.type) {
    case 'tool_call':
      return { ...event, call: ownCall(event.call, calls) }
    case 'invalid_tool_call':
      return { ...event, call: ownCall(event.call, calls) }
    case 'tool_call_chunk': {
      const { chunk } = event
      return chunk.type === 'tool_call_chunk' && chunk.argumentsDelta
        ? { ...event, chunk: ownCall(chunk, calls) }
        : event
    }
    case 'message_end': {
      const response = ownResponse(event.response, calls)
      return { ...event, message: response.message, response }
    }
    default:
      return event
  }
}
