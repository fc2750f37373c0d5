/** What a take looks like as lanes: one for each block of each answer, with its pieces, its end, and the run of its tool. Data alone. */

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

/** @param {Pick<Take, 'entries' | 'ending'>} take @returns {Lane[]} */
export function lanesOf({ entries, ending }) {
  /** @type {Lane[]} */
  const lanes = []
  /** @type {Map<string, Lane>} */
  const byKey = new Map()
  /** Lanes of calls by their place among the calls of their answer, then by id. @type {Map<string | number, Lane>} */
  let calls = new Map()
  let round = -1

  /** @param {string} key @param {LaneKind} kind @param {string} label */
  function lane(key, kind, label) {
    let found = byKey.get(key)
    if (found === undefined) {
      found = { kind, label, pieces: [], marks: [], run: undefined }
      byKey.set(key, found)
      lanes.push(found)
    }
    return found
  }
  /** @param {number} index @param {LaneKind} kind @param {string} label */
  const block = (index, kind, label) => lane(`${round}:${index}`, kind, label)
  /** What comes before the first answer belongs to it. */
  const turn = () => lane(`${Math.max(0, round)}:turn`, 'turn', `answer ${Math.max(0, round) + 1}`)

  /** @param {StreamEvent} event @param {number} at */
  function add(event, at) {
    switch (event.type) {
      case 'message_start':
        round++
        calls = new Map()
        turn().marks.push({ at, kind: 'start', text: event.model ?? 'begins' })
        break
      case 'text_delta':
        block(event.index, 'text', 'text').pieces.push({ at, size: event.text.length })
        break
      case 'reasoning_delta':
        block(event.index, 'reasoning', 'reasoning').pieces.push({ at, size: event.text.length })
        break
      case 'tool_call_chunk': {
        const { name, argumentsDelta = '' } = event.chunk
        const found = block(event.index, 'call', name ?? 'call')
        if (name) found.label = name
        found.pieces.push({ at, size: argumentsDelta.length })
        break
      }
      case 'tool_call': {
        const found = block(event.index, 'call', event.call.name)
        found.label = `${event.call.name} ${event.call.argumentsText}`
        found.marks.push({ at, kind: 'whole', text: 'whole' })
        calls.set(event.call.index, found)
        break
      }
      case 'invalid_tool_call':
        block(event.index, 'call', event.call.name ?? 'call').marks.push({ at, kind: 'bad', text: event.call.reason })
        break
      case 'content_block': {
        const { type } = event.block
        const found = block(event.index, type === 'text' || type === 'reasoning' ? type : 'block', type)
        found.marks.push({ at, kind: 'whole', text: 'whole' })
        break
      }
      case 'usage': {
        const { inputTokens, outputTokens } = event.usage
        turn().marks.push({ at, kind: 'usage', text: `${inputTokens ?? '?'} in, ${outputTokens ?? '?'} out` })
        break
      }
      case 'warning':
        turn().marks.push({ at, kind: 'warning', text: event.warning.reason })
        break
      case 'message_end':
        turn().marks.push({ at, kind: 'end', text: event.response.stopReason })
        break
      case 'tool_start': {
        const found = calls.get(event.call.index)
        if (found === undefined) break
        found.run = { from: at, to: undefined, failed: false }
        calls.set(event.call.id ?? '', found)
        break
      }
      case 'tool_result': {
        const run = calls.get(event.result.toolCallId)?.run
        if (run) Object.assign(run, { to: at, failed: event.result.status === 'error' })
        break
      }
    }
  }

  for (const { at, events } of entries) for (const event of events) add(event, at)
  // An answer that did not end properly has no event that says so: its error does.
  if (ending && ending.kind !== 'proper')
    turn().marks.push({ at: entries.at(-1)?.at ?? 0, kind: 'bad', text: ending.kind })
  return lanes.map(settled)
}

/** Usage of some wires comes with every piece: the last figures say it. @param {Lane} lane @returns {Lane} */
function settled(lane) {
  const last = lane.marks.findLast(({ kind }) => kind === 'usage')
  return { ...lane, marks: lane.marks.filter((mark) => mark.kind !== 'usage' || mark === last) }
}

/** Where a lane begins and ends. @param {Lane} lane */
export function spanOf({ pieces, marks, run }) {
  const times = [...pieces, ...marks].map(({ at }) => at)
  if (run) times.push(run.from, run.to ?? run.from)
  return { from: Math.min(...times), to: Math.max(...times) }
}
