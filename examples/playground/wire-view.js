/**
 * The view of the wire, in three columns: what the page sends, what the Worker sends to the provider, and what comes back. An answer of the
 * chat has them as they were; any conversation can be looked at as a request of each format.
 */
import { chosenSample, isChatChosen, onChosen } from './chosen.js'
import { onlyIn } from './compare.js'
import { element, find, findSelect, shorten } from './dom.js'
import { encodeFor } from './encode.js'
import { drawJson } from './json-view.js'
import { drawLosses } from './loss-list.js'
import { readable } from './raw-text.js'
import { isShown, onShown } from './views.js'
import { isWire, readName, wireAt, wireNames, wires } from './wires.js'

/**
 * @typedef {import('./take.js').Take} Take
 * @typedef {import('./wires.js').WireName} WireName
 */

/** The maximum length of an answer in the third column, in UTF-16 units. */
const longest = 20_000
/** The pause between two drawings of a stream, in ms. */
const paceMs = 250

const columns = find('#requests')
const [requestChoice, formatChoice, model] = [
  findSelect('#wire-request'),
  findSelect('#wire-format'),
  findSelect('#model'),
]

/** The last answer of the chat. @type {Take | undefined} */
let take
let isDue = false

/** Shows the exchanges of an answer while they happen. @param {Take} next */
export function showExchanges(next) {
  take = next
  formatChoice.value = ''
  requestChoice.replaceChildren()
  next.onChange(() => {
    if (take !== next || isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      fillRequests()
    }, paceMs)
  })
}

/** An answer that calls tools has several requests. The last one is shown, until another is chosen. */
function fillRequests() {
  const count = take?.exchanges.length ?? 0
  const before = requestChoice.options.length
  if (count === before) return draw()
  const isLast = requestChoice.selectedIndex === before - 1
  for (let at = before; at < count; at++) requestChoice.append(new Option(`${at + 1}`, `${at}`))
  if (isLast) requestChoice.selectedIndex = count - 1
  draw()
}

/** What each column was drawn of. A stream changes only some of them, and to draw a long text again takes long. @type {readonly string[]} */
let drawnOf = []

function draw() {
  if (!isShown('wire')) return
  const round = Number(requestChoice.value)
  const exchange = isChatChosen() && formatChoice.value === '' ? take?.exchanges[round] : undefined
  requestChoice.disabled = exchange === undefined
  const wanted =
    take && exchange ? exchangeColumns(take, round) : drawSample().map((drawn) => ({ of: '', draw: () => drawn }))
  for (const [at, { of, draw: make }] of wanted.entries()) {
    const before = columns.children[at]
    if (before && of !== '' && of === drawnOf[at]) continue
    const [scrolled = 0, drawn] = [before?.querySelector('pre')?.scrollTop, make()]
    if (before) before.replaceWith(drawn)
    else columns.append(drawn)
    const pre = drawn.querySelector('pre')
    if (pre) pre.scrollTop = scrolled
  }
  drawnOf = wanted.map(({ of }) => of)
}

/**
 * @param {Take} shown
 * @param {number} round
 * @returns {readonly { of: string, draw: () => HTMLElement }[]}
 */
function exchangeColumns({ entries, exchanges, ending }, round) {
  const { asked = '', sent } = exchanges[round] ?? {}
  const title = sent ? titleAt(sent.path) : 'the provider'
  const ours = entries.filter((entry) => entry.round === round)
  const losses = ours.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'warning' ? [event.warning] : [])),
  )
  const text = sent && textOf(ours.map(({ raw }) => raw))
  const waiting = ending ? 'This Worker does not show what it sends.' : 'Waiting …'
  return [
    { of: `asked ${asked}`, draw: () => drawAsked(parsed(asked)) },
    {
      of: `sent ${asked} ${sent?.path} ${sent?.body} ${losses.length} ${waiting}`,
      draw: () =>
        sent
          ? drawSent(`The Worker asks ${title}`, { ...sent, body: parsed(sent.body) }, parsed(asked), losses)
          : column('The Worker asks the provider', [element('p', 'meta', waiting)]),
    },
    { of: `answer ${title} ${text}`, draw: () => drawAnswer(title, text) },
  ]
}

/** What would be sent. */
function drawSample() {
  const sample = chosenSample()
  const chosen = formatChoice.value || (readName(model.value)?.wire ?? 'anthropic')
  const wire = isWire(chosen) ? chosen : 'anthropic'
  const asked = { version: 1, model: model.value, context: sample.context, options: sample.options }
  return [drawAsked(asked), drawEncoded(wire, sample, asked), drawAnswer(wires[wire].title, undefined)]
}

