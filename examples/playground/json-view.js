/** Draws JSON as text, with some of its keys and values highlighted. */
import { keyMark, valueMark } from './compare.js'
import { element } from './dom.js'

/** Longer strings are cut in the text, but never in the markers. In UTF-16 units. */
const longest = 240

/**
 * @param {unknown} value
 * @param {ReadonlySet<string>} lit Markers, made by `compare.js`.
 */
export function drawJson(value, lit = new Set()) {
  const code = element('code', 'json')
  draw(code, value, lit, '\n')
  return code
}

/**
 * @param {HTMLElement} into
 * @param {unknown} value
 * @param {ReadonlySet<string>} lit
 * @param {string} lineEnd A line's end and the indent of the next.
 */
function draw(into, value, lit, lineEnd) {
  if (typeof value !== 'object' || value === null) return into.append(drawLeaf(value, lit))
  const isList = Array.isArray(value)
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) return into.append(open + close)
  const inner = `${lineEnd}  `
  into.append(open)
  entries.forEach(([key, item], at) => {
    into.append(at === 0 ? inner : `,${inner}`)
    if (!isList) into.append(token(JSON.stringify(key), 'key', keyMark(key), lit), ': ')
    draw(into, item, lit, inner)
  })
  into.append(lineEnd + close)
}

/** @param {unknown} value @param {ReadonlySet<string>} lit */
function drawLeaf(value, lit) {
  return token(cut(JSON.stringify(value) ?? 'null'), typeof value, valueMark(value), lit)
}

/**
 * @param {string} text
 * @param {string} kind
 * @param {string} mark
 * @param {ReadonlySet<string>} lit
 */
function token(text, kind, mark, lit) {
  const made = element(lit.has(mark) ? 'mark' : 'span', kind, text)
  made.dataset.mark = mark
  return made
}

/** @param {string} text */
function cut(text) {
  if (text.length <= longest) return text
  return `${text.slice(0, longest)}… (${text.length - 2} characters)"`
}
