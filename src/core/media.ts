/** Reads and writes data URLs. Base64 stays base64. @module */

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

export function toDataUrl(mimeType: string, base64: string): string {
  return `data:${mimeType};base64,${base64}`
}

/** The text whose UTF-8 this base64 is; `undefined` if it is not UTF-8, or not base64. */
export function textOfBase64(data: string): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
    return decoder.decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)))
  } catch {
    return undefined
  }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
