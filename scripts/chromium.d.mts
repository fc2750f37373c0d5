/** Where a Chromium is, if there is one. */
export function findChromium(): string | undefined