/** @param {WireName} wire @param {import('./samples.js').Sample} sample @param {unknown} asked */
function drawEncoded(wire, sample, asked) {
  const title = `The Worker asks ${wires[wire].title}`
  try {
    const { path, headers, body, losses } = encodeFor(wire, sample)
    return drawSent(title, { path, headers, body }, asked, losses)
  } catch (error) {
    return column(title, [element('p', 'error', error instanceof Error ? error.message : String(error))])
  }
}

/** @param {unknown} body */
const drawAsked = (body) =>
  column('The page asks the Worker', [
    ...drawRequest('/answer', ['authorization: Bearer <session token>'], body, new Set(), 'What the page sends'),
    element('p', 'meta only', 'The same for every provider, and no key.'),
  ])

/**
 * @param {string} title
 * @param {{ path: string, headers: Readonly<Record<string, string>>, body: unknown }} sent
 * @param {unknown} asked
 * @param {readonly import('./isoglot/index.js').Loss[]} losses
 */
function drawSent(title, { path, headers, body }, asked, losses) {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    name === 'content-type' ? [] : [`${name}: ${value}`],
  )
  return column(title, [
    ...drawRequest(path, lines, body, onlyIn(body, [asked]), 'What the provider gets'),
    element('p', 'meta only', 'Highlighted: what the page did not say.'),
    element('h4', '', losses.length === 1 ? '1 loss' : losses.length > 0 ? `${losses.length} losses` : 'Losses'),
    drawLosses(losses),
  ])
}

/** @param {string} title @param {string | undefined} text */
function drawAnswer(title, text) {
  if (text === undefined) return column(`${title} answers`, [element('p', 'meta', 'Nothing yet. Ask in the chat.')])
  return column(`${title} answers`, [
    element('p', 'path', 'as it came'),
    element('p', 'meta', `${text.length} characters`),
    drawPre(document.createTextNode(shorten(text, longest)), 'What comes back'),
    element('p', 'meta only', 'The page gets isoglot’s events instead: see Stream.'),
  ])
}

/** @param {string} path @param {readonly string[]} headers @param {unknown} body @param {ReadonlySet<string>} lit @param {string} label */
function drawRequest(path, headers, body, lit, label) {
  const bytes = new TextEncoder().encode(JSON.stringify(body)).length
  return [
    element('p', 'path', [element('span', 'verb', 'POST'), document.createTextNode(` ${path}`)]),
    element('p', 'meta', [`${bytes} bytes`, ...headers].join(' · ')),
    drawPre(drawJson(body, lit), label),
  ]
}

/** @param {Node} content @param {string} label */
function drawPre(content, label) {
  const pre = element('pre', '', [content])
  pre.tabIndex = 0
  pre.setAttribute('role', 'region')
  pre.setAttribute('aria-label', label)
  return pre
}

/** @param {string} title @param {readonly Node[]} content */
const column = (title, content) => element('article', 'request', [element('h3', '', title), ...content])

/** @param {string} path */
function titleAt(path) {
  const wire = wireAt(path)
  return wire ? wires[wire].title : 'the provider'
}

/** The frames as text, up to the length that is shown. @param {readonly string[]} frames */
function textOf(frames) {
  let text = ''
  for (const frame of frames) if (text.length <= longest) text += frame
  return readable(text)
}

/** @param {string} body A long body was cut. @returns {unknown} */
function parsed(body) {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** Highlights the same value in the other columns while the pointer is on it. @param {Event} event */
function showSame({ target }) {
  const mark = target instanceof HTMLElement ? target.dataset.mark : undefined
  for (const one of columns.querySelectorAll('.same')) one.classList.remove('same')
  if (mark === undefined) return
  for (const one of columns.querySelectorAll(`[data-mark="${CSS.escape(mark)}"]`)) one.classList.add('same')
}

formatChoice.append(new Option('as it was sent', ''), ...wireNames.map((wire) => new Option(wires[wire].title, wire)))
for (const choice of [requestChoice, formatChoice]) choice.addEventListener('change', draw)
model.addEventListener('change', draw)
columns.addEventListener('pointerover', showSame)
columns.addEventListener('pointerleave', showSame)
onChosen(draw)
onShown('wire', fillRequests)
