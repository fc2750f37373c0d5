/**
 * Money: before a request goes out, the most that it can cost is reserved. When it ends, the accounts book what the provider proved by its
 * usage. Where usage proves nothing, they book what was reserved.
 *
 * @module
 */

import type { Content, ImageBlock, JsonObject } from '../../core/model.ts'
import type { Admission, EndReport } from '../../gateway/types.ts'
import { capPriceOf, type Price } from '../../prices/index.ts'
import type { Config } from '../config.ts'
import { refuse } from '../refusal.ts'
import type { Session } from '../session/session.ts'
import { accountOf, type Reservation, type Settlement } from './accounts.ts'
import { costOf, mostOf } from './prices.ts'

/** More than providers add to a request of their own, such as instructions for tools. In tokens. */
const addedTokens = 1000
/** No known tokenizer has a token of more than 128 bytes. Twice that leaves room for others. */
const mostBytesPerToken = 256
/** A settlement is at most so many times the reservation, whatever the provider reports. */
const mostTimesReserved = 4
/** Shortest time a reservation is kept, in ms, and how much longer than the answer may take. */
const leaseMs = 15 * 60 * 1000
const marginMs = 5 * 60 * 1000

/** The reservation of a request. */
export interface Reserved {
  readonly price: Price
  /** Most tokens of input and of output. */
  readonly inputTokens: number
  readonly outputTokens: number
}

/** The user who pays, and the account. Without accounts nothing is reserved, and nothing booked. */
export interface Purse {
  readonly session: Session
  readonly config: Config
}

/**
 * Reserves the most that a request can cost. `body` is the request as the policy let it through.
 *
 * @throws {ApiError} 429 if the user, or the Worker, has not as much left of the day, or too many answers are being written.
 */
export async function reserve(admission: Admission, body: JsonObject, id: string, purse: Purse): Promise<Reserved> {
  const { config } = purse
  const reserved = mostTokensOf(id, body, admission.request, admission.maxOutputTokens ?? config.maxOutputTokens)
  const price = priceOf(id, config)
  const cost = mostOf(price, reserved.inputTokens, reserved.outputTokens)
  const provider = id.slice(0, id.indexOf(':'))
  const lease = Math.max(leaseMs, config.limits.totalTimeoutMs + marginMs)
  await hold({ requestId: admission.requestId, model: id, wire: admission.wire, provider, cost, leaseMs: lease }, purse)
  return { price, ...reserved }
}

const prices = new WeakMap<Config, Map<string, Price>>()

/** Looked up once for each model: that goes through the whole table. */
function priceOf(id: string, config: Config): Price {
  const ofConfig = prices.get(config) ?? new Map<string, Price>()
  prices.set(config, ofConfig)
  const price = ofConfig.get(id) ?? capPriceOf(id, config.spending.prices)
  ofConfig.set(id, price)
  return price
}

/**
 * Reserves a place for a request that costs nothing, a count of tokens: one of the `LIVE_STREAMS` of its user. A user without money gets none.
 *
 * @throws {ApiError} as {@link reserve}.
 */
export async function reservePlace(requestId: string, purse: Purse): Promise<void> {
  await hold({ requestId, model: 'token counts', wire: 'count', provider: '', cost: 1, leaseMs: marginMs }, purse)
}

/** Reserves an amount for requests that the page sends to the provider itself. @throws {ApiError} as {@link reserve}. */
export async function reserveAmount(requestId: string, model: string, cost: number, purse: Purse): Promise<void> {
  await hold({ requestId, model, wire: 'realtime', provider: 'openai', cost, leaseMs: marginMs }, purse)
}

/** Books the amount that {@link reserveAmount} reserved, or less. */
export async function settleAmount(requestId: string, outcome: string, cost: number, purse: Purse): Promise<void> {
  await book({ requestId, outcome, inputTokens: 0, outputTokens: 0, cost }, purse)
}

type Held = Pick<Reservation, 'requestId' | 'model' | 'wire' | 'provider' | 'cost' | 'leaseMs'>

async function hold(held: Held, { session, config }: Purse): Promise<void> {
  const { accounts, liveStreams, totalDailyBudget } = config.spending
  if (accounts === undefined) return
  const { sub: user, dailyBudget } = session
  const reservation = { ...held, user, dailyBudget, totalDailyBudget, liveStreams, isLeased: true }
  const verdict = await accounts.getByName(accountOf(user)).reserve(reservation)
  if (verdict.ok) return
  const code = verdict.reason === 'budget' ? 'insufficient_quota' : 'too_many_live'
  // Waiting would not help: of a model without a price, say.
  const isTooDear = verdict.reason === 'budget' && held.cost > Math.min(dailyBudget, totalDailyBudget)
  throw refuse(code, isTooDear ? 'this answer by itself could cost more' : undefined, verdict.retryAfterSeconds)
}

/** The booked cost, and the share of the Worker's budget that it reached, if that raises an alarm. */
export interface Settled extends Settlement {
  readonly share: number | undefined
}

/** Books what a request cost, for the user and for the Worker. */
export async function settle(report: EndReport, reserved: Reserved, purse: Purse): Promise<Settled> {
  return book(settlementOf(report, reserved), purse)
}

/** Gives back a place that {@link reservePlace} took. */
export async function releasePlace(requestId: string, purse: Purse): Promise<void> {
  await book({ requestId, outcome: 'answered', inputTokens: 0, outputTokens: 0, cost: 0 }, purse)
}

