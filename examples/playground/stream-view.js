/** The view of the stream: a take as a picture, and one moment of it: the frame, its events, and the message at that moment. */
import { element, find, findInput, findSelect } from './dom.js'
import { guessWire } from './guess-wire.js'
import { toView } from './isoglot/chat.js'
import { applyEvent } from './isoglot/index.js'
import { drawJson } from './json-view.js'
import { drawLaneTable } from './lane-table.js'
import { drawRaw } from './raw-text.js'
import { fetchRecording, recordedWires, recordings } from './recordings.js'
import { bytesOf, readRecording } from './take.js'
import { drawTimeline, timeText } from './timeline.js'
import { createView } from './view.js'
import { isShown, onShown, open } from './views.js'
import { isWire, wireNames, wires } from './wires.js'

/**
 * @typedef {import('./isoglot/index.js').Message} Message
 * @typedef {import('./take.js').Take} Take
 * @typedef {import('./wires.js').WireName} WireName
 */

/** The maximum size of a recording, in bytes: a larger file is not a model's answer. */
const largest = 32 * 1024 * 1024
/** The pause between two frames while a recording plays, in ms. */
const paceMs = 60

const picture = find('#timeline')
const scrub = findInput('#scrub')
const play = find('#play')
const list = findSelect('#recordings')
const wireChoice = findSelect('#take-wire')

/** @type {Take | undefined} */
let take
/** The last answer of the chat. @type {Take | undefined} */
let live
/** The bytes of a recording, so that it can be read in another format. @type {{ title: string, bytes: Uint8Array } | undefined} */
let source
/** @type {ReturnType<typeof drawTimeline> | undefined} */
let timeline
/** Whether the view follows the stream. */
let isFollowing = true
let playing = 0
let isDue = false

/** Shows a take, and follows it until its end. @param {Take} next */
export function showTake(next) {
  pause()
  take = next
  source = undefined
  isFollowing = true
  if (next.isLive) {
    live = next
    list.value = ''
    note('')
  }
  wireChoice.disabled = next.isLive
  next.onChange(() => {
    if (take !== next) return
    if (next.ending) draw()
    else drawSoon()
  })
  draw()
}

/** @param {{ title: string, bytes: Uint8Array }} recording @param {WireName} wire */
function showRecording(recording, wire) {
  showTake(readRecording({ ...recording, wire }))
  source = recording
}

// ---- drawing ----------------------------------------------------------------------------------

/** A longer stream takes longer to draw, so it is drawn less often. */
function drawSoon() {
  if (isDue || !isShown('stream')) return
  isDue = true
  const waitMs = Math.min(500, 16 + (take?.entries.length ?? 0) / 10)
  setTimeout(() => {
    isDue = false
    draw()
  }, waitMs)
}

function draw() {
  if (take === undefined || !isShown('stream')) return
  timeline = drawTimeline(take, Math.max(260, picture.clientWidth))
  picture.replaceChildren(timeline.svg)
  scrub.max = `${take.entries.length}`
  if (isFollowing) scrub.value = scrub.max
  drawSummary(take)
  find('#lanes tbody').replaceChildren(...drawLaneTable(take))
  drawMoment()
}

/** @param {Take} shown */
function drawSummary({ title, wire, ending, isLive }) {
  wireChoice.value = wire ?? ''
  find('#save').toggleAttribute('disabled', wire === undefined)
  const about = isLive ? 'live' : 'a recording has no clock: one step is one frame'
  find('#take-title').textContent = title
  find('#take-about').textContent = `${wire ? wires[wire].title : 'No wire'}, ${about}`
  const end = find('#take-ending')
  end.textContent = ending?.text ?? 'Streaming …'
  end.className = `ending ${ending?.kind ?? 'open'}`
}

/** The moment that the slider shows: after this number of frames. */
function drawMoment() {
  if (take === undefined) return
  const { entries } = take
  const count = Number(scrub.value)
  const entry = entries[count - 1]
  const at = entry?.at ?? 0
  timeline?.moveTo(at)
  const where = `${count} of ${entries.length}${entry === undefined ? '' : `, ${timeText(take, at)}`}`
  find('#position').textContent = where
  scrub.setAttribute(
    'aria-valuetext',
    `Frame ${where}: ${entry?.events.map(({ type }) => type).join(', ') || 'no event'}`,
  )
  showRaw(take, count)
  find('#moment-events').replaceChildren(...eventsOf(entry))
  drawMessage(take, count)
  find('#play').textContent = playing ? 'Pause' : 'Play'
}

/** Shows the frames around the moment, beginning with the one of the moment. @param {Take} shown @param {number} count */
function showRaw(shown, count) {
  const pane = find('#moment-raw')
  pane.replaceChildren(...drawRaw(shown, count))
  const here = pane.querySelector('.here')
  pane.scrollTop += here ? here.getBoundingClientRect().top - pane.getBoundingClientRect().top - 10 : 0
}

/** @param {Take['entries'][number] | undefined} entry */
function eventsOf(entry) {
  if (!entry?.events.length) return [document.createTextNode('No event: the frame has no content for the message.')]
  return entry.events.map((event) => element('span', 'event', [drawJson(withoutMessage(event))]))
}

/** The end repeats the whole message, which the page shows next to it anyway. @param {import('./take.js').StreamEvent} event */
function withoutMessage(event) {
  if (event.type !== 'message_end') return event
  const { stopReason, usage } = event.response
  return { type: event.type, response: { stopReason, usage, message: '…' } }
}

