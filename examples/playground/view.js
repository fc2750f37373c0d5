/** Draws a conversation, item by item. */
import { element } from './dom.js'
import { drawPart } from './parts.js'

/**
 * @typedef {import('./isoglot/chat.js').ViewMessage} ViewMessage
 *
 * @typedef {object} Frame The frame around the parts of an item.
 * @property {(message: ViewMessage) => string} titleOf
 * @property {(message: ViewMessage, article: HTMLElement) => readonly Node[]} footOf For an item that has ended.
 */

/** The list follows new content if it is at most this far from its end, in px. */
const nearEnd = 48

/**
 * @param {HTMLElement} place The element that scrolls.
 * @param {HTMLElement} log The list inside it.
 * @param {Frame} frame
 */
export function createView(place, log, frame) {
  /** @type {Map<string, ReturnType<typeof createItem>>} */
  const items = new Map()

  /** @param {readonly ViewMessage[]} messages */
  return (messages) => {
    const isAtEnd = place.scrollTop + place.clientHeight >= place.scrollHeight - nearEnd
    const isNew = messages.some(({ id, role }) => role === 'user' && !items.has(id))
    for (const [id, item] of items) {
      if (messages.some((message) => message.id === id)) continue
      item.article.remove()
      items.delete(id)
    }
    for (const message of messages) {
      const item = items.get(message.id) ?? createItem(message, frame)
      items.set(message.id, item)
      if (!item.article.isConnected) log.append(item.article)
      item.draw(message)
    }
    if (isAtEnd || isNew) place.scrollTo({ top: place.scrollHeight })
  }
}

/** @param {ViewMessage} first @param {Frame} frame */
function createItem(first, { titleOf, footOf }) {
  const article = element('article', first.role)
  const title = element('h2')
  const foot = element('footer')
  article.append(title, foot)
  /** @type {Map<string, import('./parts.js').Drawn>} */
  const parts = new Map()
  /** @type {ViewMessage | undefined} */
  let drawn

  return {
    article,
    /** @param {ViewMessage} message */
    draw(message) {
      if (message === drawn) return
      for (const part of message.parts) {
        const known = parts.get(part.id)
        const one = known ?? drawPart(part, message.role)
        if (!known) foot.before(one.element)
        parts.set(part.id, one)
        one.update(part)
      }
      for (const [id, { element: gone }] of parts) {
        if (message.parts.some((part) => part.id === id)) continue
        gone.remove()
        parts.delete(id)
      }
      const isOver = message.state !== 'streaming' && message.state !== 'sending'
      article.setAttribute('aria-busy', `${message.role === 'assistant' && !isOver}`)
      title.textContent = titleOf(message)
      title.hidden = title.textContent === ''
      if (isOver) foot.replaceChildren(...footOf(message, article))
      drawn = message
    },
  }
}
