export const denoFile: string
export const bunFile: string

/** Where a Node of this major version is put. */
export function nodeFile(major: number): string

/** Those of npm, each folder when it lacks one in the version that it pins. */
export function installRuntimes(): void
