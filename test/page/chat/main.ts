/** The page of `../chat.test.ts`: a chat whose events the test delivers. */
import { type ChatStore, createChatStore } from '../../../src/chat/index.ts'
import { answer, type Script, scripted } from '../../chat/scripted.ts'
import { history, type View } from './view.ts'

/** The functions that the test calls. */
export interface Handle {
  readonly chat: ChatStore
  readonly script: Script
  readonly answer: typeof answer
  readonly unmount: () => void
  /** Draws a component that owns its chat. */
  own(): { readonly script: Script; readonly unmount: () => void }
}

export function start(view: View): void {
  Object.assign(globalThis, { setImmediate: setTimeout })
  const script = scripted()
  const chat = createChatStore({ transport: script.transport, messages: history })
  const [root, second] = ['app', 'own'].map((id) => document.getElementById(id) as HTMLElement)
  const handle: Handle = {
    chat,
    script,
    answer,
    unmount: view.hydrate(root as HTMLElement, chat),
    own() {
      const own = scripted()
      return { script: own, unmount: view.own(second as HTMLElement, { transport: own.transport }) }
    },
  }
  Object.assign(globalThis, { handle })
}
