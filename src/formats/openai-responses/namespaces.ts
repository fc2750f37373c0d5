/**
 * OpenAI Responses: sends tools in namespaces.
 *
 * @see https://platform.openai.com/docs/guides/tools-tool-search (read 2026-11)
 * @module
 */

import { arrayOf, field, isObject } from '../../core/json.ts'
import type { Json, JsonObject } from '../../core/messages.ts'
import type { HttpModel } from '../../core/question.ts'

/**
 * Returns the same model, which sends tools in namespaces. `providerData['openai-responses'].namespace` of a tool has the name and the
 * description of its namespace. A tool runs only calls of its own namespace. To let the model search for the tool, add
 * `defer_loading: true` next to `namespace`, and add the tool `{ type: 'tool_search' }`.
 *
 * @example
 * ```ts
 * import { generate, tool } from 'isoglot'
 * import { openaiResponses, withNamespaces } from 'isoglot/openai-responses'
 *
 * const crm = { namespace: { name: 'crm', description: 'Customers' }, defer_loading: true }
 * const list = { ...tool({ name: 'list', execute: () => ['Ann'] }), providerData: { 'openai-responses': crm } }
 * const search = { type: 'provider_tool', format: 'openai-responses', value: { type: 'tool_search' } } as const
 * const model = withNamespaces(openaiResponses('gpt-5.4', { apiKey }))
 * const { text } = await generate({ model, prompt: 'Who are our customers?', tools: [list, search] })
 * ```
 */
export function withNamespaces(model: HttpModel): HttpModel {
  const { codec } = model
  return {
    ...model,
    codec: {
      ...codec,
      encodeRequest(context, options) {
        const encoded = codec.encodeRequest(context, options)
        const body = encoded.body as JsonObject
        return { ...encoded, body: Array.isArray(body.tools) ? { ...body, tools: grouped(body.tools) } : body }
      },
    },
  }
}

/** Groups tools by namespace. A namespace takes the position of its first tool. */
function grouped(tools: readonly Json[]): Json[] {
  const out: Json[] = []
  for (const tool of tools) {
    const namespace = field(tool, 'namespace')
    if (!isObject(tool) || !isObject(namespace)) {
      out.push(tool)
      continue
    }
    const { namespace: _, ...member } = tool
    const at = out.findIndex((one) => field(one, 'type') === 'namespace' && field(one, 'name') === namespace.name)
    if (at < 0) out.push({ type: 'namespace', ...namespace, tools: [member] })
    else out[at] = { ...(out[at] as JsonObject), tools: [...arrayOf(field(out[at], 'tools')), member] }
  }
  return out
}
