/**
 * Money: a request reserves its highest possible cost before it is sent. When it ends, the accounts book the cost of the usage that the
 * provider reported. Without a report, they book the reserved amount.
 *
 * @module
 */

import { blocksOf, toolCallsOf } from '../../core/content.ts'
import { compact } from '../../core/json.ts'
import type { Content, ImageBlock, Message, Usage } from '../../core/messages.ts'
import type { Admission, EndReport } from '../../gateway/types.ts'
import { capPriceOf, type Price } from '../../prices/index.ts'
import { callObject } from '../call-object.ts'
import type { Config } from '../config.ts'
import { refuse } from '../refusal.ts'
import type { Session } from '../session/session.ts'
import { accountOf, type Reservation, type Settlement } from './accounts.ts'
import { costOf, mostOf } from './prices.ts'

/** More tokens than providers add to a request, such as instructions for tools. */
const addedTokens = 1000
/** More than a call and its added result have in another format, beyond the bytes that the call has in the body. In tokens. */
const resultTokens = 64
/** No known tokenizer has a token of more than 128 bytes. Twice that leaves room for others. */
const mostBytesPerToken = 256
/** A settlement is at most this many times the reservation, whatever usage the provider reports. */
const mostTimesReserved = 4
/** The shortest lifetime of a reservation, in ms; and the time that it outlives the time limit of the answer. */
const leaseMs = 15 * 60 * 1000
const leaseMarginMs = 5 * 60 * 1000

/** The reservation of a request. */
export interface Reserved {
  readonly price: Price
  /** The maximum number of input and output tokens. */
  readonly inputTokens: number
  readonly outputTokens: number
}

/** The user who pays, and the account. Without accounts, nothing is reserved or booked. */
export interface Purse {
  readonly session: Session
  readonly config: Config
}

/**
 * Reserves the highest possible cost of a request.
 *
 * @throws {ApiError} 429 if the user, or the Worker, does not have enough left of the day's budget, or if the user has too many concurrent requests.
 */
export async function reserve(admission: Admission, id: string, purse: Purse): Promise<Reserved> {
  const { config } = purse
  const reserved = mostTokensOf(id, admission.request, admission.maxOutputTokens ?? config.maxOutputTokens)
  const price = priceOf(id, config)
  const cost = mostOf(price, reserved.inputTokens, reserved.outputTokens)
  const provider = id.slice(0, id.indexOf(':'))
  const lease = Math.max(leaseMs, config.limits.totalTimeoutMs + leaseMarginMs)
  await hold({ requestId: admission.requestId, model: id, wire: admission.wire, provider, cost, leaseMs: lease }, purse)
  return { price, ...reserved }
}

const pricesByConfig = new WeakMap<Config, Map<string, Price>>()

/** Looked up only once for each model, because each lookup reads the whole table. */
function priceOf(id: string, config: Config): Price {
  const ofConfig = pricesByConfig.get(config) ?? new Map<string, Price>()
  pricesByConfig.set(config, ofConfig)
  const price = ofConfig.get(id) ?? capPriceOf(id, config.spending.prices)
  ofConfig.set(id, price)
  return price
}

/**
 * Reserves a place for a request that costs nothing, a count of tokens: one of the `LIVE_STREAMS` of its user. A user without money gets no
 * place.
 *
 * @throws {ApiError} as {@link reserve}.
 */
export async function reservePlace(requestId: string, purse: Purse): Promise<void> {
  await hold({ requestId, model: 'token counts', wire: 'count', provider: '', cost: 1, leaseMs: leaseMarginMs }, purse)
}

type Held = Pick<Reservation, 'requestId' | 'model' | 'wire' | 'provider' | 'cost' | 'leaseMs'>

async function hold(held: Held, { session, config }: Purse): Promise<void> {
  const { accounts, liveStreams, totalDailyBudget } = config.spending
  if (accounts === undefined) return
  const { sub: user, dailyBudget } = session
  const reservation = { ...held, user, dailyBudget, totalDailyBudget, liveStreams, isLeased: true }
  const verdict = await callObject(() => accounts.getByName(accountOf(user)).reserve(reservation))
  if (verdict.ok) return
  const code = verdict.reason === 'budget' ? 'insufficient_quota' : 'too_many_live'
  // Waiting would not help, for example for a model without a price.
  const isTooDear = verdict.reason === 'budget' && held.cost > Math.min(dailyBudget, totalDailyBudget)
  const whose = { true: ' of this user', false: ' of the whole Worker', undefined: '' }[`${verdict.isOfUser}`]
  const detail = isTooDear
    ? 'this answer could cost more than the whole budget of a day'
    : `the daily budget${whose} is used up; it resets at midnight UTC`
  throw refuse(code, verdict.reason === 'budget' ? detail : undefined, verdict.retryAfterSeconds)
}

/** The cost of a request. If it raises an alarm, also the share of the Worker's budget that it reached. */
export interface Settled extends Settlement {
  /** Whether the accounts took it. */
  readonly isBooked: boolean
  readonly share: number | undefined
}

/** Books the cost of a request, for the user and for the Worker. */
export async function settle(report: EndReport, reserved: Reserved, purse: Purse): Promise<Settled> {
  return book(settlementOf(report, reserved), purse)
}

/** Gives back a place that {@link reservePlace} took. */
export async function releasePlace(requestId: string, purse: Purse): Promise<void> {
  await book({ requestId, outcome: 'answered', inputTokens: 0, outputTokens: 0, cost: 0 }, purse)
}

