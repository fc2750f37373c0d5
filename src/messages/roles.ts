/** The names of roles: ours, and what others call them. @module */
import { lookup } from '../core/lookup.ts'
import type { Role } from '../core/model.ts'

/** Names that others have for the roles; never stored. */
export type RoleAlias = Role | 'human' | 'ai' | 'model' | 'function'

const roles: Readonly<Record<RoleAlias, Role>> = {
  system: 'system',
  developer: 'developer',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  tool: 'tool',
  function: 'tool',
}

/** Our role of this name; `undefined` for an unknown name. */
export function roleOf(name: unknown): Role | undefined {
  return lookup(roles, name)
}