/**
 * The messages after a number of frames of a take. They are extended if the number grows, and made from the beginning if it gets smaller.
 */
let standing = { take, count: 0, messages: /** @type {readonly Message[]} */ ([]) }
const place = find('#moment-message')
const drawAnswer = createView(place, place, { titleOf: () => '', footOf: () => [] })

/** @param {Take} shown @param {number} count */
function drawMessage(shown, count) {
  if (standing.take !== shown || standing.count > count) standing = { take: shown, count: 0, messages: [] }
  for (const event of shown.entries.slice(standing.count, count).flatMap(({ events }) => events)) {
    standing.messages = applyEvent(standing.messages, event)
  }
  standing.count = count
  drawAnswer(toView(standing.messages).map((one) => (shown.ending ? one : asGrowing(one))))
  find('#moment-data').replaceChildren(drawJson(standing.messages))
}

/** More events may follow, so the drawn part stays. @param {import('./isoglot/chat.js').ViewMessage} message */
function asGrowing(message) {
  const parts = message.parts.map((part) => (part.type === 'text' ? { ...part, state: 'streaming' } : part))
  return /** @type {typeof message} */ ({ ...message, parts })
}

// ---- moving -----------------------------------------------------------------------------------

/** @param {number} count */
function moveTo(count) {
  scrub.value = `${count}`
  isFollowing = scrub.value === scrub.max
  drawMoment()
}

function pause() {
  clearInterval(playing)
  playing = 0
  play.textContent = 'Play'
}

function togglePlay() {
  if (playing) return pause()
  if (scrub.value === scrub.max) moveTo(0)
  isFollowing = false
  playing = setInterval(() => {
    moveTo(Number(scrub.value) + 1)
    if (scrub.value === scrub.max) pause()
  }, paceMs)
  drawMoment()
}

/** @param {PointerEvent} event */
function point(event) {
  if (take === undefined || timeline === undefined || (event.type === 'pointermove' && event.buttons === 0)) return
  const time = timeline.timeAt(event.clientX - picture.getBoundingClientRect().left)
  const after = take.entries.findIndex(({ at }) => at > time)
  pause()
  moveTo(after < 0 ? take.entries.length : after)
}

// ---- recordings -------------------------------------------------------------------------------

/** @param {string} text */
function note(text) {
  find('#take-note').textContent = text
}

/** @param {File} file */
async function openFile(file) {
  open('stream')
  if (file.size > largest) return note(`Cannot open ${file.name}: it is larger than ${largest / 1024 / 1024} MiB`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const wire = guessWire(new TextDecoder().decode(bytes.subarray(0, 64 * 1024)), file.name)
  list.value = ''
  note(wire ? `${file.name} looks like ${wires[wire].title}` : `Cannot recognise the format of ${file.name}: choose it`)
  showRecording({ title: file.name, bytes }, wire ?? 'openai-chat')
}

/** @param {string} file @param {() => boolean} isWanted Called when the file has arrived. */
async function openRecording(file, isWanted = () => true) {
  const recording = recordings.find((one) => one.file === file)
  if (recording === undefined) return
  try {
    const bytes = await fetchRecording(file)
    if (!isWanted()) return
    note('')
    list.value = file
    showRecording({ title: titleOf(recording), bytes }, recording.wire)
  } catch (error) {
    note(error instanceof Error ? error.message : String(error))
  }
}

/** @param {{ wire: WireName, what: string }} recording */
const titleOf = ({ wire, what }) => `${wires[wire].title}: ${what}`

/** The raw bytes of the answer at the slider, as a recording to download. */
function save() {
  if (take?.wire === undefined) return
  const { wire, entries } = take
  const round = entries[Math.max(0, Number(scrub.value) - 1)]?.round ?? 0
  const frames = entries.filter((entry) => entry.round === round).map(({ raw }) => bytesOf(wire, raw))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob(frames))
  link.download = `${wire}.${wires[wire].ending}`
  link.click()
  URL.revokeObjectURL(link.href)
}

function fillLists() {
  wireChoice.append(...wireNames.map((wire) => new Option(wires[wire].title, wire)))
  for (const wire of recordedWires) {
    const group = document.createElement('optgroup')
    group.label = wires[wire].title
    const ours = recordings.filter((recording) => recording.wire === wire)
    group.append(...ours.map((recording) => new Option(titleOf(recording), recording.file)))
    list.append(group)
  }
}

fillLists()
list.addEventListener('change', () => {
  if (list.value !== '') openRecording(list.value)
  else if (live) showTake(live)
})
wireChoice.addEventListener('change', () => {
  if (source && isWire(wireChoice.value)) showRecording(source, wireChoice.value)
})
findInput('#recording-file').addEventListener('change', ({ target }) => {
  const file = target instanceof HTMLInputElement ? target.files?.[0] : undefined
  if (file) openFile(file)
})
addEventListener('dragover', (event) => event.preventDefault())
addEventListener('drop', (event) => {
  event.preventDefault()
  const file = event.dataTransfer?.files[0]
  if (file) openFile(file)
})
find('#save').addEventListener('click', save)
play.addEventListener('click', togglePlay)
scrub.addEventListener('input', () => {
  pause()
  moveTo(Number(scrub.value))
})
picture.addEventListener('pointerdown', point)
picture.addEventListener('pointermove', point)
new ResizeObserver(drawSoon).observe(picture)
onShown('stream', () => {
  // A recording to look at before the first message.
  const first = recordings.find(({ wire }) => wire === 'anthropic')
  if (take === undefined && first) openRecording(first.file, () => take === undefined)
  drawSoon()
})
