export const denoFile: string
export const bunFile: string

/** Where a Node of this major version is put. */
export function nodeFile(major: number): string

/** Those of npm, each folder when it lacks one in the version that it pins. */
export function installRuntimes(): void

/** Installs the packages of a folder with a lock file, when it lacks one in the version that it pins. */
export function installAll(under: string): void

/** Whether a folder has its packages, each in the version that it pins. */
export function hasAll(under: string): boolean
