/**
 * Builds the static page into that folder, which is emptied first. Returns it. `docs` is the address to which its header links. Default: npm's
 * page of the package.
 */
export function buildPlayground(folder?: string, options?: { readonly docs?: string }): string
