/**
 * The browser's own model, by the Prompt API (`LanguageModel`): Chrome on desktops since 148. No key, no server, and nothing leaves the
 * device, unless the browser or a polyfill asks a cloud.
 *
 * @see https://webmachinelearning.github.io/prompt-api/ (read 2026-06)
 * @see https://developer.chrome.com/docs/ai/prompt-api (read 2026-08)
 * @module
 */

import { localModel } from '../ask/local-model.ts'
import { checkOptions } from '../core/checks.ts'
import type { Fragment } from '../core/codec.ts'
import type { Model } from '../core/question.ts'
import type {
  LanguageModelApi,
  LanguageModelAvailability,
  LanguageModelMessage,
  LanguageModelSession,
  LanguageModelUse,
} from './api.ts'
import { callsText } from './constraint.ts'
import { type BrowserRequest, encodeRequest, type Turn, target } from './encode.ts'
import { failure, readError } from './errors.ts'
import { readAnswer } from './read-answer.ts'
import { Sessions } from './sessions.ts'

export type {
  LanguageModelApi,
  LanguageModelAvailability,
  LanguageModelExpected,
  LanguageModelMessage,
  LanguageModelPromptOptions,
  LanguageModelSession,
  LanguageModelUse,
} from './api.ts'

/** Options of {@link browserModel}. Images and audio need their type in `expectedInputs`. */
export interface BrowserModelSettings extends LanguageModelUse {
  /**
   * Called with the progress of the model's download, from 0 to 1. At 1, the browser still has to unpack it. It is called with 0 and 1 even
   * if there is nothing to download.
   */
  readonly onDownload?: (loaded: number) => void
  /** Default: `globalThis.LanguageModel`. */
  readonly languageModel?: LanguageModelApi
}

/** The model of the browser. The conversations of one value share its sessions, so make only one value for a page. */
export interface BrowserModel extends Model {
  /** Whether it can answer now; `missing` if the browser does not have the API. Never throws. */
  availability(): Promise<LanguageModelAvailability | 'missing'>
  /**
   * Loads the model, and downloads it if necessary. Call this in the handler of a click, because browsers download only then.
   *
   * @throws {ApiError} of kind `not_found` if the browser has no model, `permission` if the browser or its user does not allow it.
   * @throws {ConnectionError} if the download fails.
   */
  prepare(): Promise<void>
  /** Frees the memory of the model. The next request loads it again. */
  destroy(): void
}

/**
 * The browser's own model. A request throws an `ApiError`: of kind `not_found` if the browser does not have a model, `permission` if it is
 * not downloaded yet, and `context_length` if the conversation does not fit the context window. It never drops a part of the conversation
 * silently.
 *
 * @example
 * ```ts
 * const model = browserModel()
 * document.querySelector('button')?.addEventListener('click', async () => {
 *   await model.prepare()
 *   const { text } = await generate({ model, prompt: 'Why is the sky blue?' })
 *   document.body.append(text)
 * })
 * ```
 */
export function browserModel(settings: BrowserModelSettings = {}): BrowserModel {
  checkOptions('browserModel', settings)
  const { onDownload, languageModel, ...use } = settings
  const download = new Download(onDownload)
  let sessions: Sessions | undefined

  function begin(): Sessions {
    const api = languageModel ?? apiHere()
    if (api === undefined) throw failure('Cannot ask the browser: it does not have the Prompt API', 'not_found')
    sessions ??= new Sessions({ api, use, onDownload: (loaded) => download.report(loaded) })
    return sessions
  }

  const availability: BrowserModel['availability'] = async () => {
    const api = languageModel ?? apiHere()
    if (api === undefined) return 'missing'
    return api.availability(use).catch(() => 'unavailable' as const)
  }

  async function* answer(request: BrowserRequest, signal: AbortSignal): AsyncGenerator<readonly Fragment[]> {
    const own = begin()
    if ((await availability()) === 'downloadable') {
      throw failure(
        'Cannot ask the browser: its model is not downloaded; call prepare() in the handler of a click',
        'permission',
      )
    }
    const { session, from } = yield* download.during(own.take(request.system, request.turns, signal))
    let isKept = false
    try {
      const said = yield* prompt(session, request, from, signal)
      if (said === undefined) return
      own.keep(session, request.system, [...request.turns, said])
      isKept = true
    } finally {
      if (!isKept) session.destroy()
    }
  }

  const model = localModel<BrowserRequest>('browser', answer, {
    target,
    idPrefix: 'browser_',
    encodeRequest: (context, options) => encodeRequest(context, options, use.expectedInputs ?? []),
  })
  return {
    ...model,
    availability,
    prepare: async () => void (await begin().base('')),
    destroy: () => sessions?.destroy(),
  }
}

/** The download of the model: its progress is for the page, and for the requests that wait for it. */
class Download {
  readonly #onDownload: ((loaded: number) => void) | undefined
  #isLoaded = false
  /** One function for each request that waits, called at the next progress. */
  readonly #waiting = new Set<() => void>()

  constructor(onDownload: ((loaded: number) => void) | undefined) {
    this.#onDownload = onDownload
  }

