/**
 * Chats in any order of what a user, a page and a network do: the model that the laws of the store and of the bindings share. It runs in a
 * browser, too.
 *
 * Each message of the user and each answer has a text of its own, and an answer names the last message of its request. So it can be seen
 * where each of them ends up.
 */
import type {
  ChatActions,
  ChatEvents,
  ChatQuestion,
  ChatSnapshot,
  ChatStoreOptions,
  ChatTurn,
  Persist,
  StoredChat,
  StoredEntry,
} from '../../src/chat/index.ts'
import type { AssistantMessage, Message, StreamEvent } from '../../src/index.ts'

/** A chat in a page: a store, or a component that owns one. */
export interface Page {
  now(): ChatSnapshot
  readonly actions: Pick<ChatActions, 'send' | 'stop' | 'retry' | 'regenerate' | 'edit' | 'resume' | 'branch' | 'load'>
  /** The component goes away; the tab stays. */
  leave(): void
}

/** Opens the chat in a page. A component loads it by itself. */
export type OpenPage = (options: ChatStoreOptions) => Page | Promise<Page>

/** A step, and a number that decides what it is done to. */
export type Step = readonly [name: string, number: number]

/** A run on the server, which goes on without readers. */
interface ServerRun {
  readonly chatId: string
  readonly question: string
  readonly pieces: readonly (readonly StreamEvent[])[]
  /** The number of pieces that the server has made. */
  made: number
  isRemoved: boolean
}

interface Tab {
  page: Page
  /** What the page still does after its tab was closed reaches nothing. */
  isOpen: boolean
  /** Like `sessionStorage`. The stores of one page share it. */
  readonly session: { run: ServerRun | undefined }
}

