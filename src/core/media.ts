/** Reads and writes data URLs and base64. @module */

export interface DataUrl {
  /** Such as `image/png`; `text/plain` where the URL names none (RFC 2397). */
  readonly mimeType: string
  /** Raw base64, or text if `base64` is false. */
  readonly data: string
  readonly base64: boolean
}

/** The parts of a `data:` URL, or `undefined` for any other text. @see https://www.rfc-editor.org/rfc/rfc2397 */
export function readDataUrl(url: string): DataUrl | undefined {
  const found = /^data:([^,]*?)(;\s*base64\s*)?,(.*)/is.exec(url)
  if (found === null) return undefined
  const [, type = '', mark, payload = ''] = found
  const base64 = mark !== undefined
  const mimeType = type === '' || type.startsWith(';') ? `text/plain${type}` : type
  return { mimeType, base64, data: base64 ? payload : percentDecoded(payload) }
}

/**
 * Whether a provider reads an address with the rights of the server's account: that of a bucket (`s3:`, `gs:`), or of Google's Files API,
 * where whoever has the key may read any file of its project. A page that named one would read the private files of the server.
 */
export function isOfAccount(url: string): boolean {
  return !/^(?:data:|https?:(?!.*generativelanguage))/is.test(url)
}

export function toDataUrl(mimeType: string, base64: string): string {
  return `data:${mimeType};base64,${base64}`
}

/** The text whose UTF-8 this base64 is; `undefined` if it is not UTF-8, or not base64. */
export function textOfBase64(data: string): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
    return decoder.decode(bytesOfBase64(data))
  } catch {
    return undefined
  }
}

/** The bytes of base64 or base64url. @throws {DOMException} if it is neither. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (char) => char.charCodeAt(0))
}

/** Bytes as base64url without padding. @see https://www.rfc-editor.org/rfc/rfc7515#section-2 */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  // An engine takes some ten thousand arguments at most.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The text itself if it is not percent-encoded as it should be. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
