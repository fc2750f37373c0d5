/** Encoded requests and answers have the types of the official clients: checked by the compiler, and never run. */
import type Anthropic from '@anthropic-ai/sdk'
import type * as Google from '@google/genai'
import type { Cohere } from 'cohere-ai'
import type * as Ollama from 'ollama'
import type OpenAI from 'openai'
import type * as Responses from 'openai/resources/responses/responses'
import type * as claude from '../../src/formats/anthropic/index.ts'
import type * as claudeWire from '../../src/formats/anthropic/wire.ts'
import type * as cohereWire from '../../src/formats/cohere/wire.ts'
import type * as geminiWire from '../../src/formats/gemini/wire.ts'
import type * as ollamaWire from '../../src/formats/ollama/wire.ts'
import type * as chat from '../../src/formats/openai-chat/index.ts'
import type * as responses from '../../src/formats/openai-responses/index.ts'
import type * as responsesWire from '../../src/formats/openai-responses/wire.ts'
import type { UserLocation } from '../../src/formats/shared/hosted-tool.ts'

type Assignable<From extends To, To> = From
/** Fields of ours that the client does not have: one that may be absent goes unseen where types are only assigned. */
type Missing<Ours, Theirs> = Ours extends unknown ? Exclude<keyof Ours, keyof Theirs> : never
type Inside<T, Key extends keyof T> = Exclude<T[Key], string | undefined | null>
type IsTaken<Given, By> = Given extends By ? true : false

/** What a hosted tool is written as: its options in snake case. What has another form on the wire is left out, and is in the tests of requests. */
type Written<Options, Changed extends string = never> = Options extends unknown ? Omit<Snake<Options>, Changed> : never
type Snake<T> = T extends readonly (infer Item)[]
  ? Snake<Item>[]
  : T extends object
    ? { -readonly [K in keyof T as SnakeName<K & string>]: Snake<T[K]> }
    : T
