/** Encoded requests and answers have the types of the official client: checked only by the compiler. */
import type OpenAI from 'openai'
import type {
  FileSearchTool,
  ResponseCreateParams,
  ResponseInputItem,
  Tool,
  WebSearchTool,
} from 'openai/resources/responses/responses'
import type {
  McpOptions,
  WireCodeInterpreter,
  WireFileSearch,
  WireImageGeneration,
  WireMcp,
  WireWebSearch,
} from '../../../src/formats/openai-responses/index.ts'
import type { WireFunctionTool, WireItem, WireRequest } from '../../../src/formats/openai-responses/wire.ts'

type Assignable<From extends To, To> = From

export type Item = Assignable<WireItem, ResponseInputItem>
export type FunctionTool = Assignable<WireFunctionTool, Tool>
export type Request = Assignable<WireRequest, ResponseCreateParams>

export type WebSearch = Assignable<WireWebSearch, Tool>
export type FileSearch = Assignable<WireFileSearch, Tool>
export type CodeInterpreter = Assignable<WireCodeInterpreter, Tool>
export type ImageGeneration = Assignable<WireImageGeneration, Tool>
export type Mcp = Assignable<WireMcp, Tool>

/** Every field of a hosted tool is one of the client's: one that may be absent would go unseen above. */
type Missing<Ours, Theirs> = Exclude<keyof Ours, keyof Theirs>
type Inside<T, Key extends keyof T> = Exclude<T[Key], string | undefined | null>
export type HostedFieldsAreKnown = Assignable<
  | Missing<WireWebSearch, WebSearchTool>
  | Missing<Inside<WireWebSearch, 'filters'>, Inside<WebSearchTool, 'filters'>>
  | Missing<Inside<WireWebSearch, 'user_location'>, Inside<WebSearchTool, 'user_location'>>
  | Missing<WireFileSearch, FileSearchTool>
  | Missing<Inside<WireFileSearch, 'ranking_options'>, Inside<FileSearchTool, 'ranking_options'>>
  | Missing<WireCodeInterpreter, Tool.CodeInterpreter>
  | Missing<Inside<WireCodeInterpreter, 'container'>, Tool.CodeInterpreter.CodeInterpreterToolAuto>
  | Missing<WireImageGeneration, Tool.ImageGeneration>
  | Missing<Inside<WireImageGeneration, 'svg'>, Tool.ImageGeneration.Svg>
  | Missing<Inside<WireImageGeneration, 'input_image_mask'>, Tool.ImageGeneration.InputImageMask>
  | Missing<WireMcp, Tool.Mcp>
  | Missing<Inside<WireMcp, 'require_approval'>, Tool.Mcp.McpToolApprovalFilter>,
  never
>

/** A server of tools has one place: neither none nor two. */
type IsTaken<Given, By> = Given extends By ? true : false
export type McpHasOnePlace = Assignable<
  [
    IsTaken<{ serverLabel: string; serverUrl: string }, McpOptions>,
    IsTaken<{ serverLabel: string; tunnelId: string }, McpOptions>,
    IsTaken<{ serverLabel: string }, McpOptions>,
    IsTaken<{ serverLabel: string; serverUrl: string; tunnelId: string }, McpOptions>,
  ],
  [true, true, false, false]
>

/** The client's own method takes it too. */
export function ask(client: OpenAI, request: WireRequest): unknown {
  return client.responses.create(request)
}
