/** The page: an answer survives a reload. `npm run example recipes/reload`, then say "slow", and reload while it counts. */
import { createChatStore, fetchTransport, keptRuns, localPersist } from 'isoglot/chat'

const transport = fetchTransport({ url: '/api/chat', resume: keptRuns })
const chat = createChatStore({ id: 'reload', transport, persist: localPersist() })
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
