/** The parts of React that tests use: its types are in packages that isoglot does not depend on. */
declare module 'react' {
  export type Element = { readonly isElement: unique symbol }
  export const StrictMode: unique symbol
  export function createElement<Props extends object>(
    type: string | typeof StrictMode | ((props: Props) => Element),
    props?: Props | null,
    ...children: readonly unknown[]
  ): Element
}

declare module 'react-dom' {
  export function flushSync(draw: () => void): void
}

declare module 'react-dom/server' {
  export function renderToString(element: import('react').Element): string
}

declare module 'react-dom/client' {
  interface Root {
    render(element: import('react').Element): void
    unmount(): void
  }
  export function createRoot(container: HTMLElement): Root
  export function hydrateRoot(container: HTMLElement, element: import('react').Element): Root
}
