/** The names of roles: ours, and what others call them. @module */
import { isRole } from '../core/content.ts'
import { lookup } from '../core/json.ts'
import type { Role } from '../core/messages.ts'

/** Names that others have for the roles; never stored. */
export type RoleAlias = Role | 'human' | 'ai' | 'model' | 'function'

const aliases: Readonly<Record<Exclude<RoleAlias, Role>, Role>> = {
  human: 'user',
  ai: 'assistant',
  model: 'assistant',
  function: 'tool',
}

/** @throws {TypeError} for a value that is not a list of our roles: it would match nothing. `option` begins the message. */
export function checkRoles(roles: unknown, option: string): void {
  if (Array.isArray(roles) && roles.every(isRole)) return
  throw new TypeError(`${option} may have only the roles "system", "developer", "user", "assistant" and "tool"`)
}

/** Our role of this name; `undefined` for an unknown name. */
export function roleOf(name: unknown): Role | undefined {
  return isRole(name) ? name : lookup(aliases, name)
}
