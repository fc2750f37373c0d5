/**
 * Gemini: the citations of an answer, in both directions. The wire counts offsets in UTF-8 bytes; isoglot counts UTF-16 code units.
 *
 * @see https://ai.google.dev/gemini-api/docs/google-search (read 2026-11)
 *
 * @module
 */
import { arrayOf, compact, field, isObject, numberOr, objectIn } from '../../core/lookup.ts'
import type { CitationBlock, Json, JsonObject } from '../../core/model.ts'
import { byteLength, follow, type Lengths, newLengths, unitsAt } from '../../kit/utf8.ts'
import { isUnchanged, stringIn } from './part.ts'
import type { WireGroundingMetadata, WireSegment } from './wire.ts'

/** The lengths of one text block, and its position in the answer. */
export interface Track extends Lengths {
  /** The key of its block: the index of its first part. */
  readonly key: number
  /** The wire parts that the text consists of. `part` is the index of the part in the answer, `byte` its first UTF-8 byte in the text. */
  readonly parts: { readonly part: number; readonly byte: number }[]
}

export function newTrack(part: number, byte = 0): Track {
  return { key: part, parts: [{ part, byte }], ...newLengths() }
}

/** Reads the citations of a candidate. Returns one list for each text, in the order of `tracks`. */
export function readCitations(candidate: Json | undefined, tracks: readonly Track[]): readonly CitationBlock[][] {
  const cited = new Map<Track | undefined, CitationBlock[]>(tracks.map((track) => [track, []]))
  const add = (segment: Json | undefined, source: Json | undefined, text?: string) => {
    const { track, ...range } = locate(segment, tracks)
    const found = compact({ url: stringIn(source, 'uri'), title: stringIn(source, 'title'), text })
    cited.get(track)?.push({ type: 'citation', ...found, ...range })
  }
  const { groundingChunks, groundingSupports } = objectIn(candidate, 'groundingMetadata')
  const chunks = arrayOf(groundingChunks)
  for (const support of arrayOf(groundingSupports)) {
    const segment = field(support, 'segment')
    const indices = arrayOf(field(support, 'groundingChunkIndices'))
    const named = indices.map((index) => (typeof index === 'number' ? chunks[index] : undefined)).filter(isObject)
    // The field of a chunk is `web`, `maps`, `retrievedContext` or `image`.
    const sources = named.length > 0 ? named.map((chunk) => Object.values(chunk).find(isObject)) : [undefined]
    for (const source of sources) add(segment, source, stringIn(segment, 'text'))
  }
  const { citationSources, citations } = objectIn(candidate, 'citationMetadata')
  for (const source of arrayOf(citationSources ?? citations)) add(source, source)
  return [...cited.values()]
}

/** A text, and the range in it in UTF-16 units. Without a range if the offsets are absent, or outside all texts. */
interface Place extends Pick<CitationBlock, 'startIndex' | 'endIndex'> {
  readonly track: Track | undefined
}

/**
 * Finds the text that a segment refers to. The offsets normally count within the part that the segment names. If they do not fit there, they
 * count over all text of the answer, as in recorded streams.
 */
function locate(segment: Json | undefined, tracks: readonly Track[]): Place {
  const start = numberOr(field(segment, 'startIndex'), 0)
  const end = numberOr(field(segment, 'endIndex'), Number.NaN)
  const part = numberOr(field(segment, 'partIndex'), 0)
  for (const track of tracks) {
    const begin = track.parts.find((one) => one.part === part)?.byte ?? Number.NaN
    if (begin + start >= 0 && begin + end <= track.bytes) return placeIn(track, begin + start, begin + end)
  }
  let before = 0
  for (const track of tracks) {
    const isInside = start >= before && start < before + track.bytes && !Number.isNaN(end)
    if (isInside) return placeIn(track, start - before, end - before)
    before += track.bytes
  }
  return { track: tracks.at(-1) }
}

function placeIn(track: Track, start: number, end: number): Place {
  return { track, startIndex: unitsAt(track, start), endIndex: unitsAt(track, end) }
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