/** A task. Browsers wait in `setTimeout`. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    if ('setImmediate' in globalThis) return void setImmediate(resolve)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(0)
  })
}

const settled = async () => {
  for (let at = 0; at < 60; at++) await pause()
}

/** Runs the steps. Returns what is wrong, in words. `isNamed`: the transport gives the question back with a run that it resumes. */
export async function wrongAfter(steps: readonly Step[], open: OpenPage, isNamed = true): Promise<readonly string[]> {
  const wrong = new Set<string>()
  const stored = new Map<string, string>()
  const runs: ServerRun[] = []
  const tabs: Tab[] = []
  const said = new Set<string>()
  /** Answers that a page has shown as complete. */
  const answered = new Set<string>()
  let count = 0
  let moved = () => {}
  let move = new Promise<void>((resolve) => {
    moved = resolve
  })
  const serverMoves = () => {
    moved()
    move = new Promise((resolve) => {
      moved = resolve
    })
  }

  function persistOf(isOpen: () => boolean, delay: number): Persist {
    let hasRead = false
    const wait = async () => {
      for (let at = 0; at < delay; at++) await pause()
    }
    return {
      async load(id) {
        await wait()
        const text = stored.get(id)
        await wait()
        hasRead = true
        return text === undefined ? undefined : (JSON.parse(text) as StoredChat)
      },
      async save(id, chat) {
        if (!hasRead) wrong.add('something was written before it was read')
        await wait()
        if (isOpen()) stored.set(id, JSON.stringify(chat))
        await wait()
      },
      async remove(id) {
        stored.delete(id)
      },
    }
  }

  /** The events of a run, from its beginning on. */
  async function* eventsOf(run: ServerRun, tab: Pick<Tab, 'isOpen' | 'session'>, signal: AbortSignal) {
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    for (let at = 0; at < run.pieces.length; ) {
      if (signal.aborted) throw signal.reason
      if (run.isRemoved || !tab.isOpen) throw new Error('The server does not have the run')
      if (at < run.made) yield run.pieces[at++] ?? []
      else await Promise.race([move, aborted])
    }
    if (tab.session.run === run) tab.session.run = undefined
  }

  function begin(turn: ChatTurn, session: Tab['session']): ServerRun {
    const question = textOf(turn.messages.findLast(({ role }) => role === 'user'))
    const asked = turn.messages.filter(({ role }) => role === 'user').map(textOf)
    if (new Set(asked).size < asked.length) wrong.add(`a request has a message twice: ${asked.join(', ')}`)
    const last = turn.messages.at(-1)
    if (last?.role !== 'user') wrong.add(`a request ends with a message of role ${last?.role}`)
    const answer = `answer ${++count} to <${question}>`
    const message: AssistantMessage = {
      role: 'assistant',
      content: [{ type: 'text', text: answer }],
      stopReason: 'stop',
    }
    const result = {
      ...{
        message,
        messages: [message],
        outcome: 'answered',
        pending: [],
        stopReason: 'stop',
        rounds: 1,
        text: answer,
      },
      ...{ warnings: [], responses: [], context: { messages: [message] } },
    } as const
    const pieces: StreamEvent[][] = [
      [{ type: 'message_start' }, { type: 'text_delta', index: 0, text: answer.slice(0, 5) }],
      [{ type: 'text_delta', index: 0, text: answer.slice(5) }],
      [
        { type: 'message_end', message, response: { message, stopReason: 'stop' } },
        { type: 'done', result },
      ],
    ]
    const run = {
      chatId: turn.chatId,
      question: JSON.stringify(turn.question ?? null),
      pieces,
      made: 0,
      isRemoved: false,
    }
    runs.push(run)
    session.run = run
    return run
  }

  function optionsFor(tab: Omit<Tab, 'page'>, delay: number): ChatStoreOptions {
    const { session } = tab
    return {
      id: 'c1',
      throttleMs: 0,
      persist: persistOf(() => tab.isOpen, delay),
      onError: (cause) => {
        if (!/does not have the run/.test(String(cause))) wrong.add(`reported: ${String(cause)}`)
      },
      transport: {
        send: (turn) => eventsOf(begin(turn, session), tab, turn.signal),
        async resume(_, signal): Promise<ChatEvents | undefined> {
          const { run } = session
          await pause()
          if (run === undefined || run.isRemoved || signal.aborted) return undefined
          const question: ChatQuestion | undefined = isNamed ? (JSON.parse(run.question) ?? undefined) : undefined
          return Object.assign(eventsOf(run, tab, signal), question && { question })
        },
        async stop() {
          if (session.run) session.run.isRemoved = true
          session.run = undefined
          serverMoves()
        },
      },
    }
  }

  async function openTab(delay: number, session: Tab['session'] = { run: undefined }): Promise<void> {
    const shell = { isOpen: true, session }
    const page = await open(optionsFor(shell, delay))
    tabs.push(Object.assign(shell, { page }))
  }

  /** What is wrong with what a page shows or a storage has. */
  function check(place: string, entries: readonly Shown[]): void {
    for (const path of pathsOf(entries)) {
      let question = ''
      for (const { role, text } of path) {
        if (role === 'user') question = text
        const [, named] = /to <(.*)>$/.exec(text) ?? []
        if (role === 'assistant' && named !== undefined && named !== question) {
          wrong.add(`${place}: the answer to ${named} stands below ${question || 'nothing'}`)
        }
      }
    }
    const all = flat(entries)
    for (const [what, values] of [
      ['id', all.map(({ id }) => id)],
      ['text', all.flatMap(({ text, isWhole }) => (isWhole && text !== '' ? text : []))],
    ] as const) {
      const twice = values.find((value, at) => values.indexOf(value) !== at)
      if (twice !== undefined) wrong.add(`${place}: the ${what} ${twice} is there twice`)
    }
  }

  function look(): void {
    for (const { page, isOpen } of tabs) {
      if (!isOpen) continue
      const { messages } = page.now()
      check('a page', messages.map(shownOf))
      for (const { role, state, messages: all } of messages) {
        if (role === 'assistant' && state === 'done') answered.add(all.map(textOf).join(''))
      }
    }
  }

  const perform: Readonly<Record<string, (tab: Tab, number: number) => unknown>> = {
    send({ page }, number) {
      const text = `message ${++count}`
      said.add(text)
      page.actions.send(text).catch((cause) => wrong.add(`send rejects: ${cause}`))
      const { messages, queue } = page.now()
      const shown = [
        ...messages.flatMap(({ messages: all }) => all.map(textOf)),
        ...queue.map(({ content }) => content),
      ]
      if (number % 2 === 0 && !shown.includes(text)) wrong.add('a message is not shown at once')
    },
    stop: ({ page }) => void page.actions.stop(),
    retry: ({ page }) => void page.actions.retry().catch(refused),
    resume: ({ page }) => void page.actions.resume().catch((cause) => wrong.add(`resume rejects: ${cause}`)),
    load: ({ page }) => void page.actions.load(),
    regenerate({ page }, number) {
      const answers = page.now().messages.filter(({ role }) => role === 'assistant')
      void page.actions.regenerate(answers[number % (answers.length + 1)]?.id).catch(refused)
    },
    edit({ page }, number) {
      const questions = page.now().messages.filter(({ role }) => role === 'user')
      const text = `edit ${++count}`
      const id = questions[number % Math.max(questions.length, 1)]?.id ?? ''
      // Refused during a turn, and for a message that another store has removed.
      void page.actions.edit(id, text).catch(refused)
      if (page.now().messages.some(({ messages }) => messages.some((one) => textOf(one) === text))) said.add(text)
    },
    branch({ page }, number) {
      const { messages } = page.now()
      const branching = messages.filter(({ branch }) => branch !== undefined)
      const one = branching[number % Math.max(branching.length, 1)]
      try {
        if (one?.branch) page.actions.branch(one.id, (one.branch.index + 1) % one.branch.count)
      } catch (cause) {
        refused(cause)
      }
    },
    async reload(tab, number) {
      await settled() // what the page has not written yet is lost with it
      tab.isOpen = false
      serverMoves()
      tab.page.leave()
      await openTab(number % 3, tab.session)
    },
    async leave(tab, number) {
      tab.page.leave()
      tab.page = await open(optionsFor(tab, number % 3))
    },
    async second(tab, number) {
      if (tabs.filter(({ isOpen }) => isOpen).length < 3)
        await openTab(number % 3, number % 2 ? tab.session : undefined)
    },
    make(_, number) {
      const run = runs.at(-1 - (number % 3))
      if (run !== undefined && run.made < run.pieces.length) run.made++
      serverMoves()
    },
    finish(_, number) {
      const run = runs.at(-1 - (number % 3))
      if (run !== undefined) run.made = run.pieces.length
      serverMoves()
    },
    wait: settled,
  }

  await openTab(steps.length % 3)
  for (const [name, number] of steps) {
    const living = tabs.filter(({ isOpen }) => isOpen)
    const tab = living[number % living.length] as Tab
    await perform[name]?.(tab, number)
    if (number % 2) await pause()
    look()
  }
  const living = tabs.filter(({ isOpen }) => isOpen)
  for (let left = 40; left > 0; left--) {
    for (const run of runs) run.made = run.pieces.length
    serverMoves()
    await settled()
    look()
    if (living.every(({ page }) => !page.now().isBusy)) break
    if (left === 1) wrong.add('a chat stays busy')
  }
  for (const { page } of living) await page.actions.load()
  await settled()
  look()
  const chat: StoredChat | undefined = JSON.parse(stored.get('c1') ?? 'null') ?? undefined
  const kept = (chat?.entries ?? []).map(storedShown)
  check('the storage', kept)
  const texts = new Set(flat(kept).map(({ text }) => text))
  for (const text of said) if (!texts.has(text)) wrong.add(`${text} is lost`)
  for (const text of answered) if (!texts.has(text)) wrong.add(`${text} is lost`)
  for (const { page } of living) {
    for (const { id, state } of page.now().messages) {
      if (!flat(kept).some((one) => one.id === id)) wrong.add(`a page shows ${id} (${state}), which is not stored`)
    }
  }
  for (const { page } of living) page.leave()
  return [...wrong]
}

