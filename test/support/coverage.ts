/** Every recording in every wire: what comes of it, held against what the rules say. The laws and the table in the docs are made of this. */
import type { ServerCodec } from '../../src/core/codec.ts'
import { ApiError, DecodeError, InterruptedError } from '../../src/core/errors.ts'
import type { ChatResponse, Context, JsonObject, Loss } from '../../src/core/messages.ts'
import type { Target as PrepareTarget } from '../../src/core/target.ts'
import { targetOf as bedrockTarget } from '../../src/formats/bedrock-converse/families.ts'
import { geminiDialect, targetOf as geminiTarget } from '../../src/formats/gemini/tables.ts'
import { targetOf as interactionsTarget } from '../../src/formats/gemini-interactions/tables.ts'
import { binaryPieces, textPieces } from '../../src/gateway/pieces.ts'
import { asNewTurn, translateRequest, translateResponse, translateStream } from '../../src/gateway/translate.ts'
import { prepare } from '../../src/prepare/prepare.ts'
import { facts } from '../formats/index.ts'
import {
  answerRules,
  canonical,
  expectAnswer,
  openCarriers,
  type Seen,
  see,
  sortBlocks,
  type Way,
  type Wire,
  wires,
} from './answers.ts'
import { type CorpusCase, isAnswer, pathOf } from './corpus.ts'
import { type Decoded, decodeChunks } from './decode.ts'
import { type Format, formats } from './formats.ts'
import { judgeRequest, requestRules, seeRequest } from './requests.ts'

export type Kind = 'answer' | 'stream' | 'request' | 'error'

/** The outcome of one recording in one wire. */
export interface Verdict {
  readonly id: string
  readonly kind: Kind
  readonly from: Wire
  readonly to: Wire
  /** Names of the rules that made a difference. */
  readonly named: readonly string[]
  /** Differences that no rule names, reported losses that are not losses, and losses that are not reported. */
  readonly unnamed: readonly string[]
}

export interface NamedRule {
  readonly name: string
  readonly reason: string
  readonly severity: Loss['severity']
}

/** Outcomes beside the rules of {@link answerRules} and {@link requestRules}. */
const others = {
  errors: {
    name: 'kinds of errors',
    reason: 'an error has a message and a status, but no code; during a stream it has only the message',
    severity: 'info',
  },
  interrupted: {
    name: 'answers that were cut off',
    reason: 'an answer without an end event is reported as an error, because a normal end would be wrong',
    severity: 'info',
  },
  refused: {
    name: 'invalid calls, refused',
    reason: 'arguments are an object on this wire: its server answers with an error if a model writes something else',
    severity: 'major',
  },
  choices: {
    name: 'several choices',
    reason: 'an answer has one message, the first choice; a whole answer keeps the other choices for their own wire',
    severity: 'minor',
  },
  functions: {
    name: 'tools that clients of one wire run',
    reason:
      'they become functions, and their calls come back as the client has them; only OpenAI holds a call to a grammar',
    severity: 'minor',
  },
  prepared: {
    name: 'preparing the conversation',
    reason: 'calls and results are paired, foreign reasoning is left out, a user message comes first: see `prepare`',
    severity: 'minor',
  },
} as const satisfies Record<string, NamedRule>

/** All that may happen to a recording on its way, by its name. */
export const namedRules: ReadonlyMap<string, NamedRule> = new Map(
  [...answerRules, ...requestRules, ...Object.values(others)].map((rule) => [rule.name, rule]),
)

const targets: readonly (Format & { readonly wire: Wire })[] = wires.map((wire) => ({
  ...(formats.find(({ folder }) => folder === wire) as Format),
  wire,
}))

/** Each of these cases in every wire. */
export function translateAll(cases: readonly CorpusCase[]): Verdict[] {
  return cases.flatMap((one) => {
    const from = formats.find(({ folder }) => folder === one.format)
    if (from === undefined) throw new Error(`no codec for ${one.format}`)
    if (!wires.includes(from.client.name as Wire)) return []
    const original = readOriginal(one, from)
    // A body that is neither an answer nor an error has no translation, such as an answer that is still made in the background.
    const isTold = isAnswer(one) || !(original.error instanceof DecodeError)
    return targets.flatMap((to) => [
      ...(isTold ? [judgeAnswer(one, original, from, to)] : []),
      ...(one.request === undefined ? [] : [judgeAsked(one, from, to)]),
    ])
  })
}

/** An answer as the client of its own wire reads it, once for all other wires. */
type Original = Pick<Decoded, 'response' | 'error'>

function readOriginal(one: CorpusCase, { client }: Format): Original {
  if (one.kind !== 'json') return decodeChunks(client, [one.bytes])
  try {
    return { response: client.decodeResponse(parse(one.text)), error: undefined }
  } catch (error) {
    return { response: undefined, error: error as Error }
  }
}

type Target = (typeof targets)[number]

// ---- answers ----------------------------------------------------------------------------------

