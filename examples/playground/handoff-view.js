/**
 * The view of a hand-off: the conversation continues with another provider. It shows the stored conversation, the request, and the losses.
 */
import { goOnWith } from './chat.js'
import { chosenSample, onChosen } from './chosen.js'
import { element, find, findSelect, shorten } from './dom.js'
import { encodeFor } from './encode.js'
import { drawLosses } from './loss-list.js'
import { isShown, onShown, open } from './views.js'
import { modelOf, readName, wireNames, wires } from './wires.js'

/**
 * @typedef {import('./isoglot/index.js').ContentBlock} ContentBlock
 * @typedef {import('./isoglot/index.js').Loss} Loss
 * @typedef {import('./isoglot/index.js').Message} Message
 * @typedef {import('./encode.js').Encoded} Encoded
 * @typedef {{ wire: import('./wires.js').WireName, name: string }} Target
 */

const target = findSelect('#target')
const model = findSelect('#model')

/** The models of the chat, then other models of each provider. The provider of the last answer comes last: that would be no hand-off. */
function targets() {
  const offered = [...model.options].map(({ value }) => value)
  const known = wireNames.flatMap((wire) => wires[wire].models.map((name) => `${wire}:${name}`))
  const all = [...new Set([...offered, ...known])].map(readName).filter((one) => one !== undefined)
  return [...all.filter((one) => !isLast(one)), ...all.filter(isLast)]
}

/** Whether the last answer of the conversation is of this provider. @param {Target} one */
function isLast({ wire }) {
  const last = chosenSample()
    .context.messages.filter((message) => message.role === 'assistant')
    .at(-1)
  return last?.response?.provider === modelOf(wire).provider
}

/** @param {Target} one */
const titleOf = ({ wire, name }) => `${wires[wire].title}: ${name}`

/** @param {Target} one */
const idOf = ({ wire, name }) => `${wire}:${name}`

