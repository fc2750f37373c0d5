export function compile(text: string): { readonly instantiations: number; readonly problems: readonly string[] }
export function instantiations(text: string): number
export function programOf(count: number): string
