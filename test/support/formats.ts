/** Every codec there is, by the corpus folder whose recordings it reads: the laws loop over this. */
import type { ClientCodec, ServerCodec } from '../../src/core/codec.ts'
import * as anthropic from '../../src/formats/anthropic/index.ts'
import * as gemini from '../../src/formats/gemini/index.ts'
import * as interactions from '../../src/formats/gemini-interactions/index.ts'
import * as openaiChat from '../../src/formats/openai-chat/index.ts'
import * as openaiResponses from '../../src/formats/openai-responses/index.ts'
import { vertexAnthropic } from '../../src/providers/vertex-anthropic.ts'
import { vertexGemini } from '../../src/providers/vertex-gemini.ts'
import { formats as codecs } from '../../src/test/formats.ts'
import { dialects } from '../codecs/openai-chat/dialects.ts'
import { dialects as responsesDialects } from '../codecs/openai-responses/dialects.ts'
import { type Wire, wires } from './answers.ts'

export interface Format {
  /** The corpus folder. */
  readonly folder: string
  readonly client: ClientCodec
  readonly server: ServerCodec
}

/** The client codec of each format, at its own provider. */
export const clients = Object.fromEntries(wires.map((name) => [name, codecs[name].client])) as Readonly<
  Record<Wire, ClientCodec>
>

export const formats: readonly Format[] = [
  ...wires.map((folder) => ({ folder, ...codecs[folder] })),
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
  {
    folder: 'gemini-interactions-legacy',
    client: interactions.createClientCodec(),
    server: interactions.createServerCodec(),
  },
  ...dialectsOf(dialects).map(([folder, dialect]) => ({
    folder,
    client: openaiChat.createClientCodec(dialect),
    server: openaiChat.createServerCodec(),
  })),
  ...dialectsOf(responsesDialects).map(([folder, dialect]) => ({
    folder,
    client: openaiResponses.createClientCodec(dialect),
    server: openaiResponses.createServerCodec(),
  })),
]

/** Without OpenAI's own, which are formats. */
function dialectsOf<Dialect>(all: Readonly<Record<string, Dialect>>): [string, Dialect][] {
  return Object.entries(all).filter(([folder]) => !Object.hasOwn(codecs, folder))
}

/** Reads requests of Vertex AI: the model stands in their path, and not in the body. */
function withModel(server: ServerCodec): ServerCodec {
  return {
    ...server,
    decodeRequest: (body, options) => server.decodeRequest({ model: 'in the path', ...(body as object) }, options),
  }
}
