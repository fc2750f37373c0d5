/**
 * Gemini: the citations of an answer, in both directions. The wire counts offsets in UTF-8 bytes; isoglot counts UTF-16 code units.
 *
 * @see https://ai.google.dev/gemini-api/docs/google-search (read 2026-11)
 *
 * @module
 */
import { arrayOf, compact, field, isObject, numberOr, stringOr } from '../../core/lookup.ts'
import type { CitationBlock, Json, JsonObject } from '../../core/model.ts'
import { byteLength, follow, type Lengths, newLengths, unitsAt } from '../../kit/utf8.ts'
import { isUnchanged } from './part.ts'
import type { WireGroundingMetadata, WireSegment } from './wire.ts'

/** The lengths of one text block, and its position in the answer. */
export interface Track extends Lengths {
  /** The wire parts that the text consists of. `part` is the index of the part in the answer, `byte` its first UTF-8 byte in the text. */
  readonly parts: { readonly part: number; readonly byte: number }[]
}

export function newTrack(part: number, byte = 0): Track {
  return { parts: [{ part, byte }], ...newLengths() }
}

/** Reads the citations of a candidate. Returns one list for each text, in the order of `tracks`. */
export function readCitations(candidate: Json | undefined, tracks: readonly Track[]): readonly CitationBlock[][] {
  const cited: CitationBlock[][] = tracks.map(() => [])
  const add = (segment: Json | undefined, source: object) => {
    const place = locate(segment, tracks)
    if (place !== undefined) cited[place.track]?.push({ type: 'citation', ...source, ...place.range } as CitationBlock)
  }
  for (const support of arrayOf(field(field(candidate, 'groundingMetadata'), 'groundingSupports'))) {
    const segment = field(support, 'segment')
    for (const source of sourcesOf(support, candidate)) add(segment, source)
  }
  const recited = field(candidate, 'citationMetadata')
  for (const source of arrayOf(field(recited, 'citationSources') ?? field(recited, 'citations'))) {
    add(source, compact({ url: text(source, 'uri'), title: text(source, 'title') }))
  }
  return cited
}

/** Returns one source for each grounding chunk that a support names. If it names none, returns one entry without URL and title. */
function sourcesOf(support: Json, candidate: Json | undefined): readonly object[] {
  const chunks = arrayOf(field(field(candidate, 'groundingMetadata'), 'groundingChunks'))
  const quoted = text(field(support, 'segment'), 'text')
  const indices = arrayOf(field(support, 'groundingChunkIndices'))
  const named = indices.map((index) => (typeof index === 'number' ? chunks[index] : undefined)).filter(isObject)
  if (named.length === 0) return [compact({ text: quoted })]
  return named.map((chunk) => {
    const source = Object.values(chunk).find(isObject) // `web`, `maps`, `retrievedContext`, `image`
    return compact({ url: text(source, 'uri'), title: text(source, 'title'), text: quoted })
  })
}

interface Place {
  readonly track: number
  /** In UTF-16 code units. Empty if the offsets are outside all texts. */
  readonly range: { readonly startIndex?: number; readonly endIndex?: number }
}

/**
 * Finds the text that a segment refers to. The offsets normally count within the part that the segment names. If they do not fit there, they
 * count over all text of the answer, as in recorded streams.
 */
function locate(segment: Json | undefined, tracks: readonly Track[]): Place | undefined {
  if (tracks.length === 0) return undefined
  const end = numberOr(field(segment, 'endIndex'), undefined)
  if (end === undefined) return { track: tracks.length - 1, range: {} }
  const start = numberOr(field(segment, 'startIndex'), 0)
  const part = numberOr(field(segment, 'partIndex'), 0)
  for (const [index, track] of tracks.entries()) {
    const begin = track.parts.find((one) => one.part === part)?.byte
    const fits = begin !== undefined && begin + start >= 0 && begin + end <= track.bytes
    if (fits) return { track: index, range: rangeIn(track, begin + start, begin + end) }
  }
  let before = 0
  for (const [index, track] of tracks.entries()) {
    const reaches = start - before < track.bytes
    if (reaches && start >= before) return { track: index, range: rangeIn(track, start - before, end - before) }
    before += track.bytes
  }
  return { track: tracks.length - 1, range: {} }
}

