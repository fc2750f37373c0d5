/** The types of React that the binding needs: React's own are in a separate package, which isoglot does not depend on. */
declare module 'react' {
  export function useEffect(effect: () => undefined | (() => void), dependencies?: readonly unknown[]): void
  export function useRef<T>(initial: T): { current: T }
  export function useState<T>(initial: () => T): [state: T, set: (state: T) => void]
  export function useSyncExternalStore<T>(
    subscribe: (listener: () => void) => () => void,
    getSnapshot: () => T,
    getServerSnapshot: () => T,
  ): T
}
