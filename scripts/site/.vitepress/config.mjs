import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { lists, repositoryUrl, root, siteUrl, version } from '../pages.mjs'
import { idMarks, pathLists } from '../reference.mjs'
import { accessibleSearch, search } from '../search.mjs'

const staged = join(root, '.site')
const link = ({ name, address }) => ({ text: name, link: `/${address}` })
const isOf =
  (...groups) =>
  ({ group }) =>
    groups.includes(group)
const sidebar = (found) => found.map(({ title, entries }) => ({ text: title, items: entries.map(link) }))

/** Vue reads `<T>` as an element. In a guide it is text, except for these. */
const isElement = (html) => /^<\/?(a|br|div|iframe|p)\b/.test(html)

function keepText(md) {
  md.core.ruler.disable('emoji')
  md.renderer.rules.html_block = (tokens, at) => (isElement(tokens[at].content) ? tokens[at].content : '')
  md.renderer.rules.html_inline = (tokens, at) =>
    isElement(tokens[at].content) ? tokens[at].content : md.utils.escapeHtml(tokens[at].content)
  const { render } = md
  md.render = (...args) => render.apply(md, args).replaceAll('{{', '&#123;&#123;') // which Vue reads as code
}

/** As GitHub does, so that an anchor is the same there and here. */
const idOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

export default defineConfig({
  title: 'isoglot',
  description: 'A TypeScript SDK: one message model, every model API',
  srcDir: join(staged, 'pages'),
  cacheDir: join(staged, 'cache'),
  cleanUrls: true,
  metaChunk: true,
  ...(siteUrl && { sitemap: { hostname: siteUrl } }),
  transformHead: ({ page, siteData: { base } }) => [
    ['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }],
    ['link', { rel: 'alternate', type: 'text/markdown', href: `${base}${page}` }],
    ...(siteUrl
      ? [['link', { rel: 'canonical', href: new URL(page.replace(/(index)?\.md$/, ''), siteUrl).href }]]
      : []),
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: idOf },
    attrs: { leftDelimiter: idMarks[0], rightDelimiter: idMarks[1], allowedAttributes: ['id'] },
    languageAlias: { text: 'txt' },
    config: keepText,
  },
  vite: {
    publicDir: join(staged, 'public'),
    build: { chunkSizeWarningLimit: 4000 },
    plugins: [accessibleSearch],
  },
  themeConfig: {
    logo: '/icon.svg',
    nav: [
      { text: 'Guides', link: '/guides', activeMatch: '^/(?!reference|changelog|contributing|providers|playground|$)' },
      { text: 'Providers', link: '/guides#providers', activeMatch: '^/providers/' },
      { text: 'Reference', link: '/reference/', activeMatch: '^/reference/' },
      { text: 'Playground', link: '/playground/', target: '_self' },
      {
        text: version,
        items: [
          { text: 'Changelog', link: '/changelog' },
          { text: 'Contributing', link: '/contributing' },
        ],
      },
    ],
    sidebar: {
      '/': [
        ...sidebar(lists.filter((one) => !isOf('Providers', 'Evidence')(one))),
        { text: 'Providers', items: [{ text: 'A page for each', link: '/guides#providers' }] },
        ...sidebar(lists.filter(isOf('Evidence'))),
      ],
      '/providers/': sidebar(lists.filter(isOf('Providers'))),
      '/reference/': sidebar(pathLists),
    },
    outline: [2, 3],
    ...(repositoryUrl && { socialLinks: [{ icon: 'github', link: repositoryUrl, ariaLabel: 'Source' }] }),
    ...(repositoryUrl && {
      editLink: { pattern: ({ frontmatter }) => `${frontmatter.source}`, text: 'Source of this page' },
    }),
    footer: { message: 'MIT licence' },
    search: search(join(staged, 'pages')),
  },
})
