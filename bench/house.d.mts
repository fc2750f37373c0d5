/** The measures of a checkout, by their names. */
export function measure(root?: string): Readonly<Record<string, number>>
