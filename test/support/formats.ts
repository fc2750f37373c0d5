/** Every codec there is, by the corpus folder whose recordings it reads: the laws loop over this. */
import type { ClientCodec, ServerCodec } from '../../src/core/codec.ts'
import * as anthropic from '../../src/formats/anthropic/index.ts'
import * as bedrock from '../../src/formats/bedrock-converse/index.ts'
import * as cohere from '../../src/formats/cohere/index.ts'
import * as gemini from '../../src/formats/gemini/index.ts'
import * as interactions from '../../src/formats/gemini-interactions/index.ts'
import * as ollama from '../../src/formats/ollama/index.ts'
import * as openaiChat from '../../src/formats/openai-chat/index.ts'
import * as openaiResponses from '../../src/formats/openai-responses/index.ts'
import { vertexAnthropic } from '../../src/providers/vertex-anthropic.ts'
import { vertexGemini } from '../../src/providers/vertex-gemini.ts'
import { dialects } from '../codecs/openai-chat/dialects.ts'
import { dialects as responsesDialects } from '../codecs/openai-responses/dialects.ts'

export interface Format {
  /** The corpus folder. */
  readonly folder: string
  readonly client: ClientCodec
  readonly server: ServerCodec
}

export const formats: readonly Format[] = [
  { folder: 'anthropic', client: anthropic.createClientCodec(), server: anthropic.createServerCodec() },
  { folder: 'bedrock-converse', client: bedrock.createClientCodec(), server: bedrock.createServerCodec() },
  { folder: 'cohere', client: cohere.createClientCodec(), server: cohere.createServerCodec() },
  { folder: 'gemini', client: gemini.createClientCodec(), server: gemini.createServerCodec() },
  ...['gemini-interactions', 'gemini-interactions-legacy'].map((folder) => ({
    folder,
    client: interactions.createClientCodec(),
    server: interactions.createServerCodec(),
  })),
  {
    folder: 'anthropic-vertex',
    client: vertexAnthropic('any', { project: 'any' }).codec,
    server: withModel(anthropic.createServerCodec()),
  },
  {
    folder: 'gemini-vertex',
    client: vertexGemini('any', { project: 'any' }).codec,
    server: gemini.createServerCodec(),
  },
  { folder: 'ollama', client: ollama.createClientCodec(), server: ollama.createServerCodec() },
  ...Object.entries(dialects).map(([folder, dialect]) => ({
    folder,
    client: openaiChat.createClientCodec(dialect),
    server: openaiChat.createServerCodec(),
  })),
  ...Object.entries(responsesDialects).map(([folder, dialect]) => ({
    folder,
    client: openaiResponses.createClientCodec(dialect),
    server: openaiResponses.createServerCodec(),
  })),
]

/** Reads requests of Vertex AI: the model stands in their path, and not in the body. */
function withModel(server: ServerCodec): ServerCodec {
  return {
    ...server,
    decodeRequest: (body, options) => server.decodeRequest({ model: 'in the path', ...(body as object) }, options),
  }
}
