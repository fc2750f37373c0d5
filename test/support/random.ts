/** A seeded generator (mulberry32), so that whatever fails can be run again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Cuts bytes into up to `pieces` parts at random places, with an empty one here and there. */
export function cut(bytes: Uint8Array, pieces: number, random: () => number): Uint8Array[] {
  const places = Array.from({ length: pieces - 1 }, () => Math.floor(random() * (bytes.length + 1))).sort(
    (a, b) => a - b,
  )
  return [0, ...places].map((start, at) => bytes.subarray(start, places[at] ?? bytes.length))
}
