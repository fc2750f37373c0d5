/** Helpers of tests and benchmarks for Chromium. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The path of a Chromium: `CHROMIUM`, or one of its names on the PATH. */
export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file))
}

/**
 * Begins a trace of a page. The function that it returns ends it and gives each task of the page's main thread, in milliseconds of the
 * thread's own work: what other processes do meanwhile does not count.
 *
 * @returns {Promise<() => Promise<number[]>>}
 */
export async function traceTasks(page) {
  const browser = page.context().browser()
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'] })
  return async () => {
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString())
    const threadOf = ({ pid, tid }) => `${pid} ${tid}`
    const isMain = ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain'
    const mains = new Set(traceEvents.filter(isMain).map(threadOf))
    const isTask = (event) => event.cat.includes('toplevel') && event.tdur !== undefined && mains.has(threadOf(event))
    return traceEvents.filter(isTask).map(({ tdur }) => tdur / 1000)
  }
}