async function book(settlement: Settlement, { session, config }: Purse): Promise<Settled> {
  const { accounts, totalDailyBudget } = config.spending
  const share = await accounts?.getByName(accountOf(session.sub)).settle({ ...settlement, totalDailyBudget })
  return { ...settlement, share }
}

/**
 * The cost of an answer. The provider's final usage is booked as it is, up to {@link mostTimesReserved} times what was reserved. A figure
 * that is missing or impossible is replaced by the amount that was reserved for it. If the answer broke off, or the client left, before
 * the final usage, the whole reservation is booked: hidden reasoning may have cost that much.
 */
export function settlementOf(report: EndReport, reserved: Reserved): Settlement {
  const { requestId, outcome, usage = {}, usageIsOld, outputBytes, stopReason, error } = report
  const ended = { requestId, outcome, ...(error !== undefined && { errorKind: error.kind }) }
  if (isFree(report)) return { ...ended, inputTokens: 0, outputTokens: 0, cost: 0 }
  const { price, inputTokens: mostInput, outputTokens: mostOutput } = reserved
  const leastOutput = Math.ceil(outputBytes / mostBytesPerToken)
  const [reportedInput, reportedOutput] = [countOf(usage.inputTokens), countOf(usage.outputTokens)]
  const isFinal = (outcome === 'answered' || stopReason !== undefined) && usageIsOld === undefined
  const provesInput = isFinal && reportedInput !== undefined && reportedInput > 0
  const provesOutput = isFinal && reportedOutput !== undefined && reportedOutput >= leastOutput
  const inputTokens = provesInput ? reportedInput : Math.max(mostInput, reportedInput ?? 0)
  const outputTokens = provesOutput ? reportedOutput : Math.max(mostOutput, reportedOutput ?? 0, leastOutput)
  const cost = provesInput
    ? costOf(price, { ...usage, inputTokens, outputTokens })
    : mostOf(price, inputTokens, outputTokens)
  return {
    ...ended,
    inputTokens: Math.min(inputTokens, mostTimesReserved * mostInput),
    outputTokens: Math.min(outputTokens, mostTimesReserved * mostOutput),
    cost: Math.min(cost, mostTimesReserved * mostOf(price, mostInput, mostOutput)),
  }
}

/** A count of tokens is a whole number from 0 up. A fraction is rounded up; any other value is not a count. */
function countOf(count: number | undefined): number | undefined {
  return typeof count === 'number' && count >= 0 ? Math.ceil(count) : undefined
}

/** No provider was asked, or the provider refused by the status of its answer, before it wrote anything. */
function isFree({ attempts, error, usage, outputBytes }: EndReport): boolean {
  if (attempts === 0) return true
  return error?.status !== undefined && usage === undefined && outputBytes === 0
}

/**
 * Most tokens that a request and its answer can have, for any tokenizer: no token has less than one byte of text. The data of a picture in
 * a message is not read as text; see {@link mostTokensOfPicture}. Everything else in the body counts by its bytes, whatever its type says.
 */
export function mostTokensOf(
  id: string,
  body: JsonObject,
  { context }: Pick<Admission['request'], 'context'>,
  maxOutputTokens: number,
): { readonly inputTokens: number; readonly outputTokens: number } {
  const pictures = context.messages.flatMap(({ content }) => picturesIn(content))
  const bytes = new TextEncoder().encode(JSON.stringify(body)).length
  const dataBytes = pictures.reduce((sum, { data = '' }) => sum + data.length, 0)
  const pictureTokens = pictures.reduce((sum, picture) => sum + mostTokensOfPicture(id, picture), 0)
  return {
    inputTokens: Math.max(0, bytes - dataBytes) + pictureTokens + addedTokens,
    outputTokens: maxOutputTokens + (id.startsWith('xai:') ? xaiReasoningTokens : 0),
  }
}

/** xAI counts reasoning apart from the output, and its limit is only for the output. More than most of its answers take. */
const xaiReasoningTokens = 16_384

/**
 * Most tokens that a provider counts for a picture of any size, as their guides and public counters of tokens have it; not confirmed by an
 * answer. OpenAI: gpt-4o-mini 2,833 + 8 × 5,667; others at most 2.46 for each of 10,000 patches, or of 2,500 where `detail` is `low` or
 * `high`. Anthropic: 4,784. Gemini: 16 tiles of 258. xAI: 1,792.
 *
 * @see https://platform.openai.com/docs/guides/images-vision
 * @see https://docs.claude.com/en/docs/build-with-claude/vision
 * @see https://ai.google.dev/gemini-api/docs/tokens
 * @see https://docs.x.ai/docs/guides/image-understanding
 */
function mostTokensOfPicture(id: string, { detail }: ImageBlock): number {
  if (id.startsWith('openai-chat:gpt-4o-mini')) return 50_000
  const isOriginal = id.startsWith('openai-chat:') && detail !== 'low' && detail !== 'high'
  return isOriginal ? 25_000 : 6500
}

/** The pictures in a message, in results of tools too. */
function picturesIn(content: Content | null): ImageBlock[] {
  if (typeof content === 'string' || content === null) return []
  return content.flatMap((block) => {
    if (block.type === 'image') return [block]
    return block.type === 'tool_result' ? picturesIn(block.content) : []
  })
}