type SnakeName<K extends string> = K extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? '' : '_'}${Lowercase<Letter>}${SnakeName<Rest>}`
  : K

// ---- Anthropic ----------------------------------------------------------------------------------------

type ClaudeSearch = Written<claude.WebSearchOptions, 'version' | 'cache_hint' | 'user_location'>
type ClaudeFetch = Written<claude.WebFetchOptions, 'version' | 'cache_hint' | 'citations' | 'url_sources'>
type ClaudeCode = Written<claude.CodeExecutionOptions, 'version' | 'cache_hint'>

export type Claude = [
  Assignable<claudeWire.WireRequest, Anthropic.MessageCreateParams>,
  Assignable<claudeWire.WireRequest['messages'], Anthropic.MessageParam[]>,
  Assignable<claudeWire.WireTool, Anthropic.Tool>,
  Assignable<ClaudeSearch, Partial<Anthropic.WebSearchTool20260318>>,
  Assignable<ClaudeFetch, Partial<Anthropic.WebFetchTool20260318>>,
  Assignable<ClaudeCode, Partial<Anthropic.CodeExecutionTool20260521>>,
  Assignable<claudeWire.WireToolChoice, Anthropic.ToolChoice>,
]
export type ClaudeHasNoOtherFields = Assignable<
  | Missing<ClaudeSearch, Anthropic.WebSearchTool20260318>
  | Missing<ClaudeFetch, Anthropic.WebFetchTool20260318>
  | Missing<Snake<claude.UrlSources>, Anthropic.WebFetchURLSources>
  | Missing<ClaudeCode, Anthropic.CodeExecutionTool20260521>,
  never
>
/** Every date that the client knows, and no other. */
type Dates<Name extends string> = Anthropic.ToolUnion['type'] extends infer Type
  ? Type extends `${Name}_${infer Date extends `2${string}`}`
    ? Date
    : never
  : never
export type DatesAreKnown = Assignable<
  [Dates<'web_search'>, Dates<'web_fetch'>, Dates<'code_execution'>],
  Required<
    [claude.WebSearchOptions['version'], claude.WebFetchOptions['version'], claude.CodeExecutionOptions['version']]
  >
>
/** Fields that an earlier date does not have, and both lists of sites at once, are refused. */
export type OptionsFitTheirDate = Assignable<
  [
    IsTaken<{ version: '20260318'; responseInclusion: 'full' }, claude.WebSearchOptions>,
    IsTaken<{ version: '20260209'; responseInclusion: 'full' }, claude.WebSearchOptions>,
    IsTaken<{ responseInclusion: 'full' }, claude.WebSearchOptions>,
    IsTaken<{ version: '20260309'; useCache: false }, claude.WebFetchOptions>,
    IsTaken<{ version: '20260209'; useCache: false }, claude.WebFetchOptions>,
    IsTaken<{ allowedDomains: string[]; blockedDomains: string[] }, claude.WebSearchOptions>,
  ],
  [true, false, false, true, false, false]
>

// ---- OpenAI -------------------------------------------------------------------------------------------

export type Chat = [
  Assignable<chat.WireRequest, OpenAI.ChatCompletionCreateParams>,
  Assignable<chat.WireRequest['messages'][number], OpenAI.ChatCompletionMessageParam>,
  Assignable<chat.WireResponse, OpenAI.ChatCompletion>,
  Assignable<chat.WireUsage, OpenAI.CompletionUsage>,
]

type ResponsesSearch = Written<responses.WebSearchOptions, 'version' | 'allowed_domains' | 'user_location'>
type ResponsesFiles = Written<responses.FileSearchOptions, 'max_results' | 'ranking'>
type ResponsesContainer = Written<responses.ContainerOptions, 'network'>
type ResponsesImage = Written<responses.ImageGenerationOptions, 'mask' | 'svg'>
type ResponsesMcp = Written<responses.McpOptions>

export type OfResponses = [
  Assignable<responsesWire.WireItem, Responses.ResponseInputItem>,
  Assignable<responsesWire.WireFunctionTool, Responses.Tool>,
  Assignable<responsesWire.WireRequest, Responses.ResponseCreateParams>,
  Assignable<ResponsesSearch & { type: 'web_search' }, Responses.WebSearchTool>,
  Assignable<ResponsesFiles & { type: 'file_search' }, Responses.FileSearchTool>,
  Assignable<Snake<responses.RankingOptions>, Responses.FileSearchTool.RankingOptions>,
  Assignable<ResponsesContainer & { type: 'auto' }, Responses.Tool.CodeInterpreter.CodeInterpreterToolAuto>,
  Assignable<ResponsesImage & { type: 'image_generation' }, Responses.Tool.ImageGeneration>,
  Assignable<ResponsesMcp & { type: 'mcp' }, Responses.Tool.Mcp>,
]
export type ResponsesHasNoOtherFields = Assignable<
  | Missing<ResponsesSearch, Responses.WebSearchTool>
  | Missing<UserLocation, Inside<Responses.WebSearchTool, 'user_location'>>
  | Missing<ResponsesFiles, Responses.FileSearchTool>
  | Missing<Snake<responses.RankingOptions>, Responses.FileSearchTool.RankingOptions>
  | Missing<ResponsesContainer, Responses.Tool.CodeInterpreter.CodeInterpreterToolAuto>
  | Missing<ResponsesImage, Responses.Tool.ImageGeneration>
  | Missing<Snake<Inside<responses.ImageGenerationOptions, 'mask'>>, Responses.Tool.ImageGeneration.InputImageMask>
  | Missing<ResponsesMcp, Responses.Tool.Mcp>
  | Missing<Snake<Inside<responses.McpOptions, 'requireApproval'>>, Responses.Tool.Mcp.McpToolApprovalFilter>,
  never
>
/** A server of tools has one place: neither none nor two. */
export type McpHasOnePlace = Assignable<
  [
    IsTaken<{ serverLabel: string; serverUrl: string }, responses.McpOptions>,
    IsTaken<{ serverLabel: string; tunnelId: string }, responses.McpOptions>,
    IsTaken<{ serverLabel: string }, responses.McpOptions>,
    IsTaken<{ serverLabel: string; serverUrl: string; tunnelId: string }, responses.McpOptions>,
  ],
  [true, true, false, false]
>
/** The client's own method takes it too. */
export const ask = (client: OpenAI, request: responsesWire.WireRequest): unknown => client.responses.create(request)

// ---- Gemini -------------------------------------------------------------------------------------------

/** The client has enums where the wire has their words, and lists and objects that may be written to. */
type Spelled<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Item)[]
    ? readonly Spelled<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Spelled<T[K]> }
      : T
/** The client's types know one language, four outcomes and the tools of today; here the wire's words are open. */
type Opened<T> = Omit<T, 'executableCode' | 'codeExecutionResult' | 'toolCall' | 'toolResponse'> & {
  readonly executableCode?: { readonly id?: string; readonly language?: string; readonly code?: string }
  readonly codeExecutionResult?: { readonly id?: string; readonly outcome?: string; readonly output?: string }
  readonly toolCall?: { readonly id?: string; readonly toolType?: string; readonly args?: object }
  readonly toolResponse?: { readonly id?: string; readonly toolType?: string; readonly response?: object }
}
type Exact<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> }
/** The tools that Google runs: those that ours are written as in the tests of requests. */
export type GoogleHosted = Spelled<Pick<Google.Tool, 'googleSearch' | 'codeExecution' | 'urlContext'>>

export type Gemini = [
  Assignable<geminiWire.WirePart, Exact<Opened<Spelled<Google.Part>>>>,
  Assignable<Pick<geminiWire.WireContent, 'role'>, Pick<Spelled<Google.Content>, 'role'>>,
  // `parameters` is whatever schema was given.
  Assignable<
    Omit<geminiWire.WireFunctionDeclaration, 'parameters'>,
    Omit<Spelled<Google.FunctionDeclaration>, 'parameters'>
  >,
  Assignable<geminiWire.WireToolConfig, Spelled<Google.ToolConfig>>,
  // The client's `config` is flat; on the wire sampling stands in `generationConfig`.
  Assignable<
    Omit<geminiWire.WireGenerationConfig, 'responseSchema'> & Pick<geminiWire.WireRequest, 'continuationToken'>,
    Omit<Spelled<Google.GenerateContentConfig>, 'abortSignal' | 'httpOptions' | 'tools' | 'systemInstruction'>
  >,
]
export type GeminiHasNoOtherFields = Assignable<
  | Missing<
      Omit<geminiWire.WireRequest, 'generationConfig'>,
      Google.GenerateContentParameters & Google.GenerateContentConfig
    >
  | Missing<geminiWire.WireGenerationConfig, Google.GenerateContentConfig>
  | Missing<geminiWire.WirePart, Google.Part>
  | Missing<geminiWire.WireFunctionDeclaration, Google.FunctionDeclaration>
  | Missing<geminiWire.WireToolConfig, Google.ToolConfig>,
  never
>

// ---- Cohere and Ollama --------------------------------------------------------------------------------

/** Cohere's client has each name in camel case. */
type Camel<T> = T extends readonly (infer I)[]
  ? Camel<I>[]
  : T extends object
    ? { [K in keyof T as K extends string ? CamelName<K> : K]: Camel<T[K]> }
    : T
type CamelName<K extends string> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelName<Tail>>}` : K
/** The options beside the conversation. Its enums are words, and numbers are numbers. */
type CohereOptions = Omit<cohereWire.WireRequest, 'messages' | 'documents' | 'tools' | 'stream' | 'response_format'>
export type OfCohere = [
  Assignable<Camel<CohereOptions>, Partial<Cohere.V2ChatRequest>>,
  Assignable<Camel<cohereWire.WireText | cohereWire.WireImage>, Cohere.Content>,
  Assignable<Camel<cohereWire.WireText | cohereWire.WireThinking>, Cohere.AssistantMessageV2ContentOneItem>,
  Assignable<Pick<cohereWire.WireCitation, 'start' | 'end' | 'text'>, Cohere.Citation>,
]

/** The client's types are older than the server, which has taken `max` since it had levels. */
type OllamaToday = Omit<ollamaWire.WireRequest, 'think'> & {
  think?: Exclude<ollamaWire.WireRequest['think'], 'max' | undefined>
}
export type OfOllama = [
  Assignable<OllamaToday, Ollama.ChatRequest & { stream: boolean }>,
  Assignable<ollamaWire.WireMessage, Ollama.Message>,
  Assignable<ollamaWire.WireTool, NonNullable<Ollama.ChatRequest['tools']>[number]>,
  // The client says `Date` of what is a string, and says that counts are there which the server leaves out at 0.
  Assignable<ollamaWire.WireResponse, Pick<Ollama.ChatResponse, 'model' | 'message' | 'done'>>,
]
