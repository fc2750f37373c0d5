/**
 * The models of Moonshot, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import { arrayOf, isObject } from '../core/json.ts'
import type { HttpModel } from '../core/question.ts'
import { type ChatDialect, chatModel, choosing, compatible, refusing, replayAs } from '../formats/openai-chat/index.ts'
import type { SchemaRules } from '../formats/shared/fit-schema.ts'
import { both } from '../formats/shared/fold-schema.ts'

/**
 * The schemas that Moonshot takes: a `type` stands in the branches of `anyOf` and not beside it, each schema with properties, entries or words
 * has one, and lists have entries of one kind.
 *
 * @see https://github.com/MoonshotAI/kimi-code/issues/2661 (read 2026-11)
 */
const schemas: SchemaRules = {
  each({ prefixItems, ...schema }, ends) {
    const { type, anyOf, items, enum: values, const: value = arrayOf(values)[0] } = schema
    if (Array.isArray(prefixItems)) {
      ends.set('which entry of a list is which', 'minor')
      return { ...schema, type: 'array', items: { anyOf: isObject(items) ? [...prefixItems, items] : prefixItems } }
    }
    if (Array.isArray(anyOf)) {
      const { type: _, ...rest } = schema
      return type === undefined ? schema : { ...rest, anyOf: anyOf.map((one) => both(one, { type }, ends)) }
    }
    const known = schema.properties ? 'object' : items ? 'array' : typeof value
    return type === undefined && /^(?:string|number|boolean|object|array)$/.test(known) && value !== null
      ? { type: known, ...schema }
      : schema
  },
}

/** The dialect of Moonshot. */
export const moonshotDialect: ChatDialect = {
  ...compatible,
  provider: 'moonshot',
  title: 'Moonshot',
  schemas,
  baseUrl: 'https://api.moonshot.ai/v1',
  refuses: /* @__PURE__ */ refusing(['top_k']),
  chooseTools: /* @__PURE__ */ choosing(['none', 'named']),
  efforts: ['low', 'medium', 'high'],
  // With thinking, Moonshot refuses a turn with calls that lacks the field, for instance another provider's.
  replay: /* @__PURE__ */ replayAs('reasoning_content', 'with calls'),
}

/**
 * A Kimi model, served by Moonshot.
 *
 * @example
 * ```ts
 * const model = moonshot('kimi-k3', { apiKey })
 * ```
 */
export function moonshot(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(moonshotDialect, model, settings)
}
