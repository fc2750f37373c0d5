/**
 * An answer as a client of another wire reads it, by rules written from the wires' documents and not from the codecs: a rule says how an
 * answer changes, why, and which document says so. A translation must equal the result of the rules.
 */

import { blocksOf } from '../../src/core/content.ts'
import type {
  ChatResponse,
  CitationBlock,
  ContentBlock,
  InvalidToolCall,
  Opaque,
  StopReason,
  Usage,
} from '../../src/core/messages.ts'
import { type EnvelopedProof, unpackEnvelope } from '../../src/formats/shared/envelope.ts'
import { type FormatName, formats } from '../../src/formats/shared/format-names.ts'
import { facts } from '../formats/index.ts'

/** The formats, in the order of the tables: the one list of their names that tests loop over. */
export { type FormatName as Wire, formats as wires }

/** A block with all proofs that travel with it, and without fields kept for only one wire. */
export type SeenBlock = Omit<ContentBlock, 'opaque' | 'providerData' | 'metadata'> & {
  readonly [field: string]: unknown
  readonly type: ContentBlock['type']
  readonly proofs?: readonly Opaque[]
}
export type Counts = Omit<Usage, 'providerData'>

/** All of an answer that the model has words for. */
export interface Seen {
  readonly model: string | undefined
  readonly stopReason: StopReason
  readonly counts: Counts | undefined
  readonly blocks: readonly SeenBlock[]
  readonly invalid: readonly Pick<InvalidToolCall, 'index' | 'argumentsText'>[]
}

/** Fields kept for only one wire, under its name, are not compared. */
export function see(response: ChatResponse): Seen {
  const { message, stopReason, usage } = response
  return {
    model: message.response?.model,
    stopReason,
    counts: usage && withoutField(usage, 'providerData'),
    blocks: blocksOf(message.content).map(seeBlock).filter(saysSomething),
    invalid: (message.invalidToolCalls ?? []).map(({ id, name, index, argumentsText }) => ({
      id,
      name,
      index,
      argumentsText,
    })),
  }
}

function seeBlock(block: ContentBlock): SeenBlock {
  const { providerData: _, metadata: __, ...rest } = block
  const { opaque, citations, ...seen } = rest as SeenBlock & { opaque?: Opaque; citations?: readonly CitationBlock[] }
  return {
    ...seen,
    ...(citations && { citations: citations.map((one) => withoutField(one, 'providerData')) }),
    ...(opaque && isSigned(opaque) && { proofs: [opaque] }),
  } as SeenBlock
}

/** Reasoning with neither text nor proof is an item of one wire, kept for its place. */
function saysSomething({ type, text, proofs }: SeenBlock): boolean {
  return type !== 'reasoning' || text !== '' || proofs !== undefined
}

/** Proofs that are checked when they come back. Ids of items are not: they are kept for only one wire. */
function isSigned({ data }: Opaque): boolean {
  const fields = ['signature', 'data', 'encrypted_content', 'thoughtSignature', 'reasoning_details', 'extra_content']
  return fields.some((name) => (data[name] ?? '') !== '')
}

export function withoutField<T extends object>(value: T, name: string): T {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)) as T
}

/** Opens the envelopes in a wire's proof fields: a client sends back the proofs of another provider. */
export function openCarriers(seen: Seen): Seen {
  const ofCalls = new Map<unknown, Opaque>()
  const blocks: SeenBlock[] = []
  let run: SeenBlock[] = []
  const endRun = () => {
    blocks.push(...openRun(run, ofCalls))
    run = []
  }
  for (const block of seen.blocks) {
    if (block.type === 'reasoning') run.push(block)
    else {
      endRun()
      blocks.push(openBlock(block))
    }
  }
  endRun()
  return { ...seen, blocks: blocks.map((block) => withProofOfCall(block, ofCalls)).filter(saysSomething) }
}

function carriedOn({ proofs = [] }: SeenBlock): readonly EnvelopedProof[] {
  return proofs.flatMap(({ data }) => stringsIn(data)).flatMap((text) => unpackEnvelope(text) ?? [])
}

