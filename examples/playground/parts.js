/** Draws the parts of a message: text, reasoning, calls of tools with their results, media. Updates the parts that are already drawn. */
import { element, shorten } from './dom.js'
import { safeUrl } from './isoglot/safe-url.js'
import { createMarkdown, linkTo } from './markdown.js'

/**
 * @typedef {import('./isoglot/chat.js').ViewPart} ViewPart
 * @typedef {import('./isoglot/chat.js').ToolPart} ToolPart
 * @typedef {import('./isoglot/index.js').ContentBlock} ContentBlock
 *
 * @typedef {{ element: HTMLElement, update: (part: any) => void }} Drawn
 */

/** @param {ViewPart} part @param {'user' | 'assistant' | 'system'} role @returns {Drawn} */
export function drawPart(part, role) {
  switch (part.type) {
    case 'text':
      return role === 'assistant' ? drawMarkdown() : drawPlain()
    case 'reasoning':
      return drawReasoning()
    case 'tool':
      return drawTool()
    case 'server_tool':
      return drawLine('meta', ({ name, state }) => `${name} · ${state}`)
    case 'data':
      return drawLine('meta', ({ name, value }) => `${name}: ${JSON.stringify(value)}`)
    default:
      return { element: drawBlock(part.block), update: () => {} }
  }
}

/** @param {string} className @param {(part: any) => string} textIn @returns {Drawn} */
function drawLine(className, textIn) {
  const line = element('p', className)
  return {
    element: line,
    update(part) {
      line.textContent = textIn(part)
    },
  }
}

const drawPlain = () => drawLine('text plain', ({ text }) => text)

/** @returns {Drawn} */
function drawMarkdown() {
  const box = element('div', 'text')
  const markdown = createMarkdown(box)
  return {
    element: box,
    update: ({ text, citations, state }) => markdown.show(text, citations, state === 'done'),
  }
}

/** @returns {Drawn} */
function drawReasoning() {
  const summary = element('summary')
  const text = drawPlain()
  const beganAt = performance.now()
  let hasStreamed = false
  return {
    element: element('details', 'reasoning', [summary, text.element]),
    update(part) {
      text.update(part)
      if (part.state === 'streaming') {
        hasStreamed = true
        summary.textContent = 'Thinking …'
      } else if (summary.textContent === '' || summary.textContent === 'Thinking …') {
        summary.textContent = hasStreamed ? `Thought for ${secondsSince(beganAt)}` : 'Reasoning'
      }
    },
  }
}

/** @param {number} beganAt By `performance.now()`. */
const secondsSince = (beganAt) => `${((performance.now() - beganAt) / 1000).toFixed(1)} s`

/** The names of the states of a call. @type {Readonly<Record<ToolPart['state'], string>>} */
const states = {
  arguments: 'writing …',
  ready: 'ready',
  waiting: 'waiting',
  running: 'running …',
  done: 'done',
  failed: 'failed',
  refused: 'refused',
  invalid: 'not run',
}

/** Open while the tool runs, and one line when it is done. @returns {Drawn} */
function drawTool() {
  const [name, subject, state] = [element('strong'), element('span', 'subject'), element('span', 'state')]
  const [args, result] = [element('pre', 'arguments'), element('pre', 'result')]
  for (const one of [args, result]) one.setAttribute('tabindex', '0')
  const box = element('details', 'tool', [element('summary', '', [name, subject, state]), args, result])
  let shown = ''
  let beganAt = 0
  return {
    element: box,
    /** @param {ToolPart} part */
    update(part) {
      const isDone = ['done', 'failed', 'refused', 'invalid'].includes(part.state)
      name.textContent = part.name
      const values = Object.values(part.arguments ?? {})
        .map(String)
        .join(', ')
      subject.textContent = values && ` · ${shorten(values, 60)}`
      args.textContent = part.arguments ? JSON.stringify(part.arguments, null, 2) : part.argumentsText
      const content = part.error ?? part.content ?? ''
      result.textContent = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
      result.hidden = result.textContent === ''
      if (shown === part.state) return
      shown = part.state
      if (part.state === 'running') beganAt = performance.now()
      const hasRun = part.state === 'done' && beganAt > 0
      state.textContent = ` · ${states[part.state]}${hasRun ? ` · ${secondsSince(beganAt)}` : ''}`
      box.className = `tool ${part.state}`
      box.toggleAttribute('open', !isDone || part.state === 'failed' || part.state === 'invalid')
    },
  }
}

/** A picture, or a line with its description. @param {ContentBlock} block */
export function drawBlock(block) {
  const data = 'data' in block && 'mimeType' in block ? `data:${block.mimeType};base64,${block.data}` : undefined
  const src = data && safeUrl(data, 'image')
  if (src) {
    const image = document.createElement('img')
    Object.assign(image, { src, alt: 'Attached picture' })
    return element('p', 'media', [image])
  }
  if ('url' in block && block.url) return element('p', 'media', [linkTo(block.url, `${block.type}: ${block.url}`)])
  return element('p', 'media', titleOf(block))
}

/** @param {ContentBlock} block */
function titleOf(block) {
  if (block.type === 'plain_text') return `${block.title ?? 'Text'} (${block.text.length} characters)`
  if ('filename' in block && block.filename) return block.filename
  return block.type.replaceAll('_', ' ')
}
