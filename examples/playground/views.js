/**
 * Shows the view that the URL names (`#wire`), so that links and the back button work. On a wide screen, the chat is always visible: in the
 * middle, until another view opens next to it.
 */
import { find } from './dom.js'

const names = ['chat', 'wire', 'stream', 'handoff']
const wide = matchMedia('(min-width: 70rem)')
/** @type {Map<string, () => void>} */
const drawers = new Map()
let current = ''

/** @param {string} name @param {() => void} draw Called when the view becomes visible. */
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

/** On a wide screen, opens that view with the first answer, unless the URL names a view. @param {string} name */
export function openFirst(name) {
  if (wide.matches && current === '') open(name)
}

function show() {
  const asked = location.hash.slice(1)
  // The target of the skip link is in the chat, which is always visible on a wide screen.
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

/** Begins to follow the URL. */
export function startViews() {
  addEventListener('hashchange', show)
  wide.addEventListener('change', show)
  show()
}
