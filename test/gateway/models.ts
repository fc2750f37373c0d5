/** The scripted providers as models: no I/O, so that a Worker can have them too. */
import type { HttpModel } from '../../src/core/question.ts'
import type { FormatName } from '../../src/formats/shared/format-names.ts'
import { servers } from '../formats/servers.ts'

const names = Object.keys(servers) as FormatName[]

export const keys = Object.fromEntries(names.map((name) => [name, servers[name].key])) as Readonly<
  Record<FormatName, string>
>

/** The providers as a table of models: each is asked for by the name of its wire. */
export function modelsAt(url: string): Readonly<Record<FormatName, HttpModel>> {
  const at = names.map((name) => [name, servers[name].modelAt(`${url}/${name}`)])
  return Object.fromEntries(at)
}
