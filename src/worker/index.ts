/** A Worker in parts, which keeps the providers' keys. @module */
export type {
  Account,
  AccountSummary,
  Accounts,
  DayPage,
  DayRow,
  DayTotal,
  KindCount,
  LiveRequest,
  OperatorSummary,
  Reservation,
  ReserveVerdict,
  Settlement,
  SummaryKey,
  SummaryQuery,
  Sums,
} from './accounts/accounts.ts'
export type { SelfTest, SelfTestRow } from './admin/self-test.ts'
export type { RunStub } from './config.ts'
export { createWorker, type ModelWorker } from './create.ts'
export type { ProviderName } from './keys/providers.ts'
export type {
  AccountOptions,
  AdminOptions,
  KeyOptions,
  LimitOptions,
  PageOptions,
  PolicyOptions,
  ProviderAccess,
  ProviderKey,
  RunOptions,
  SessionOptions,
  TurnstileOptions,
  User,
  WorkerOptions,
} from './options.ts'
export type {
  Fetcher,
  ObjectClass,
  ObjectNamespace,
  ObjectState,
  RateLimiter,
  Sql,
  SqlValue,
  StoredSecret,
} from './platform.ts'
export { optionsFromEnv } from './read-options.ts'