/** @param {Target} one @returns {Encoded | Error} */
function attempt({ wire, name }) {
  try {
    return encodeFor(wire, chosenSample(), name)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function draw() {
  if (!isShown('handoff')) return
  const results = targets().map((one) => ({ one, result: attempt(one) }))
  find('#targets tbody').replaceChildren(...results.map(({ one, result }) => drawRow(one, result)))
  const chosen = results.find(({ one }) => idOf(one) === target.value)
  const stored = chosenSample().context.messages
  if (chosen === undefined || chosen.result instanceof Error) {
    find('#handoff-result').replaceChildren(
      element('p', 'error', chosen?.result instanceof Error ? chosen.result.message : ''),
    )
  } else {
    find('#handoff-result').replaceChildren(...drawPair(titleOf(chosen.one), stored, chosen.result))
  }
  drawButton()
}

/** The chat decides whether it can continue there. */
function drawButton() {
  const one = readName(target.value)
  const isOffered = [...model.options].some(({ value }) => value === target.value)
  const button = find('#go-on')
  button.toggleAttribute('disabled', !isOffered)
  button.textContent = one && isOffered ? `Continue with ${wires[one.wire].title}` : 'Not offered by the chat'
}

// ---- all targets ------------------------------------------------------------------------------

/** @param {Target} one @param {Encoded | Error} result */
function drawRow(one, result) {
  const button = element('button', 'quiet', titleOf(one))
  button.setAttribute('type', 'button')
  button.setAttribute('aria-pressed', `${target.value === idOf(one)}`)
  button.dataset.target = idOf(one)
  const head = element('th', '', [button])
  head.setAttribute('scope', 'row')
  if (result instanceof Error) {
    const cell = element('td', 'bad', result.message)
    cell.setAttribute('colspan', '4')
    return element('tr', '', [head, cell])
  }
  const { losses } = result
  const counts = ['changed', 'dropped', 'invented'].map((action) => losses.filter((loss) => loss.action === action))
  const cells = counts.map((found) => element('td', found.length > 0 ? 'some' : 'none', `${found.length}`))
  return element('tr', '', [head, ...cells, element('td', '', worstOf(losses))])
}

/** @param {readonly Loss[]} losses */
function worstOf(losses) {
  const worst = ['major', 'minor', 'info'].find((severity) => losses.some((loss) => loss.severity === severity))
  return worst ?? 'nothing'
}

// ---- one target -------------------------------------------------------------------------------

/** @param {string} title @param {readonly Message[]} stored @param {Encoded} encoded */
function drawPair(title, stored, { messages, losses }) {
  const before = drawSide('As it is stored', stored, (message) => !messages.includes(message))
  const after = drawSide(`As ${title} gets it`, messages, (message) => !stored.includes(message), stored)
  return [element('div', 'pair', [before, after]), element('h3', '', 'What changes'), drawLosses(losses)]
}

/**
 * @param {string} title
 * @param {readonly Message[]} messages
 * @param {(message: Message) => boolean} isTouched
 * @param {readonly Message[]} [from] The messages that the blocks may come from.
 */
function drawSide(title, messages, isTouched, from) {
  const known = new Set(from?.flatMap(({ content }) => (Array.isArray(content) ? content : [])))
  const turns = messages.map((message) => {
    const touched = isTouched(message)
    const item = element('li', touched ? 'turn touched' : 'turn', [drawWho(message, touched, from !== undefined)])
    for (const block of blocksIn(message)) {
      const isNew = touched && from !== undefined && !known.has(block)
      item.append(drawBlock(block, isNew))
    }
    return item
  })
  return element('section', '', [element('h3', '', title), element('ol', 'turns', turns)])
}

/** @param {Message} message @param {boolean} touched @param {boolean} isAfter */
function drawWho(message, touched, isAfter) {
  const word = isAfter ? 'changed' : 'will be changed'
  const parts = [message.role, ...aboutOf(message), ...(touched ? [word] : [])]
  return element('p', 'who', parts.filter(Boolean).join(' · '))
}

/** The model or the tool that wrote it, and whether that succeeded. @param {Message} message */
function aboutOf(message) {
  if (message.role === 'assistant') return [message.response?.model]
  return message.role === 'tool' ? [message.name, message.status === 'error' && 'failed'] : []
}

/** @param {Message} message @returns {readonly ContentBlock[]} */
function blocksIn({ content }) {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content ?? []
}

/** @param {ContentBlock} block @param {boolean} isNew */
function drawBlock(block, isNew) {
  const kind = element('span', 'kind', block.type.replaceAll('_', ' '))
  const box = element('p', `block ${block.type}`, [kind, element(isNew ? 'mark' : 'span', '', textIn(block))])
  if ('opaque' in block && block.opaque) box.append(element('span', 'proof', `proof of ${block.opaque.model}`))
  return box
}

/** @param {ContentBlock} block */
function textIn(block) {
  switch (block.type) {
    case 'tool_call':
    case 'server_tool_call':
      return `${block.name} ${block.argumentsText ?? JSON.stringify(block.arguments)}`
    case 'text':
    case 'reasoning':
    case 'plain_text':
      return shorten(block.text, 400)
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return block.url ?? block.fileId ?? `${block.mimeType}, ${block.data?.length ?? 0} characters of base64`
    default:
      return shorten(JSON.stringify(block), 200)
  }
}

/** Offers the targets, and begins with this one, if it is of another provider than the last answer. @param {string} name */
function offer(name) {
  const all = targets()
  target.replaceChildren(...all.map((one) => new Option(titleOf(one), idOf(one))))
  const chosen = all.find((one) => idOf(one) === name)
  if (chosen && !isLast(chosen)) target.value = name
  draw()
}

offer(model.value)
model.addEventListener('change', () => offer(model.value))
target.addEventListener('change', draw)
find('#targets').addEventListener('click', (event) => {
  const name = event.target instanceof HTMLElement ? event.target.dataset.target : undefined
  if (name === undefined) return
  target.value = name
  draw()
  find(`#targets [data-target="${CSS.escape(name)}"]`).focus()
})
find('#go-on').addEventListener('click', () => {
  if (goOnWith(target.value)) open('chat')
})
onChosen(() => offer(target.value))
onShown('handoff', draw)
