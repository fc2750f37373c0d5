/**
 * A `LanguageModel` that behaves as the draft of the Prompt API and its web platform tests say. A token is a word. No isoglot types: it runs
 * in a page, too.
 *
 * @see https://webmachinelearning.github.io/prompt-api/
 * @see https://github.com/web-platform-tests/wpt/tree/master/ai/language-model
 */

interface Message {
  readonly role: string
  readonly content: string | readonly { readonly type: string; readonly value: unknown }[]
}
interface Options {
  readonly responseConstraint?: object
  readonly omitResponseConstraintInput?: boolean
  readonly signal?: AbortSignal
}

/** The answers of the model to its next prompts. */
export interface Script {
  /** Pieces of the answer, or what it throws; by default it repeats the last message. */
  answers: (readonly string[] | { readonly pieces: readonly string[]; readonly error: DOMException } | 'endless')[]
  availability: 'unavailable' | 'downloadable' | 'downloading' | 'available'
  contextWindow: number
  /** Whether the user has just clicked. */
  isActive: boolean
  refusesConstraint: boolean
}

/** All that was done with the API. */
export interface Log {
  readonly created: unknown[]
  readonly prompts: { readonly session: number; readonly input: readonly Message[]; readonly options: Options }[]
  readonly destroyed: number[]
  readonly clones: number[]
}

export function fakeLanguageModel(given: Partial<Script> = {}) {
  const script: Script = {
    answers: [],
    availability: 'available',
    contextWindow: Number.POSITIVE_INFINITY,
    isActive: false,
    refusesConstraint: false,
    ...given,
  }
  const log: Log = { created: [], prompts: [], destroyed: [], clones: [] }
  let sessions = 0
  const textOf = ({ content }: Message) =>
    typeof content === 'string'
      ? content
      : content.map(({ value }) => (typeof value === 'string' ? value : '…')).join('')
  const count = (input: readonly Message[]) =>
    input.reduce((sum, message) => sum + textOf(message).split(/\s+/).filter(Boolean).length, 0)

  function check(input: readonly Message[], held: readonly Message[], inputs: ReadonlySet<string>): void {
    for (const [at, { role, content }] of input.entries()) {
      if (role === 'system' && at + held.length > 0) throw new TypeError('system messages come first')
      for (const { type, value } of typeof content === 'string' ? [] : content) {
        if (type === 'text' ? typeof value !== 'string' : !(value instanceof Blob))
          throw new TypeError(`a wrong ${type}`)
        if (role === 'assistant' && type !== 'text') throw new DOMException('text alone', 'NotSupportedError')
        if (type !== 'text' && !inputs.has(type)) throw new DOMException(`no ${type}`, 'NotSupportedError')
      }
    }
  }

  function session(initial: readonly Message[], inputs: ReadonlySet<string>): EventTarget {
    const number = sessions++
    const held: Message[] = [...initial]
    const stopped = new AbortController()
    const target = new EventTarget()
    Object.defineProperty(target, 'contextUsage', { get: () => count(held) })
    return Object.assign(target, {
      contextWindow: script.contextWindow,
      measureContextUsage: async (input: readonly Message[]) => count(input),
      promptStreaming(input: readonly Message[], options: Options = {}) {
        const { responseConstraint, omitResponseConstraintInput, signal } = options
        log.prompts.push({ session: number, input, options })
        const fail = (error: unknown) => new ReadableStream<string>({ start: (controller) => controller.error(error) })
        if (omitResponseConstraintInput && responseConstraint === undefined) return fail(new TypeError('no constraint'))
        try {
          check(input, held, inputs)
          signal?.throwIfAborted()
          if (script.refusesConstraint && JSON.stringify(responseConstraint ?? '').includes('"pattern"')) {
            throw new DOMException('The schema has a feature that is not supported', 'NotSupportedError')
          }
          if (count(held) + count(input) > script.contextWindow) {
            throw new DOMException('The input is too large', 'QuotaExceededError')
          }
        } catch (error) {
          return fail(error)
        }
        const answer = script.answers.shift() ?? [textOf(input.at(-1) as Message)]
        const pieces = answer === 'endless' ? [] : 'pieces' in answer ? answer.pieces : (answer as readonly string[])
        let at = 0
        return new ReadableStream<string>({
          start(controller) {
            const stop = (reason: unknown) => () => controller.error(reason)
            signal?.addEventListener('abort', () => stop(signal.reason)())
            stopped.signal.addEventListener('abort', stop(new DOMException('destroyed', 'AbortError')))
          },
          async pull(controller) {
            const piece = pieces[at++]
            if (piece !== undefined) return controller.enqueue(piece)
            if (answer === 'endless') return at === 1 ? controller.enqueue('Hm') : new Promise<void>(() => {})
            if ('error' in answer) return controller.error((answer as { error: DOMException }).error)
            held.push(...input, { role: 'assistant', content: pieces.join('') })
            if (count(held) > script.contextWindow) target.dispatchEvent(new Event('contextoverflow'))
            controller.close()
          },
        })
      },
      async clone({ signal }: Options = {}) {
        signal?.throwIfAborted()
        log.clones.push(number)
        return session(held, inputs)
      },
      destroy() {
        log.destroyed.push(number)
        stopped.abort()
      },
    })
  }

  const api = {
    availability: async () => script.availability,
    async create(
      options: {
        readonly initialPrompts?: readonly Message[]
        readonly expectedInputs?: readonly { readonly type: string }[]
        readonly monitor?: (monitor: EventTarget) => void
      } = {},
    ) {
      if (script.availability === 'unavailable') throw new DOMException('The device is not able', 'NotSupportedError')
      if (script.availability === 'downloadable' && !script.isActive) {
        throw new DOMException('A user gesture is needed', 'NotAllowedError')
      }
      log.created.push(options)
      const { initialPrompts = [], expectedInputs = [] } = options
      check(initialPrompts, [], new Set())
      const monitor = new EventTarget()
      options.monitor?.(monitor)
      for (const loaded of script.availability === 'available' ? [0, 1] : [0, 0.5, 1]) {
        monitor.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded, total: 1 }))
        await null
      }
      script.availability = 'available'
      return session(initialPrompts, new Set(expectedInputs.map(({ type }) => type)))
    },
  }
  return { api: api as never, script, log }
}
