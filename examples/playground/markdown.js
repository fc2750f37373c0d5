/** Draws a model's Markdown while it arrives. It contains no HTML, and the browser requests a URL in it only after the user clicks it. */
import { element } from './dom.js'
import { safeUrl } from './isoglot/safe-url.js'
import * as library from './vendor/streaming-markdown.js'

/** @typedef {import('./isoglot/messages.js').CitationBlock} CitationBlock */

/** While the text arrives, a citation is one character from this code point on. */
const firstMarker = 0xe000

/**
 * Text that grows: the drawn part stays unchanged, and only the new part is read.
 *
 * @param {HTMLElement} place
 */
export function createMarkdown(place) {
  let written = ''
  let isOver = false
  /** @type {ReturnType<typeof beginIn> | undefined} */
  let parser

  return {
    /** @param {string} text @param {readonly CitationBlock[]} [citations] @param {boolean} [isDone] */
    show(text, citations = [], isDone = false) {
      const sources = sourcesOf(citations)
      const marked = sources.length > 0 ? withMarkers(text, citations, sources) : text
      if (parser !== undefined && marked === written && isOver === isDone) return
      if (parser === undefined || isOver || !marked.startsWith(written)) {
        place.replaceChildren()
        parser = beginIn(place, sources)
        written = ''
      }
      library.parser_write(parser, marked.slice(written.length))
      if (isDone) library.parser_end(parser)
      if (isDone && sources.length > 0) place.append(drawSources(sources))
      written = marked
      isOver = isDone
    },
  }
}

/** @param {HTMLElement} place @param {readonly CitationBlock[]} sources */
function beginIn(place, sources) {
  const plain = library.default_renderer(place)
  const { data } = plain
  const current = () => /** @type {HTMLElement} */ (data.nodes[data.index])
  return library.parser({
    ...plain,
    add_token(_, type) {
      plain.add_token(data, drawnAs(type))
      if (type === library.CODE_FENCE || type === library.CODE_BLOCK)
        current().parentElement?.setAttribute('tabindex', '0')
      if (type === library.CHECKBOX) current().setAttribute('aria-label', 'Task')
    },
    end_token() {
      if (current().tagName === 'A') nameHost(/** @type {HTMLAnchorElement} */ (current()))
      plain.end_token(data)
    },
    add_text(_, text) {
      for (const piece of text.split(/([\ue000-\uf8ff])/)) {
        const number = piece.charCodeAt(0) - firstMarker
        const source = sources[number]
        if (source === undefined) current().append(piece)
        else current().append(element('sup', '', [linkTo(source.url ?? '', `${number + 1}`)]))
      }
    },
    set_attr(_, type, value) {
      if (type === library.HREF) setAddress(current(), value)
      else if (type === library.SRC) setImage(current(), value)
      else plain.set_attr(data, type, value)
    },
  })
}

/**
 * An image is a link until its URL is known. Headings are one level below those of the page. @param {import('streaming-markdown').Token}
 * type
 */
function drawnAs(type) {
  if (type === library.IMAGE) return library.LINK
  const isHeading = type >= library.HEADING_1 && type <= library.HEADING_6
  return isHeading ? /** @type {typeof type} */ (Math.min(type + 2, library.HEADING_6)) : type
}

/** Draws only images in `data:`, which need no request. @param {HTMLElement} link @param {string} address */
function setImage(link, address) {
  const src = safeUrl(address, 'image')
  if (src === undefined) {
    link.prepend('Image: ')
    return setAddress(link, address)
  }
  const image = document.createElement('img')
  Object.assign(image, { src, alt: link.textContent })
  link.replaceChildren(image)
}

/** @param {HTMLElement} link @param {string} address */
function setAddress(link, address) {
  const href = safeUrl(address, 'link')
  if (href === undefined) return
  Object.assign(link, {
    href,
    target: '_blank',
    rel: 'noopener noreferrer nofollow ugc',
    referrerPolicy: 'no-referrer',
  })
}

/** Where a link leads, unless its text is an address of the same host. @param {HTMLAnchorElement} link */
function nameHost(link) {
  const { host, href } = link
  const [shown] = (link.textContent ?? '').replace(/^https?:\/\//, '').split(/[/?#]/)
  if (href === '' || host === '' || shown === host) return
  link.append(element('span', 'host', ` (${host})`))
}

/** @param {string} address @param {string} text */
export function linkTo(address, text) {
  const link = element('a', '', text)
  setAddress(link, address)
  return link
}

/** Each address once, in the order in which the text cites them. @param {readonly CitationBlock[]} citations */
function sourcesOf(citations) {
  return [...new Map(citations.map((one) => [keyOf(one), one])).values()]
}

/** @param {CitationBlock} citation */
const keyOf = ({ url, title, text }) => url ?? title ?? text ?? ''

/** @param {string} text @param {readonly CitationBlock[]} citations @param {readonly CitationBlock[]} sources */
function withMarkers(text, citations, sources) {
  const keys = sources.map(keyOf)
  const last = [...citations].sort((one, other) => (other.endIndex ?? 0) - (one.endIndex ?? 0))
  // Characters of the text that look like our citation characters.
  let marked = text.replaceAll(/[\ue000-\uf8ff]/g, '\ufffd')
  for (const citation of last) {
    if (citation.endIndex === undefined) continue
    const marker = String.fromCharCode(firstMarker + keys.indexOf(keyOf(citation)))
    marked = marked.slice(0, citation.endIndex) + marker + marked.slice(citation.endIndex)
  }
  return marked
}

/** @param {readonly CitationBlock[]} sources */
function drawSources(sources) {
  const items = sources.map(({ url, title, text }) => {
    const link = linkTo(url ?? '', title ?? text ?? url ?? 'source')
    nameHost(/** @type {HTMLAnchorElement} */ (link))
    return element('li', '', [link])
  })
  return element('ol', 'sources', items)
}
