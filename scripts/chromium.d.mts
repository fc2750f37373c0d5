/** Where a Chromium is, if there is one. */
export function findChromium(): string | undefined

/** Begins a trace of a page. The function that it returns ends it and gives the milliseconds of work of each task of the page's main thread. */
export function traceTasks(page: import('playwright-core').Page): Promise<() => Promise<number[]>>
