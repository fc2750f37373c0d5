/** Encodes a request in the format of its model. @module */
import type { Asked, EncodedRequest, Model } from '../core/codec.ts'
import { compact } from '../core/lookup.ts'
import type { Loss, ToolChoice } from '../core/model.ts'
import { checkLoss } from '../kit/losses.ts'
import { legalToolName, prepare } from '../prepare/prepare.ts'
import { type OfferedTools, offerTools, type RunRequest } from './request.ts'
import { titleOf } from './transport.ts'

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
  const { definitions, tools } = offerTools(context.tools ?? [], model, run.tools)
  // Only the provider of the run's own model keeps a state of the conversation.
  const providerState = codec.provider === run.model.codec.provider ? context.providerState : undefined
  const prepared = prepare(
    compact({ ...context, tools: definitions, providerState }),
    codec.rules,
    compact({ model: model.model, split: run.split }),
  )
  for (const loss of prepared.losses) checkLoss(loss, titleOf(model), options.strict)
  const toolChoice = legalChoice(options.toolChoice, (name) => legalToolName(name, codec.rules))
  const encode = (stream: boolean) =>
    codec.encodeRequest(prepared.context, compact({ ...options, model: model.model, stream, toolChoice }))
  const streamed = encode(true)
  const isWhole = (run.wholeAnswer ?? isOnlyWhole?.({ ...(streamed.body as object), ...model.body })) || undefined
  const encoded = isWhole ? encode(false) : streamed
  return { model, tools, encoded, isWhole, losses: [...prepared.losses, ...encoded.losses] }
}

function legalChoice(choice: ToolChoice | undefined, legal: (name: string) => string): ToolChoice | undefined {
  if (typeof choice !== 'object') return choice
  return 'name' in choice ? { name: legal(choice.name) } : { ...choice, names: choice.names.map(legal) }
}
