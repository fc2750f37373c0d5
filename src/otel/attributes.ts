/** The attributes of a request to a model, and of its usage. @module */
import type { Attributes } from '@opentelemetry/api'
import { compact, lookup } from '../core/json.ts'
import type { Usage } from '../core/messages.ts'
import type { HttpModel, Model } from '../core/question.ts'
import { chosen, type NameChoice, providers, usageNames } from './names.ts'

export function operationOf(model: Model): string {
  return (model as Partial<HttpModel>).codec?.name === 'gemini' ? 'generate_content' : 'chat'
}

function providerOf({ provider }: Model): string {
  return lookup(providers, provider) ?? provider
}

export function metricAttributes(model: Model, asked: string): Attributes {
  const provider = { 'gen_ai.provider.name': providerOf(model), 'gen_ai.request.model': asked }
  return { 'gen_ai.operation.name': operationOf(model), ...provider, ...serverOf(model) }
}

/** A base URL may be a path on the page's own server: then there is no address. */
function serverOf(model: Model): Attributes {
  const { baseUrl = '' } = model as Partial<HttpModel>
  if (!URL.canParse(baseUrl)) return {}
  const { hostname, port } = new URL(baseUrl)
  return compact({ 'server.address': hostname, 'server.port': port === '' ? undefined : Number(port) })
}

export function usageAttributes(usage: Usage | undefined, names: NameChoice): Attributes {
  const all: Attributes = {}
  for (const [field, old, latest] of usageNames) {
    const count = usage?.[field]
    if (typeof count === 'number') for (const name of chosen(names, old, latest)) all[name] = count
  }
  return all
}
