/** The table of models: finds the model of a name, and its fallbacks. @module */
import type { HttpModel, Model } from '../core/question.ts'
import type { GatewayModel, GatewayModels, Permit } from './types.ts'

/** An entry of the table with its name. */
export interface ModelTarget extends GatewayModel {
  readonly name: string
}

/** An entry whose model is behind an HTTP API. */
export interface HttpTarget extends ModelTarget {
  readonly model: HttpModel
}

export function isHttp(target: ModelTarget): target is HttpTarget {
  return 'codec' in target.model
}

/** The table after its names are checked. */
export interface ModelTable {
  readonly targets: readonly ModelTarget[]
  /** The entries to try for a name, in order. Empty if the name is not in the table, or not in the permit. */
  find(name: string, permit: Permit): readonly ModelTarget[]
}

/**
 * Reads a table of models.
 *
 * @throws {RangeError} if a name means two entries, or a fallback is not in the table.
 */
export function readModels(models: GatewayModels): ModelTable {
  const targets = Object.entries(models).map(([name, entry]): ModelTarget => ({ ...settingsOf(entry), name }))
  const byName = new Map<string, ModelTarget>()
  for (const target of targets) {
    for (const name of [target.name, ...(target.aliases ?? [])]) {
      if (byName.has(name)) throw new RangeError(`Cannot read the models: "${name}" is the name of two of them`)
      byName.set(name, target)
    }
  }
  const prefixes = [...byName.keys()].filter((name) => name.endsWith('*')).sort((a, b) => b.length - a.length)
  for (const { name, fallbacks = [] } of targets) {
    const missing = fallbacks.find((fallback) => !targets.some((target) => target.name === fallback))
    if (missing !== undefined) {
      throw new RangeError(`Cannot read the models: "${name}" falls back on "${missing}", which is not in "models"`)
    }
  }

  function lookUp(name: string): ModelTarget | undefined {
    const exact = byName.get(name) ?? byName.get(name.replace(/:latest$/, '')) // the form in which Ollama's clients write the name
    const prefix = prefixes.find((pattern) => name.startsWith(pattern.slice(0, -1)))
    return exact ?? (prefix === undefined ? undefined : byName.get(prefix))
  }

  return {
    targets,
    find(name, permit) {
      const target = lookUp(name)
      if (target === undefined || !isPermitted(target, permit)) return []
      const others = (target.fallbacks ?? []).flatMap((fallback) => byName.get(fallback) ?? [])
      return [target, ...others.filter((other) => other !== target && isPermitted(other, permit))]
    },
  }
}

/** Whether a permit allows this entry. */
export function isPermitted({ name }: ModelTarget, { models }: Permit): boolean {
  return models === undefined || models.includes(name)
}

function settingsOf(entry: GatewayModel | Model): GatewayModel {
  return 'answer' in entry ? { model: entry } : entry
}
