/** Components of each framework that own a value, for `../values.test.ts`. The test plays the run. */
import { createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createComponent } from 'solid-js'
import { insert, render } from 'solid-js/web'
import { type Component, mount, unmount } from 'svelte'
import { createApp, h } from 'vue'
import { useObject as useReactObject } from '../../../src/bindings/react.ts'
import { useObject as useSolidObject } from '../../../src/bindings/solid.ts'
import { useObject as useVueObject } from '../../../src/bindings/vue.ts'
import type { ObjectStoreOptions } from '../../../src/chat/index.ts'
import { type StreamEvent, t } from '../../../src/index.ts'
import { answer, scripted } from '../../chat/scripted.ts'
import ValueOfSvelte from './Value.svelte'

Object.assign(globalThis, { setImmediate: setTimeout })
const schema = t.object({ title: t.string() })
const script = scripted()
const signals: AbortSignal[] = []
const given: ObjectStoreOptions<typeof schema, string> = {
  schema,
  throttleMs: 0,
  ask(_, signal) {
    signals.push(signal)
    const events = script.transport.send({ signal } as never)
    return { batches: () => events }
  },
}
const shown = ({ status, object }: { readonly status: string; readonly object: unknown }) =>
  `${status}: ${JSON.stringify(object)}`

function ReactValue() {
  const value = useReactObject({ ...given })
  return createElement(
    'section',
    null,
    createElement('output', null, shown(value)),
    createElement('button', { type: 'button', onClick: () => value.submit('Lasagne') }, 'Submit'),
  )
}

/** Draws a component that owns a value, and returns a function that removes it. */
const draw: Readonly<Record<string, (root: HTMLElement) => () => void>> = {
  react(root) {
    const mounted = createRoot(root)
    mounted.render(createElement(StrictMode, null, createElement(ReactValue)))
    return () => mounted.unmount()
  },
  vue(root) {
    const app = createApp({
      setup() {
        const { status, object, submit } = useVueObject(given)
        return () => [
          h('output', shown({ status: status.value, object: object.value })),
          h('button', { onClick: () => submit('Lasagne') }, 'Submit'),
        ]
      },
    })
    app.mount(root)
    return () => app.unmount()
  },
  svelte(root) {
    const mounted = mount(ValueOfSvelte as Component<{ given: typeof given }>, { target: root, props: { given } })
    return () => void unmount(mounted)
  },
  solid(root) {
    const SolidValue = () => {
      const value = useSolidObject(given)
      const output = document.createElement('output')
      insert(output, () => shown(value))
      const button = document.createElement('button')
      button.addEventListener('click', () => value.submit('Lasagne'))
      return [output, button] as never
    }
    return render(() => createComponent(SolidValue, {}), root)
  },
}

let remove = () => {}
export const handle = {
  draw(name: string) {
    remove = draw[name]?.(document.getElementById('app') as HTMLElement) ?? remove
  },
  remove: () => remove(),
  push: (...events: StreamEvent[]) => script.push(...events),
  /** The end of a run whose answer is this text. */
  async end(text: string) {
    const events = answer(text).map((event): StreamEvent => {
      return event.type === 'done' ? { ...event, result: { ...event.result, text } } : event
    })
    await script.push(...events)
    await script.end()
  },
  isStopped: () => signals.at(-1)?.aborted,
}
Object.assign(globalThis, { handle })
