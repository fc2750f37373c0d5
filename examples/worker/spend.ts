/**
 * Money: what a request can cost at most is set aside before it goes out, and what it did cost is booked when it has ended.
 *
 * @see security.md C6
 * @module
 */
import type { DecodedRequest } from '../../src/codec.ts'
import type { Admission, EndReport } from '../../src/gateway/index.ts'
import { type Accounts, type Settlement, wholeWorker } from './accounts.ts'
import type { Config } from './config.ts'
import { costOf, mostOf, type Price, priceOf } from './prices.ts'
import { idOf } from './providers.ts'
import { refuse } from './refusal.ts'
import type { Session } from './session.ts'

/** No tokenizer makes more tokens than there are bytes. */
const bytesPerTokenAtLeast = 1
/** For what was said and no usage was told of: less than most texts have. */
const bytesPerTokenUsually = 3
/** More than providers add of their own, such as instructions for tools. */
const tokensAround = 600
/** More than the providers here count for a picture. */
const tokensPerImage = 6000
/** Shortest time a reservation is kept, in ms, and how much longer than the answer may take. */
const leaseMs = 15 * 60 * 1000
const marginMs = 5 * 60 * 1000

/** What is set aside for a request. */
export interface Reserved {
  readonly price: Price
  readonly inputBytes: number
  /** The most it can cost, in micro-USD, where whoever is asked may go on when nobody listens any more. */
  readonly most?: number
}

/** Whose money it is, and where it is kept. */
export interface Purse {
  readonly session: Session
  readonly config: Config
  readonly accounts: Accounts
}

/** @throws {ApiError} 429 if the user, or the Worker, has not as much left of the day, or too many answers are being written. */
export async function reserve(
  admission: Admission,
  id: string,
  { session, config, accounts }: Purse,
): Promise<Reserved> {
  const price = priceOf(id, config.prices)
  const { bytes, images } = sizeOf(admission.request)
  const inputTokens = Math.ceil(bytes / bytesPerTokenAtLeast) + images * tokensPerImage + tokensAround
  const { liveStreams, totalDailyBudget } = config.spending
  const cost = mostOf(price, inputTokens, admission.maxOutputTokens ?? config.maxOutputTokens)
  const { dailyBudget } = session
  const verdict = await accounts.getByName(wholeWorker).reserve({
    requestId: admission.requestId,
    user: session.sub,
    model: id,
    wire: admission.wire,
    provider: id.slice(0, id.indexOf(':')),
    cost,
    leaseMs: Math.max(leaseMs, config.limits.totalTimeoutMs + marginMs),
    dailyBudget,
    totalDailyBudget,
    liveStreams,
  })
  if (!verdict.ok) {
    const code = verdict.reason === 'budget' ? 'insufficient_quota' : 'too_many_live'
    // Waiting would not help: of a model without a price, say.
    const isTooDear = verdict.reason === 'budget' && cost > Math.min(dailyBudget, totalDailyBudget)
    throw refuse(code, isTooDear ? 'this answer by itself could cost more' : undefined, verdict.retryAfterSeconds)
  }
  const inputBytes = bytes + images * tokensPerImage * bytesPerTokenUsually
  // An AI Gateway lets the provider finish.
  const goesOn = config.models.some((entry) => idOf(entry) === id && entry.gatewayToken !== undefined)
  return { price, inputBytes, ...(goesOn && { most: cost }) }
}

/** What was booked, and the share of the Worker's budget that was reached by it, if it is one to hear of. */
export interface Settled extends Settlement {
  readonly share: number | undefined
}

/** Books what a request did cost, for the user and for the Worker. */
export async function settle(report: EndReport, reserved: Reserved, { accounts, config }: Purse): Promise<Settled> {
  const settlement = settlementOf(report, reserved)
  const { totalDailyBudget } = config.spending
  const share = await accounts.getByName(wholeWorker).settle({ ...settlement, totalDailyBudget })
  return { ...settlement, share }
}

/** What an answer did cost: by its usage, and where it broke off before that was told in full, no less than what was said of it. */
export function settlementOf(report: EndReport, { price, inputBytes, most = 0 }: Reserved): Settlement {
  const { requestId, outcome, usage, saidBytes, stopReason, error } = report
  const ended = { requestId, outcome, ...(error !== undefined && { errorKind: error.kind }) }
  if (isFree(report)) return { ...ended, inputTokens: 0, outputTokens: 0, cost: 0 }
  const said = Math.ceil(saidBytes / bytesPerTokenUsually)
  const isTold = (outcome === 'answered' || stopReason !== undefined) && usage?.outputTokens !== undefined
  const inputTokens = usage?.inputTokens ?? Math.ceil(inputBytes / bytesPerTokenUsually)
  const outputTokens = isTold ? (usage.outputTokens ?? said) : Math.max(usage?.outputTokens ?? 0, said)
  const cost = costOf(price, { ...usage, inputTokens, outputTokens })
  return { ...ended, inputTokens, outputTokens, cost: isTold ? cost : Math.max(cost, most) }
}

/** Nobody was asked, or who was asked said no before anything else. */
function isFree({ attempts, error, usage, saidBytes }: EndReport): boolean {
  if (attempts === 0) return true
  return error?.status !== undefined && usage === undefined && saidBytes === 0
}

/** What the provider will read: text in bytes, and pictures. */
export function sizeOf({ context }: DecodedRequest): { readonly bytes: number; readonly images: number } {
  let images = 0
  const text = JSON.stringify(context, (_, value) => {
    if (value?.type !== 'image') return value
    images++
    return undefined
  })
  return { bytes: new TextEncoder().encode(text).length, images }
}
