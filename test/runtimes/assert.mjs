/** Two ways to say what must hold, in plain JavaScript: the suite has no test runner. */

/** @throws {Error} if the two differ as JSON; the order of keys does not count. */
export function equal(actual, expected, what = 'it') {
  const [found, wanted] = [canonical(actual), canonical(expected)]
  if (found !== wanted) throw new Error(`${what} is\n  ${found}\nand not\n  ${wanted}`)
}

/** @throws {Error} with these words if the condition does not hold. */
export function ok(condition, otherwise) {
  if (!condition) throw new Error(otherwise)
}

/** The error with which the promise rejects. @throws {Error} if it does not reject. */
export async function failureOf(promise) {
  let value
  try {
    value = await promise
  } catch (error) {
    return error
  }
  throw new Error(`it resolved to ${canonical(value)}`)
}

/** Waits for the promise, at most this long. */
export async function within(ms, promise, what) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

export function canonical(value) {
  return JSON.stringify(value, (_key, entry) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([one], [other]) => (one < other ? -1 : 1)))
      : entry,
  )
}
