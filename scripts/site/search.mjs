/** The search of the site: guides come before the reference, and headings before text. */
import { posix } from 'node:path'
import { lists } from './pages.mjs'

const about = new Map(lists.flatMap(({ entries }) => entries.map((entry) => [`${entry.address}.md`, entry.about])))

/** A heading each, with the text below it. The first one of a guide has its line in the list of guides, too. */
function* sections(file, html) {
  const page = posix.relative(pagesFolder, file)
  const parts = html.split(/<h([1-6]) id="([^"]*)"[^>]*>([\s\S]*?)<a class="header-anchor"[\s\S]*?<\/h\1>/)
  const titles = []
  for (let at = 1; at < parts.length; at += 4) {
    const [level, anchor, heading, body] = parts.slice(at, at + 4)
    // Of the reference, the first sentences: its tables name each option as many times as there are providers.
    const text = plain(page.startsWith('reference/') ? (/<p>[\s\S]*?<\/p>/.exec(body)?.[0] ?? '') : body)
    titles.splice(level - 1, titles.length, plain(heading))
    yield {
      anchor,
      text: level === '1' ? `${about.get(page) ?? ''} ${text}` : `${text} `,
      titles: titles.filter(Boolean),
    }
  }
}

const characters = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' }
const plain = (html) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&[^;\s]+;/g, (name) => characters[name] ?? ' ')
    .trim()

let pagesFolder
export const search = (folder) => {
  pagesFolder = folder
  return {
    provider: 'local',
    options: {
      miniSearch: { searchOptions, _splitIntoSections: sections },
      translations: { button: { buttonAriaLabel: '' } }, // so its name is the text that it shows
      /** Without the colours of code, which take most of the time. */
      _render(source, env, md) {
        const { highlight } = md.options
        md.options.highlight = null
        const html = md.render(source, env)
        md.options.highlight = highlight
        return env.frontmatter?.search === false ? '' : html
      },
    },
  }
}

/** VitePress writes this function into the page as text, so it uses no name from around it. */
const searchOptions = {
  prefix: true,
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  boost: { title: 4, titles: 2, text: 1.5 },
  boostDocument(id, _term, { titles }) {
    const weights = [
      [/\/(changelog|contributing|examples)/, 0.1],
      [/\/(reference|evidence)\//, 0.2],
      [/\/(providers\/|migrating\/|guides)/, 0.5],
    ]
    const weight = weights.find(([path]) => path.test(id))?.[1] ?? 1
    return titles.length === 0 ? weight * 3 : weight
  },
}

/**
 * VitePress calls its box of search a button, and each hit an option that has a link in it: roles that hide the links from screen readers.
 * Here it is a dialog with a list of links, named by what they show.
 */
export const accessibleSearch = {
  name: 'accessible-search',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/VPLocalSearchBox.vue')) return
    const changes = [
      [/role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/, 'role="dialog"'],
      [/:role="results\?\.length \? 'listbox' : undefined"/, ''],
      [/:aria-selected="[^"]*"\s+role="option"/, ''],
      [/:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/, ''],
      [/<kbd (?=:aria-label)/g, '<kbd role="img" '],
    ]
    return changes.reduce((text, [from, to]) => {
      if (!from.test(text)) throw new Error(`VitePress's search has no ${from}: see whether it has better roles now`)
      return text.replace(from, to)
    }, code)
  },
}
