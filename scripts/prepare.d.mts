/** Installs, builds and puts the page's folder together, each only where it is due. */
export function prepare(): void
/** Whether the SDK is built. */
export function isBuilt(): boolean
