/**
 * The models of vLLM, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import { isObject, stringOr } from '../core/json.ts'
import type { HttpModel } from '../core/question.ts'
import {
  byEffort,
  byTemplate,
  type ChatDialect,
  chatModel,
  compatible,
  oneSystem,
  replayAs,
} from '../formats/openai-chat/index.ts'
import type { SchemaRules } from '../formats/shared/fit-schema.ts'
import { leavingOut } from '../formats/shared/refused-keywords.ts'

/** Formats of texts that its grammars know. */
const formats =
  /^(?:email|date|time|date-time|duration|ipv4|ipv6|hostname|uuid|uri|uri-reference|uri-template|(?:relative-)?json-pointer)$/

/**
 * The schemas that vLLM takes. It joins the `$defs` of all tools and refuses two that are not the same, so their names begin with the tool's.
 *
 * @see https://github.com/vllm-project/vllm/blob/main/vllm/tool_parsers/utils.py (read 2026-11)
 * @see https://github.com/vllm-project/vllm/blob/main/vllm/v1/structured_output/backend_xgrammar.py (read 2026-11)
 */
const schemas: SchemaRules = {
  each: /* @__PURE__ */ leavingOut(
    (keyword, value) =>
      /^(?:multipleOf|uniqueItems|contains|m(?:in|ax)Contains|patternProperties|propertyNames)$/.test(keyword) ||
      (keyword === 'format' && !formats.test(stringOr(value, ''))),
  ),
  finish({ $defs, ...schema }, _, tool) {
    if (!isObject($defs)) return schema
    const own = Object.entries($defs).map(([name, one]) => [`${tool}_${name}`, one])
    const text = JSON.stringify({ ...schema, $defs: Object.fromEntries(own) })
    return JSON.parse(text.replaceAll('"$ref":"#/$defs/', `"$ref":"#/$defs/${tool}_`))
  },
}

/** The dialect of vLLM. */
export const vllmDialect: ChatDialect = {
  ...compatible,
  provider: 'vllm',
  title: 'vLLM',
  schemas,
  baseUrl: 'http://localhost:8000/v1',
  order: oneSystem, // the chat templates of some models refuse a second system message
  askReasoning: (reasoning, to) => (/gpt-oss/.test(to.model) ? byEffort : byTemplate)(reasoning, to),
  efforts: ['low', 'medium', 'high'], // of gpt-oss
  replay: /* @__PURE__ */ replayAs('reasoning'),
}

/**
 * A model that vLLM serves.
 *
 * @example
 * ```ts
 * const model = vllm('Qwen/Qwen3-32B', { apiKey })
 * ```
 */
export function vllm(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(vllmDialect, model, settings)
}
