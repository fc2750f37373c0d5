/** Where a program is, if it is on the PATH. */
export function onPath(name: string): string | undefined
/** WebKitGTK's own small browser, if it is installed. */
export function miniBrowser(): string | undefined
export const browserNames: readonly string[]
export function hasBrowser(name: string): boolean
/** A browser with a profile to throw away, open on that address. */
export function openBrowser(name: string, url: string): { log(): string; stop(): Promise<void> }