function refused(cause: unknown): void {
  if (!(cause instanceof TypeError)) throw cause
}

function textOf(message: Message | undefined): string {
  const { content = '' } = message ?? {}
  if (typeof content === 'string') return content
  return (content ?? []).map((block) => ('text' in block ? block.text : '')).join('')
}

/** What an item says, in a page or in the storage. */
interface Shown {
  readonly id: string
  readonly role: string
  readonly text: string
  readonly isWhole: boolean
  readonly branches: readonly (readonly Shown[])[]
}

function shownOf({ id, role, state, messages }: ChatSnapshot['messages'][number]): Shown {
  const isWhole = role === 'user' || state === 'done'
  return { id, role, text: messages.map(textOf).join(''), isWhole, branches: [] }
}

function storedShown({ id, role, state, messages, branch }: StoredEntry): Shown {
  const isWhole = role === 'user' || state === 'done'
  const branches = (branch?.tails ?? []).map((tail) => tail.map(storedShown))
  return { id, role, text: messages.map(textOf).join(''), isWhole, branches }
}

function flat(entries: readonly Shown[]): readonly Shown[] {
  return entries.flatMap((entry) => [entry, ...entry.branches.flatMap(flat)])
}

/** Every way through the branches. */
function pathsOf(entries: readonly Shown[]): readonly (readonly Shown[])[] {
  const [first, ...rest] = entries
  if (first === undefined) return [[]]
  const others = first.branches.flatMap((tail) => (tail.length > 0 ? pathsOf(tail) : []))
  return [...pathsOf(rest).map((path) => [first, ...path]), ...others]
}
