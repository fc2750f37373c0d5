/**
 * Amazon Bedrock's Converse API, for clients and servers.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read 2026-11)
 *
 * @module
 */

import { httpModel } from '../../ask/http-model.ts'
import { checkOptions } from '../../core/checks.ts'
import type { ClientCodec, ModelSettings } from '../../core/codec.ts'
import type { HttpModel } from '../../core/question.ts'
import { decodeEventStream } from '../../framing/amazon-event-stream.ts'
import { type AwsSigner, bedrockAddress, signing } from '../shared/aws.ts'
import { bearer } from '../shared/bearer.ts'
import { decodeResponse, decodeStream, decodeToolCalls } from './decode-answer.ts'
import { encodeDefinitions, encodeRequest, encodeResult } from './encode-request.ts'
import { decodeError } from './errors.ts'
import { targetOf } from './families.ts'
import { decodeRequest } from './server/decode-request.ts'
import { encodeError, encodeResponse, encodeStream } from './server/encode-answer.ts'
import { format, idPrefix, provider } from './tables.ts'

/** Settings of {@link bedrockConverse}. */
export interface BedrockSettings extends ModelSettings {
  /** The AWS region, such as `us-east-1`. It is part of the address and of the signature. */
  readonly region: string
  /**
   * Signs each request. Do not use it in web pages, since every visitor can read the secret. By default requests are not signed, and the
   * `apiKey` is sent.
   */
  readonly aws?: AwsSigner
}

/**
 * A model of Bedrock's Converse API.
 *
 * It uses an API key of Bedrock (`AWS_BEARER_TOKEN_BEDROCK`), or signs requests with the access keys of an account. Many newer models need
 * the id of an inference profile instead of a model id, such as `us.anthropic.claude-haiku-4-5-20251001-v1:0`.
 *
 * @param model The model's id, the id of an inference profile, or an ARN.
 * @param options `baseUrl` is `https://bedrock-runtime.<region>.amazonaws.com` by default.
 *
 * @example
 * ```ts
 * const model = bedrockConverse('amazon.nova-lite-v1:0', { region: 'us-east-1', apiKey })
 * const { message } = await generate({ model, prompt: 'Hello' })
 * ```
 * @example
 * ```ts
 * import { AwsClient } from 'aws4fetch'
 *
 * const aws = new AwsClient({ accessKeyId: 'AKIA…', secretAccessKey: 'secret' })
 * const model = bedrockConverse('amazon.nova-lite-v1:0', { region: 'us-east-1', aws })
 * ```
 */
export function bedrockConverse(model: string, options: BedrockSettings): HttpModel {
  checkOptions('model', options)
  const { region, aws, ...settings } = options
  const providerUrl = bedrockAddress(region)
  const own = { ...settings, baseUrl: settings.baseUrl ?? providerUrl }
  const how = aws === undefined ? { ...own, providerUrl } : { ...own, fetch: signing(aws, region, settings.fetch) }
  return httpModel(createClientCodec(), model, how)
}

/** Creates the codec for a client of Bedrock. */
export function createClientCodec(): ClientCodec {
  return {
    name: format,
    provider,
    title: 'Bedrock',
    framing: 'event-stream',
    decodeFrames: decodeEventStream,
    rules: targetOf(''),
    idPrefix,
    headers: bearer,
    encodeRequest,
    decodeResponse,
    decodeStream,
    decodeError,
  }
}

export { bedrockConverseFormat, createServerCodec } from './server/format.ts'
export type { AwsSigner }
export {
  decodeError,
  decodeRequest,
  decodeResponse,
  decodeStream,
  decodeToolCalls,
  encodeDefinitions,
  encodeError,
  encodeRequest,
  encodeResponse,
  encodeResult,
  encodeStream,
}
