/**
 * The models of Groq, in the format OpenAI Chat Completions.
 *
 * @see https://console.groq.com/docs/compound (read 2026-11)
 * @module
 */
import { replayed } from '../assemble/replay.ts'
import type { ClientCodec, Fragment, ModelSettings } from '../core/codec.ts'
import { blocksOf, parseArguments } from '../core/content.ts'
import { arrayOf, compact, isObject, numberOr, otherFields, textOr, unlessEmpty } from '../core/json.ts'
import type { AssistantMessage, ContentBlock, JsonObject, ProviderData } from '../core/messages.ts'
import type { HttpModel } from '../core/question.ts'
import {
  byDefault,
  byEffort,
  type ChatDialect,
  chatModel,
  compatible,
  refusing,
  replayAs,
} from '../formats/openai-chat/index.ts'
import { changeFragments } from '../formats/shared/change-fragments.ts'

/** The dialect of Groq. */
export const groqDialect: ChatDialect = {
  ...compatible,
  provider: 'groq',
  title: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  refuses: /* @__PURE__ */ refusing(['top_k', 'logprobs', 'top_logprobs', 'logit_bias', 'n'], ['service_tier']),
  askReasoning: (reasoning, to) => (/qwen/.test(to.model) ? byDefault : byEffort)(reasoning, to),
  efforts: ['low', 'medium', 'high'], // of gpt-oss
  replay: /* @__PURE__ */ replayAs('reasoning'),
  endsWithoutReason: false,
  errors: {
    kinds: { tool_use_failed: 'server' }, // the model made an error, so a retry can succeed
    statuses: { 413: 'rate_limit' }, // the request has more tokens than the limit per minute
  },
  adapt,
}

/**
 * A model that Groq serves.
 *
 * @example
 * ```ts
 * const model = groq('openai/gpt-oss-120b', { apiKey })
 * ```
 */
export function groq(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(groqDialect, model, settings)
}

// ---- tools that Groq runs ---------------------------------------------------------------------

const format = 'openai-chat'

/** Groq reports its own tools in the field `executed_tools` of the message. Each entry becomes a call and a result before the text. */
function adapt(codec: ClientCodec): ClientCodec {
  return {
    ...codec,
    decodeResponse(body, options) {
      const response = codec.decodeResponse(body, options)
      return replayed({ ...response, message: withTools(response.message) }, options?.events)
    },
    decodeStream(options) {
      const tools = toolReader()
      const flush = (out: Fragment[]) => {
        for (const block of tools.take()) out.push({ type: 'block', block })
      }
      const change = (fragment: Fragment, out: Fragment[]) => {
        if (fragment.type === 'extra' && fragment.on === 'message') {
          const providerData = tools.read(fragment.providerData)
          if (providerData !== undefined) out.push({ ...fragment, providerData })
          return
        }
        if (fragment.type === 'text' || fragment.type === 'call' || fragment.type === 'end') flush(out)
        out.push(fragment)
      }
      return changeFragments(codec.decodeStream(options), change, flush)
    },
  }
}

function withTools(message: AssistantMessage): AssistantMessage {
  const { providerData = {}, ...rest } = message
  const tools = toolReader()
  const kept = tools.read(providerData)
  const blocks = tools.take()
  if (blocks.length === 0) return message
  const content = blocksOf(message.content)
  const at = content.findIndex(({ type }) => type === 'text' || type === 'tool_call')
  const before = at < 0 ? content.length : at
  return {
    ...rest,
    content: [...content.slice(0, before), ...blocks, ...content.slice(before)],
    ...compact({ providerData: kept }),
  }
}

/** Collects tools by their index. A later piece of a tool adds fields, and replaces fields that it repeats. */
function toolReader() {
  let tools = new Map<number, JsonObject>()
  return {
    /** Reads the tools, and returns the other fields of the message; `undefined` if there are no others. */
    read(data: ProviderData): ProviderData | undefined {
      const { executed_tools: executed, ...fields } = data[format] ?? {}
      for (const [at, tool] of arrayOf(executed).entries()) {
        if (!isObject(tool)) continue
        const index = numberOr(tool.index, at)
        tools.set(index, { ...tools.get(index), ...tool })
      }
      return unlessEmpty(fields) && { [format]: fields }
    },
    /** Returns the blocks of the tools that were read since the last call. */
    take(): readonly ContentBlock[] {
      const taken = [...tools].flatMap(([index, tool]) => blocksOfTool(tool, index))
      tools = new Map()
      return taken
    },
  }
}

const callFieldNames = new Set(['index', 'type', 'arguments'])

function blocksOfTool(tool: JsonObject, index: number): readonly ContentBlock[] {
  const id = `groq_${index}`
  const name = textOr(tool.type, 'tool')
  const argumentsText = textOr(tool.arguments, '')
  const parsed = parseArguments(argumentsText)
  const args = 'value' in parsed ? parsed.value : {}
  const output = otherFields(tool, callFieldNames)
  const result = { type: 'server_tool_result' as const, toolCallId: id, name, output, providerData: { [format]: {} } }
  // The entry is stored unchanged, so that a gateway can send it to clients of this format.
  const providerData = { [format]: { executed_tools: [tool] } }
  return [
    { type: 'server_tool_call', id, name, arguments: args, argumentsText, providerData },
    ...(output === undefined ? [] : [result]),
  ]
}
