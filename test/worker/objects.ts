/** All objects of the accounts in this process, on SQLite as Node has it, each with a clock of its own, and calls between them that can be lost. */
import { DatabaseSync } from 'node:sqlite'
import { vi } from 'vitest'
import type { Accounts, LeasingAccount } from '../../src/worker/accounts/accounts.ts'
import { accountOf, wholeWorker } from '../../src/worker/accounts/accounts.ts'
import { createUserAccount } from '../../src/worker/accounts/user-account.ts'
import { stateOn } from './on-sqlite.ts'

/** The outcome of a call between objects: it is answered, never arrives, or arrives and its answer is lost. */
export type Fate = 'answered' | 'unheard' | 'answer lost'

type Method = 'draw' | 'takeBack' | 'collect' | 'freed' | 'reserve' | 'settle'

/** A namespace of accounts. */
export interface Objects {
  readonly whole: LeasingAccount
  user(user: string): LeasingAccount & { alarm(): Promise<void> }
  /** Ends an object: what it has in memory is gone. The next call starts it again from its storage. */
  crash(name: string): void
  /** The time of the next alarm of each object that has one. */
  readonly alarms: Map<string, number>
  /** Sets how far an object's clock is ahead of the others', in ms. */
  skew(name: string, aheadMs: number): void
  /** The outcomes of the next calls between objects; later calls are all answered. */
  fates: Fate[]
  /** How often each method was called between objects, by object. */
  readonly calls: { readonly name: string; readonly method: Method }[]
  database(name: string): DatabaseSync
}

class Gone extends Error {}

export function openObjects(): Objects {
  const databases = new Map<string, DatabaseSync>()
  const running = new Map<string, { readonly object: LeasingAccount; isGone: boolean }>()
  const ahead = new Map<string, number>()
  const alarms = new Map<string, number>()
  const calls: { name: string; method: Method }[] = []
  const fates: Fate[] = []

  function database(name: string): DatabaseSync {
    const known = databases.get(name) ?? new DatabaseSync(':memory:')
    databases.set(name, known)
    return known
  }

  /** While an object runs, up to its first wait, the clock is its own. */
  function onClockOf<T>(name: string, act: () => T): T {
    const now = Date.now()
    vi.setSystemTime(now + (ahead.get(name) ?? 0))
    try {
      return act()
    } finally {
      vi.setSystemTime(now)
    }
  }

  function objectOf(name: string) {
    const known = running.get(name)
    if (known !== undefined) return known
    const entry = { isGone: false } as { object: LeasingAccount; isGone: boolean }
    const UserAccounts = createUserAccount(() => accountsFor(entry))
    const state = stateOn(
      database(name),
      () => {},
      undefined,
      () => entry.isGone,
      (at) => alarms.set(name, at),
    )
    entry.object = onClockOf(name, () => new UserAccounts(state as never, {}) as LeasingAccount)
    running.set(name, entry)
    return entry
  }

  /** As one object sees the others. An object that has ended sends no calls, and gets no answers. */
  function accountsFor(from: { readonly isGone: boolean }): Accounts {
    const call = async (name: string, method: Method, values: never[]) => {
      if (from.isGone) return new Promise(() => {})
      calls.push({ name, method })
      const fate = fates.shift() ?? 'answered'
      if (fate === 'unheard') throw new Gone('unheard')
      const entry = objectOf(name)
      const act = entry.object[method] as (...values: never[]) => Promise<unknown>
      const answer = await onClockOf(name, () => act.apply(entry.object, structuredClone(values) as never[]))
      if (from.isGone) return new Promise(() => {})
      if (fate === 'answer lost' || entry.isGone) throw new Gone('answer lost')
      return structuredClone(answer)
    }
    const methods: readonly Method[] = ['draw', 'takeBack', 'collect', 'freed']
    return {
      getByName: (name) =>
        Object.fromEntries(
          methods.map((method) => [method, (...values: never[]) => call(name, method, values)]),
        ) as never,
    }
  }

  /** An object from outside: that of the moment. */
  const outside = (name: string) =>
    new Proxy({} as LeasingAccount & { alarm(): Promise<void> }, {
      get:
        (_, method: string) =>
        (...values: unknown[]) => {
          const { object } = objectOf(name)
          return onClockOf(name, () => Reflect.get(object, method).apply(object, values))
        },
    })

  return {
    whole: outside(wholeWorker),
    user: (user) => outside(accountOf(user)),
    crash(name) {
      const entry = running.get(name)
      if (entry !== undefined) entry.isGone = true
      running.delete(name)
    },
    alarms,
    skew: (name, aheadMs) => void ahead.set(name, aheadMs),
    fates,
    calls,
    database,
  }
}
