/**
 * Encoded requests have the types of the official client: checked by the compiler, and never run. The client's `config` is flat; on the
 * wire sampling stands in `generationConfig`.
 */
import type {
  Content,
  FunctionDeclaration,
  GenerateContentConfig,
  GenerateContentParameters,
  GoogleSearch,
  Part,
  Tool,
  ToolConfig,
} from '@google/genai'
import type { WireCodeExecution, WireGoogleSearch, WireUrlContext } from '../../../src/formats/gemini/index.ts'
import type {
  WireContent,
  WireFunctionDeclaration,
  WireGenerationConfig,
  WirePart,
  WireRequest,
  WireToolConfig,
} from '../../../src/formats/gemini/wire.ts'

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

export const part: (wire: WirePart) => Exact<Opened<Spelled<Part>>> = (wire) => wire
export const role: (wire: Pick<WireContent, 'role'>) => Pick<Spelled<Content>, 'role'> = (wire) => wire
/** `parameters` is whatever schema was given. */
export const declaration: (
  wire: Omit<WireFunctionDeclaration, 'parameters'>,
) => Omit<Spelled<FunctionDeclaration>, 'parameters'> = (wire) => wire
export const toolConfig: (wire: WireToolConfig) => Spelled<ToolConfig> = (wire) => wire
type HostedTools = Spelled<Pick<Tool, 'googleSearch' | 'codeExecution' | 'urlContext'>>
export const hosted: (wire: WireGoogleSearch | WireCodeExecution | WireUrlContext) => HostedTools = (wire) => wire
export const config: (
  wire: Omit<WireGenerationConfig, 'responseSchema'> & Pick<WireRequest, 'continuationToken'>,
) => Omit<Spelled<GenerateContentConfig>, 'abortSignal' | 'httpOptions' | 'tools' | 'systemInstruction'> = (wire) =>
  wire
/** Every field of ours has its place in what the client takes: fields that may be absent would go unseen above. */
type Missing<Ours, Theirs> = Exclude<keyof Ours, keyof Theirs>
export const missing: readonly [
  Missing<Omit<WireRequest, 'generationConfig'>, GenerateContentParameters & GenerateContentConfig>,
  Missing<WireGenerationConfig, GenerateContentConfig>,
  Missing<WirePart, Part>,
  Missing<WireFunctionDeclaration, FunctionDeclaration>,
  Missing<WireToolConfig, ToolConfig>,
  Missing<WireGoogleSearch & WireCodeExecution & WireUrlContext, Tool>,
  Missing<WireGoogleSearch['googleSearch'], GoogleSearch>,
][] = [] satisfies (readonly [never, never, never, never, never, never, never])[]
type AllThere = (typeof missing)[number] extends readonly [never, never, never, never, never, never, never]
  ? true
  : false
export const isAllThere: AllThere = true
