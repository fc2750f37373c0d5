/**
 * OpenAI Chat Completions: writes a client's request again for a target that has only functions. Half of what a server needs; no page loads
 * it.
 *
 * @see https://platform.openai.com/docs/guides/function-calling#custom-tools
 *
 * @module
 */
import type { OwnCall, PortedRequest, PortTarget } from '../../../core/codec.ts'
import { arrayOf, compact, field, isObject, textOr } from '../../../core/json.ts'
import type { Json, JsonObject, Loss } from '../../../core/messages.ts'
import { freeTextParameters } from '../../shared/free-text.ts'
import * as reasons from '../../shared/reasons.ts'
import { format } from '../tables.ts'

/** The hosts of this format that have custom tools. */
const natives: ReadonlySet<string> = new Set(['openai', 'azure-openai'])

/**
 * Writes a request again, with functions for its custom tools. Calls in its history and choices need no change: they are read as those of
 * functions. Calls of the deprecated `functions` come back in that form. Returns `undefined` if the request has neither.
 */
export function port(body: JsonObject, { format: to, provider }: PortTarget): PortedRequest | undefined {
  const calls = new Map<string, OwnCall>()
  for (const one of arrayOf(body.functions)) {
    const name = field(one, 'name')
    if (typeof name === 'string') calls.set(name, { name, providerData: { [format]: { type: 'function_call' } } })
  }
  const losses: Loss[] = []
  const isNative = to === format && natives.has(provider)
  const tools = arrayOf(body.tools).map((tool, at): Json => {
    const custom = field(tool, 'custom')
    const name = field(custom, 'name')
    if (isNative || !isObject(tool) || tool.type !== 'custom' || typeof name !== 'string') return tool
    const grammar = field(field(custom, 'format'), 'grammar')
    const definition = textOr(field(grammar, 'definition'), undefined)
    calls.set(name, { name, providerData: { [format]: { type: 'custom' } } })
    losses.push({
      path: `tools[${at}]`,
      action: 'changed',
      ...(definition === undefined
        ? { reason: reasons.freeText, severity: 'info' }
        : { reason: reasons.grammar, severity: 'minor' }),
    })
    const parameters = freeTextParameters(textOr(field(grammar, 'syntax'), undefined), definition)
    const description = field(custom, 'description')
    return { type: 'function', function: { name, ...compact({ description }), parameters } }
  })
  return calls.size === 0 ? undefined : { body: losses.length === 0 ? body : { ...body, tools }, calls, losses }
}
