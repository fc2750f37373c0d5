/** One answer for a page, in a route without a gateway. @module */
import type { HttpModel, Model } from '../core/question.ts'
import { createGateway } from './gateway.ts'
import { isoglotFormat } from './isoglot-format.ts'

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
  const gateway = createGateway({ formats: [isoglotFormat], models: { '*': model } })
  return gateway.fetch(new Request(new URL('/answer', request.url), request))
}