function rangeIn(track: Track, start: number, end: number): Place['range'] {
  return { startIndex: unitsAt(track, start), endIndex: unitsAt(track, end) }
}

function text(value: Json | undefined, key: string): string | undefined {
  return stringOr(field(value, key), undefined)
}

// ---- encode -----------------------------------------------------------------------------------

/** A text block of an answer that is being encoded. */
export interface CitedText {
  /** The index of its part. Text blocks that follow each other may share one part. */
  readonly part: number
  readonly text: string
  readonly citations: readonly CitationBlock[]
}

/**
 * Writes the fields of a candidate that hold citations. If `raw` still decodes to the same citations, it is returned unchanged. Otherwise the
 * citations replace its grounding and citation metadata.
 */
export function encodeCitations(texts: readonly CitedText[], raw: JsonObject): JsonObject {
  const tracks = texts.map((cited, at) => {
    const track = newTrack(cited.part, -bytesBefore(texts, at))
    follow(track, cited.text)
    return track
  })
  const now = texts.map(({ citations }) => citations)
  if (isUnchanged(raw, (kept) => readCitations(kept, tracks), now)) return raw
  const { citationMetadata: _recited, groundingMetadata, ...rest } = raw
  const { groundingChunks: _chunks, groundingSupports: _supports, ...facts } = (groundingMetadata ?? {}) as JsonObject
  const grounding = { ...facts, ...(encodeGrounding(texts) as JsonObject | undefined) }
  return Object.keys(grounding).length > 0 ? { ...rest, groundingMetadata: grounding } : rest
}

/** The number of UTF-8 bytes in the texts before this one that share its part. */
function bytesBefore(texts: readonly CitedText[], at: number): number {
  let bytes = 0
  for (let one = at - 1; one >= 0 && texts[one]?.part === texts[at]?.part; one--)
    bytes += byteLength(texts[one]?.text ?? '')
  return bytes
}

/** Writes each source once, and one support for each citation. Returns `undefined` if there are no citations. */
function encodeGrounding(texts: readonly CitedText[]): WireGroundingMetadata | undefined {
  const sources = new Map<string, { readonly index: number; readonly uri?: string; readonly title?: string }>()
  const supports = texts.flatMap(({ part, text, citations }, at) => {
    const before = citations.length > 0 ? bytesBefore(texts, at) : 0
    return citations.map((citation) => {
      const name = JSON.stringify([citation.url, citation.title])
      const source = sources.get(name) ?? {
        index: sources.size,
        ...compact({ uri: citation.url, title: citation.title }),
      }
      sources.set(name, source)
      return { segment: encodeSegment(part, before, text, citation), groundingChunkIndices: [source.index] }
    })
  })
  if (supports.length === 0) return undefined
  const groundingChunks = [...sources.values()].map(({ index: _, ...web }) => ({ web }))
  return { groundingChunks, groundingSupports: supports }
}

function encodeSegment(
  part: number,
  before: number,
  text: string,
  { startIndex = 0, endIndex, text: quoted }: CitationBlock,
): WireSegment {
  const byteAt = (unit: number) => before + byteLength(text.slice(0, unit))
  const start = endIndex === undefined ? 0 : byteAt(startIndex)
  return compact({
    partIndex: part > 0 ? part : undefined,
    startIndex: start > 0 ? start : undefined,
    endIndex: endIndex === undefined ? undefined : byteAt(endIndex),
    text: quoted ?? (endIndex === undefined ? undefined : text.slice(startIndex, endIndex)),
  })
}
