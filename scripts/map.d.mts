/** The folders of `src` and their imports, as SVG. */
export function mapOfHouse(): string
