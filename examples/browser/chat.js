/** The chat: keeps the conversation, asks the model, draws what comes. Everything about providers is the SDK's. */
import { anthropic } from './isoglot/anthropic.js'
import { stream } from './isoglot/index.js'
import { openaiChat } from './isoglot/openai-chat.js'
import { permittedModels, sessionToken } from './session.js'
import { tools } from './tools.js'
import { clearLog, drawAnswer, drawUser } from './view.js'

/** @typedef {import('./isoglot/index.js').Message} Message */

const providers = {
  'openai-chat': { title: 'OpenAI', model: openaiChat },
  anthropic: { title: 'Anthropic', model: anthropic },
}

/** @param {string} selector */
const find = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector))
const choice = /** @type {HTMLSelectElement} */ (find('#model'))
const form = /** @type {HTMLFormElement} */ (find('#composer'))
const prompt = /** @type {HTMLTextAreaElement} */ (find('#prompt'))
const [send, stop, status, welcome] = ['#send', '#stop', '#status', '#welcome'].map(find)

/** All that was said, in the neutral model: it can go on with any provider. @type {Message[]} */
let history = []
/** @type {AbortController | undefined} */
let running

function chosenModel() {
  const [wire = '', ...rest] = choice.value.split(':')
  const provider = providers[/** @type {keyof typeof providers} */ (wire)]
  return provider.model(rest.join(':'), { apiKey: sessionToken, baseUrl: `${location.origin}/v1` })
}

async function ask() {
  const controller = new AbortController()
  const answer = drawAnswer(choice.selectedOptions[0]?.text ?? 'Answer')
  const run = stream({ model: chosenModel(), messages: history, tools, signal: controller.signal })
  setRunning(controller)
  try {
    for await (const event of run) {
      answer.draw(event)
      if (event.type === 'tool_start') say(`Running ${event.call.name}`)
    }
    answer.end()
    say('The answer is complete')
  } catch (error) {
    if (controller.signal.aborted) {
      answer.end('Stopped')
      say('Stopped')
    } else {
      answer.end()
      answer.fail(error instanceof Error ? error.message : String(error), ask)
    }
  } finally {
    // What came before a failure stays too: the last message says how it ended.
    history = [...history, ...run.messages]
    setRunning(undefined)
  }
}

/** @param {AbortController | undefined} controller */
function setRunning(controller) {
  running = controller
  const isRunning = controller !== undefined
  if (isRunning) say('Answering')
  if (send) send.hidden = isRunning
  if (stop) stop.hidden = !isRunning
  choice.disabled = isRunning
  if (!isRunning) prompt.focus({ preventScroll: true })
}

/** @param {string} text */
function say(text) {
  if (status) status.textContent = text
}

/** @param {string} text */
function submit(text) {
  if (running || choice.options.length === 0 || text.trim() === '') return
  if (welcome) welcome.hidden = true
  history = [...history, { role: 'user', content: text.trim() }]
  drawUser(text.trim())
  prompt.value = ''
  ask()
}

form.addEventListener('submit', (event) => {
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
stop?.addEventListener('click', () => running?.abort())
find('#suggestions').addEventListener('click', (event) => {
  if (event.target instanceof HTMLButtonElement) submit(event.target.textContent ?? '')
})
find('#new').addEventListener('click', () => {
  running?.abort()
  history = []
  clearLog()
  if (welcome) welcome.hidden = false
  prompt.focus()
})

async function connect() {
  const names = (await permittedModels()).filter((name) => Object.hasOwn(providers, name.split(':')[0] ?? ''))
  choice.replaceChildren(
    ...names.map((name) => {
      const [wire = '', ...rest] = name.split(':')
      const { title } = providers[/** @type {keyof typeof providers} */ (wire)]
      return new Option(`${title}: ${rest.join(':')}`, name)
    }),
  )
  choice.disabled = false
}

connect().catch((error) => {
  choice.replaceChildren()
  const box = document.createElement('p')
  box.className = 'error'
  box.setAttribute('role', 'alert')
  box.textContent = `Cannot connect to the Worker: ${error.message}`
  find('main').prepend(box)
})
prompt.focus()
