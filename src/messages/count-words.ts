/** The plainest count of tokens. @module */

/** Words: runs of anything but white space. An approximation, and no tokenizer: bring your own where it has to be exact. */
export function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}
