/** Bytes as a provider's own client reads them: the judge of our decoders and encoders. */
export interface Oracle {
  /** Feeds a stream through the official client and returns its final answer as a whole body of the wire. */
  stream(bytes: string): Promise<unknown>
  /** Feeds a whole body through the official client and returns the result. */
  response(body: unknown): Promise<unknown>
}

/** A `fetch` that answers every request with the same thing. */
export function answering(body: string, contentType: string, status = 200): typeof fetch {
  return async () => new Response(body, { status, headers: { 'content-type': contentType } })
}
