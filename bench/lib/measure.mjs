/** Time, measured so that ratios hold on a machine that does other things meanwhile: that of the process's own work, not the clock's. */

/** Milliseconds that this process has worked, collector and compiler included. */
export function workedMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * Runs the candidates in turn, many short times, and returns for each the median of its times and of its ratios to the first one in the
 * same round.
 *
 * @param candidates Functions by name; the first is what the others are compared with.
 * @returns `{ name: { ms, ratio } }`
 */
export function compare(candidates, { rounds = 15, sampleMs = 6, warmUpMs = 80 } = {}) {
  const names = Object.keys(candidates)
  const repeats = {}
  for (const name of names) repeats[name] = repeatsFor(candidates[name], sampleMs, warmUpMs)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let step = 0; step < names.length; step++) {
      const name = names[(round + step) % names.length]
      times[name].push(sample(candidates[name], repeats[name]))
    }
  }
  const [base] = names
  return Object.fromEntries(
    names.map((name) => [
      name,
      { ms: median(times[name]), ratio: median(times[name].map((time, round) => time / times[base][round])) },
    ]),
  )
}

function repeatsFor(action, sampleMs, warmUpMs) {
  const started = workedMs()
  let count = 0
  do {
    action()
    count++
  } while (workedMs() - started < warmUpMs || count < 3)
  const once = sample(action, Math.max(1, Math.floor(count / 10)))
  return Math.max(1, Math.round(sampleMs / once))
}

/** Milliseconds for one. */
function sample(action, repeats) {
  const started = workedMs()
  for (let count = 0; count < repeats; count++) action()
  return (workedMs() - started) / repeats
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
