/** The chat: the input, the choice of the model, and two chats side by side. The SDK does all the work with providers. */
import { takeAttached } from './attachments.js'
import { backend, ownModel } from './backend.js'
import { tell } from './conversation.js'
import { element, find, findSelect } from './dom.js'
import { copy } from './foot.js'
import { createTalk } from './talk.js'
import { open, openFirst } from './views.js'
import { ownModelName, titleOf } from './wires.js'

const [choice, otherChoice] = [findSelect('#model'), findSelect('#other-model')]
const prompt = /** @type {HTMLTextAreaElement} */ (find('#prompt'))
const [send, stop, status] = [find('#send'), find('#stop'), find('#status')]
const [welcome, second] = [find('#welcome'), find('#second')]

const chat = createTalk(find('#talk'), choice, { isFirst: true, say })
const other = createTalk(second, otherChoice, { isFirst: false, say: () => {} })

const isRunning = () => chat.getSnapshot().isBusy || other.getSnapshot().isBusy

/** @param {string} text */
function say(text) {
  status.textContent = text
}

/** The state of the chat and the number of complete messages, for the views. */
let told = ''

function follow() {
  const { messages, status: state } = chat.getSnapshot()
  const all = messages.flatMap((one) => one.messages)
  const whole = `${state} ${all.filter((one) => one.role !== 'assistant' || one.stopReason).length}`
  if (whole !== told) tell(all)
  told = whole
  setRunning(isRunning())
  showWelcome(messages.length === 0)
}

/** @param {boolean} isBusy */
function setRunning(isBusy) {
  if (stop.hidden !== isBusy) return
  if (isBusy) say('Answering')
  send.hidden = isBusy
  stop.hidden = !isBusy
  for (const select of [choice, otherChoice]) select.disabled = isBusy
  for (const button of find('#suggestions').querySelectorAll('button')) button.disabled = isBusy
  const { activeElement: at } = document
  if (!isBusy && !backend.isRecorded && (at === document.body || at === stop)) prompt.focus({ preventScroll: true })
}

/** @param {string} said */
function submit(said) {
  const text = said.trim()
  if (isRunning() || choice.options.length === 0) return
  const attached = takeAttached()
  if (text === '' && attached.length === 0) return
  const content =
    attached.length > 0 ? [...attached, ...(text ? [{ type: /** @type {const} */ ('text'), text }] : [])] : text
  prompt.value = ''
  if (second.hidden) openFirst('stream')
  chat.send(content)
  if (!second.hidden) other.send(content)
}

/** Without a Worker, the user can only send the suggestions, so they stay visible. @param {boolean} isShown */
function showWelcome(isShown) {
  if (welcome.hidden === !isShown) return
  welcome.hidden = !isShown
  if (!backend.isRecorded) return
  const focused = document.activeElement
  if (isShown) welcome.append(find('#suggestions'))
  else find('#composer').after(find('#suggestions'))
  if (focused instanceof HTMLElement) focused.focus()
}

/** A browser downloads its model only after a click, for example on the list. @param {string} name */
async function loadOwn(name) {
  if (name !== ownModelName) return
  try {
    await ownModel.prepare()
    say('The model of this browser is ready')
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
  }
}

/** Continues the conversation with that model, if it is offered and no turn is running. @param {string} name */
export function goOnWith(name) {
  if (isRunning() || ![...choice.options].some(({ value }) => value === name)) return false
  choice.value = name
  choice.dispatchEvent(new Event('change'))
  say(`The chat continues with ${titleOf(name)}`)
  return true
}

/** Without a Worker, only recorded messages can be sent. */
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
    'These are static files, without a Worker or a model: our recordings answer, in five of the formats.'
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
function stopAll() {
  for (const one of [chat, other]) if (one.getSnapshot().isBusy) one.stop()
}
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') stopAll()
})
stop.addEventListener('click', stopAll)
find('#suggestions').addEventListener('click', (event) => {
  if (event.target instanceof HTMLButtonElement) submit(event.target.textContent ?? '')
})
for (const button of document.querySelectorAll('[data-copy]'))
  button.addEventListener('click', () => button instanceof HTMLElement && copy(button.dataset.copy ?? '', button))
find('#new').addEventListener('click', () => {
  chat.clear()
  other.clear()
  prompt.focus()
})
choice.addEventListener('change', () => {
  if (backend.isRecorded) find('#composer').hidden = choice.value !== ownModelName
})
for (const select of [choice, otherChoice]) {
  select.addEventListener('change', () => loadOwn(select.value))
  select.addEventListener('focus', offerOwn)
}
otherChoice.addEventListener('change', () => {
  const isAlone = otherChoice.value === ''
  if (second.hidden === isAlone) return
  second.hidden = isAlone
  if (isAlone) return other.clear()
  // Both begin with the conversation so far. Two columns need the space.
  other.setMessages(chat.getSnapshot().messages.flatMap(({ messages }) => messages))
  open('chat')
})
chat.subscribe(follow)
other.subscribe(follow)

/** @param {import('./backend.js').Offer} offer */
function drawGroup({ title, names }) {
  const group = document.createElement('optgroup')
  group.label = title
  group.append(...names.map((name) => new Option(titleOf(name), name)))
  return group
}

let isOwnOffered = false

async function offerOwn() {
  if (isOwnOffered) return
  isOwnOffered = true
  const offers = await backend.ownOffers()
  for (const select of [choice, otherChoice]) select.append(...offers.map(drawGroup))
}

/** Loads the list of models, and the conversation from before a reload. */
export async function connect() {
  setUpComposer()
  const loading = chat.load().catch((error) => say(`Cannot load the chat: ${error}`))
  try {
    const offers = await backend.offers()
    choice.replaceChildren(...offers.map(drawGroup))
    otherChoice.replaceChildren(new Option('Compare with …', ''), ...offers.map(drawGroup))
    await loading
    choice.disabled = false
    otherChoice.disabled = false
    choice.dispatchEvent(new Event('change'))
  } catch (error) {
    choice.replaceChildren()
    const box = element('p', 'error', `Cannot connect to the Worker: ${error instanceof Error ? error.message : error}`)
    box.setAttribute('role', 'alert')
    find('#talk').prepend(box)
  }
}
