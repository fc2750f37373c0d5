/**
 * Which view is in sight: the address says it (`#wire`), so that links and the back button work. On a wide screen the chat always is, in the
 * middle until another view opens beside it.
 */
import { find } from './dom.js'

const names = ['chat', 'wire', 'stream', 'handoff']
const wide = matchMedia('(min-width: 70rem)')
/** @type {Map<string, () => void>} */
const drawers = new Map()
let current = ''

/** @param {string} name @param {() => void} draw Called when the view comes into sight. */
export function onShown(name, draw) {
  drawers.set(name, draw)
}

/** @param {string} name */
export const isShown = (name) => !find(`#${name}-view`).hidden

/** @param {string} name */
export function open(name) {
  if (isShown(name)) return
  if (location.hash === `#${name}`) show()
  else location.hash = name
}

/** Opens that view with the first answer on a wide screen, unless the address names one. @param {string} name */
export function openFirst(name) {
  if (wide.matches && current === '') open(name)
}

function show() {
  const asked = location.hash.slice(1)
  // The skip link's target is in the chat, which on a wide screen is in sight.
  if (asked === 'prompt' && !wide.matches) current = 'chat'
  if (names.includes(asked)) current = asked
  const shown = current || 'chat'
  for (const name of names) {
    find(`#${name}-view`).hidden = name !== shown && !(wide.matches && name === 'chat')
    const link = find(`nav a[href="#${name}"]`)
    if (name === shown) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  drawers.get(shown)?.()
  if (asked === 'prompt') find(find('#composer').hidden ? '#suggestions button' : '#prompt').focus()
}

/** Begins to follow the address. */
export function startViews() {
  addEventListener('hashchange', show)
  wide.addEventListener('change', show)
  show()
}
