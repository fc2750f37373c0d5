/** One answer for a page, in a route without a gateway. @module */
import type { HttpModel, Model } from '../core/question.ts'
import type { GatewayFormat } from '../formats/shared/gateway-format.ts'
import { createGateway } from './gateway.ts'
import { isoglotFormat } from './isoglot-format.ts'

/** At any path: the route is the caller's. */
const anyPath: GatewayFormat = { ...isoglotFormat, paths: {}, route: () => ({ kind: 'answer' }) }

/**
 * Answers a page that asks with `remote`: the model answers, whatever name the page gives. Who may ask, and how often, is for you to say
 * before. `createGateway` with `isoglotFormat` has limits, several models and reports.
 *
 * @returns Never rejects: an error is an answer too.
 * @example
 * ```ts
 * export const POST = (request: Request) => answerResponse(anthropic('claude-sonnet-5', { apiKey }), request)
 * ```
 */
export function answerResponse(model: Model | HttpModel, request: Request): Promise<Response> {
  return createGateway({ formats: [anyPath], models: { '*': model } }).fetch(request)
}
