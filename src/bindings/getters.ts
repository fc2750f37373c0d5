/** A state with getters, for frameworks that track reads. @module */
import { type AnyStore, actionsOf } from './binding.ts'

/** The methods of a store, and a getter for each field of its state. @param read returns the state; the framework tracks its calls */
export function withGetters<Snapshot extends object, Store extends AnyStore<Snapshot>>(
  store: Store & AnyStore<Snapshot>,
  read: () => Snapshot,
): Snapshot & ReturnType<typeof actionsOf<Store>> {
  const view = actionsOf<Store>(store)
  for (const name of Object.keys(store.getSnapshot()) as (keyof Snapshot)[]) {
    Object.defineProperty(view, name, { enumerable: true, get: () => read()[name] })
  }
  return view as Snapshot & ReturnType<typeof actionsOf<Store>>
}
