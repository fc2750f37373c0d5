/** Finds the fields of a request that the others do not have: keys by name, values by content. Their position does not count. */

/** The marker of a key. @param {string} name */
export const keyMark = (name) => `key ${name}`

/** The marker of a value that contains no other values. @param {unknown} value */
export const valueMark = (value) => `value ${JSON.stringify(value)}`

/**
 * All markers of a value, at any depth. `true`, `false` and `null` have no marker, because they mean nothing without their key.
 *
 * @param {unknown} value
 * @param {Set<string>} marks
 * @returns {Set<string>}
 */
export function marksOf(value, marks = new Set()) {
  if (Array.isArray(value)) for (const item of value) marksOf(item, marks)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue
      marks.add(keyMark(key))
      marksOf(item, marks)
    }
  } else if (typeof value === 'string' || typeof value === 'number') marks.add(valueMark(value))
  return marks
}

/**
 * The markers of a value that none of the others has.
 *
 * @param {unknown} value
 * @param {readonly unknown[]} others
 */
export function onlyIn(value, others) {
  const marks = marksOf(value)
  for (const other of others) for (const mark of marksOf(other)) marks.delete(mark)
  return marks
}
