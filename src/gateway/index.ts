/** The gateway, and functions for code that checks requests before it. @module */

export { allFormats } from './all-formats.ts'
export { answerResponse } from './answer-response.ts'
export { type BodyLimits, type JsonBody, readJson } from './body.ts'
export { errorEvents, type SentEvents } from './error-events.ts'
export { answerError } from './errors.ts'
export { createGateway } from './gateway.ts'
export { isoglotFormat } from './isoglot-format.ts'
export { findRoute, type Route } from './routes.ts'
export { createScrubber } from './scrub.ts'
export type {
  Admission,
  CheckedRequest,
  EndReport,
  ExecutionContextLike,
  Gateway,
  GatewayAttempt,
  GatewayLimits,
  GatewayModel,
  GatewayModels,
  GatewayObserver,
  GatewayOptions,
  GatewayQuestion,
  Outcome,
  Permit,
  UsageReport,
  Verdict,
  WireName,
} from './types.ts'
