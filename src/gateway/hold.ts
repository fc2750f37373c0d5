/**
 * Cuts out keys that are split over several events of a stream.
 *
 * Texts that belong together, such as the arguments of one tool call, are a channel. If the text of an item may be the beginning of a key,
 * the item and all items after it wait until that is decided. Other items pass unchanged, without waiting.
 *
 * @module
 */
import type { Fragment } from '../core/codec.ts'
import type { ContentBlock } from '../core/messages.ts'
import { type Begun, headLength, mark, type Search } from './scrub.ts'

/** The maximum number of items that wait. */
const mostHeld = 64

/** The text of an item, in one channel. */
interface Piece {
  readonly before: string
  /** The part of the text that can be passed on. */
  after: string
  isOpen: boolean
}

/** A text of a channel that is not decided yet. Without a `piece`, its item has already been passed on. */
interface Part {
  piece: Piece | undefined
  text: string
  /** The text ends in a part of a key, or within an escape. */
  readonly isBegun?: boolean
}

/** A text of an item, and the channel that it continues: the texts of one channel are pieces of one text. */
export type Text = readonly [channel: unknown, text: string]

/** An item that waits, and its texts. */
interface Waiting<Item> {
  readonly item: Item
  readonly pieces: readonly Piece[]
}

/** Items of a stream, with keys cut out. */
export class Hold<Item> {
  readonly #search: Pick<Search, 'isClear' | 'find' | 'findBegun' | 'reach'>
  readonly #rewrite: (item: Item, before: readonly string[], after: readonly string[]) => Item
  /** The texts of each channel that are not decided yet. */
  readonly #channels = new Map<unknown, Part[]>()
  /** The items that wait, in order. */
  readonly #queue: Waiting<Item>[] = []

  /** `rewrite` copies an item with new texts. It gets the old and the new texts, in order. */
  constructor(
    search: Pick<Search, 'isClear' | 'find' | 'findBegun' | 'reach'>,
    rewrite: (item: Item, before: readonly string[], after: readonly string[]) => Item,
  ) {
    this.#search = search
    this.#rewrite = rewrite
  }

