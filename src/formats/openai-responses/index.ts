/**
 * OpenAI Responses, and the servers that use this format.
 *
 * @module
 */

export { encodeDefinitions, encodeRequest, encodeResult } from './ask.ts'
export { createClientCodec, openaiResponses, responsesModel } from './client.ts'
export {
  type ClientParameters,
  type LocalShellArguments,
  localShellParameters,
  type PatchArguments,
  patchParameters,
  providerTool,
  type ShellArguments,
  type ShellOutput,
  shellParameters,
  type WireClientTool,
} from './client-tools.ts'
export { openaiDialect, type ResponsesDialect, variant } from './dialect.ts'
export { azureDialect, copilotDialect, lmStudioDialect, openRouterDialect } from './dialects.ts'
export { createServerCodec, openaiResponsesFormat } from './gateway.ts'
export {
  type CodeInterpreterOptions,
  type ContainerOptions,
  codeInterpreter,
  type FileFilter,
  type FileSearchOptions,
  fileSearch,
  type ImageGenerationOptions,
  imageGeneration,
  type McpOptions,
  type McpPlace,
  type McpToolFilter,
  mcp,
  type NetworkPolicy,
  type RankingOptions,
  type WebSearchOptions,
  type WireCodeInterpreter,
  type WireFileSearch,
  type WireImageGeneration,
  type WireMcp,
  type WireWebSearch,
  webSearch,
} from './hosted-tools.ts'
export { withNamespaces } from './namespaces.ts'
export { decodeError, decodeResponse, decodeStream, decodeToolCalls } from './read.ts'
export { decodeRequest } from './receive.ts'
export { encodeError, encodeResponse, encodeStream } from './serve.ts'
