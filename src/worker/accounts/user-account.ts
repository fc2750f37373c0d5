/**
 * The accounts: the amounts that each user, and the Worker as a whole, may still spend today. A request reserves money before it is sent,
 * and settles it when it has ended. Each is one step that no other request interrupts, because a Durable Object does one thing at a time.
 * Each user has an object. One more object has the budget of the whole Worker; the others lease parts of it.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ (read 2026-11)
 * @module
 */
import { compact } from '../../core/json.ts'
import { DurableObject, type ObjectClass, type ObjectState } from '../platform.ts'
import {
  type Account,
  type AccountSummary,
  type Accounts,
  accountOf,
  type DayPage,
  type Draw,
  type Handback,
  type LeaseGrant,
  type LeasingAccount,
  type LiveRequest,
  mostRows,
  type Reservation,
  type ReserveVerdict,
  type Settlement,
  type SummaryQuery,
  wholeWorker,
} from './accounts.ts'
import { dayMs, dayOf, daysAgo } from './days.ts'
import { idleMs, keptLeaseDays, Lease } from './lease.ts'
import { Leases, mostAsked } from './leases.ts'
import { Ledger, shareReached } from './ledger.ts'
import { openSums } from './sums.ts'
import { AccountView, type Elsewhere } from './view.ts'
import { openWriter, type Writer } from './writer.ts'

/** A grant on its way cannot be called back, so a recall is repeated this many times. A grant that was lost never arrives. */
const mostRounds = 3

/** The storage of a user's object is deleted after this time without a request, in ms: it has forgotten its leases by then. */
const unusedMs = (keptLeaseDays + 1) * dayMs

/** The class of a Worker's accounts. `accountsAt` finds its objects in the environment. */
export function createUserAccount(accountsAt: (env: unknown) => Accounts | undefined): ObjectClass<Account> {
  return class extends UserAccount {
    protected override objectOf(name: string): LeasingAccount {
      const accounts = accountsAt(this.env)
      if (accounts === undefined) throw new Error('Cannot lease: the options of the Worker are not in order')
      return accounts.getByName(name) as LeasingAccount
    }
  }
}

interface AccountParts {
  readonly writer: Writer
  readonly ledger: Ledger
  /** The operator's view of the account. */
  readonly view: AccountView
  /** The lease of this user. */
  readonly lease: Lease
  /** The leases that this object has granted to users. */
  readonly leases: Leases
}

function openParts(ctx: ObjectState, draw: (draw: Draw) => Promise<LeaseGrant>): AccountParts {
  const { sql } = ctx.storage
  const writer = openWriter(ctx)
  const sums = openSums(sql, writer)
  const forget: ((oldest: string, now: number) => void)[] = [sums.forget]
  const ledger = new Ledger(sql, writer, {
    hearOfDay(...day) {
      for (const one of forget) one(...day)
    },
    // The object that granted a lease adds up the costs on it.
    hearOfCost: (day, ...cost) => {
      if (!lease.has(day)) sums.add(day, ...cost)
    },
  })
  const leases = new Leases(sql, writer, ledger)
  forget.push((...day) => leases.forget(...day))
  const lease = new Lease({
    sql,
    writer,
    use: {
      used: (day) => ledger.used(day),
      report: (day) => ledger.report(day),
      live: () => [...ledger.live.values()].map(shown),
    },
    draw,
    setAlarm: (at) => ctx.storage.setAlarm(at),
  })
  return { writer, ledger, view: new AccountView(sql, sums), lease, leases }
}

/**
 * The account of one user. In the object of the whole Worker: its budget, and the accounts of all users from versions in which users had no
 * objects.
 */
export class UserAccount extends DurableObject implements LeasingAccount {
  /** `undefined` after the storage was deleted: the next call opens it again. */
  #opened: AccountParts | undefined
  /** The current round of recalls, and the next one. */
  #recalling: Promise<unknown> = Promise.resolve()
  #nextRecall: Promise<boolean> | undefined

  constructor(ctx: ObjectState, env: unknown) {
    super(ctx, env)
    this.#opened = this.#parts
  }

