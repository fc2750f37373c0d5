/** One conversation with one model: the SDK's store, its transport, and its view. The page can show two of them. */
import { backend } from './backend.js'
import { element, find } from './dom.js'
import { setFacts, storeFacts } from './facts.js'
import { footOf, titleOf } from './foot.js'
import { createChatStore, idbPersist, runTransport } from './isoglot/chat.js'
import { stream, textOf } from './isoglot/index.js'
import { toolCallsOf } from './isoglot/messages.js'
import { asked } from './settings.js'
import { showTake } from './stream-view.js'
import { createTake, watched } from './take.js'
import { tools } from './tools.js'
import { createView } from './view.js'
import { showExchanges } from './wire-view.js'
import { modelOf } from './wires.js'

/**
 * @typedef {import('./isoglot/index.js').Message} Message
 * @typedef {import('./isoglot/chat.js').ChatTurn} ChatTurn
 * @typedef {ReturnType<typeof createTalk>} Talk
 */

/**
 * @param {HTMLElement} place
 * @param {HTMLSelectElement} choice Its model.
 * @param {object} how
 * @param {boolean} how.isFirst Whether it survives a reload and its stream is shown.
 * @param {(text: string) => void} how.say Announces events to a screen reader.
 */
export function createTalk(place, choice, { isFirst, say }) {
  const log = find('[role="log"]', place)
  const draw = createView(place, log, {
    titleOf: (message) => titleOf(message, choice.value),
    footOf: (message, article) => footOf(store, message, article),
  })
  /** The current turn. @type {{ take: import('./take.js').Take, facts: import('./facts.js').Facts, beganAt: number } | undefined} */
  let turn

  /** @param {ChatTurn} asking */
  function ask({ messages, signal }) {
    const said = textOf(messages.filter(({ role }) => role === 'user').at(-1)?.content ?? '')
    const take = createTake({
      title: said,
      isLive: true,
      callsBefore: (wire) => callsIn([...messages, ...run.messages], wire),
    })
    const settings = asked()
    turn = { take, facts: { model: choice.value, asked: settings, losses: 0 }, beganAt: performance.now() }
    if (isFirst) {
      showTake(take)
      showExchanges(take)
    }
    const model = backend.model(choice.value, said, (send) => watched(take, send))
    const run = stream({ ...settings, model, messages, tools, signal })
    return run
  }

  const store = createChatStore({
    id: isFirst ? 'first' : 'second',
    transport: runTransport(ask),
    ...(isFirst && { persist: idbPersist() }),
    onEvent(event) {
      if (turn === undefined) return
      const { take, facts, beganAt } = turn
      if (/_(delta|chunk)$/.test(event.type)) facts.firstMs ??= performance.now() - beganAt
      // A take that has the provider's frames reads them itself.
      if (take.wire === undefined || ['tool_start', 'tool_progress', 'tool_result', 'warning'].includes(event.type))
        take.add([event])
      if (event.type === 'warning' && event.warning.severity !== 'info') facts.losses++
      if (event.type === 'tool_start') say(`Running ${event.call.name}`)
    },
    onFinish({ outcome, error }) {
      turn?.take.finish(outcome === 'stopped' ? new DOMException('', 'AbortError') : error)
      turn = undefined
      if (isFirst) storeFacts(store.getSnapshot().messages)
      if (outcome === 'stopped') return say('Stopped')
      const last = store.getSnapshot().messages.at(-1)
      if (error === undefined) say(`Answer complete. ${textOf(last?.messages.at(-1)?.content ?? '').slice(0, 300)}`)
    },
  })

  const failure = element('p', 'error')
  failure.setAttribute('role', 'alert')
  const again = element('button', '', 'Try again')
  again.addEventListener('click', () => store.retry())
  store.subscribe(() => {
    const { messages, error } = store.getSnapshot()
    const last = messages.at(-1)
    if (turn && last?.role === 'assistant') setFacts(last.id, turn.facts)
    draw(messages)
    if (error === undefined) return failure.remove()
    failure.replaceChildren(error instanceof Error ? error.message : String(error), again)
    log.append(failure)
    failure.scrollIntoView({ block: 'nearest' })
  })
  return store
}

/** The number of call ids that the SDK has made. @param {readonly Message[]} messages @param {import('./wires.js').WireName} wire */
function callsIn(messages, wire) {
  const { idPrefix } = modelOf(wire).codec
  const ids = messages.flatMap(toolCallsOf).map(({ id }) => id)
  const made = ids.filter((id) => id.startsWith(idPrefix)).map((id) => Number(id.slice(idPrefix.length)))
  return Math.max(-1, ...made.filter(Number.isInteger)) + 1
}
