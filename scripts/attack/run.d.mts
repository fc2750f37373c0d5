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
    readonly maxBody: number
    readonly adminToken?: string | undefined
    /** Default: every check. */
    readonly isWanted?: (check: Pick<Row, 'name'>) => boolean
  },
): Promise<{ readonly rows: readonly Row[]; readonly requests: number; readonly seconds: number }>