  report(loaded: number): void {
    // Each new session reports progress again, even if there is nothing left to download.
    if (!this.#isLoaded) this.#onDownload?.(loaded)
    this.#isLoaded ||= loaded >= 1
    for (const goOn of this.#waiting) goOn()
  }

  /** While the model is being downloaded, each progress event restarts the time limits of the request. */
  async *during<T>(work: Promise<T>): AsyncGenerator<readonly Fragment[], T> {
    let goOn: () => void = () => {}
    try {
      for (;;) {
        const progress = new Promise<void>((resolve) => {
          this.#waiting.delete(goOn)
          goOn = resolve
          this.#waiting.add(goOn)
        })
        const finding = await Promise.race([work.then((value) => ({ value })), progress])
        if (finding !== undefined) return finding.value
        yield []
      }
    } finally {
      this.#waiting.delete(goOn)
    }
  }
}

function apiHere(): LanguageModelApi | undefined {
  return (globalThis as { LanguageModel?: LanguageModelApi }).LanguageModel
}

/** Asks a session, and yields its answer. Returns the session's next turn; `undefined` if the session does not have all of it. */
async function* prompt(
  session: LanguageModelSession,
  { turns, form, schema, looseSchema }: BrowserRequest,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<readonly Fragment[], Turn | undefined> {
  const input = turns.slice(from).map(toBrowserMessage)
  const held = session.contextUsage
  let isOverflown = false
  session.addEventListener('contextoverflow', () => {
    isOverflown = true
  })
  const constraint = schema && { responseConstraint: schema, omitResponseConstraintInput: form === 'envelope' }
  const inputTokens =
    held + (await session.measureContextUsage(input, { ...constraint, signal }).catch(throwReadable(signal)))
  const { contextWindow } = session
  if (inputTokens > contextWindow) {
    const message = `Cannot ask the browser: the conversation has ${inputTokens} tokens, and its window holds ${contextWindow}; shorten it`
    throw failure(message, 'context_length')
  }
  const reader = readAnswer(form)
  const said: Fragment[] = []
  const note = (fragments: readonly Fragment[]) => {
    said.push(...fragments)
    return fragments
  }
  let pieces = session.promptStreaming(input, { ...constraint, signal }).getReader()
  for (let isFirst = true; ; isFirst = false) {
    try {
      const { done, value } = await pieces.read()
      if (done) break
      yield note(reader.push(value))
    } catch (cause) {
      const { name } = (cause ?? {}) as { readonly name?: string }
      if (isFirst && name === 'NotSupportedError' && looseSchema !== undefined) {
        const reason =
          'the browser does not support the schemas of arguments: calls are made without them, and checked later'
        yield [{ type: 'warning', warning: { path: 'tools', action: 'changed', reason, severity: 'minor' } }]
        pieces = session.promptStreaming(input, { ...constraint, responseConstraint: looseSchema, signal }).getReader()
        continue
      }
      if (name !== 'NotReadableError') return throwReadable(signal)(cause)
      yield [...reader.end(), { type: 'end', stopReason: 'content_filter', rawStopReason: name }]
      return undefined
    }
  }
  yield note(reader.end())
  const totalTokens = session.contextUsage
  const usage = { inputTokens, outputTokens: Math.max(0, totalTokens - inputTokens), totalTokens }
  yield [{ type: 'usage', usage }]
  if (!isOverflown) return turnOf(said)
  const reason = 'the answer did not fit the context window: the browser dropped the oldest messages'
  yield [{ type: 'warning', warning: { path: 'messages', action: 'dropped', reason, severity: 'major' } }]
  return undefined
}

/** Throws an exception of the API; if the signal has fired, its reason. */
function throwReadable(signal: AbortSignal): (cause: unknown) => never {
  return (cause) => {
    signal.throwIfAborted()
    throw readError(cause, 'finish the answer of the model of the browser')
  }
}

function toBrowserMessage({ role, content }: Turn): LanguageModelMessage {
  return {
    role,
    content: content.map(({ type, value, mimeType }) => {
      if (type === 'text') return { type, value }
      const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0))
      return { type, value: new Blob([bytes], mimeType === undefined ? {} : { type: mimeType }) }
    }),
  }
}

/** The answer in the form of the next request. The session can be used again only if that conversation begins with it. */
function turnOf(said: readonly Fragment[]): Turn | undefined {
  const text = said.map((one) => (one.type === 'text' ? one.text : '')).join('')
  const calls = new Map<unknown, { name: string; text: string }>()
  for (const one of said) {
    if (one.type !== 'call') continue
    const { name = '', text: before = '' } = calls.get(one.key) ?? {}
    const added = typeof one.arguments === 'object' ? JSON.stringify(one.arguments) : (one.arguments ?? '')
    calls.set(one.key, { name: one.name ?? name, text: before + added })
  }
  if (calls.size === 0) return { role: 'assistant', content: text === '' ? [] : [{ type: 'text', value: text }] }
  try {
    const made = [...calls.values()].map(({ name, text: args }) => ({ name, arguments: JSON.parse(args) }))
    return { role: 'assistant', content: [{ type: 'text', value: callsText(made) }] }
  } catch {
    return undefined
  }
}