  get #parts(): AccountParts {
    this.#opened ??= openParts(this.ctx, (draw) => this.objectOf(wholeWorker).draw(draw))
    return this.#opened
  }

  /** Another object of the same accounts. */
  protected objectOf(name: string): LeasingAccount {
    throw new Error(`Cannot lease: the accounts do not have the object "${name}"`)
  }

  /**
   * Reserves the highest possible cost of a request, if the sum of all costs stays within the day's budgets. The decision is one step. The
   * promise resolves when the storage has it.
   */
  async reserve(reservation: Reservation): Promise<ReserveVerdict> {
    const now = Date.now()
    this.#parts.ledger.catchUp(now)
    if (this.#parts.ledger.live.has(reservation.requestId)) return { ok: true }
    const verdict =
      reservation.isLeased === true ? await this.#reserveLeased(reservation, now) : this.#reserve(reservation, now)
    if (verdict.ok) await this.#write()
    return verdict
  }

  #reserve(reservation: Reservation, now: number): ReserveVerdict {
    const request = this.#parts.ledger.requestOf(reservation, now)
    const leased = this.#parts.leases.outstanding(dayOf(now))
    const verdict = this.#parts.ledger.judge(request, { ...reservation, elsewhere: 0, leased })
    if (verdict.ok) this.#parts.ledger.admit(request)
    return verdict
  }

  /** Checks the user's budget here, immediately. The lease checks the budget of the whole Worker, and sometimes has to ask for more. */
  async #reserveLeased(reservation: Reservation, now: number): Promise<ReserveVerdict> {
    const day = dayOf(now)
    const request = this.#parts.ledger.requestOf(reservation, now)
    const judge = () =>
      this.#parts.ledger.judge(request, {
        ...reservation,
        totalDailyBudget: Number.POSITIVE_INFINITY,
        elsewhere: this.#parts.lease.elsewhere(day),
        leased: 0,
      })
    const verdict = judge()
    if (!verdict.ok) {
      if (!this.#parts.lease.has(day)) await this.#beKnown(reservation, day)
      return verdict
    }
    const leave = this.#parts.ledger.wait(request)
    let later: ReserveVerdict | undefined
    try {
      await this.#parts.lease.take({ ...reservation, cost: request.cost }, day, () => {
        leave()
        later = judge()
        if (later.ok) this.#parts.ledger.admit(request)
      })
    } finally {
      leave()
    }
    return later ?? this.#parts.ledger.refuse('budget', now)
  }

  /** Leases nothing: the operator's view asks only users with a lease why they were refused. */
  async #beKnown(reservation: Reservation, day: string): Promise<void> {
    try {
      await this.#parts.lease.take({ ...reservation, cost: 0 }, day, () => {})
      await this.#write()
    } catch {
      // The next refusal tries again.
    }
  }

  /**
   * Replaces a reservation by the actual cost of the request. Ignores a request without a reservation, because it has been counted already.
   * Returns the alarming share of the whole budget that the day has reached with it.
   */
  async settle(settlement: Settlement): Promise<number | undefined> {
    const startedAt = this.#parts.ledger.live.get(settlement.requestId)?.startedAt
    const share = this.#parts.ledger.settle(settlement)
    await this.#write(false)
    if (startedAt === undefined || !this.#parts.lease.has(dayOf(startedAt))) return share
    await this.#reportFreed(dayOf(startedAt))
    return this.#parts.lease.takeShare()
  }

  /** Once after each recall: so the object of the whole Worker does not have to ask each user again for each refusal. */
  async #reportFreed(day: string): Promise<void> {
    const user = this.#parts.lease.freedBy(day)
    if (user === undefined) return
    try {
      await this.objectOf(wholeWorker).freed(user, day)
      this.#parts.lease.noteHeard(day)
      await this.#write(false)
    } catch {
      // The next settlement tries again.
    }
  }

  async summary(query: SummaryQuery = {}): Promise<AccountSummary> {
    const heard = await this.#hearAll()
    const now = await this.#catchUp()
    return this.#parts.view.summary(query, now, this.#parts.ledger.live.size, heard)
  }

  /** For an export: computes no sums. */
  async page(span: number, after?: string): Promise<DayPage> {
    if (after === undefined) await this.#hearAll()
    return this.#parts.view.page(daysAgo(span, await this.#catchUp()), mostRows, after)
  }

  /** Leases a part of the Worker's budget. If there is not enough, it first calls back the unused parts of other leases. */
  async draw(draw: Draw): Promise<LeaseGrant> {
    const { user, day, totalDailyBudget } = draw
    this.#parts.ledger.catchUp(Date.now())
    this.#parts.leases.takeReport(user, draw.report)
    const committed = () => this.#parts.ledger.committed(day) + this.#parts.leases.outstanding(day)
    let before = committed()
    let amount = this.#parts.leases.grant(draw, totalDailyBudget - before)
    for (let round = 0, isLast = false; amount === undefined && !isLast; round++) {
      isLast = !(await this.#recall(day)) || round === mostRounds
      before = committed()
      amount = this.#parts.leases.grant({ ...draw, want: draw.need }, totalDailyBudget - before)
    }
    await this.#write()
    const share = shareReached(before, before + (amount ?? 0), totalDailyBudget)
    return {
      isGranted: amount !== undefined,
      amount: amount ?? 0,
      elsewhere: this.#parts.ledger.committed(day, user) - this.#parts.leases.reported(day, user),
      ...compact({ share }),
    }
  }

  async freed(user: string, day: string): Promise<void> {
    this.#parts.leases.askAgain(day, user)
  }

  async takeBack(handback: Handback): Promise<void> {
    this.#take(handback)
    await this.#write()
  }

  #take(handback: Handback): boolean {
    for (const { report } of handback.days) this.#parts.leases.takeReport(handback.user, report)
    return this.#parts.leases.takeBack(handback)
  }

  /** Stores the amount that is given back before it returns it. */
  async collect(day?: string): Promise<Handback | undefined> {
    const handback = this.#parts.lease.collect(await this.#catchUp(), day)
    await this.#write()
    return handback
  }

  /**
   * An unused account gives back its leases. If that fails, the platform calls again. After some days its storage is deleted: the object of
   * the whole Worker has the costs of all users.
   */
  async alarm(): Promise<void> {
    const handback = await this.collect()
    if (handback !== undefined) await this.objectOf(wholeWorker).takeBack(handback)
    const { lease } = this.#parts
    // An open request keeps its lease open.
    if (lease.isForgotten()) {
      this.#opened = undefined
      return this.ctx.storage.deleteAll()
    }
    await this.ctx.storage.setAlarm(Date.now() + (lease.isOpen() ? idleMs : unusedMs))
  }

  /** Resolves when all changes in memory are stored and all ended requests are removed. Resolves to that time. */
  async #catchUp(): Promise<number> {
    const now = Date.now()
    this.#parts.ledger.catchUp(now)
    await this.#write()
    return now
  }

  #write(waits?: boolean): Promise<void> {
    this.#parts.ledger.flush()
    return this.#parts.writer.write(waits)
  }

  /**
   * Calls back the unused parts of leases, of each user once until that user has something again. A call during a round waits for the next
   * round, which asks for everything. Resolves to whether to repeat it: a grant may be on its way, or not all were asked.
   */
  #recall(day: string): Promise<boolean> {
    this.#nextRecall ??= this.#recalling.then(async () => {
      this.#recalling = this.#nextRecall ?? this.#recalling
      this.#nextRecall = undefined
      // A grant is returned only after it is stored.
      await this.#write()
      const holders = this.#parts.leases.nextHolders(day)
      const handbacks = await this.#ask(holders, day)
      const unsure = new Set(holders)
      for (const handback of handbacks) if (!this.#take(handback)) unsure.delete(handback.user)
      for (const user of unsure) this.#parts.leases.askAgain(day, user)
      return handbacks.some(({ user }) => unsure.has(user)) || holders.length === mostAsked
    })
    return this.#nextRecall
  }

  /** Takes the spending of users since their last report. Resolves to their open requests, and to the number of users that were not asked. */
  async #hearAll(): Promise<Elsewhere> {
    const now = Date.now()
    const { users, others } = this.#parts.leases.nextOpen([daysAgo(2, now), dayOf(now)])
    const handbacks = await this.#ask(users)
    for (const handback of handbacks) this.#take(handback)
    return { live: handbacks.flatMap(({ live }) => live), unheard: others }
  }

  /** A user's object that does not answer keeps its lease. */
  async #ask(users: readonly string[], day?: string): Promise<readonly Handback[]> {
    const asked = users.map((user) =>
      this.objectOf(accountOf(user))
        .collect(day)
        .catch(() => undefined),
    )
    return (await Promise.all(asked)).filter((handback) => handback !== undefined)
  }
}

/** The operator's view of a request. */
function shown({ requestId, user, model, wire, startedAt }: LiveRequest): LiveRequest {
  return { requestId, user, model, wire, startedAt }
}
