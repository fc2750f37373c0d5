/** Which Worker: its `wrangler.toml`, and one of the environments in it. Default: the one of this repository. */
export interface Chosen {
  readonly config?: string
  readonly env?: string | undefined
}

/** The problems of a wrangler configuration, in words. */
export function findingsOf(config: Readonly<Record<string, unknown>>): string[]

/** Flags of the platform that have to be named in `wrangler.toml`. */
export const neededFlags: readonly string[]

/** Secrets in a text that is uploaded. */
export function findingsIn(text: string, name: string): string[]

/** The names of the secrets that a Worker needs that is set up by its environment. */
export function secretsOf(config: Readonly<Record<string, unknown>>): string[]

/** Makes what `wrangler deploy` would upload, and uploads nothing. */
export function bundle(chosen?: Chosen): {
  readonly log: string
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

/** A `wrangler.toml` as wrangler reads it. */
export function readConfig(chosen?: Chosen): Promise<Record<string, unknown>>
