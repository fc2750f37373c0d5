/** A text that grows by pieces. @module */

export interface Growing {
  text: string
  /** Since they were last joined. */
  pieces: number
}

/**
 * Adds a piece. Engines keep such a text as a tree of its pieces, which takes ten times the room of the text, until it is
 * searched. So this function searches it now and then: often enough that the tree stays small, and so seldom that no text is copied more
 * than some ten times.
 */
export function grow(part: Growing, piece: string): void {
  part.text += piece
  if (++part.pieces > 256 + part.text.length / 64 && anything.test(part.text)) part.pieces = 0
}

/** A search that ends at once. To read one unit does not do: compilers find that nothing comes of it, and leave it out. */
const anything = /[\s\S]/
