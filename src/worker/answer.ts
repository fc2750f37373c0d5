/**
 * Answers one request of a client with a valid token: the gateway, with this Worker's policy.
 *
 * @module
 */

import type { GatewayFormat } from '../formats/shared/gateway-format.ts'
import { createGateway } from '../gateway/gateway.ts'
import { isoglotFormat } from '../gateway/isoglot-format.ts'
import { findRoute } from '../gateway/routes.ts'
import type { EndReport, ExecutionContextLike, Gateway } from '../gateway/types.ts'
import { type Purse, type Reserved, releasePlace, reserve, reservePlace, settle } from './accounts/spend.ts'
import type { Config } from './config.ts'
import { tableFor } from './keys/providers.ts'
import type { Session } from './session/session.ts'

/** Interval of keep-alive comments on a silent stream, in ms: workerd notices a client's disconnect only when it writes. */
const keepAliveMs = 1000
/** The maximum size of one event of a provider, in bytes. */
const maxEventBytes = 1024 * 1024

/**
 * The maximum size of a provider's whole answer, in bytes: many concurrent answers have to fit into the 128 MB of an isolate. An event of
 * one token takes 300 bytes in the longest wire format. That leaves room for reasoning that the token limit does not count.
 */
function answerBytesFor({ maxOutputTokens }: Config): number {
  return Math.min(16 * 1024 * 1024, 4 * 1024 * 1024 + 1024 * maxOutputTokens)
}

/** The user of a request, and the money reserved for it. */
interface Caller extends Purse {
  reserved?: Reserved
}

/** Answers in the wire of the request's path. The session has been checked before. This function enforces its permissions. */
export async function answerModel(
  request: Request,
  session: Session,
  config: Config,
  ctx: ExecutionContextLike,
): Promise<Response> {
  const route = findRoute(request, config.formats)
  const purse: Purse = { session, config }
  const ask = () => gatewayOf(config, route?.format ?? isoglotFormat).fetch(bare(request), { ...purse }, ctx)
  return route?.kind === 'count' ? inPlace(purse, ask) : ask()
}

/**
 * The provider counts tokens for free, but users must not count without limit: a count uses one of the user's places for concurrent
 * requests.
 */
async function inPlace(purse: Purse, ask: () => Promise<Response>): Promise<Response> {
  const id = crypto.randomUUID()
  await reservePlace(id, purse)
  try {
    return await ask()
  } finally {
    await releasePlace(id, purse)
  }
}

/** The headers of a client that describe its body. The last one asks for a list of models in Anthropic's format. */
const ownHeaders = ['content-type', 'content-encoding', 'content-length']
const listHeaders = ['anthropic-version']

/** No header of a client is sent to a provider. */
function bare(request: Request): Request {
  const headers = new Headers()
  for (const name of request.method === 'GET' ? listHeaders : ownHeaders) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return new Request(request, { headers, signal: request.signal })
}

const gateways = new WeakMap<Config, Map<GatewayFormat, Gateway<Caller>>>()

/** One gateway for each wire format, since a name may mean another model in each. */
function gatewayOf(config: Config, format: GatewayFormat): Gateway<Caller> {
  const ofConfig = gateways.get(config) ?? new Map<GatewayFormat, Gateway<Caller>>()
  gateways.set(config, ofConfig)
  const known = ofConfig.get(format)
  if (known !== undefined) return known
  const made = makeGateway(config, format)
  ofConfig.set(format, made)
  return made
}

function makeGateway(config: Config, format: GatewayFormat): Gateway<Caller> {
  const { models, ids } = tableFor(format, config.models, config.maxOutputTokens)
  const idOfName = (name: string) => ids.get(name) ?? name
  const { maxBodyBytes, bodyTimeoutMs, wholeCommitMs, headersTimeoutMs, idleTimeoutMs, totalTimeoutMs } = config.limits
  const { firstContentTimeoutMs: firstContentMs } = config.limits
  return createGateway<Caller>({
    formats: config.formats,
    models,
    authorize: (_, caller) => ({
      models: [...ids].filter(([, id]) => caller.session.models.includes(id)).map(([name]) => name),
      maxOutputTokens: caller.session.maxOutputTokens,
      caller,
    }),
    check: (checked, caller) => config.permit(checked, caller.session.sub),
    async admit(admission, caller) {
      caller.reserved = await reserve(admission, idOfName(admission.model), caller)
    },
    onEnd: (report) => end(report, report.caller as Caller),
    showsProviderMessages: false,
    wholeAnswers: config.wholeAnswers,
    limits: {
      maxBodyBytes,
      bodyTimeoutMs,
      maxDepth: 64,
      maxValues: 50_000,
      maxAnswerBytes: answerBytesFor(config),
      maxEventBytes,
      wholeCommitMs,
      keepAliveMs,
      firstContentMs,
      timeouts: { firstByteMs: headersTimeoutMs, idleMs: idleTimeoutMs, totalMs: totalTimeoutMs },
    },
  })
}

async function end(report: EndReport, { reserved, ...purse }: Caller): Promise<void> {
  const settlement = reserved && (await settle(report, reserved, purse))
  const { requestId, status, outcome, wire, model, provider, stream, attempts, durationMs, firstEventMs, error } =
    report
  const { inputTokens, outputTokens, cost, isBooked, share } = settlement ?? {}
  const figures = { attempts, durationMs, firstEventMs, inputTokens, outputTokens, cost }
  writeLogLine({ requestId, status, outcome, wire, model, provider, stream, error, ...figures }, purse.config)
  if (isBooked === false) writeLogLine({ requestId, status, outcome: 'unsettled' }, purse.config)
  // For the operator's alarms: the spent share of the day's budget, in percent.
  if (share !== undefined) writeLogLine({ requestId, status, outcome: `budget_${share}` }, purse.config)
}

/** The only line that is logged about a request. It has no header, no body, no query, and no name that a client invented. */
export interface LogLine {
  readonly requestId?: string
  readonly status: number
  readonly outcome: string
  readonly [figure: string]: unknown
}

/** Writes a log line. Cuts out any secret that got into it. */
export function writeLogLine(line: LogLine, { secrets }: Pick<Config, 'secrets'>): void {
  console.log(secrets.scrub(JSON.stringify(line)))
}
