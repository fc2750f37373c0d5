/** A state with getters, for frameworks that track reads. @module */
import type { ChatActions, ChatSnapshot, ChatStore } from '../chat/model.ts'
import type { AnyTools } from '../tools/model.ts'
import { actionsOf } from './binding.ts'

/** The methods of a store, and a getter for each field of its state. @param read returns the state; the framework tracks its calls */
export function withGetters<Tools extends AnyTools, Data extends object>(
  chat: ChatStore<Tools, Data>,
  read: () => ChatSnapshot<Tools, Data>,
): ChatSnapshot<Tools, Data> & ChatActions<Tools> {
  const view = actionsOf(chat)
  for (const name of Object.keys(chat.getSnapshot()) as (keyof ChatSnapshot)[]) {
    Object.defineProperty(view, name, { enumerable: true, get: () => read()[name] })
  }
  return view as ChatSnapshot<Tools, Data> & ChatActions<Tools>
}
