/** The conversation that the views show: the chat's, or one of the samples. All views show the same one. */
import { onTold, said } from './conversation.js'
import { findSelect } from './dom.js'
import { sampleOf, samples } from './samples.js'

const pickers = [findSelect('#wire-sample'), findSelect('#handoff-sample')]
/** @type {Set<() => void>} */
const listeners = new Set()

/** Whether the chat is shown, and not a sample. */
export const isChatChosen = () => pickers[0]?.value === 'chat'

export function chosenSample() {
  const name = pickers[0]?.value ?? ''
  const sample = Object.hasOwn(samples, name) ? samples[name] : undefined
  return sample ?? sampleOf(said())
}

/** @param {() => void} listener Called when another conversation is chosen, or the chat has a new message. */
export function onChosen(listener) {
  listeners.add(listener)
}

function tell() {
  for (const listener of listeners) listener()
}

/** As soon as the chat has messages, it comes first and is shown. */
function fill() {
  const names = Object.keys(samples)
  const all = said().length > 0 ? ['chat', ...names] : names
  for (const picker of pickers) {
    const before = [...picker.options].map(({ value }) => value)
    if (before.join() === all.join()) continue
    picker.replaceChildren(...all.map((name) => new Option(samples[name]?.title ?? 'This chat', name)))
  }
}

for (const picker of pickers) {
  picker.addEventListener('change', () => {
    for (const other of pickers) other.value = picker.value
    tell()
  })
}
onTold(fill)
onTold(() => setTimeout(tell)) // the chat draws in this task
fill()
