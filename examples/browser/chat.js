/** The chat: keeps the conversation, asks the model, draws what comes. Everything about providers is the SDK's. */
import { backend } from './backend.js'
import { said, tell } from './conversation.js'
import { element, find, findSelect } from './dom.js'
import { stream } from './isoglot/index.js'
import { toolCallsOf } from './isoglot/messages.js'
import { showTake } from './stream-view.js'
import { createTake, watched } from './take.js'
import { tools } from './tools.js'
import { clearLog, drawAnswer, drawUser } from './view.js'
import { modelOf, readName, wires } from './wires.js'

/** @typedef {import('./isoglot/index.js').StreamEvent} StreamEvent */

const choice = findSelect('#model')
const prompt = /** @type {HTMLTextAreaElement} */ (find('#prompt'))
const [send, stop, status, welcome] = [find('#send'), find('#stop'), find('#status'), find('#welcome')]

/** What the user said last. */
let asked = ''
/** @type {AbortController | undefined} */
let running

/** @param {string} name Such as `gemini:demo-model`. */
function titleOf(name) {
  const read = readName(name)
  return read ? `${wires[read.wire].title}: ${read.name}` : name
}

async function ask() {
  const controller = new AbortController()
  const history = said()
  /** A chat that was left for a new one has nothing more to say. */
  const keep = () => running === controller && tell([...history, ...run.messages])
  const answer = drawAnswer(titleOf(choice.value))
  const wire = readName(choice.value)?.wire ?? 'openai-chat'
  const { idPrefix } = modelOf(wire).codec
  const callsBefore = () => {
    const ids = [...history, ...run.messages].flatMap(toolCallsOf).map(({ id }) => id)
    const made = ids.filter((id) => id.startsWith(idPrefix)).map((id) => Number(id.slice(idPrefix.length)))
    return Math.max(-1, ...made.filter(Number.isInteger)) + 1
  }
  const take = createTake({ title: asked, wire, isLive: true, callsBefore })
  const model = backend.model(choice.value, asked, (send) => watched(take, send))
  const run = stream({ model, messages: history, tools, signal: controller.signal })
  showTake(take)
  setRunning(controller)
  /** @type {unknown} */
  let failure
  try {
    for await (const event of run) {
      answer.draw(event)
      if (!hasFrame(event)) take.add([event])
      if (event.type === 'tool_start') say(`Running ${event.call.name}`)
      if (event.type === 'message_end' || event.type === 'tool_result') keep()
    }
    answer.end()
    say('The answer is complete')
  } catch (error) {
    failure = error
    if (controller.signal.aborted) {
      answer.end('Stopped')
      say('Stopped')
    } else {
      answer.end()
      answer.fail(error instanceof Error ? error.message : String(error), ask)
    }
  } finally {
    take.finish(failure)
    // What came before a failure stays too: the last message says how it ended.
    keep()
    if (running === controller) setRunning(undefined)
  }
}

/** Whether the wire said it: the take sees that for itself. @param {StreamEvent} event */
function hasFrame({ type }) {
  return !['tool_start', 'tool_progress', 'tool_result', 'warning'].includes(type)
}

/** @param {AbortController | undefined} controller */
function setRunning(controller) {
  running = controller
  const isRunning = controller !== undefined
  if (isRunning) say('Answering')
  send.hidden = isRunning
  stop.hidden = !isRunning
  choice.disabled = isRunning
  for (const button of find('#suggestions').querySelectorAll('button')) button.disabled = isRunning
  if (!isRunning && !backend.isRecorded) prompt.focus({ preventScroll: true })
}

/** @param {string} text */
function say(text) {
  status.textContent = text
}

/** @param {string} text */
function submit(text) {
  if (running || choice.options.length === 0 || text.trim() === '') return
  asked = text.trim()
  showWelcome(false)
  tell([...said(), { role: 'user', content: asked }])
  drawUser(asked)
  prompt.value = ''
  ask()
}

/** Without a Worker the suggestions are all that can be said, and stay in reach. @param {boolean} isShown */
function showWelcome(isShown) {
  welcome.hidden = !isShown
  if (!backend.isRecorded) return
  const focused = document.activeElement
  if (isShown) welcome.append(find('#suggestions'))
  else find('#composer').after(find('#suggestions'))
  if (focused instanceof HTMLElement) focused.focus()
}

/** Goes on from here with that model, if it is offered and nothing runs. @param {string} name */
export function goOnWith(name) {
  if (running || ![...choice.options].some(({ value }) => value === name)) return false
  choice.value = name
  choice.dispatchEvent(new Event('change'))
  say(`The chat goes on with ${titleOf(name)}`)
  return true
}

/** Without a Worker only what was recorded can be said. */
function setUpComposer() {
  const { isRecorded, suggestions } = backend
  const items = suggestions.map((text) => {
    const button = element('button', '', text)
    button.setAttribute('type', 'button')
    return element('li', '', [button])
  })
  find('#suggestions').replaceChildren(...items)
  if (!isRecorded) return
  find('#composer').hidden = true
  find('#about').textContent =
    'These are static files, with no Worker and no model behind them: recordings of ours answer, on any of the five wires.'
  find('#hint').textContent = 'Recorded answers. The SDK, the tools and all views run in this page.'
}

find('#composer').addEventListener('submit', (event) => {
  event.preventDefault()
  submit(prompt.value)
})
prompt.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  submit(prompt.value)
})
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') running?.abort()
})
stop.addEventListener('click', () => running?.abort())
find('#suggestions').addEventListener('click', (event) => {
  if (event.target instanceof HTMLButtonElement) submit(event.target.textContent ?? '')
})
find('#new').addEventListener('click', () => {
  running?.abort()
  setRunning(undefined)
  tell([])
  clearLog()
  showWelcome(true)
  prompt.focus()
})

/** @param {import('./backend.js').Offer} offer */
function drawGroup({ title, names }) {
  const group = document.createElement('optgroup')
  group.label = title
  group.append(...names.map((name) => new Option(titleOf(name), name)))
  return group
}

/** Finds out which models there are. */
export async function connect() {
  setUpComposer()
  try {
    choice.replaceChildren(...(await backend.models()).filter(({ names }) => names.length > 0).map(drawGroup))
    choice.disabled = false
    choice.dispatchEvent(new Event('change'))
  } catch (error) {
    choice.replaceChildren()
    const box = element('p', 'error', `Cannot connect to the Worker: ${error instanceof Error ? error.message : error}`)
    box.setAttribute('role', 'alert')
    find('#talk').prepend(box)
  }
}
