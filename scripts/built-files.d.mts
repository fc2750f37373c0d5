export function publicPaths(root: string): Record<string, string>
export function entriesIn(dist: string): string[]
export function modulesIn(dist: string): string[]
export function withImports(dist: string, modules: readonly string[]): string[]

export function portableEntriesIn(dist: string): string[]
