/** Keywords of schemas that hosts refuse. @module */
import { numberOr } from '../../core/json.ts'
import type { Json, JsonObject } from '../../core/messages.ts'
import type { SchemaRules } from './fit-schema.ts'

/** Leaves out the keywords that a host refuses. The description names them, and the model reads it. */
export function leavingOut(isRefused: (keyword: string, value: Json) => boolean): NonNullable<SchemaRules['each']> {
  return (schema, ends) => {
    const left: JsonObject = { ...schema }
    const said: string[] = []
    for (const [keyword, value] of Object.entries(schema)) {
      if (!isRefused(keyword, value)) continue
      ends.set(`"${keyword}"`, 'minor')
      said.push(`${keyword}: ${JSON.stringify(value)}`)
      delete left[keyword]
    }
    const { description } = schema
    if (said.length > 0) left.description = `${description ? `${description}\n\n` : ''}{${said.join(', ')}}`
    return left
  }
}

/** Whether a keyword limits texts or lists by more than this. */
function isLimitOver(keyword: string, value: Json, characters: number, entries: number): boolean {
  const [, what] = /^m(?:in|ax)(Length|Items)$/.exec(keyword) ?? []
  return what !== undefined && numberOr(value, 0) > (what === 'Items' ? entries : characters)
}

/**
 * The schemas that xAI takes, in both of its formats.
 *
 * @see https://docs.x.ai/docs/guides/structured-outputs (read 2026-11)
 */
export const xaiSchemas: SchemaRules = {
  references: 'finite',
  each: /* @__PURE__ */ leavingOut((keyword, value) => isLimitOver(keyword, value, 2048, 256)),
}

/**
 * The schemas that llama.cpp takes: its grammars have at most 2000 repeats.
 *
 * @see https://github.com/ggml-org/llama.cpp/issues/27087 (read 2026-11)
 */
export const llamaSchemas: SchemaRules = {
  each: /* @__PURE__ */ leavingOut((keyword, value) => isLimitOver(keyword, value, 1999, 1999)),
}
