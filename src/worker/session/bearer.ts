/** A secret that a caller sends in `Authorization`. @module */

/** The bearer token of a request; empty without one. */
export function shownBearer({ headers }: Request): string {
  return /^Bearer ([^\s,]+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? ''
}

/** Compares digests, so that the time does not depend on the position of the first difference. */
export async function isSame(shown: string, expected: string): Promise<boolean> {
  const [one, other] = (await Promise.all([shown, expected].map(digest))) as [Uint8Array, Uint8Array]
  return one.reduce((difference, byte, at) => difference | (byte ^ (other[at] ?? 0)), 0) === 0
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
