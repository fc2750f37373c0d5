/** The programs of the start page, one for each provider in its tabs. */
export const examples: readonly { readonly name: string; readonly code: string }[]