/** Never rejects: without a settlement, the accounts book the whole reservation when its time is over. */
async function book(settlement: Settlement, { session, config }: Purse): Promise<Settled> {
  const { accounts, totalDailyBudget } = config.spending
  if (accounts === undefined) return { ...settlement, isBooked: true, share: undefined }
  try {
    const account = () => accounts.getByName(accountOf(session.sub))
    const share = await callObject(() => account().settle({ ...settlement, totalDailyBudget }))
    return { ...settlement, isBooked: true, share }
  } catch {
    return { ...settlement, isBooked: false, share: undefined }
  }
}

/**
 * The cost of an answer. The provider's final usage is booked as it is, up to {@link mostTimesReserved} times what was reserved. A figure
 * that is missing or impossible is replaced by the amount that was reserved for it. If the answer was cut off, or the client disconnected,
 * before the final usage, the whole reservation is booked: hidden reasoning may cost that much.
 */
export function settlementOf(report: EndReport, reserved: Reserved): Settlement {
  const { requestId, outcome, usage = {}, usageIsOld, outputBytes, stopReason, error } = report
  const ended = compact({ requestId, outcome, errorKind: error?.kind })
  if (isFree(report)) return { ...ended, inputTokens: 0, outputTokens: 0, cost: 0 }
  const { price, inputTokens: mostInput, outputTokens: mostOutput } = reserved
  const leastOutput = Math.ceil(outputBytes / mostBytesPerToken)
  const reportedInput = countOf(usage.inputTokens)
  const reportedOutput = outputTokensOf(usage)
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

/** Some hosts leave reasoning out of the output, and count it in the total only. */
function outputTokensOf({ inputTokens, outputTokens, totalTokens }: Usage): number | undefined {
  const output = countOf(outputTokens)
  const total = countOf(totalTokens)
  return output === undefined || total === undefined
    ? output
    : Math.max(output, total - (countOf(inputTokens) ?? total))
}

/** A count of tokens is a whole number from 0 up. A fraction is rounded up; any other value is not a count. */
function countOf(count: number | undefined): number | undefined {
  return typeof count === 'number' && count >= 0 ? Math.ceil(count) : undefined
}

/** No provider was asked, or the provider refused with a status before it wrote any content. */
function isFree({ attempts, error, usage, outputBytes }: EndReport): boolean {
  if (attempts === 0) return true
  return error?.status !== undefined && usage === undefined && outputBytes === 0
}

/**
 * The maximum number of tokens of a request and its answer, for any tokenizer: each token has at least one byte of text. The data of a
 * picture in a message does not count as text; see {@link mostTokensOfPicture}. All other data in the request counts by its bytes, regardless
 * of its type.
 */
export function mostTokensOf(
  id: string,
  { context, options }: Pick<Admission['request'], 'context' | 'options'>,
  maxOutputTokens: number,
): { readonly inputTokens: number; readonly outputTokens: number } {
  const pictures = context.messages.flatMap(({ content }) => picturesIn(content))
  const bytes = bytesOf({ context, options }) - repeatedBytesOf(context.messages)
  const dataBytes = pictures.reduce((sum, { data = '' }) => sum + data.length, 0)
  const pictureTokens = pictures.reduce((sum, picture) => sum + mostTokensOfPicture(id, picture), 0)
  const addedResults = Math.max(
    0,
    context.messages.reduce((sum, message) => sum + unansweredIn(message), 0),
  )
  return {
    inputTokens: Math.max(0, bytes - dataBytes) + pictureTokens + addedResults * resultTokens + addedTokens,
    outputTokens: maxOutputTokens + (id.startsWith('xai:') ? xaiReasoningTokens : 0),
  }
}

function bytesOf(value: object): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}

/** A call has its arguments twice, as an object and as the text of the provider, and one of them is sent. */
function repeatedBytesOf(messages: readonly Message[]): number {
  const calls = messages.flatMap(toolCallsOf)
  return calls.reduce((sum, call) => sum + Math.min(bytesOf(call.arguments), bytesOf([call.argumentsText])), 0)
}

/**
 * xAI counts reasoning separately from the output, and applies the limit only to the output. This is more than most of its answers need.
 */
const xaiReasoningTokens = 16_384

/**
 * The maximum number of tokens that a provider counts for a picture of any size, by their guides and public token counters. No recorded
 * answer confirms it. OpenAI: gpt-4o-mini 2,833 + 8 × 5,667; others at most 2.46 for each of 10,000 patches, or of 2,500 where `detail` is
 * `low` or `high`. Anthropic: 4,784. Gemini: 16 tiles of 258. xAI: 1,792.
 *
 * @see https://platform.openai.com/docs/guides/images-vision
 * @see https://docs.claude.com/en/docs/build-with-claude/vision
 * @see https://ai.google.dev/gemini-api/docs/tokens
 * @see https://docs.x.ai/docs/guides/image-understanding
 */
function mostTokensOfPicture(id: string, { detail, url }: ImageBlock): number {
  // Gemini also reads a video or a PDF of a thousand pages at the address: as much as its longest context.
  if (id.startsWith('gemini:') && url !== undefined) return 1_048_576
  if (id.startsWith('openai-chat:gpt-4o-mini')) return 50_000
  const isOriginal = id.startsWith('openai-chat:') && detail !== 'low' && detail !== 'high'
  return isOriginal ? 25_000 : 6500
}

/** The calls of a message, less the results in it: a call without a result gets one on the way to another format. */
function unansweredIn(message: Message): number {
  if (message.role === 'tool') return -1
  return toolCallsOf(message).length - blocksOf(message.content).filter(({ type }) => type === 'tool_result').length
}

/** The pictures in a message, in results of tools too. */
function picturesIn(content: Content | null): ImageBlock[] {
  if (typeof content === 'string' || content === null) return []
  return content.flatMap((block) => {
    if (block.type === 'image') return [block]
    return block.type === 'tool_result' ? picturesIn(block.content) : []
  })
}
