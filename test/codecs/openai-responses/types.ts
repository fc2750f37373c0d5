/** What we write, the official client takes: checked by the compiler alone. */
import type OpenAI from 'openai'
import type { ResponseCreateParams, ResponseInputItem, Tool } from 'openai/resources/responses/responses'
import type { WireFunctionTool, WireItem, WireRequest } from '../../../src/codecs/openai-responses/wire.ts'

type Assignable<From extends To, To> = From

export type Item = Assignable<WireItem, ResponseInputItem>
export type FunctionTool = Assignable<WireFunctionTool, Tool>
export type Request = Assignable<WireRequest, ResponseCreateParams>

/** The client's own method takes it too. */
export function ask(client: OpenAI, request: WireRequest): unknown {
  return client.responses.create(request)
}
