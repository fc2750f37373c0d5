/** Prints the benchmark: tables of Markdown, on the terminal or between the marks of a document. */
import { readFileSync, writeFileSync } from 'node:fs'

/** A table; cells are text or numbers. */
export function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Puts the text of each section between `<!-- bench:name -->` and `<!-- /bench:name -->`; a section without marks is an error. */
export function writeSections(file, sections) {
  let text = readFileSync(file, 'utf8')
  for (const [name, body] of Object.entries(sections)) {
    const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`]
    const [from, to] = [text.indexOf(begin), text.indexOf(end)]
    if (from < 0 || to < from) throw new Error(`Cannot write the figures: ${file} has no marks for "${name}"`)
    text = `${text.slice(0, from + begin.length)}\n\n${body.trim()}\n\n${text.slice(to)}`
  }
  writeFileSync(file, text)
}

export function kib(bytes) {
  return `${(bytes / 1024).toFixed(1)} KiB`
}

/** Lists of what has the same key, in order. */
export function group(rows, keyOf) {
  const groups = new Map()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return [...groups.values()]
}
