/**
 * A history that a page stores for a server without a store: encrypted and signed by AES-GCM, so that the page can neither read nor change
 * it. It is `base64url(version ‖ iv ‖ ciphertext)` of the messages as padded JSON.
 *
 * The JSON is not compressed. Compression makes a text shorter where it repeats another one, so a page that guesses a hidden text in its own
 * messages would see by the length whether it is right.
 *
 * @see https://www.w3.org/TR/webcrypto/#aes-gcm (read 2026-11)
 * @see https://www.rfc-editor.org/rfc/rfc8446#section-5.4 for padding (read 2026-11)
 * @module
 */
import { DecodeError, LimitError } from '../core/errors.ts'
import { bytesOfBase64, toBase64Url } from '../core/media.ts'
import type { Json, JsonObject, Message } from '../core/messages.ts'
import { byteLength } from '../formats/shared/utf8.ts'
import { deserializeMessages, serializeMessages } from '../messages/serialize.ts'

/** The storage of a server's histories: the application's own. */
export interface History {
  load(chatId: string): Promise<readonly Message[]>
  save(chatId: string, messages: readonly Message[]): Promise<void>
}

/** Version 1 is deflated: it is still opened. */
const sealVersion = 2
const ivLength = 12
/** The smallest step of padded lengths, in bytes. */
const smallestStep = 256
/** The maximum length of a sealed text, in characters. */
const maxSealedLength = 4 * 1024 * 1024

/**
 * Seals messages for the page that stores them.
 *
 * @param secret 32 random bytes, the same on each instance of the server; or a `CryptoKey` for AES-GCM.
 * @param about The owner of the messages, such as the ids of user and chat in JSON. The text opens only with the same value. An older text
 * of the same chat opens too; if that matters, put the number of the turn into `about`. The length reveals the number of messages and of
 * their blocks, and the length of each in coarse steps: multiples of 256 bytes, from 1 KiB on of a quarter of a power of two.
 * @throws {RangeError} if the secret does not have 32 bytes. `LimitError` if the text is longer than 4 Mi characters.
 */
export async function sealMessages(
  messages: readonly Message[],
  secret: CryptoKey | Uint8Array,
  about: string,
): Promise<string> {
  const key = await keyOf(secret, 'encrypt')
  const plain = new TextEncoder().encode(`[${serializeMessages(messages).map(paddedMessage).join()}]`)
  const iv = crypto.getRandomValues(new Uint8Array(ivLength))
  const sealed = await crypto.subtle.encrypt(algorithm(iv, about), key, plain)
  const head = [sealVersion, ...iv]
  const bytes = new Uint8Array(head.length + sealed.byteLength)
  bytes.set(head)
  bytes.set(new Uint8Array(sealed), head.length)
  const text = toBase64Url(bytes)
  if (text.length <= maxSealedLength) return text
  throw new LimitError('Cannot seal the messages: they are too long', 'maxSealedLength', maxSealedLength)
}

/**
 * Opens the text that `sealMessages` made.
 *
 * @throws {DecodeError} if the text was changed, was sealed with another `about`, or with another secret. `LimitError` if it is longer
 * than 4 Mi characters, before anything is decrypted.
 */
export async function openMessages(
  sealed: string,
  secret: CryptoKey | Uint8Array,
  about: string,
): Promise<readonly Message[]> {
  const key = await keyOf(secret, 'decrypt')
  if (sealed.length > maxSealedLength) {
    throw new LimitError('Cannot open the sealed messages: they are too long', 'maxSealedLength', maxSealedLength)
  }
  let plain: Uint8Array<ArrayBuffer>
  try {
    const bytes = bytesOfBase64(sealed)
    const isDeflated = bytes[0] === 1
    if (bytes[0] !== sealVersion && !isDeflated) {
      throw new DecodeError(`their version is ${bytes[0]}, expected ${sealVersion}`)
    }
    const [iv, data] = [bytes.slice(1, 1 + ivLength), bytes.slice(1 + ivLength)]
    plain = new Uint8Array(await crypto.subtle.decrypt(algorithm(iv, about), key, data))
    if (isDeflated) plain = await inflated(plain)
  } catch (cause) {
    const finding = 'they were changed, or were sealed with another "about" or another secret'
    throw new DecodeError(`Cannot open the sealed messages: ${finding}`, { cause })
  }
  return deserializeMessages(JSON.parse(new TextDecoder().decode(plain)))
}

/**
 * A message as JSON with spaces. Each block is padded by itself: in one text with the page's own words, whose length a page chooses, the
 * length of a hidden block could be found byte by byte.
 */
function paddedMessage({ content = null, metadata = {}, ...rest }: JsonObject): string {
  const blocks = Array.isArray(content) ? `[${content.map(padded).join()}]` : padded(content)
  // A page knows what its metadata says.
  const known = Object.keys(metadata as JsonObject).length > 0 ? `"metadata":${padded(metadata)},` : ''
  return `{"content":${blocks},${known}${padded(rest).slice(1)}`
}

function padded(value: Json): string {
  const text = JSON.stringify(value)
  const length = byteLength(text)
  const step = Math.max(smallestStep, 2 ** (Math.floor(Math.log2(length)) - 2))
  return text + ' '.repeat(Math.ceil(length / step) * step - length)
}

function algorithm(iv: Uint8Array<ArrayBuffer>, about: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(about) }
}

function keyOf(secret: CryptoKey | Uint8Array, use: 'encrypt' | 'decrypt'): CryptoKey | Promise<CryptoKey> {
  if (!(secret instanceof Uint8Array)) return secret
  if (secret.length !== 32) throw new RangeError(`Cannot use the secret: it has ${secret.length} bytes, expected 32`)
  return crypto.subtle.importKey('raw', new Uint8Array(secret), 'AES-GCM', false, [use])
}

async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
