/** The callbacks of a chat, which can be added and removed. @module */
import type { ToolResult, ToolVerdict } from '../tools/model.ts'
import type { RunRequest } from './request.ts'

export type OnToolRequest = NonNullable<RunRequest['onToolRequest']>
export type OnResult = (result: ToolResult) => void | Promise<void>

/** A function that is registered twice is called twice. */
export interface Registered<T> {
  readonly callback: T
}

/** @throws {TypeError} for what is not a function. */
export function register<T>(all: Registered<T>[], callback: T): () => void {
  if (typeof callback !== 'function')
    throw new TypeError(`Cannot listen: the listener is ${typeof callback} and not a function`)
  const entry = { callback }
  all.push(entry)
  return () => {
    const at = all.indexOf(entry)
    if (at >= 0) all.splice(at, 1)
  }
}

/** The turn's own, then the others, last registered first. */
export function latestFirst<T>(registered: readonly Registered<T>[], own: T | undefined): readonly T[] {
  return [...(own === undefined ? [] : [own]), ...registered.map(({ callback }) => callback).reverse()]
}

export async function firstRefusal(
  callbacks: readonly OnToolRequest[],
  ...[call, tool]: Parameters<OnToolRequest>
): Promise<ToolVerdict> {
  for (const callback of callbacks) {
    const verdict = await callback(call, tool)
    if (verdict) return verdict
  }
}

export async function callAll(callbacks: readonly OnResult[], result: ToolResult): Promise<void> {
  for (const callback of callbacks) await callback(result)
}
