/** Finds the fields of a request that the others do not have: keys by name, values by content. Their position does not count. */

/** The mark of a key. @param {string} name */
export const keyMark = (name) => `key ${name}`

/** The mark of a value that holds no others. @param {unknown} value */
export const valueMark = (value) => `value ${JSON.stringify(value)}`

/**
 * All marks of a value, whatever their depth. `true`, `false` and `null` say nothing by themselves.
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
 * The marks of one that none of the others has.
 *
 * @param {unknown} value
 * @param {readonly unknown[]} others
 */
export function onlyIn(value, others) {
  const marks = marksOf(value)
  for (const other of others) for (const mark of marksOf(other)) marks.delete(mark)
  return marks
}
