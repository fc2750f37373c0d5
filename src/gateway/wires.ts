/**
 * The formats in which a gateway answers, and their differences apart from the codecs.
 *
 * @module
 */
import type { Frame, ServerCodec } from '../core/codec.ts'
import { createServerCodec as anthropic } from '../formats/anthropic/index.ts'
import { createServerCodec as bedrockConverse } from '../formats/bedrock-converse/index.ts'
import { createServerCodec as cohere } from '../formats/cohere/index.ts'
import { createServerCodec as gemini } from '../formats/gemini/index.ts'
import { createServerCodec as geminiInteractions } from '../formats/gemini-interactions/index.ts'
import { createServerCodec as ollama } from '../formats/ollama/index.ts'
import { createServerCodec as openaiChat } from '../formats/openai-chat/index.ts'
import { createServerCodec as openaiResponses } from '../formats/openai-responses/index.ts'
import type { WireName } from './types.ts'

/** One format, from the side of a server. */
export interface Wire {
  readonly name: WireName
  readonly codec: ServerCodec
  /** The provider to which this format belongs. Bytes pass to it and from it unchanged. */
  readonly provider: string
  /** The path of the list of models. */
  readonly list: string
  /** The prefix of its answers' ids. `undefined` if an id means that the answer is stored, because a gateway does not store answers. */
  readonly idPrefix: string | undefined
  /** A piece that a client reads and ignores. */
  readonly keepAlive: string
  /** The fields that limit the length of an answer. If a request has none of them, the first one is written. */
  readonly limits: readonly (readonly [field: string, inner?: string])[]
  /** Client headers that belong to the body, and their allowed values. */
  readonly headers: Readonly<Record<string, RegExp>>
  /** Finds parts of a conversation that another provider answered: the format's own provider would refuse them. */
  readonly foreign: RegExp | undefined
  /** The frame that ends a stream after its last event, for a provider that left it out. */
  readonly lastFrame?: Frame
  /** The frames that end a stream with an error. `before` is the number of frames that the provider has sent. */
  errorFrames(frames: readonly Frame[], before: number): readonly Frame[]
}

const comment = ': keep-alive\n\n'
const asTheyAre = (frames: readonly Frame[]) => frames

/** The frames for a stream that has already begun: without the first frames, and with the next sequence numbers. */
function numberedOn(frames: readonly Frame[], before: number): readonly Frame[] {
  if (before === 0) return frames
  const last = frames.filter(({ event }) => event !== 'response.created' && event !== 'response.in_progress')
  return last.map(({ data, ...frame }, at) => {
    return { ...frame, data: JSON.stringify({ ...JSON.parse(data), sequence_number: before + at }) }
  })
}

/** Appended to a stream that has begun: without a second beginning. */
function withoutStart(frames: readonly Frame[], before: number): readonly Frame[] {
  return before === 0 ? frames : frames.filter(({ event }) => event !== 'message-start')
}

export const wires: Readonly<Record<WireName, Wire>> = {
  'openai-chat': {
    name: 'openai-chat',
    codec: openaiChat(),
    provider: 'openai',
    list: '/v1/models',
    idPrefix: 'chatcmpl-',
    keepAlive: comment,
    limits: [['max_completion_tokens'], ['max_tokens']],
    headers: {},
    foreign: /"reasoning_(?:content|details)"/,
    lastFrame: { data: '[DONE]' },
    errorFrames: asTheyAre,
  },
  'openai-responses': {
    name: 'openai-responses',
    codec: openaiResponses(),
    provider: 'openai',
    list: '/v1/models',
    idPrefix: 'resp_',
    keepAlive: comment,
    limits: [['max_output_tokens']],
    headers: {},
    foreign: /"\w{1,16}_iso_/, // ids that our encoder makes
    errorFrames: numberedOn,
  },
  anthropic: {
    name: 'anthropic',
    codec: anthropic(),
    provider: 'anthropic',
    list: '/v1/models',
    idPrefix: 'msg_',
    keepAlive: 'event: ping\ndata: {"type":"ping"}\n\n',
    limits: [['max_tokens']],
    headers: { 'anthropic-version': /^\d{4}-\d\d-\d\d$/, 'anthropic-beta': /^[\w.-]+(?:, ?[\w.-]+){0,63}$/ },
    foreign: /"signature"\s*:\s*""/, // thinking without a signature
    lastFrame: { event: 'message_stop', data: '{"type":"message_stop"}' },
    errorFrames: asTheyAre,
  },
  gemini: {
    name: 'gemini',
    codec: gemini(),
    provider: 'gemini',
    list: '/v1beta/models',
    idPrefix: '',
    keepAlive: comment,
    limits: [
      ['generationConfig', 'maxOutputTokens'],
      ['generationConfig', 'max_output_tokens'],
      ['generation_config', 'maxOutputTokens'],
      ['generation_config', 'max_output_tokens'],
    ],
    headers: {},
    foreign: undefined,
    errorFrames: asTheyAre,
  },
  'gemini-interactions': {
    name: 'gemini-interactions',
    codec: geminiInteractions(),
    provider: 'gemini',
    list: '/v1beta/models',
    idPrefix: undefined,
    keepAlive: comment,
    limits: [['generation_config', 'max_output_tokens']],
    headers: {},
    foreign: undefined,
    lastFrame: { event: 'done', data: '[DONE]' },
    errorFrames: asTheyAre,
  },
  cohere: {
    name: 'cohere',
    codec: cohere(),
    provider: 'cohere',
    list: '/v1/models',
    idPrefix: '',
    keepAlive: comment,
    limits: [['max_tokens']],
    headers: {},
    foreign: undefined,
    lastFrame: { data: '[DONE]' },
    errorFrames: withoutStart,
  },
  'bedrock-converse': {
    name: 'bedrock-converse',
    codec: bedrockConverse(),
    provider: 'bedrock',
    list: '/v1/models',
    idPrefix: '',
    keepAlive: 'keepAlive\n{}', // clients ignore events that they do not know
    limits: [
      ['inferenceConfig', 'maxTokens'],
      ['additionalModelRequestFields', 'max_tokens'], // is a field of the model's own body
    ],
    headers: {},
    foreign: undefined,
    errorFrames: asTheyAre,
  },
  ollama: {
    name: 'ollama',
    codec: ollama(),
    provider: 'ollama',
    list: '/api/tags',
    idPrefix: '',
    keepAlive: ' ', // its client reports every line that is not valid JSON. JSON may begin with white space
    limits: [['options', 'num_predict']],
    headers: {},
    foreign: undefined,
    errorFrames: asTheyAre,
  },
}
