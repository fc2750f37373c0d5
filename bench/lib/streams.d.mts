export interface Content {
  readonly text?: readonly string[]
  readonly calls?: readonly (readonly string[])[]
}
export const wires: readonly string[]
export const contents: Readonly<Record<'text' | 'arguments' | 'parallel', (size: number) => Content>>
export function writeEvents(wire: string, content: Content): readonly string[]
export function cutStream(text: string | Uint8Array, size?: number): Uint8Array[]
