export interface Row {
  readonly id: string
  readonly name: string
  readonly expected: string
  readonly got: string
  readonly mark: 'ok' | 'FAILED' | '-'
}

export function runChecks(
  url: string,
  options: {
    readonly origin?: string
    readonly token?: string
    /** Of another user. Default: a second one that it gives. */
    readonly otherToken?: string
    /** Tokens that have expired, or were revoked. */
    readonly deadTokens?: readonly string[]
    readonly maxBody: number
    readonly adminToken?: string | undefined
    /** Requests that a user, and a network, has in a minute. */
    readonly perUser?: number
    readonly perNetwork?: number
    /** Default: every check. */
    readonly isWanted?: (check: Pick<Row, 'name'>) => boolean
  },
): Promise<{ readonly rows: readonly Row[]; readonly requests: number; readonly seconds: number }>
