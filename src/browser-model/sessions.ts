/**
 * The sessions of one model. Creating a session takes seconds; cloning one is fast. So each conversation is a clone of a base session,
 * which has the system text. The session of the last conversation is kept, and the next turn appends only the new messages.
 *
 * @module
 */
import type { LanguageModelApi, LanguageModelMessage, LanguageModelSession, LanguageModelUse } from './api.ts'
import type { Turn } from './encode.ts'
import { failure, readError } from './errors.ts'

/** A session, and the part of the conversation that it has. */
export interface TakenSession {
  readonly session: LanguageModelSession
  /** The number of turns that it already has. */
  readonly from: number
}

interface Held {
  readonly system: string
  readonly session: LanguageModelSession
  /** The turns in it, as JSON. */
  readonly turns: readonly string[]
}

/** The settings of sessions. */
export interface SessionSettings {
  readonly api: LanguageModelApi
  readonly use: LanguageModelUse
  /** Called with the progress of the download, from 0 to 1. */
  readonly onDownload: (loaded: number) => void
}

export class Sessions {
  readonly #settings: SessionSettings
  #base: { readonly system: string; readonly session: Promise<LanguageModelSession> } | undefined
  #held: Held | undefined

  constructor(settings: SessionSettings) {
    this.#settings = settings
  }

  /**
   * Creates the base session for a system text, or returns the existing one. Parallel runs share it, so the signal of one run must not end
   * it.
   */
  base(system: string): Promise<LanguageModelSession> {
    if (this.#base?.system === system) return this.#base.session
    const before = this.#base
    const session = this.#create(system)
    const base = { system, session }
    this.#base = base
    session.then(
      // The old session is destroyed after the new one exists, so that the model stays in memory.
      () => before?.session.then((one) => one.destroy()).catch(() => {}),
      () => {
        if (this.#base === base) this.#base = undefined
      },
    )
    return session
  }

  /** The session with the longest beginning of the conversation. */
  async take(system: string, turns: readonly Turn[], signal: AbortSignal): Promise<TakenSession> {
    const held = this.#held
    if (held !== undefined && held.system === system && isBeginning(held.turns, turns)) {
      this.#held = undefined // only one caller uses it at a time
      return { session: held.session, from: held.turns.length }
    }
    const base = await this.base(system)
    signal.throwIfAborted()
    try {
      return { session: await base.clone({ signal }), from: 0 }
    } catch (cause) {
      signal.throwIfAborted()
      throw readError(cause, 'begin a conversation with the model of the browser')
    }
  }

  /** Keeps a session for the next turn of its conversation. */
  keep(session: LanguageModelSession, system: string, turns: readonly Turn[]): void {
    this.#held?.session.destroy()
    this.#held = { session, system, turns: turns.map((turn) => JSON.stringify(turn)) }
  }

  /** Frees the memory. The next request creates a new session. */
  destroy(): void {
    this.#held?.session.destroy()
    this.#base?.session.then((session) => session.destroy()).catch(() => {})
    this.#held = undefined
    this.#base = undefined
  }

  async #create(system: string): Promise<LanguageModelSession> {
    const { api, use, onDownload } = this.#settings
    const initialPrompts: readonly LanguageModelMessage[] = [
      { role: 'system', content: [{ type: 'text', value: system }] },
    ]
    try {
      return await api.create({
        ...use,
        ...(system !== '' && { initialPrompts }),
        monitor: (monitor) => monitor.addEventListener('downloadprogress', ({ loaded }) => onDownload(loaded)),
      })
    } catch (cause) {
      const isMissing = (await api.availability(use).catch(() => undefined)) === 'unavailable'
      if (isMissing) throw failure('Cannot ask the browser: it has no model', 'not_found', { cause })
      throw readError(cause, 'create a session of the model of the browser')
    }
  }
}

/** Whether a conversation begins with these turns and is longer. */
function isBeginning(held: readonly string[], turns: readonly Turn[]): boolean {
  return held.length < turns.length && held.every((turn, at) => turn === JSON.stringify(turns[at]))
}
