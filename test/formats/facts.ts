/**
 * The facts of one format that the shared tests use: `test/formats/<name>` has them, from the documents of its owner. The compiler asks for
 * missing ones. `undefined` means that the format does not have the thing.
 */
import type { ApiErrorKind } from '../../src/core/errors.ts'
import type { JsonObject, StopReason } from '../../src/core/messages.ts'
import type { AnswerRuleName, Counts, Wire } from '../support/answers.ts'
import type { RequestRuleName, SeenPart } from '../support/requests.ts'
import type { Claims } from './claims.ts'
import type { Client } from './client.ts'
import type { GatewayFacts } from './gateway.ts'
import type { Join } from './joiner.ts'
import type { Speaker } from './provider.ts'
import type { Loose } from './server.ts'
import type { Refusals, Validator } from './validator.ts'

export interface FormatFacts {
  /** As tables of the guides have room for it. */
  readonly title: string
  /** As the playground has it. */
  readonly titleOnPage: string
  /** The reference of the format's owner. */
  readonly reference: string
  /** The owner, by its name as a provider. */
  readonly owner: string
  /** Models that continue a conversation: the newest, then those with other abilities. */
  readonly models: readonly [string, ...string[]]
  /** The model that samples of the official client go to. */
  readonly modelOfSamples: string
  /** Words of this format that no other has a use for. */
  readonly words: readonly string[]
  /** Where the format stands at aimock, which keeps the paths of the providers. */
  readonly mockBase: string
  /** Whether its provider stores answers by default: then a client sends only new messages. */
  readonly storesAnswers: boolean
  /** Kinds of histories that none of its providers has. */
  readonly noHistories: readonly string[]
  readonly answers: AnswerFacts
  readonly requests: RequestFacts
  readonly gateway: GatewayFacts
  readonly samples: Samples
  readonly provider: Speaker
  /** Loaded when it is needed, because the official clients are large. */
  readonly client: () => Promise<{ readonly client: Client }>
  /** Claims of its recordings. */
  readonly claims: Claims | undefined
  /** Why a provider of the format would refuse a body: all rules of the wire document. */
  readonly validatorOf: (provider: string, model?: string) => Validator
  /** Bodies that the validator refuses, each for its own reason. */
  readonly refusals: readonly Refusals[]
  /** Why a server would refuse the order of a conversation: only the rules that give 400. */
  violations(body: unknown): readonly string[]
  readonly join: Join
}

/** How an answer changes when a server of the format writes it. */
export interface AnswerFacts {
  /** The rules that apply, of those that not every format has. */
  readonly rules: readonly AnswerRuleName[]
  /** Our stop reasons for which it has no word, and the nearest. */
  readonly stopWords: Partial<Readonly<Record<StopReason, StopReason>>>
  /** Media with data that an answer can hold. */
  readonly media: readonly string[]
  /** Whether it has a field for proofs of reasoning. */
  readonly hasProofs: boolean
  /** `merged`: one field each for reasoning, text and calls. `calls last`: a list of calls beside the content. Default: a list of blocks. */
  readonly order?: 'merged' | 'calls last'
  /** Arguments are an object in streams too, so its server answers with an error if a model writes something else. */
  readonly refusesInvalidCalls?: true
  /** The kinds that an error in a stream of the format can have. The others are read as `server`. Default: all. */
  readonly streamErrors?: readonly ApiErrorKind[]
  counts(counts: Counts | undefined, from: Wire): Counts | undefined
}

/** How a request changes when a client of the format writes it. */
export interface RequestFacts {
  /** The rules that apply, of those that not every format has. */
  readonly rules: readonly RequestRuleName[]
  /** Whether a message of this role can hold the part. */
  takes(part: SeenPart, role: string): boolean
  /** The texts of a message are one text with line ends, and its other parts are beside it. */
  readonly hasOneText?: true
  /** Between texts of the system, if there is one system text. */
  readonly systemSeparator?: string
  /** A developer message is read as a user message. Default: as a developer or system message. */
  readonly developersAreUsers?: true
  /** Fields that it has no place for, beside those of the rules. */
  readonly drops: readonly Dropped[]
}

export type Dropped = 'a seed' | 'a cache hint' | 'a level of detail'

export type Figure = number | string | null | undefined
export type Figures = Readonly<Record<'input' | 'output' | 'total' | 'read' | 'write' | 'reasoning' | 'tools', Figure>>

/** Bodies that the laws are tried with. */
export interface Samples {
  /** A whole answer with these figures in the places that the documents name. */
  usage(figures: Figures): unknown
  /** A whole answer with text and two calls: `get_weather` of Paris, then of Oslo. */
  readonly calls: JsonObject
  /** The ids of these calls. A call without an id in the answer gets one that begins with `madeId`. */
  readonly callIds: readonly [string, string]
  /** How ids begin that a decoder makes. `undefined` if every call of this format has an id. */
  readonly madeId: string | undefined
  /** A request with calls of these ids. A call without one has no id. `undefined` if every call of a request has an id. */
  readonly idless: ((called: readonly (string | undefined)[]) => unknown) | undefined
  /** The words for the end of an answer, and where a whole answer has its word. `undefined` if the word depends on more than the reason. */
  readonly stop:
    | { readonly words: Readonly<Record<string, StopReason>>; readonly wordIn: (body: Loose) => unknown }
    | undefined
  /** Fields whose words are enumerated, each with an unknown word, and a body that needs nothing else. */
  readonly unknownWords: { readonly base: JsonObject; readonly fields: readonly JsonObject[] } | undefined
}

/** A word that no enumeration has. */
export const unknownWord = 'from_next_year'

/** Text and sums that every wire has. */
export function sumsOf({ inputTokens = 0, outputTokens = 0 }: Counts = {}) {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

/** A file whose text can be read. */
export const isTextFile = ({ type, mimeType, data }: SeenPart) =>
  type === 'file' && data !== undefined && String(mimeType).startsWith('text/')

/** Google's two formats share its files. */
export const isWithoutForeignFile = ({ fileId }: SeenPart) =>
  fileId === undefined || /^(?:gs:|files\/|https:\/\/generativelanguage\.)/.test(String(fileId))
