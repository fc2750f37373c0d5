import { useData, withBase } from 'vitepress'
import theme from 'vitepress/theme'
import { h, onMounted, watch } from 'vue'
import './style.css'

export default {
  ...theme,
  Layout: {
    setup() {
      const { isDark, page } = useData()
      /** The playground has its own light and dark. It follows the switch of the site. */
      const follow = () => {
        for (const { contentDocument } of document.querySelectorAll('iframe.playground'))
          contentDocument.documentElement.style.colorScheme = isDark.value ? 'dark' : 'light'
      }
      watch(isDark, follow)
      onMounted(() => document.addEventListener('load', follow, true))
      const file = (path, text) => h('a', { href: withBase(`/${path}`), target: '_self' }, text)
      const forModels = () =>
        h('p', { class: 'for-models' }, [
          file(page.value.relativePath, 'This page as Markdown'),
          file('llms.txt', 'llms.txt'),
        ])
      return () => h(theme.Layout, null, { 'doc-footer-before': forModels })
    },
  },
}
