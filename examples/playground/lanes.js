/** A take as lanes: one for each block of each answer, with its chunks, its end, and the run of its tool. Only data. */

/**
 * @typedef {import('./take.js').Take} Take
 * @typedef {import('./isoglot/index.js').StreamEvent} StreamEvent
 *
 * @typedef {'text' | 'reasoning' | 'call' | 'block' | 'turn'} LaneKind
 *
 * @typedef {object} Lane
 * @property {LaneKind} kind
 * @property {string} label
 * @property {{ at: number, size: number }[]} pieces
 * @property {{ at: number, kind: 'start' | 'whole' | 'bad' | 'usage' | 'warning' | 'end', text: string }[]} marks
 * @property {{ from: number, to: number | undefined, failed: boolean } | undefined} run
 */

/**
 * State while the events are read.
 *
 * @typedef {object} Reading
 * @property {Lane[]} lanes
 * @property {Map<string, Lane>} byKey
 * @property {Map<string | number, Lane>} calls The calls of this answer: by index, and by id once they run.
 * @property {number} round The index of the current answer, from 0; -1 before the first.
 */

/** @param {Pick<Take, 'entries' | 'ending'>} take @returns {Lane[]} */
export function lanesOf({ entries, ending }) {
  /** @type {Reading} */
  const reading = { lanes: [], byKey: new Map(), calls: new Map(), round: -1 }
  for (const { at, events } of entries) for (const event of events) read(reading, event, at)
  // An answer that did not end normally has no event for that, but it has an error.
  if (ending && ending.kind !== 'proper') {
    markTurn(reading, { at: entries.at(-1)?.at ?? 0, kind: 'bad', text: ending.kind })
  }
  return reading.lanes.map(settled)
}

/** @param {Reading} reading @param {StreamEvent} event @param {number} at */
function read(reading, event, at) {
  switch (event.type) {
    case 'message_start':
      reading.round++
      reading.calls = new Map()
      return markTurn(reading, { at, kind: 'start', text: event.model ?? 'begins' })
    case 'text_delta':
      return addPiece(blockLane(reading, event.index, 'text', 'text'), at, event.text)
    case 'reasoning_delta':
      return addPiece(blockLane(reading, event.index, 'reasoning', 'reasoning'), at, event.text)
    case 'tool_call_chunk':
      return readChunk(reading, event, at)
    case 'tool_call':
      return readCall(reading, event, at)
    case 'invalid_tool_call': {
      const { marks } = blockLane(reading, event.index, 'call', event.call.name ?? 'call')
      return void marks.push({ at, kind: 'bad', text: event.call.reason })
    }
    case 'content_block': {
      const { type } = event.block
      const kind = type === 'text' || type === 'reasoning' ? type : 'block'
      return void blockLane(reading, event.index, kind, type).marks.push({ at, kind: 'whole', text: 'whole' })
    }
    case 'usage':
      return markTurn(reading, { at, kind: 'usage', text: figuresOf(event.usage) })
    case 'warning':
      return markTurn(reading, { at, kind: 'warning', text: event.warning.reason })
    case 'message_end':
      return markTurn(reading, { at, kind: 'end', text: event.response.stopReason })
    case 'tool_start':
      return readStart(reading, event, at)
    case 'tool_result':
      return readResult(reading, event, at)
  }
}

/** @param {Reading} reading @param {Extract<StreamEvent, { type: 'tool_call_chunk' }>} event @param {number} at */
function readChunk(reading, { index, chunk: { name, argumentsDelta = '' } }, at) {
  const lane = blockLane(reading, index, 'call', name ?? 'call')
  if (name) lane.label = name
  addPiece(lane, at, argumentsDelta)
}

/** @param {Reading} reading @param {Extract<StreamEvent, { type: 'tool_call' }>} event @param {number} at */
function readCall(reading, { index, call }, at) {
  const lane = blockLane(reading, index, 'call', call.name)
  lane.label = `${call.name} ${call.argumentsText}`
  lane.marks.push({ at, kind: 'whole', text: 'whole' })
  reading.calls.set(call.index, lane)
}

/** @param {Reading} reading @param {Extract<StreamEvent, { type: 'tool_start' }>} event @param {number} at */
function readStart({ calls }, { call }, at) {
  const lane = calls.get(call.index)
  if (lane === undefined) return
  lane.run = { from: at, to: undefined, failed: false }
  calls.set(call.id ?? '', lane)
}

/** @param {Reading} reading @param {Extract<StreamEvent, { type: 'tool_result' }>} event @param {number} at */
function readResult({ calls }, { result }, at) {
  const run = calls.get(result.toolCallId)?.run
  if (run) Object.assign(run, { to: at, failed: result.status === 'error' })
}

/**
 * The lane of a block of the current answer. @param {Reading} reading @param {number} index @param {LaneKind} kind @param {string} label
 */
function blockLane(reading, index, kind, label) {
  return laneAt(reading, `${reading.round}:${index}`, kind, label)
}

/** Events before the first answer belong to the first answer. @param {Reading} reading @param {Lane['marks'][number]} mark */
function markTurn(reading, mark) {
  const round = Math.max(0, reading.round)
  laneAt(reading, `${round}:turn`, 'turn', `answer ${round + 1}`).marks.push(mark)
}

/** @param {Reading} reading @param {string} key @param {LaneKind} kind @param {string} label */
function laneAt({ lanes, byKey }, key, kind, label) {
  const known = byKey.get(key)
  if (known) return known
  /** @type {Lane} */
  const lane = { kind, label, pieces: [], marks: [], run: undefined }
  byKey.set(key, lane)
  lanes.push(lane)
  return lane
}

/** @param {Lane} lane @param {number} at @param {string} text */
function addPiece({ pieces }, at, text) {
  pieces.push({ at, size: text.length })
}

/** @param {import('./isoglot/index.js').Usage} usage */
const figuresOf = ({ inputTokens, outputTokens }) => `${inputTokens ?? '?'} in, ${outputTokens ?? '?'} out`

/** Some formats send usage with every chunk: keeps only the last figures. @param {Lane} lane @returns {Lane} */
function settled(lane) {
  const last = lane.marks.filter(({ kind }) => kind === 'usage').at(-1)
  return { ...lane, marks: lane.marks.filter((mark) => mark.kind !== 'usage' || mark === last) }
}

/** The beginning and the end of a lane. @param {Lane} lane */
export function spanOf({ pieces, marks, run }) {
  const times = [...pieces, ...marks].map(({ at }) => at)
  if (run) times.push(run.from, run.to ?? run.from)
  return { from: Math.min(...times), to: Math.max(...times) }
}
