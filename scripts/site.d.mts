/** Makes the site in the folder. @throws {Error} if a comment or a link is wrong, or the SDK could not be built. */
export function buildSite(folder?: string): Promise<string>
