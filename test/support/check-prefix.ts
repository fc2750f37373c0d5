/**
 * Checks whether a request only appends to another one, so that a provider's prompt cache serves the shared part.
 * Caches compare the beginning of a prompt: nothing after the first byte that differs is cached.
 */

/** The first place where two requests differ. */
export interface PrefixBreak {
  /** Such as `messages[3].content` or `tools[0].description`. */
  readonly path: string
  /** How many UTF-16 units of that place's JSON the two share. */
  readonly offset: number
  /** The text of the earlier request at that place, from a little before it; empty if the text ends there. */
  readonly before: string
  readonly after: string
}

/** Fields that mark where to cache. They are not part of the cached prompt. */
const marks: ReadonlySet<string> = new Set(['cache_control', 'prompt_cache_breakpoint'])
/** Lists that grow from one request to the next. */
const growing: ReadonlySet<string> = new Set(['messages', 'input', 'contents'])

/**
 * Compares the bodies of two requests in the same format. Returns `undefined` if the second only appends to the first.
 *
 * @example
 * ```ts
 * const broken = checkPrefix(codec.encodeRequest(before, options).body, codec.encodeRequest(after, options).body)
 * ```
 */
export function checkPrefix(before: unknown, after: unknown): PrefixBreak | undefined {
  const [one, other] = [withoutMarks(before), withoutMarks(after)]
  const keys = Object.keys({ ...one, ...other })
  for (const key of keys) {
    const broken = growing.has(key)
      ? compareLists(one[key], other[key], key)
      : compareText(JSON.stringify(one[key]) ?? '', JSON.stringify(other[key]) ?? '', key)
    if (broken !== undefined) return broken
  }
  const [orderBefore, orderAfter] = [Object.keys(one), Object.keys(other)].map((order) => order.join())
  return compareText(orderBefore ?? '', orderAfter ?? '', 'the order of keys')
}

function withoutMarks(body: unknown): Record<string, unknown> {
  const text = JSON.stringify(body, (key, value) => (marks.has(key) ? undefined : value))
  return JSON.parse(text ?? '{}')
}

function compareLists(before: unknown, after: unknown, path: string): PrefixBreak | undefined {
  const [one, other] = [listOf(before), listOf(after)]
  for (const [at, element] of one.entries()) {
    const text = JSON.stringify(element)
    const next = JSON.stringify(other[at]) ?? ''
    const isLast = at === one.length - 1
    // More may be said in the last turn, so how it is closed does not count.
    if (isLast && next.startsWith(text.slice(0, endOf(text)))) return undefined
    const broken = compareText(text, next, `${path}[${at}]`)
    if (broken !== undefined) return broken
  }
  return undefined
}

/** Where the closing brackets at the end of a JSON text begin. */
function endOf(text: string): number {
  let end = text.length
  while (text[end - 1] === ']' || text[end - 1] === '}') end--
  return end
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function compareText(before: string, after: string, path: string): PrefixBreak | undefined {
  if (before === after) return undefined
  let offset = 0
  while (offset < before.length && before[offset] === after[offset]) offset++
  const excerpt = (text: string) => text.slice(Math.max(0, offset - 20), offset + 40)
  return { path, offset, before: excerpt(before), after: excerpt(after) }
}
