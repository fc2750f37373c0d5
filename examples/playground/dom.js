/** Small helpers that make and find elements, with text that is never read as HTML. */

/**
 * The element with this selector. The page must have one.
 *
 * @param {string} selector
 * @param {ParentNode} within
 * @returns {HTMLElement}
 */
export function find(selector, within = document) {
  const found = within.querySelector(selector)
  if (found instanceof HTMLElement) return found
  throw new TypeError(`Cannot find "${selector}" in the page`)
}

/** @param {string} selector */
export const findSelect = (selector) => /** @type {HTMLSelectElement} */ (find(selector))

/** @param {string} selector */
export const findInput = (selector) => /** @type {HTMLInputElement} */ (find(selector))

/**
 * @param {string} tag
 * @param {string} className
 * @param {string | readonly Node[]} content A text, or the child nodes.
 */
export function element(tag, className = '', content = '') {
  const made = document.createElement(tag)
  if (className) made.className = className
  if (typeof content === 'string') made.textContent = content
  else made.append(...content)
  return made
}

/**
 * @param {string} tag
 * @param {Readonly<Record<string, string | number>>} attributes
 * @param {string} text
 */
export function svgElement(tag, attributes = {}, text = '') {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, `${value}`)
  made.textContent = text
  return made
}

/**
 * A text of at most this length.
 *
 * @param {string} text
 * @param {number} length In UTF-16 units.
 */
export function shorten(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
