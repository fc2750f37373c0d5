/** The gateway's public names. @module */
export { createGateway } from './gateway.ts'
export type {
  Admission,
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
