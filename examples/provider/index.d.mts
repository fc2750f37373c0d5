import type { IncomingHttpHeaders } from 'node:http'

/** One request the provider got, in order of arrival. */
export interface ProviderEntry {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The parsed body; undefined until read, and when the key was wrong. */
  readonly body: Record<string, unknown> | undefined
  /** The status it was answered with; 0 while the answer is under way. */
  readonly status: number
  /** Whether the caller left before the answer was complete. */
  readonly closedEarly: boolean
}

export interface Provider {
  readonly url: string
  journal(): readonly ProviderEntry[]
  stop(): Promise<void>
}

/** Starts the provider on loopback; `key` is the only API key it takes. Port 0, the default, means any free one. */
export function startProvider(options: { readonly key: string; readonly port?: number }): Promise<Provider>
