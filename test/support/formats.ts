/** Every codec there is, by the corpus folder whose recordings it reads: the laws loop over this. */
import type { ClientCodec, ServerCodec } from '../../src/codec.ts'

export interface Format {
  /** The corpus folder. */
  readonly folder: string
  readonly client: ClientCodec
  readonly server: ServerCodec
}

export const formats: readonly Format[] = []
