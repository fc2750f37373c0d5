/** The texts that a client joins from the deltas of a stream, read from its raw events. */

/** Texts of one answer. Arguments are the text that a client parses, by the place of their call. */
export interface Said {
  text: string
  refusal: string
  reasoning: string
  readonly calls: Map<string | number, { name: string; text: string }>
}

export interface Joined {
  readonly said: Said
  /** Where the joined deltas and a later event of the same stream differ. */
  readonly differences: string[]
}

export type Raw = ReturnType<typeof JSON.parse>
export type Join = (events: readonly Raw[], joined: Joined) => void

/** For wires that say each text once. */
export const eachEvent =
  (read: (event: Raw, said: Said) => void): Join =>
  (events, { said }) => {
    for (const event of events) read(event, said)
  }

export function callAt(said: Said, place: string | number): { name: string; text: string } {
  const call = said.calls.get(place) ?? { name: '', text: '' }
  said.calls.set(place, call)
  return call
}
