/** The conversation of the chat, for all views. */

/** @typedef {import('./isoglot/index.js').Message} Message */

/** @type {readonly Message[]} */
let messages = []
/** @type {Set<() => void>} */
const listeners = new Set()

/** The whole conversation in the neutral model, so that any provider can continue it. */
export const said = () => messages

/** @param {readonly Message[]} all */
export function tell(all) {
  messages = all
  for (const listener of listeners) listener()
}

/** @param {() => void} listener Called after each change. */
export function onTold(listener) {
  listeners.add(listener)
}
