/** The page's recordings: five small scenes in each of five formats. They are written by hand, and contain no real traffic. */
import { frameCutter } from './take.js'
import { wires } from './wires.js'

/** @typedef {import('./wires.js').WireName} WireName */

/**
 * `ask` is the message that starts the scene. If an answer calls tools, a second answer follows the results.
 *
 * @type {Readonly<Record<string, { ask: string, answers: readonly string[] }>>}
 */
export const scenes = {
  compare: { ask: 'Compare the weather in Tokyo and Paris', answers: ['two calls at once', 'the answer after them'] },
  think: { ask: 'Think: how many r are in strawberry?', answers: ['reasoning, then text'] },
  cut: { ask: 'Hang up in mid-sentence', answers: ['a stream that is cut'] },
  error: { ask: 'Fail in the middle', answers: ['an error in mid-stream'] },
}

/** The formats that have the scenes. @type {readonly WireName[]} */
export const recordedWires = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'ollama']

/** Pause of a replay before each frame, in ms: slow enough to see the stream. */
const paceMs = 35

/** @param {WireName} wire @param {string} scene @param {number} round From 1. */
const fileOf = (wire, scene, round) => `recordings/${scene}-${wire}-${round}.${wires[wire].ending}`

/** All recordings. `what` describes one. */
export const recordings = recordedWires.flatMap((wire) =>
  Object.entries(scenes).flatMap(([scene, { answers }]) =>
    answers.map((what, at) => ({ wire, what, file: fileOf(wire, scene, at + 1) })),
  ),
)

/** @param {string} file */
export async function fetchRecording(file) {
  const response = await fetch(new URL(file, document.baseURI))
  if (!response.ok) throw new Error(`Cannot read ${file}: the server answered ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}

/**
 * A `fetch` that answers from the recordings of a scene, one after the other, at the speed of a fast model. It sends no request.
 *
 * @param {WireName} wire
 * @param {string} ask The user's message.
 * @returns {typeof fetch}
 */
export function replay(wire, ask) {
  const scene = Object.keys(scenes).find((name) => scenes[name]?.ask === ask)
  let round = 0
  return async () => {
    round++
    if (scene === undefined) throw new Error(`Cannot replay "${ask}": there is no recording of it`)
    const bytes = await fetchRecording(fileOf(wire, scene, round))
    const framing = wires[wire].ending === 'ndjson' ? 'ndjson' : 'sse'
    return new Response(paced(bytes, framing), { headers: { 'content-type': 'text/event-stream' } })
  }
}

/** @param {Uint8Array} bytes @param {'sse' | 'ndjson'} framing @returns {ReadableStream<Uint8Array>} */
function paced(bytes, framing) {
  const frames = frameCutter(framing).end(new TextDecoder().decode(bytes))
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const frame = frames.shift()
      if (frame === undefined) return controller.close()
      await new Promise((resolve) => setTimeout(resolve, paceMs))
      controller.enqueue(encoder.encode(frame))
    },
  })
}