function judgeAnswer(one: CorpusCase, original: Original, from: Format, to: Target): Verdict {
  const way = { from: from.client.name as Wire, to: to.wire, isStream: one.kind !== 'json' }
  const { kind, named, unnamed } = way.isStream
    ? judgeStream(one, original, from, to, way)
    : judgeWhole(one, original, from, to, way)
  return { id: one.id, kind, from: way.from, to: way.to, named, unnamed }
}

type Judged = Pick<Verdict, 'kind' | 'named' | 'unnamed'>

function judgeWhole(one: CorpusCase, { response, error }: Original, from: Format, to: Target, way: Way): Judged {
  if (response === undefined) return judgeError(error, to)
  const { body: written, losses } = translateResponse(parse(one.text), from.client, to.server)
  try {
    const read = to.client.decodeResponse(JSON.parse(JSON.stringify(written)))
    return { kind: 'answer', ...judge(response, read, losses, way) }
  } catch (error) {
    const isSaid = response.stopReason === 'error' && (error instanceof InterruptedError || error instanceof ApiError)
    return { kind: 'answer', named: [others.interrupted.name], unnamed: isSaid ? [] : [`it fails: ${error}`] }
  }
}

function judgeStream(one: CorpusCase, original: Original, from: Format, to: Target, way: Way): Judged {
  const translator = translateStream(from.client, to.server)
  const out: string[] = []
  translator.push(one.bytes, out)
  translator.end(out)
  const { encodeFrame } = to.server
  const pieces = encodeFrame === undefined ? textPieces : binaryPieces(encodeFrame)
  const read = decodeChunks(to.client, [pieces.more(out)])
  if (original.error !== undefined) return judgeFailure(original.error, read.error, to)
  if (read.error !== undefined) {
    if (original.response?.stopReason === 'error' || original.response?.stopReason === 'aborted')
      return { kind: 'stream', named: [others.interrupted.name], unnamed: [] }
    const isRefused =
      facts[to.wire].answers.refusesInvalidCalls && original.response?.message.invalidToolCalls !== undefined
    return {
      kind: 'stream',
      named: [others.refused.name],
      unnamed: isRefused ? [] : [`it fails: ${read.error.message}`],
    }
  }
  if (original.response === undefined || read.response === undefined) throw new Error(`no answer in ${one.id}`)
  return { kind: 'stream', ...judge(original.response, read.response, translator.losses, way) }
}

/** A stream that failed fails for the client too. In mid-stream there is no status, and the errors of two wires are a sentence. */
function judgeFailure(original: Error, read: Error | undefined, { wire }: Target): Judged {
  if (!(read instanceof ApiError)) return { kind: 'error', named: [], unnamed: ['the error is not told'] }
  if (!(original instanceof ApiError)) return { kind: 'error', named: [others.interrupted.name], unnamed: [] }
  if (read.kind === original.kind) return { kind: 'error', named: [], unnamed: [] }
  const { streamErrors } = facts[wire].answers
  const isNamed = streamErrors?.includes(original.kind) === false && read.kind === 'server'
  return {
    kind: 'error',
    named: isNamed ? [others.errors.name] : [],
    unnamed: isNamed ? [] : [`${original.kind} becomes ${read.kind}`],
  }
}

function judgeError(error: unknown, to: Pick<Target, 'server' | 'client' | 'wire'>): Judged {
  if (!(error instanceof ApiError)) return { kind: 'error', named: [], unnamed: [`no answer and no error: ${error}`] }
  const { status, body } = (to.server as ServerCodec).encodeError(error)
  const read = to.client.decodeError({ status, headers: new Headers(), body: JSON.parse(JSON.stringify(body)) })
  const isSame = read.kind === error.kind
  const isWordless = error.kind === 'context_length' && !isSame
  return {
    kind: 'error',
    named: isWordless ? [others.errors.name] : [],
    unnamed: isSame || isWordless ? [] : [`${error.kind} becomes ${read.kind}`],
  }
}

function judge(original: ChatResponse, read: ChatResponse, losses: readonly Loss[], way: Way): Omit<Judged, 'kind'> {
  const { expected, fired } = expectAnswer(see(original), way)
  const actual = sortBlocks(openCarriers(see(read)), way)
  const same = canonical(comparable(expected, way)) === canonical(comparable(actual, way))
  const hasChoices = losses.some(({ path }) => path.startsWith('choices['))
  const told = losses.filter(({ path }) => !path.startsWith('choices['))
  return {
    named: [...fired.map(({ name }) => name), ...(hasChoices ? [others.choices.name] : [])],
    unnamed: [
      ...(same ? [] : [`${canonical(comparable(expected, way))} ≠ ${canonical(comparable(actual, way))}`]),
      ...silences(fired, told),
    ],
  }
}

/** A wire's own client takes each of its servers for its provider. */
function comparable(seen: Seen, { from, to }: Way): unknown {
  if (from !== to) return seen
  return {
    ...seen,
    blocks: seen.blocks.map((block) => ({ ...block, proofs: block.proofs?.map(({ data }) => signedFields(data)) })),
  }
}

