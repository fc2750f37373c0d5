/** Builds the static page into that folder, which is emptied first. Returns it. */
export function buildPlayground(folder?: string): string