function openBlock(block: SeenBlock): SeenBlock {
  const [carried] = carriedOn(block)
  return carried === undefined ? block : { ...block, proofs: [carried.opaque] }
}

/** Wires join and cut reasoning; each envelope says how long the text of its proof is. */
function openRun(run: readonly SeenBlock[], ofCalls: Map<unknown, Opaque>): readonly SeenBlock[] {
  const carried = run.flatMap(carriedOn)
  if (carried.length === 0) return run
  for (const { on, opaque } of carried) if (on !== undefined) ofCalls.set(on, opaque)
  const own = carried.filter(({ on }) => on === undefined)
  const text = run.map((block) => block.text).join('')
  if (own.reduce((sum, { length = 0 }) => sum + length, 0) !== text.length) {
    return run.filter((block) => block.text !== '').map((block) => withoutField(block, 'proofs'))
  }
  let at = 0
  return own.map(({ opaque, length = 0 }) => {
    const part = text.slice(at, at + length)
    at += length
    return { type: 'reasoning', text: part, ...(isSigned(opaque) && { proofs: [opaque] }) } as SeenBlock
  })
}

function withProofOfCall(block: SeenBlock, ofCalls: ReadonlyMap<unknown, Opaque>): SeenBlock {
  const proof = block.type === 'tool_call' ? ofCalls.get(block.id) : undefined
  return proof === undefined ? block : { ...block, proofs: [proof] }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

// ---- rules ------------------------------------------------------------------------------------

export interface Way {
  readonly from: FormatName
  readonly to: FormatName
  readonly isStream: boolean
}

export interface Rule {
  readonly name: string
  /** `some`: to the wires that name it among their facts. Default: from every wire to every other. */
  readonly to?: 'some'
  /** Also within one wire: for its dialects, and for figures that it does not tell apart. */
  readonly within?: true
  readonly reason: string
  readonly severity: 'info' | 'minor' | 'major'
  /** The reported loss: a pattern for `path: reason`. Losses of severity `info` need not be reported. */
  readonly told?: RegExp
  apply(seen: Seen, way: Way): Seen
}

const onBlocks = (seen: Seen, change: (block: SeenBlock, way: Way) => readonly SeenBlock[], way: Way): Seen => ({
  ...seen,
  blocks: seen.blocks.flatMap((block) => change(block, way)),
})

export const answerRules = [
  {
    name: 'server tools',
    reason: 'clients of this wire do not know the tools that another provider ran itself, and must not run them',
    severity: 'minor',
    told: /another provider ran it|no place for server_tool/,
    apply: (seen, way) => onBlocks(seen, (block) => (/^server_tool_/.test(block.type) ? [] : [block]), way),
  },
  {
    name: 'unknown blocks',
    reason: 'a block that only one wire has goes back only to that wire',
    severity: 'minor',
    told: /block of another format|means nothing here|no place for unknown/,
    apply: (seen, way) => onBlocks(seen, (block) => (block.type === 'unknown' ? [] : [block]), way),
  },
  {
    name: 'made media',
    to: 'some',
    reason: 'an answer has no field for media, or not for this type',
    severity: 'major',
    told: /has no (?:images|place)|goes back only to|cannot be output|takes (?:no|only text|images|text)|an assistant says text/,
    apply: (seen, way) => onBlocks(seen, (block) => (hasPlace(block, way.to) ? [block] : []), way),
  },
  {
    name: 'proofs',
    reason:
      "the wire has a field for proofs of reasoning and of Gemini's calls, and isoglot uses it for foreign proofs too; ids of items, and signatures on text and images, have no such field",
    severity: 'info',
    apply: (seen, way) =>
      onBlocks(
        seen,
        (block) => {
          const kept = (block.proofs ?? []).filter((proof) => isCarried(block, proof, way.to))
          const bare = withoutField(block, 'proofs')
          if (block.type === 'reasoning' && block.text === '' && kept.length === 0) return []
          return [kept.length > 0 ? { ...bare, proofs: kept } : bare]
        },
        way,
      ),
  },
  {
    name: 'empty text',
    to: 'some',
    reason: 'an empty text is not sent, because some servers refuse it',
    severity: 'info',
    apply: (seen, way) => {
      const isKept = way.to === 'anthropic' && !way.isStream // the API itself has such answers, and they go through as they are
      return onBlocks(seen, (block) => (block.type === 'text' && block.text === '' && !isKept ? [] : [block]), way)
    },
  },
  {
    name: 'signatures behind streamed texts',
    to: 'some',
    within: true,
    reason:
      'the signature of a streamed text follows it on an empty part, as the server itself sends it: the text was sent before',
    severity: 'info',
    apply: (seen, way) =>
      onBlocks(
        seen,
        (block) => {
          const { proofs, ...text } = block
          const isBehind = way.isStream && way.from === way.to && proofs && block.type === 'text' && block.text !== ''
          return isBehind ? [text, { type: 'text', text: '', proofs }] : [block]
        },
        way,
      ),
  },
  {
    name: 'refusal mark',
    to: 'some',
    reason:
      'a refusal is sent as normal text; the stop reason says that it is a refusal, if the wire has such a reason',
    severity: 'info',
    apply: (seen, way) => onBlocks(seen, (block) => [withoutField(block, 'refusal')], way),
  },
  {
    name: 'reason to stop',
    reason: 'the wire does not have this stop reason: the nearest one is sent',
    severity: 'minor',
    told: /^stopReason/,
    apply: (seen, { to }) => {
      const isSaid =
        seen.stopReason === 'refusal' && seen.blocks.some((block) => block.refusal) && to === 'openai-responses'
      return isSaid ? seen : { ...seen, stopReason: facts[to].answers.stopWords[seen.stopReason] ?? seen.stopReason }
    },
  },
  {
    name: 'form of citations',
    to: 'some',
    within: true,
    reason:
      'a citation always has an address, a title and two offsets: without offsets it is sent for the whole text. The wire has no field for the quoted passage',
    severity: 'info',
    // Within one wire, only Chat has citations without offsets: those of xAI.
    apply: (seen, { from, to }) =>
      from === to && to !== 'openai-chat'
        ? seen
        : { ...seen, blocks: seen.blocks.map((block) => fillCitations(block, to)) },
  },
  {
    name: 'offsets of citations for a whole text',
    to: 'some',
    reason: 'a citation always has two offsets: without offsets it is sent for the whole text',
    severity: 'info',
    apply: (seen) => ({ ...seen, blocks: seen.blocks.map((block) => spanCitations(block)) }),
  },
  {
    name: 'citations of whole texts',
    to: 'some',
    reason: 'a citation belongs to its text block and has no offsets: it is read as a citation of the whole text',
    severity: 'info',
    apply: (seen) => ({ ...seen, blocks: seen.blocks.map((block) => spanCitations(block, 'always')) }),
  },
  {
    name: 'calls at the end of the turn',
    to: 'some',
    within: true,
    reason: 'a message has a separate list of calls',
    severity: 'info',
    apply: (seen) => ({ ...seen, blocks: callsLast(seen.blocks) }),
  },
  {
    name: 'model of the answer',
    to: 'some',
    reason: 'an answer does not say which model gave it',
    severity: 'info',
    apply: (seen) => ({ ...seen, model: undefined }),
  },
  {
    name: 'order in the turn',
    to: 'some',
    within: true,
    reason: 'a message has one field each for reasoning, text and calls',
    severity: 'info',
    apply: (seen) => ({ ...seen, blocks: merge(seen.blocks) }),
  },
  {
    name: 'neighbouring texts',
    to: 'some',
    reason: 'neighbouring texts are read as one text, because pieces of a stream look the same',
    severity: 'info',
    apply: (seen) => ({ ...seen, blocks: joinNeighbours(seen.blocks) }),
  },
  {
    name: 'types of images',
    to: 'some',
    reason: 'an image is sent only as base64; its type is read from its first bytes, if they show it',
    severity: 'info',
    apply: (seen, way) => onBlocks(seen, (block) => [block.type === 'image' ? sniffed(block) : block], way),
  },
  {
    name: 'no citations',
    to: 'some',
    reason: 'the wire has no citations',
    severity: 'minor',
    told: /takes no citations/,
    apply: (seen, way) => onBlocks(seen, (block) => [withoutField(block, 'citations')], way),
  },
  {
    name: 'citations of other things than web pages',
    to: 'some',
    reason: 'the wire takes foreign citations only if they have an address',
    severity: 'minor',
    told: /takes no citations/,
    apply: (seen) => onCitations(seen, (one) => (one.url === undefined ? [] : [one])),
  },
  {
    name: 'offsets of citations',
    to: 'some',
    reason: 'a citation belongs to its text block and has no offsets',
    severity: 'info',
    apply: (seen) => onCitations(seen, ({ startIndex: _, endIndex: __, ...one }) => [one]),
  },
  {
    name: 'quotes of citations',
    to: 'some',
    reason: 'a citation marks its passage with offsets, and has no field for a quote',
    severity: 'info',
    apply: (seen) => onCitations(seen, ({ text: _, ...one }) => [one]),
  },
  {
    name: 'passages of citations',
    to: 'some',
    reason: 'a citation with offsets also quotes the passage',
    severity: 'info',
    apply: (seen) => ({ ...seen, blocks: seen.blocks.map(quoteCitations) }),
  },
  {
    name: 'text of arguments',
    to: 'some',
    within: true,
    reason:
      'arguments are an object on this wire: spaces, and the difference between no arguments and an empty object, are lost',
    severity: 'info',
    apply: (seen, way) =>
      onBlocks(
        seen,
        (block) => [block.type === 'tool_call' ? { ...block, argumentsText: textOn(way.to, block) } : block],
        way,
      ),
  },
  {
    name: 'text of arguments in whole answers',
    to: 'some',
    within: true,
    reason: 'arguments are an object in a whole answer, and in calls that the server ran',
    severity: 'info',
    apply: (seen, way) =>
      onBlocks(
        seen,
        (block) => {
          const isWhole = !way.isStream || (block.type === 'server_tool_call' && block.argumentsText !== '')
          const isObject = block.argumentsText !== undefined && isWhole
          return [isObject ? { ...block, argumentsText: textOn(way.to, block) } : block]
        },
        way,
      ),
  },
  {
    name: 'no arguments',
    to: 'some',
    within: true,
    reason: 'missing arguments are sent as an empty object, because clients parse them',
    severity: 'info',
    apply: (seen, way) =>
      onBlocks(seen, (block) => [block.argumentsText === '' ? { ...block, argumentsText: '{}' } : block], way),
  },
  {
    name: 'made ids of calls',
    reason: 'any id that is unique works for the client, so made ids are sent',
    severity: 'info',
    apply: (seen, way) => onBlocks(seen, (block) => [withoutField(block, 'generatedId')], way),
  },
  {
    name: 'made ids of calls of the wire itself',
    to: 'some',
    within: true,
    reason: 'newer servers send ids, so the gateway does too',
    severity: 'info',
    apply: (seen, way) => onBlocks(seen, (block) => [withoutField(block, 'generatedId')], way),
  },
  {
    name: 'made ids of calls of Workers AI',
    to: 'some',
    within: true,
    reason: 'calls of its older models have no id; Chat Completions requires one',
    severity: 'info',
    // Answers of these models do not name the model either.
    apply: (seen, way) =>
      seen.model === undefined ? onBlocks(seen, (block) => [withoutField(block, 'generatedId')], way) : seen,
  },
  {
    name: 'invalid calls',
    to: 'some',
    reason: 'a client would run the call without its arguments, so a whole answer does not have it',
    severity: 'minor',
    told: /arguments are not an object/,
    apply: (seen, { isStream }) => (isStream ? seen : renumber(seen)),
  },
  {
    name: 'invalid calls, in the finish reason',
    to: 'some',
    reason: 'the wire reports a malformed call by a finish reason and a message',
    severity: 'minor',
    told: /reports a malformed call/,
    apply: (seen) => (seen.invalid.length === 0 || isCut(seen) ? seen : { ...renumber(seen), stopReason: 'error' }),
  },
  {
    name: 'calls that were cut',
    to: 'some',
    reason: 'arguments are an object on this wire: a call that was cut off is left out',
    severity: 'major',
    told: /cut before the call was whole/,
    apply: (seen, { to }) => (to === 'gemini' && !isCut(seen) ? seen : renumber(seen)),
  },
  {
    name: 'counts',
    within: true,
    reason: 'wires have different counts; some require 0 for an unknown count, and some leave zeros out',
    severity: 'info',
    apply: (seen, way) => ({ ...seen, counts: facts[way.to].answers.counts(seen.counts, way.from) }),
  },
] as const satisfies readonly Rule[]

/** A rule that formats name among their facts. */
export type AnswerRuleName = Extract<(typeof answerRules)[number], { readonly to: 'some' }>['name']

/** Whether an answer of the wire can hold this media; other blocks it can. */
function hasPlace({ type, data }: SeenBlock, to: FormatName): boolean {
  if (!/^(?:image|audio|video|file)$/.test(type)) return true
  return data !== undefined && facts[to].answers.media.includes(type)
}

/** Whether the token limit or a filter ended it. */
function isCut({ stopReason }: Seen): boolean {
  return stopReason === 'length' || stopReason === 'content_filter'
}

/** Without the invalid calls, the others are counted again. */
function renumber(seen: Seen): Seen {
  let index = 0
  const blocks = seen.blocks.map((block) => (block.type === 'tool_call' ? { ...block, index: index++ } : block))
  return { ...seen, blocks, invalid: [] }
}

function onCitations(seen: Seen, change: (citation: CitationBlock) => readonly CitationBlock[]): Seen {
  return {
    ...seen,
    blocks: seen.blocks.map((block) => {
      if (block.citations === undefined) return block
      const citations = (block.citations as CitationBlock[]).flatMap(change)
      return citations.length === 0 ? withoutField(block, 'citations') : { ...block, citations }
    }),
  }
}

function fillCitations(block: SeenBlock, to: FormatName): SeenBlock {
  if (block.citations === undefined) return block
  const end = String(block.text).length
  const fill = ({ text: _, ...one }: CitationBlock) => ({
    ...(to === 'openai-responses' && { url: '' }),
    title: '',
    startIndex: 0,
    endIndex: end,
    ...one,
  })
  return { ...block, citations: (block.citations as CitationBlock[]).map(fill) }
}

function spanCitations(block: SeenBlock, always?: 'always'): SeenBlock {
  if (block.citations === undefined) return block
  const whole = { startIndex: 0, endIndex: String(block.text).length }
  return {
    ...block,
    citations: (block.citations as CitationBlock[]).map((one) =>
      always ? { ...one, ...whole } : { ...whole, ...one },
    ),
  }
}

function callsLast(blocks: readonly SeenBlock[]): readonly SeenBlock[] {
  const isCall = ({ type }: SeenBlock) => type === 'tool_call'
  return [...blocks.filter((block) => !isCall(block)), ...blocks.filter(isCall)]
}

function quoteCitations(block: SeenBlock): SeenBlock {
  if (block.citations === undefined) return block
  const quote = (one: CitationBlock) =>
    one.startIndex === undefined
      ? one
      : { ...one, text: one.text ?? String(block.text).slice(one.startIndex, one.endIndex) }
  return { ...block, citations: (block.citations as CitationBlock[]).map(quote) }
}

function joinNeighbours(blocks: readonly SeenBlock[]): readonly SeenBlock[] {
  const joined: SeenBlock[] = []
  for (const block of blocks) {
    const last = joined.at(-1)
    const isNext = last?.type === 'text' && block.type === 'text' && !last.refusal && !block.refusal
    if (isNext && last !== undefined) joined.splice(-1, 1, ...joinTexts([last, block]))
    else joined.push(block)
  }
  return joined
}

const heads: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

function sniffed(block: SeenBlock): SeenBlock {
  const mimeType = heads.find(([head]) => String(block.data).startsWith(head))?.[1]
  return { ...withoutField(block, 'mimeType'), ...(mimeType && { mimeType }) }
}

function textOn(to: FormatName, { argumentsText, arguments: value }: SeenBlock): string {
  const text = JSON.stringify(value)
  if (to === 'gemini-interactions') return text === '{}' ? '' : text
  return to === 'gemini' && argumentsText === '' ? '' : text
}

function isCarried({ type }: SeenBlock, { data }: Opaque, to: FormatName): boolean {
  if (!facts[to].answers.hasProofs) return false
  return type === 'reasoning' || (type === 'tool_call' && ('thoughtSignature' in data || 'extra_content' in data))
}

function merge(blocks: readonly SeenBlock[]): readonly SeenBlock[] {
  const of = (type: string, refusal = false) =>
    blocks.filter((block) => block.type === type && Boolean(block.refusal) === refusal)
  const media = blocks.filter((block) => /^(?:image|audio)$/.test(block.type))
  const texts = [joinTexts(of('text')), joinTexts(of('text', true))]
  return [joinTexts(of('reasoning')), ...texts, ...media, ...of('tool_call')].flat()
}

/** Offsets of citations count on through the joined text. */
function joinTexts(blocks: readonly SeenBlock[]): readonly SeenBlock[] {
  const [first] = blocks
  if (first === undefined) return []
  let text = ''
  const citations: unknown[] = []
  const proofs: Opaque[] = []
  for (const block of blocks) {
    for (const one of (block.citations ?? []) as CitationBlock[]) citations.push(shift(one, text.length))
    text += block.text
    proofs.push(...(block.proofs ?? []))
  }
  const { citations: _, proofs: __, ...rest } = first
  return [
    { ...rest, text, ...(citations.length > 0 && { citations }), ...(proofs.length > 0 && { proofs }) } as SeenBlock,
  ]
}

function shift(citation: CitationBlock, by: number): CitationBlock {
  const { startIndex, endIndex } = citation
  return {
    ...citation,
    ...(startIndex !== undefined && { startIndex: startIndex + by }),
    ...(endIndex !== undefined && { endIndex: endIndex + by }),
  }
}

export interface Outcome {
  readonly expected: Seen
  readonly fired: readonly Rule[]
}

/** Whether a rule applies to a format that names these. */
export const appliesTo = ({ name, to }: { readonly name: string; readonly to?: 'some' }, named: readonly string[]) =>
  to !== 'some' || named.includes(name)

/** An answer after the rules, and the rules that applied. */
export function expectAnswer(seen: Seen, way: Way): Outcome {
  const fired: Rule[] = []
  let expected = seen
  let before = canonical(seen)
  for (const rule of answerRules as readonly Rule[]) {
    if (way.from === way.to && !rule.within) continue
    if (!appliesTo(rule, facts[way.to].answers.rules)) continue
    expected = rule.apply(expected, way)
    const after = canonical(expected)
    if (after !== before) fired.push(rule)
    before = after
  }
  return { expected, fired }
}

/** As JSON with sorted keys, in which an absent field and `undefined` are the same. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, entry) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([one], [other]) => (one < other ? -1 : 1)))
      : entry,
  )
}

/** Some wires have no order between the kinds of blocks: what is read in one is put in the order of the rules. */
export function sortBlocks(seen: Seen, { to }: Way): Seen {
  const { order } = facts[to].answers
  if (order === 'calls last') return { ...seen, blocks: callsLast(seen.blocks) }
  return order === 'merged' ? { ...seen, blocks: merge(seen.blocks) } : seen
}
