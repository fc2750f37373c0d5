/** Draws a conversation: takes the SDK's events and knows nothing of where they come from. */
import { element, find } from './dom.js'

/**
 * @typedef {import('./isoglot/index.js').StreamEvent} StreamEvent
 * @typedef {import('./isoglot/index.js').Usage} Usage
 */

const log = find('#log')
const scroller = find('#talk')

/** @param {string} text */
export function drawUser(text) {
  const article = element('article', 'user')
  article.append(element('h2', '', 'You'), element('p', 'text', text))
  log.append(article)
  article.scrollIntoView({ block: 'nearest' })
}

export function clearLog() {
  log.replaceChildren()
}

/**
 * One answer with its tool rounds. `draw` takes each event in turn.
 *
 * @param {string} title
 * @param {HTMLElement} place Default: the chat, which keeps what comes in sight.
 */
export function drawAnswer(title, place = log) {
  const article = element('article', 'assistant')
  article.setAttribute('aria-busy', 'true')
  if (title) article.append(element('h2', '', title))
  const meta = element('p', 'meta')
  place.append(article)

  /** Elements of this round's blocks. @type {Map<number, HTMLElement>} */
  let blocks = new Map()
  /** Cards by the id of their call, over all rounds. @type {Map<string, ReturnType<typeof toolCard>>} */
  const cards = new Map()
  /** @type {Map<number, ReturnType<typeof toolCard>>} */
  let openCards = new Map()

  /** @param {HTMLElement} part */
  function add(part) {
    const isAtEnd = isNearEnd()
    article.append(part, meta)
    if (isAtEnd) scrollToEnd()
    return part
  }

  /**
   * @param {number} index
   * @param {() => HTMLElement} make
   */
  function block(index, make) {
    let found = blocks.get(index)
    if (found === undefined) {
      found = add(make())
      blocks.set(index, found)
    }
    return found
  }

  /** @param {number} index */
  function card(index) {
    let found = openCards.get(index)
    if (found === undefined) {
      found = toolCard()
      openCards.set(index, found)
      add(found.element)
    }
    return found
  }

  /** @param {StreamEvent} event */
  function draw(event) {
    switch (event.type) {
      case 'message_start':
        blocks = new Map()
        openCards = new Map()
        break
      case 'text_delta':
        block(event.index, () => element('p', 'text')).append(event.text)
        break
      case 'reasoning_delta':
        block(event.index, reasoning).lastElementChild?.append(event.text)
        break
      case 'tool_call_chunk':
        card(event.index).grow(event.chunk.name, event.chunk.argumentsDelta)
        break
      case 'tool_call':
        card(event.index).settle(event.call.name, event.call.arguments)
        cards.set(event.call.id, card(event.index))
        break
      case 'invalid_tool_call':
        card(event.index).fail(event.call.error)
        break
      case 'content_block':
        if (!['text', 'reasoning'].includes(event.block.type)) add(element('p', 'meta', `[${event.block.type}]`))
        break
      case 'tool_start':
        cards.get(event.call.id ?? '')?.state('running …')
        break
      case 'tool_result':
        cards.get(event.result.toolCallId)?.finish(event.result)
        break
      case 'warning':
        if (event.warning.severity === 'info') break
        add(element('p', 'meta', `Note: ${event.warning.path} ${event.warning.action}: ${event.warning.reason}`))
        break
      case 'usage':
        meta.textContent = usageText(event.usage)
        break
      case 'done':
        meta.textContent = [usageText(event.result.usage), event.result.stopReason].filter(Boolean).join(' · ')
        break
    }
    if (isNearEnd()) scrollToEnd()
  }

  const isNearEnd = () => place === log && scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 160

  return {
    draw,
    /** @param {string} note */
    end(note = '') {
      article.setAttribute('aria-busy', 'false')
      for (const one of openCards.values()) one.stop()
      if (note) add(element('p', 'meta', note))
    },
    /**
     * @param {string} message
     * @param {() => void} retry
     */
    fail(message, retry) {
      const box = element('p', 'error', message)
      box.setAttribute('role', 'alert')
      const again = element('button', '', 'Try again')
      again.addEventListener('click', retry, { once: true })
      box.append(again)
      add(box)
    },
  }
}

function scrollToEnd() {
  scroller.scrollTo({ top: scroller.scrollHeight })
}

function reasoning() {
  const details = element('details', 'reasoning')
  details.append(element('summary', '', 'Reasoning'), element('p', 'text'))
  details.setAttribute('open', '')
  return details
}

function toolCard() {
  const card = element('div', 'tool')
  const heading = element('h3')
  const name = element('span')
  const state = element('span', '', 'writing …')
  const args = element('pre')
  heading.append(name, state)
  card.append(heading, args)
  return {
    element: card,
    /**
     * @param {string | undefined} toolName
     * @param {string | undefined} delta
     */
    grow(toolName, delta) {
      if (toolName) name.textContent = toolName
      args.append(delta ?? '')
    },
    /**
     * @param {string} toolName
     * @param {object} values
     */
    settle(toolName, values) {
      name.textContent = toolName
      args.textContent = JSON.stringify(values, null, 2)
      state.textContent = 'asked for'
    },
    /** @param {string} text */
    state(text) {
      state.textContent = text
    },
    /** @param {import('./isoglot/index.js').ToolResult} result */
    finish(result) {
      const { content, status } = result
      const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
      state.textContent = status === 'error' ? 'failed' : 'done'
      card.classList.add(status === 'error' ? 'failed' : 'done')
      card.append(element('pre', 'result', text))
    },
    /** @param {string} why */
    fail(why) {
      state.textContent = 'not run'
      card.classList.add('failed')
      card.append(element('pre', 'result', why))
    },
    /** Nothing more will come for it. */
    stop() {
      if (/…$/.test(state.textContent ?? '')) state.textContent = 'not run'
    },
  }
}

/** @param {Usage | undefined} usage */
function usageText(usage) {
  if (usage === undefined) return ''
  const figures = [
    [usage.inputTokens, 'in'],
    [usage.cacheReadTokens, 'from cache'],
    [usage.outputTokens, 'out'],
    [usage.reasoningTokens, 'reasoning'],
  ]
  return figures.flatMap(([count, what]) => (count === undefined ? [] : [`${count} ${what}`])).join(', ')
}
