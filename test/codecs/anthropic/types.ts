/** Encoded requests have the types of the official SDK: checked by the compiler, never run. */
import type Anthropic from '@anthropic-ai/sdk'
import type {
  WebFetchOptions,
  WebSearchOptions,
  WireCodeExecution,
  WireWebFetch,
  WireWebSearch,
} from '../../../src/formats/anthropic/index.ts'
import type { WireRequest, WireTool, WireToolChoice } from '../../../src/formats/anthropic/wire.ts'

type Assignable<From extends To, To> = From

export type RequestIsTaken = Assignable<WireRequest, Anthropic.MessageCreateParams>
export type MessagesAreTaken = Assignable<WireRequest['messages'], Anthropic.MessageParam[]>
export type ToolIsTaken = Assignable<WireTool, Anthropic.Tool>
export type WebSearchIsTaken = Assignable<WireWebSearch, Anthropic.ToolUnion>
export type WebFetchIsTaken = Assignable<WireWebFetch, Anthropic.ToolUnion>
export type CodeExecutionIsTaken = Assignable<WireCodeExecution, Anthropic.ToolUnion>
export type ToolChoiceIsTaken = Assignable<WireToolChoice, Anthropic.ToolChoice>

/** Every field of a hosted tool is one of the client's: one that may be absent would go unseen above. */
type Missing<Ours, Theirs> = Exclude<keyof Ours, keyof Theirs>
export type HostedFieldsAreKnown = Assignable<
  | Missing<WireWebSearch, Anthropic.WebSearchTool20260318>
  | Missing<WireWebFetch, Anthropic.WebFetchTool20260318>
  | Missing<NonNullable<WireWebFetch['url_sources']>, Anthropic.WebFetchURLSources>
  | Missing<WireCodeExecution, Anthropic.CodeExecutionTool20260521>,
  never
>
/** Every date that the client knows, and no other. */
type Dates<Name extends string> = Extract<Anthropic.ToolUnion['type'], `${Name}_2${string}`>
export type DatesAreKnown = Assignable<
  [Dates<'web_search'>, Dates<'web_fetch'>, Dates<'code_execution'>],
  [WireWebSearch['type'], WireWebFetch['type'], WireCodeExecution['type']]
>

/** Fields that an earlier date does not have, and both lists of sites at once, are refused. */
type IsTaken<Given, By> = Given extends By ? true : false
export type OptionsFitTheirDate = Assignable<
  [
    IsTaken<{ version: '20260318'; responseInclusion: 'full' }, WebSearchOptions>,
    IsTaken<{ version: '20260209'; responseInclusion: 'full' }, WebSearchOptions>,
    IsTaken<{ responseInclusion: 'full' }, WebSearchOptions>,
    IsTaken<{ version: '20260309'; useCache: false }, WebFetchOptions>,
    IsTaken<{ version: '20260209'; useCache: false }, WebFetchOptions>,
    IsTaken<{ allowedDomains: string[]; blockedDomains: string[] }, WebSearchOptions>,
  ],
  [true, false, false, true, false, false]
>
