/**
 * The one suite: everything in it runs from the built files as they are, in every runtime, with nothing but what the runtime has.
 *
 * A case is `[sentence, function]`. It fails by throwing; a text that it returns must be the same in all runtimes.
 */
import { appendixA } from './appendix-a.mjs'
import { ok } from './assert.mjs'
import { clientCases } from './client.mjs'
import { laws } from './laws.mjs'
import { pageCases } from './pages.mjs'
import { recordingCases } from './recordings.mjs'

/** All cases, for the server at this address. `entries` are the names of the built files. */
export function cases(base, { entries }) {
  return [
    ...entries.map((name) => [`loads ${name}.js by itself`, () => loads(name)]),
    ...laws,
    ...appendixA,
    ...recordingCases(base),
    ...clientCases(base),
    ...pageCases(base),
  ]
}

async function loads(name) {
  const module = await import(`../../dist/${name}.js`)
  const functions = Object.values(module).filter((value) => typeof value === 'function')
  ok(functions.length > 0, 'it exports no function')
}

/** Runs them one after the other, each for 20 seconds at most. */
export async function runCases(list, limitMs = 20_000) {
  const results = []
  for (const [name, check] of list) results.push({ name, ...(await outcomeOf(check, limitMs)) })
  return results
}

async function outcomeOf(check, limitMs) {
  const started = Date.now()
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), limitMs)
  })
  try {
    const print = await Promise.race([check(), late])
    return { ms: Date.now() - started, ...(typeof print === 'string' && { print }) }
  } catch (error) {
    return { ms: Date.now() - started, error: String(error?.stack ?? error), message: String(error?.message ?? error) }
  } finally {
    clearTimeout(timer)
  }
}

/** Runs all cases, with the server's description. */
export async function runSuite(base, more = []) {
  const plan = await (await fetch(`${base}/plan`)).json()
  return runCases([...more, ...cases(base, plan)])
}
