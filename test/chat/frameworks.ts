/** What a server renders of a component that draws one line, in each framework. */
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { createComponent, renderToString as renderSolid } from 'solid-js/web'
import { render as renderSvelte } from 'svelte/server'
import { createSSRApp, h } from 'vue'
import { renderToString as renderVue } from 'vue/server-renderer'

/** `line` runs where a component calls its hooks. */
export const rendered = {
  react: (line: () => string) => renderToString(createElement(() => createElement('p', null, line()))),
  vue: (line: () => string) =>
    renderVue(
      createSSRApp({
        setup() {
          const text = line()
          return () => h('p', text)
        },
      }),
    ),
  svelte: (line: () => string) => {
    const component = ($$renderer: { push(html: string): void; component(draw: () => void): void }) =>
      $$renderer.component(() => $$renderer.push(`<p>${line()}</p>`))
    return renderSvelte(component as never, { props: {} } as never).body
  },
  solid: (line: () => string) => renderSolid(() => createComponent(() => ({ t: `<p>${line()}</p>` }) as never, {})),
}