function signedFields({
  signature,
  data,
  encrypted_content,
  thoughtSignature,
  reasoning_details,
  extra_content,
}: object & { [key: string]: unknown }) {
  return { signature, data, encrypted_content, thoughtSignature, reasoning_details, extra_content }
}

// ---- requests ---------------------------------------------------------------------------------

/** The tools with the names of their parameters: `test/laws/schemas.test.ts` holds what becomes of their schemas, by another reading of them. */
function withoutSchemas(context: Context, isLoose: boolean): Context {
  const tools = context.tools?.map((tool) => {
    if (!('parameters' in tool)) return tool
    const { strict, parameters, ...rest } = tool
    const names = Object.keys(parameters?.properties ?? {})
    return { ...rest, ...(strict !== undefined && !isLoose && { strict }), parameters: { names } }
  })
  return tools === undefined ? context : { ...context, tools: tools as NonNullable<Context['tools']> }
}

/** Formats whose models differ. */
const byModel: { readonly [wire in Wire]?: (model: string) => PrepareTarget } = {
  'bedrock-converse': bedrockTarget,
  gemini: (model) => geminiTarget(geminiDialect, model),
  'gemini-interactions': interactionsTarget,
}

/** What a user says where nothing of the conversation can be sent. */
const goOn = { role: 'user', content: '(Go on.)' } as const

function judgeAsked(one: CorpusCase, from: Format, to: Target): Verdict {
  const way = { from: from.client.name as Wire, to: to.wire }
  const path = pathOf(one)
  const model = from.server.decodeRequest(one.request, { path }).options.model.split('/').at(-1) ?? ''
  const target = { format: to.client.name, provider: to.client.provider, model, headers: {} }
  // `test/laws/agents.test.ts` holds what it writes against what agents send.
  const ported = from.server.port?.(one.request as JsonObject, target)
  const asked = from.server.decodeRequest(ported?.body ?? one.request, { path })
  const translated = translateRequest(one.request, from.server, to.client, { path, model, strict: false })
  const read = to.server.decodeRequest(JSON.parse(JSON.stringify(translated.body)), { path: translated.path })
  // What it has no field for is judged below.
  const given = byModel[to.wire]?.(model) ?? to.client.rules
  const { unsupported: _, pairsHosted: __, ...structure } = given
  const { messages } = read.context
  const isGone = messages.length === 1 && JSON.stringify(messages).includes(goOn.content)
  const turns: Context = isGone ? { ...asked.context, messages: [goOn, ...asked.context.messages] } : asked.context
  const prepared = prepare(
    asNewTurn(turns, from.server.name),
    { ...structure, userLast: !isGone && given.userLast === true },
    { model, strict: false },
  )
  const context = facts[to.wire].requests.developersAreUsers ? withoutDevelopers(prepared.context) : prepared.context
  const isDemoted = canonical(context) !== canonical(prepared.context)
  const isLoose = translated.losses.some(({ reason }) => reason.endsWith('strict about such a schema'))
  const { fired, unnamed } = judgeRequest(
    seeRequest(withoutSchemas(context, isLoose), asked.options),
    seeRequest(withoutSchemas(read.context, isLoose), read.options),
    way,
  )
  const own = new Set([...prepared.losses, ...(ported?.losses ?? [])].map((loss) => `${loss.path}: ${loss.reason}`))
  const told = translated.losses.filter(
    ({ path: at, reason }) =>
      !own.has(`${at}: ${reason}`) &&
      !(isDemoted && /developers/.test(reason)) &&
      !(isGone && reason === 'a user asks for an answer') &&
      !/^tools\[\d+\]\.parameters/.test(at) &&
      !reason.endsWith('strict about such a schema'),
  )
  const isPrepared = prepared.losses.some(({ severity }) => severity !== 'info') || isDemoted
  return {
    id: one.id,
    kind: 'request',
    ...way,
    named: [
      ...fired.map(({ name }) => name),
      ...(isPrepared ? [others.prepared.name] : []),
      ...(ported && ported.body !== one.request ? [others.functions.name] : []),
    ],
    unnamed: [...unnamed, ...silences(fired, told)],
  }
}

/** A wire without this role reads a developer message as a user message. */
function withoutDevelopers(context: Context): Context {
  const messages = context.messages.map((one) => (one.role === 'developer' ? { ...one, role: 'user' as const } : one))
  return { ...context, messages }
}

// ---- the losses -------------------------------------------------------------------------------

interface Telling extends NamedRule {
  readonly told?: RegExp
}

/** Every important loss is reported, and every report is right. */
function silences(fired: readonly Telling[], losses: readonly Loss[]): string[] {
  const told = losses.filter(({ severity }) => severity !== 'info').map(({ path, reason }) => `${path}: ${reason}`)
  const silent = fired.filter(({ severity, told: how }) => severity !== 'info' && !told.some((one) => how?.test(one)))
  const idle = told.filter((one) => !fired.some(({ told: how }) => how?.test(one)))
  return [...silent.map(({ name }) => `not told: ${name}`), ...idle.map((one) => `told, and not so: ${one}`)]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
