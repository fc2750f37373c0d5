/** Both formats of Google: files in its storage, addresses that its models read, errors. @module */
import { arrayOf, field } from '../../core/json.ts'
import type { AudioBlock, FileBlock, ImageBlock, Loss, VideoBlock } from '../../core/messages.ts'
import type { SchemaRules } from './fit-schema.ts'
import { withoutAllOf } from './fold-schema.ts'
import { type Losses, reportLoss } from './losses.ts'

/**
 * The schemas that Google takes. A name of a parameter is an identifier. Beside a `$ref` stand only words. `const` and `allOf` are not read.
 *
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11)
 */
export const schemaRules: SchemaRules = {
  names: { pattern: /^[A-Za-z_]\w*$/, maxLength: 64 },
  besideReference: /^(?:description|default)$/,
  each(given, ends, root) {
    const { const: value, ...schema } = withoutAllOf(given, root, ends)
    return value === undefined ? schema : { ...schema, enum: [value] }
  },
}

/** A block of media. */
export type Media = ImageBlock | AudioBlock | VideoBlock | FileBlock

/** A file in Google's own storage, or an address that is public. */
export function place(uri: string): { readonly fileId: string } | { readonly url: string } {
  return isStored(uri) ? { fileId: uri } : { url: uri }
}

function isStored(uri: string | undefined): uri is string {
  return uri !== undefined && /^(?:gs:\/\/|files\/|https:\/\/generativelanguage\.googleapis\.com\/)/.test(uri)
}

/** Guesses the type of data that has none, and reports the guess. */
export function guessType({ type }: Media, losses: Losses, path: string): string {
  reportLoss(losses, 'invented', `${path}.mimeType`, 'Gemini needs the type of data')
  return usualTypes[type]
}

const usualTypes: Readonly<Record<Media['type'], string>> = {
  image: 'image/png',
  audio: 'audio/wav',
  video: 'video/mp4',
  file: 'application/pdf',
}

/**
 * The address of media without data; `undefined` if Google cannot read it. `unsure`: the severity of the loss if only some models can read
 * it.
 */
export function mediaAddress(block: Media, losses: Losses, path: string, unsure: Loss['severity']): string | undefined {
  if (block.fileId !== undefined) {
    if (isStored(block.fileId)) return block.fileId
    reportLoss(losses, 'dropped', path, 'a file stored at one provider is not known to another', 'major')
  } else if (block.url === undefined) {
    reportLoss(losses, 'dropped', path, 'there is neither data nor an address', 'major')
  } else if (!isFetched(block.url)) {
    reportLoss(losses, 'changed', `${path}.url`, 'only some models of Gemini fetch addresses: data is safer', unsure)
  }
  return block.url
}

/** Whether Gemini can read the address: it is of a known kind, or Gemini returned it. */
function isFetched(url: string): boolean {
  return isStored(url) || /^https:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//.test(url)
}

/** Whether the API key is wrong. Google's front end answers status 400 in this case, and only the error's details have the reason. */
export function isKeyInvalid(body: unknown): boolean {
  const error = field(Array.isArray(body) ? body[0] : body, 'error')
  return arrayOf(field(error, 'details')).some((detail) => field(detail, 'reason') === 'API_KEY_INVALID')
}

/** The text in Google's message of a prompt that is too long. Clients recognise it. */
export const tooLong = 'input token count exceeds the maximum number of tokens'
