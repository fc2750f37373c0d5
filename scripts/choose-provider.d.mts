/** The Worker's settings with the embedded provider as every one of its providers. */
export function settingsFor(url: string, key: string): Record<string, string>
