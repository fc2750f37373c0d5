/** The hard words of a file, one line each: `path:line: "word"; write: …`. `path` decides how `text` is read. */
export function findingsIn(path: string, text: string): readonly string[]
