/** What is wrong with a configuration of wrangler, in words. */
export function findingsOf(config: Readonly<Record<string, unknown>>): string[]

/** Flags of the platform that have to be named in `wrangler.toml`. */
export const neededFlags: readonly string[]

/** Secrets in a text that is uploaded. */
export function findingsIn(text: string, name: string): string[]

/** Makes what `wrangler deploy` would upload, and uploads nothing. */
export function bundle(): {
  readonly log: string
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

/** What wrangler makes of `wrangler.toml`. */
export function readConfig(): Promise<Record<string, unknown>>
