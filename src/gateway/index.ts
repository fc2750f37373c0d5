/** The gateway's public names. @module */
export { answerError } from './errors.ts'
export { createGateway } from './gateway.ts'
export { createScrubber } from './scrub.ts'
export type {
  Admission,
  CheckedBody,
  EndReport,
  ExecutionContextLike,
  Gateway,
  GatewayLimits,
  GatewayModel,
  GatewayModels,
  GatewayOptions,
  Outcome,
  Permit,
  UsageReport,
  Verdict,
  WireName,
} from './types.ts'
