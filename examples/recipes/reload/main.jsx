/** The page: an answer survives a reload. `npm run example recipes/reload`, then say "slow", and reload while it counts. */
import { createChatStore, localPersist, runTransport } from 'isoglot/chat'
import { readEvents, resuming } from 'isoglot/read'

const url = '/api/chat'
const resume = resuming({ url })

/** Asks, and remembers the name of the run that the server keeps. */
async function ask(turn) {
  const body = JSON.stringify({ chatId: turn.chatId, trigger: turn.trigger, messages: turn.added })
  const response = await fetch(url, { method: 'POST', body, signal: turn.signal })
  sessionStorage.setItem('run', response.headers.get('x-isoglot-stream') ?? '')
  return response
}

const asking = runTransport((turn) =>
  readEvents(turn.trigger === 'resume' ? fetch(`${url}/${sessionStorage.getItem('run')}`) : ask(turn), {
    signal: turn.signal,
    resume,
  }),
)
const transport = {
  ...asking,
  async resume(chatId, signal) {
    if (sessionStorage.getItem('run')) return asking.send({ chatId, signal, trigger: 'resume' })
  },
}

const chat = createChatStore({
  id: 'reload',
  transport,
  persist: localPersist(),
  onFinish: ({ outcome }) => outcome === 'failed' || sessionStorage.removeItem('run'),
})
document.getElementById('app').innerHTML = `<main><ol role="log"></ol><p role="alert" hidden></p>
  <form><input name="text" aria-label="Message" autocomplete="off"><button>Send</button></form></main>`
const [main, list, alert, form] = ['main', 'ol', 'p', 'form'].map((name) => document.querySelector(name))

chat.subscribe(() => {
  const { messages, isBusy, error } = chat.getSnapshot()
  main.ariaBusy = isBusy
  form.lastElementChild.textContent = isBusy ? 'Stop' : 'Send'
  alert.hidden = error === undefined
  alert.textContent = error?.message
  list.replaceChildren(
    ...messages.map(({ role, parts }) => {
      const item = Object.assign(document.createElement('li'), { className: role })
      item.textContent = parts.map((part) => part.text ?? `[${part.type}]`).join('\n')
      return item
    }),
  )
})

form.onsubmit = (event) => {
  event.preventDefault()
  if (chat.getSnapshot().isBusy) return chat.stop()
  const text = form.elements.text.value.trim()
  form.reset()
  if (text !== '') chat.send(text)
}
// The history as it was stored, then the answer that was under way.
await chat.load()
await chat.resume()
