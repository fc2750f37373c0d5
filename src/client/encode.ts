/** Encodes a request in the format of its model. @module */
import type { Asked, EncodedRequest, Model } from '../core/codec.ts'
import { compact } from '../core/lookup.ts'
import type { Loss } from '../core/model.ts'
import { prepare } from '../prepare/prepare.ts'
import { type OfferedTools, offerTools, optionsFor, type RunRequest } from './request.ts'

/** A request that can be sent. */
export interface EncodedQuestion extends Pick<OfferedTools, 'tools'> {
  readonly model: Model
  readonly encoded: EncodedRequest
  /** `true` if it asks for a whole answer. */
  readonly isWhole: true | undefined
  readonly losses: readonly Loss[]
}

/** Encodes a request of a run: for a stream, unless `isOnlyWhole` returns true for its body. */
export function encodeAsked(
  { model, context, options }: Asked,
  run: RunRequest,
  isOnlyWhole: ((body: object) => boolean) | undefined,
): EncodedQuestion {
  const { codec } = model
  const { tools: asked = [], providerState, ...rest } = context
  const { definitions, tools } = offerTools(asked, model, run.tools)
  // Only the provider of the run's own model keeps a state of the conversation.
  const state = codec.provider === run.model.codec.provider ? providerState : undefined
  const offered = { ...rest, ...compact({ tools: definitions, providerState: state }) }
  const prepared = prepare(offered, codec.rules, compact({ model: model.model, split: run.split }))
  const encode = (stream: boolean) => codec.encodeRequest(prepared.context, optionsFor(model, options, stream))
  const streamed = encode(true)
  const isWhole = (run.wholeAnswer ?? isOnlyWhole?.({ ...(streamed.body as object), ...model.body })) || undefined
  const encoded = isWhole ? encode(false) : streamed
  return { model, tools, encoded, isWhole, losses: [...prepared.losses, ...encoded.losses] }
}
