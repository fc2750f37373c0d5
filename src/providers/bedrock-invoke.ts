/**
 * Claude on Amazon Bedrock by `InvokeModel`: Anthropic's format, with the model in the path and events in Amazon's framing.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html (read 2026-11)
 * @module
 */

import { httpModel } from '../ask/http-model.ts'
import { checkOptions } from '../core/checks.ts'
import type { ClientCodec, Frame, ModelSettings } from '../core/codec.ts'
import { compact, field, objectIn, textOr, unlessEmpty } from '../core/json.ts'
import { textOfBase64 } from '../core/media.ts'
import type { JsonObject } from '../core/messages.ts'
import type { HttpModel } from '../core/question.ts'
import type { Machine } from '../core/reducer.ts'
import { type AnthropicDialect, createClientCodec } from '../formats/anthropic/index.ts'
import { decodeError, decodeException } from '../formats/bedrock-converse/errors.ts'
import { type AwsSigner, bedrockAddress, signing } from '../formats/shared/aws.ts'
import { bearer } from '../formats/shared/bearer.ts'
import { decodeEventStream, exceptionMark } from '../framing/amazon-event-stream.ts'

/** Settings of {@link bedrockInvoke}. */
export interface BedrockInvokeSettings
  extends ModelSettings,
    Pick<AnthropicDialect, 'beta' | 'maxTokens' | 'lateInstructions'> {
  /** The AWS region, such as `us-east-1`. It is part of the address and of the signature. */
  readonly region: string
  /** Signs each request. Do not use it in web pages: every visitor could read the secret. Default: none, and the `apiKey` is sent. */
  readonly aws?: AwsSigner
}

/**
 * Claude on Amazon Bedrock, with `InvokeModel`. For regions and accounts without the endpoint that `bedrockAnthropic` uses.
 *
 * @param model A model's id, the id of an inference profile such as `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, or an ARN.
 * @param settings `apiKey` is a Bedrock key, or a function that returns one.
 * @example
 * ```ts
 * const model = bedrockInvoke('us.anthropic.claude-sonnet-4-5-20250929-v1:0', { region: 'us-east-1', apiKey })
 * ```
 */
export function bedrockInvoke(model: string, settings: BedrockInvokeSettings): HttpModel {
  checkOptions('model', settings)
  const { region, aws, beta = [], maxTokens, lateInstructions, ...rest } = settings
  const codec = createClientCodec(compact({ provider: 'bedrock-invoke', maxTokens, lateInstructions }))
  const providerUrl = bedrockAddress(region)
  const own = { ...rest, baseUrl: rest.baseUrl ?? providerUrl }
  const how = aws === undefined ? { ...own, providerUrl } : { ...own, fetch: signing(aws, region, rest.fetch) }
  return httpModel(invoking(codec, beta), model, how)
}

function invoking(codec: ClientCodec, beta: readonly string[]): ClientCodec {
  return {
    ...codec,
    title: 'Amazon Bedrock',
    framing: 'event-stream',
    decodeFrames,
    headers: bearer,
    decodeError,
    encodeRequest(context, options) {
      const { headers, body, ...encoded } = codec.encodeRequest(context, options)
      const { model, stream, ...asked } = body as JsonObject
      // Bedrock reads betas from the body, not from a header.
      const betas = [...beta, ...(headers['anthropic-beta']?.split(',') ?? [])]
      return {
        ...encoded,
        path: `/model/${encodeURIComponent(String(model))}/invoke${stream === true ? '-with-response-stream' : ''}`,
        headers: {},
        body: compact({ anthropic_version: 'bedrock-2023-05-31', anthropic_beta: unlessEmpty(betas), ...asked }),
      }
    },
    decodeStream(options) {
      const decoder = codec.decodeStream(options)
      return {
        push(frame, out) {
          const { event, data } = frame
          if (event?.startsWith(exceptionMark))
            throw decodeException(event.slice(exceptionMark.length), { message: data, ...parsed(data) })
          decoder.push(frame, out)
        },
        end: decoder.end,
      }
    },
  }
}

/** Reads the events of Anthropic's stream from Amazon's messages. Messages without an event are keep-alives. */
function decodeFrames(limits: { readonly maxEventBytes?: number }): Machine<Uint8Array, Frame> {
  const messages = decodeEventStream(limits)
  function unwrap(read: (frames: Frame[]) => void, out: Frame[]): void {
    const frames: Frame[] = []
    try {
      read(frames)
    } finally {
      for (const frame of frames) {
        const data = frame.event === 'chunk' ? textOfBase64(textOr(field(parsed(frame.data), 'bytes'), '')) : undefined
        const event = textOr(field(parsed(data ?? ''), 'type'), undefined)
        if (data !== undefined && event !== undefined) out.push({ event, data })
        else if (frame.event?.startsWith(exceptionMark)) out.push(frame)
      }
    }
  }
  return {
    push: (chunk, out) => unwrap((frames) => messages.push(chunk, frames), out),
    end: (out) => unwrap((frames) => messages.end(frames), out),
  }
}

function parsed(text: string): JsonObject {
  try {
    return objectIn({ value: JSON.parse(text) }, 'value')
  } catch {
    return {}
  }
}
