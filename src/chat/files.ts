/** Files of a page as blocks of a message. @module */
import { checkOptions } from '../core/checks.ts'
import { compact } from '../core/json.ts'
import type { AudioBlock, Content, FileBlock, ImageBlock, PlainTextBlock, VideoBlock } from '../core/messages.ts'
import type { FileRules, SendContent } from './types.ts'

/** The blocks that a file can become. */
export type FileAsBlock = ImageBlock | AudioBlock | VideoBlock | FileBlock | PlainTextBlock

/**
 * Checks files before it reads their content.
 *
 * @throws {RangeError} that names the file and the broken rule.
 */
export function checkFiles(files: readonly Blob[], rules: FileRules): void {
  const { maxBytes = 8 * 1024 * 1024, maxFiles = 10, accept } = rules
  if (files.length > maxFiles) throw refusal(`${files.length} files`, `"files.maxFiles" is ${maxFiles}`)
  for (const file of files) {
    const { size, type } = file
    if (size > maxBytes) throw refusal(titleOfFile(file), `it has ${size} bytes, and "files.maxBytes" is ${maxBytes}`)
    if (accept?.some((accepted) => isOfType(type, accepted)) === false) {
      throw refusal(titleOfFile(file), `its type is "${type}", and "files.accept" is ${accept.join(', ')}`)
    }
  }
}

function refusal(what: string, finding: string): RangeError {
  return new RangeError(`Cannot send ${what}: ${finding}`)
}

function isOfType(type: string, accepted: string): boolean {
  return accepted.endsWith('/*') ? type.startsWith(accepted.slice(0, -1)) : type === accepted
}

function titleOfFile(file: Blob): string {
  return JSON.stringify(nameOf(file) ?? 'the file')
}

function nameOf(file: Blob): string | undefined {
  return 'name' in file && typeof file.name === 'string' ? file.name : undefined
}

/**
 * A file as a block, for example from an `<input type="file">`: pictures, sound, videos, text, or any other file. If the browser does not
 * know its type, its first bytes decide. @throws {RangeError} if its type cannot be found.
 */
export async function toBlock(
  file: Blob,
  options: Pick<FileRules, 'upload'> & { readonly signal?: AbortSignal } = {},
): Promise<FileAsBlock> {
  checkOptions('toBlock', options)
  const { upload, signal = new AbortController().signal } = options
  const bytes = new Uint8Array(await file.arrayBuffer())
  signal.throwIfAborted()
  const mimeType = file.type.split(';')[0] || typeOf(bytes)
  const name = nameOf(file)
  if (mimeType === undefined) throw refusal(titleOfFile(file), 'its type is unknown')
  if (isText(mimeType)) {
    return compact({ type: 'plain_text', text: new TextDecoder().decode(bytes), title: name, mimeType })
  }
  const source = upload ? { url: (await upload(file, signal)).url, mimeType } : { data: toBase64(bytes), mimeType }
  const [type] = mimeType.split('/')
  if (type === 'image' || type === 'audio' || type === 'video') return { type, ...source }
  return compact({ type: 'file', ...source, filename: name })
}

function isText(mimeType: string): boolean {
  return mimeType.startsWith('text/') || mimeType === 'application/json'
}

/**
 * The first bytes of files, by type, in hexadecimal. @see https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern (read 2026-11)
 */
const beginnings: readonly (readonly [type: string, bytes: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(37|39)61/],
  ['image/webp', /^52494646.{8}574542505650/],
  ['application/pdf', /^255044462d/],
]

function typeOf(bytes: Uint8Array): string | undefined {
  const head = Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const known = beginnings.find(([, pattern]) => pattern.test(head))
  if (known !== undefined) return known[0]
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0') ? undefined : 'text/plain'
  } catch {
    return undefined
  }
}

/** In pieces, since a function call takes only some ten thousand arguments. */
function toBase64(bytes: Uint8Array): string {
  const piece = 24 * 1024 // a multiple of three, so that there is no padding in the middle
  let base64 = ''
  for (let at = 0; at < bytes.length; at += piece) {
    base64 += btoa(String.fromCharCode(...bytes.subarray(at, at + piece)))
  }
  return base64
}

/** Separates the files from the content to send. @throws {TypeError} if both are empty. */
export function readContent(sent: SendContent): { readonly content: Content; readonly files: readonly Blob[] } {
  const hasFiles = typeof sent === 'object' && sent !== null && 'files' in sent
  const content = hasFiles ? (sent.content ?? '') : (sent as Content)
  const files = hasFiles ? Array.from(sent.files) : []
  const isContent = typeof content === 'string' || Array.isArray(content)
  if (!isContent || (content.length === 0 && files.length === 0)) {
    throw new TypeError('Cannot send: the message is empty; expected a text, blocks or files')
  }
  return { content, files }
}
