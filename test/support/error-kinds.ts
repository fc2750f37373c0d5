/** All kinds of `ApiError`: the compiler asks for one that is missing. */
import type { ApiErrorKind } from '../../src/core/errors.ts'

const kinds: Readonly<Record<ApiErrorKind, true>> = {
  authentication: true,
  permission: true,
  invalid_request: true,
  not_found: true,
  context_length: true,
  rate_limit: true,
  overloaded: true,
  server: true,
  timeout: true,
}

export const errorKinds = Object.keys(kinds) as ApiErrorKind[]