  /** Adds an item with its texts. Appends the items that can be passed on to `out`. */
  push(item: Item, texts: readonly Text[], out: Item[]): void {
    if (this.#queue.length === 0 && this.#passes(texts)) {
      out.push(item)
      return
    }
    const pieces = texts.map(([, text]): Piece => ({ before: text, after: '', isOpen: text !== '' }))
    this.#queue.push({ item, pieces })
    for (const [at, [channel, text]] of texts.entries()) if (text !== '') this.#take(channel, pieces[at] as Piece)
    if (this.#queue.length > mostHeld) this.end(out)
    else this.#drain(out)
  }

  /** All channels have ended: passes all items on. */
  end(out: Item[]): void {
    for (const parts of this.#channels.values()) {
      const text = joined(parts)
      const begun = this.#search.findBegun(text)
      decide(parts, begun.start, true)
      if (begun.isSecret) decide(parts, text.length - begun.start, false)
      release(parts, isBegun(begun))
    }
    this.#drain(out)
  }

  /**
   * Whether the item can pass immediately: none of its texts contains a part of a key, or continues one. Searches all its texts at once.
   */
  #passes(texts: readonly Text[]): boolean {
    const ends = new Map<Part, string>()
    let all = ''
    for (const [channel, text] of texts) {
      const parts = this.#partsOf(channel)
      if (parts.length > 1 || parts[0]?.isBegun === true) return false
      parts[0] ??= { piece: undefined, text: '' }
      const before = ends.get(parts[0]) ?? parts[0].text
      ends.set(parts[0], (before + text).slice(-this.#search.reach))
      all += `${before.slice(1 - headLength)}${text}\n`
    }
    if (!this.#search.isClear(all)) return false
    for (const [part, end] of ends) part.text = end
    return true
  }

  /** Adds a text to its channel, and decides what can be decided. */
  #take(channel: unknown, piece: Piece): void {
    const { isClear, find, findBegun, reach } = this.#search
    const parts = this.#partsOf(channel)
    parts.push({ piece, text: piece.before })
    const text = parts.length === 1 ? piece.before : joined(parts)
    if (isClear(text)) {
      decide(parts, Math.max(0, text.length - reach), true)
      release(parts, false)
      return
    }
    let decided = 0
    for (const { start, end, isOpen } of find(text)) {
      if (isOpen) break
      decide(parts, start - decided, true)
      decide(parts, end - start, false)
      decided = end
    }
    const begun = findBegun(text.slice(decided))
    decide(parts, begun.start, true)
    if (!isBegun(begun)) release(parts, false)
  }

  /** Passes on the first items, up to one with an undecided text. */
  #drain(out: Item[]): void {
    for (let first = this.#queue[0]; first?.pieces.every(({ isOpen }) => !isOpen); first = this.#queue[0]) {
      const before = first.pieces.map((piece) => piece.before)
      const after = first.pieces.map((piece) => piece.after)
      const isSame = before.every((text, at) => text === after[at])
      out.push(isSame ? first.item : this.#rewrite(first.item, before, after))
      this.#queue.shift()
    }
  }

  #partsOf(channel: unknown): Part[] {
    const parts = this.#channels.get(channel) ?? []
    this.#channels.set(channel, parts)
    return parts
  }
}

function joined(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join('')
}

/** Passes on this number of characters at the beginning of the parts, or cuts them out. */
function decide(parts: Part[], length: number, goesOn: boolean): void {
  let rest = length
  let isMarked = goesOn
  while (rest > 0 && parts[0] !== undefined) {
    const [part] = parts
    const { piece, text } = part
    if (piece !== undefined) {
      if (goesOn) piece.after += text.slice(0, rest)
      else if (!isMarked) piece.after += mark
      isMarked = true
    }
    part.text = text.slice(rest)
    rest -= text.length
    if (part.text !== '') return
    if (piece !== undefined) piece.isOpen = false
    parts.shift()
  }
}

/** Passes on the text of the parts, and keeps a copy for the next search. */
function release(parts: Part[], isBegun: boolean): void {
  for (const { piece, text } of parts) {
    if (piece === undefined) continue
    piece.after += text
    piece.isOpen = false
  }
  parts.splice(0, parts.length, { piece: undefined, text: joined(parts), isBegun })
}

/** Whether the next text must be searched together with the end of this one. */
function isBegun({ length, isInEscape }: Begun): boolean {
  return length >= headLength || isInEscape
}

/** The text of a fragment that can continue in the next fragment, with its channel: the texts of one kind are read one after the other. */
export function textOf(fragment: Fragment): readonly [channel: string, text: string] | undefined {
  switch (fragment.type) {
    case 'text':
    case 'reasoning':
      return [fragment.type, fragment.text]
    case 'call': {
      const { key, position, final } = fragment
      if (typeof fragment.arguments !== 'string' || final === true) return undefined
      return [`call ${key ?? position ?? ''}`, fragment.arguments]
    }
    case 'block':
      return fragment.block.type === 'text' || fragment.block.type === 'reasoning'
        ? [fragment.block.type, fragment.block.text]
        : undefined
    case 'patch':
      return fragment.transcript === undefined ? undefined : ['transcript', fragment.transcript]
    default:
      return undefined
  }
}

/** A copy of a fragment with another text, for fragments in which {@link textOf} finds one. */
export function withText(fragment: Fragment, text: string): Fragment {
  switch (fragment.type) {
    case 'call':
      return { ...fragment, arguments: text }
    case 'block':
      return { ...fragment, block: { ...fragment.block, text } as ContentBlock }
    case 'patch':
      return { ...fragment, transcript: text }
    default:
      return { ...fragment, text } as Fragment
  }
}
