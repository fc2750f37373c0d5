/**
 * Schemas of options that the environment of a Worker gives too: its variables, secrets and bindings.
 *
 * @see https://developers.cloudflare.com/workers/configuration/environment-variables/ (read 2026-11)
 * @module
 */
import * as v from 'valibot'
import { readPrices } from './accounts/prices.ts'

/** How the environment gives an option. */
export interface FromEnv {
  /**
   * The variable, secret or binding; empty if there is none. Of a group: the name that problems call it by. Default: the path below its
   * part, so `policy.maxBodyBytes` is `MAX_BODY_BYTES`, and no name for a group.
   */
  readonly env?: string
}

/** An option with a name of its own in the environment. */
export function from<Schema extends object>(env: string, schema: Schema): Schema & FromEnv {
  return { ...schema, env }
}

/** An option with two forms. The environment gives the second one. */
export function either<One extends v.GenericSchema, Other extends v.GenericSchema>(
  isOne: (given: unknown) => boolean,
  one: One,
  other: Other,
): v.LazySchema<One | Other> & { readonly wrapped: Other } {
  return { ...v.lazy((given) => (isOne(given) ? one : other)), wrapped: other }
}

/** A schema of valibot, with what is above. */
interface Option extends FromEnv {
  readonly type: string
  readonly wrapped?: Option
  readonly entries?: Readonly<Record<string, Option>>
}

/** An option with what its schema wraps. */
function unwrap(option: Option): Option {
  return option.wrapped ? { ...unwrap(option.wrapped), ...option } : option
}

function nameOf({ env, entries }: Option, path: readonly string[]): string {
  const capitals = path.slice(1).join('_').replace(/[A-Z]/g, '_$&').toUpperCase()
  return env ?? (entries ? '' : capitals)
}

/** The value of an option. An optional group is `undefined` if the environment has no part of it. */
export function optionValue(
  schema: Option,
  env: Readonly<Record<string, unknown>>,
  path: readonly string[] = [],
): unknown {
  const option = unwrap(schema)
  const { type, entries } = option
  if (entries === undefined) return readValue(env[nameOf(option, path)], unwrap(schema.wrapped ?? schema).type)
  const values = Object.entries(entries).map(
    ([key, part]) => [key, optionValue(part, env, [...path, key]), part.type] as const,
  )
  const isEmpty = type === 'optional' && values.every(([, value]) => value === undefined)
  const given = values.filter(([, value, type]) => value !== undefined || type !== 'optional')
  return isEmpty ? undefined : Object.fromEntries(given)
}

/** Reads a text as its schema needs it. What it cannot read it returns: the check reports that. */
function readValue(given: unknown, type: string): unknown {
  if (typeof given !== 'string') return given
  if (type === 'number') return /^\d{1,9}(\.\d{1,6})?$/.test(given) ? Number(given) : given
  if (type === 'record') return readPrices(given)
  const words = given.split(',').map((word) => word.trim())
  return type === 'array' ? words.filter(Boolean) : given
}

/** The environment's name of an option: its own, or that of the option that contains it. Without both, the path. */
export function nameIn(schema: Option, path: string): string {
  const keys = path.split('.')
  let [option, name] = [unwrap(schema), '']
  for (const [at, key] of keys.entries()) {
    if (option.entries === undefined) break
    const part = option.entries[key]
    if (part === undefined) return path
    option = unwrap(part)
    name = nameOf(option, keys.slice(0, at + 1)) || name
  }
  return name || path
}
