/** The text of each guide that is a table of facts, by its path. */
export function writtenGuides(): Readonly<Record<string, string>>
