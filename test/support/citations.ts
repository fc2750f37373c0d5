/** The citations of a comment that its reader in `node_modules` cannot open: other files than those of `src`, and documents without a URL. */
export function closedCitations(text: string): string[] {
  const found = text.match(/\S*\b(?:[\w-]+\.md\b|(?:docs|wire|spec|test|scripts|bench|examples)\/[\w-]+)\S*/g) ?? []
  const seen = text.match(/@see (?!https?:\/\/)\S+/g) ?? []
  return [...found.filter((name) => !name.startsWith('http')), ...seen.filter((name) => /[/]|\.\w+$/.test(name))]
}
