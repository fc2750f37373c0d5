/**
 * The models of xAI, in the format OpenAI Chat Completions.
 *
 * @see https://docs.x.ai/docs/guides/live-search (read 2026-11)
 * @module
 */
import { replayed } from '../assemble/replay.ts'
import type { ClientCodec, Fragment, ModelSettings } from '../core/codec.ts'
import { blocksOf } from '../core/content.ts'
import { arrayOf, field, textOr } from '../core/json.ts'
import type { ChatResponse, CitationBlock, ProviderData, ReasoningEffort } from '../core/model.ts'
import type { HttpModel } from '../core/question.ts'
import { type ChatDialect, chatModel, compatible, refusing } from '../formats/openai-chat/index.ts'
import { changeFragments } from '../kit/change-fragments.ts'

/** Returns the efforts of a model. grok-4 and grok-4.20 refuse every effort. For grok-4.5, reasoning cannot be switched off. */
function efforts(model: string): readonly ReasoningEffort[] {
  if (/^grok-4(?:-|$|\.20)/.test(model)) return []
  return /^grok-4\.5/.test(model) ? ['low', 'medium', 'high'] : ['none', 'low', 'medium', 'high']
}

/** The dialect of xAI. */
export const xaiDialect: ChatDialect = {
  ...compatible,
  provider: 'xai',
  title: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  refuses: /* @__PURE__ */ refusing(['top_k', 'logit_bias']),
  efforts,
  reasons: (model, effort) => /^grok-(?:3-mini|[4-9])/.test(model) && !/non-reasoning/.test(model) && effort !== 'none',
  whileReasoning: { refuses: /* @__PURE__ */ new Set(['frequency_penalty', 'presence_penalty', 'stop']) },
  countsReasoningApart: true,
  adapt,
}

/**
 * A model that xAI serves.
 *
 * @example
 * ```ts
 * const model = xai('grok-4.5', { apiKey })
 * ```
 */
export function xai(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(xaiDialect, model, settings)
}

// ---- citations --------------------------------------------------------------------------------

/** Reads the sources of a search, which an answer lists beside its text. They are citations of the whole text. */
function adapt(codec: ClientCodec): ClientCodec {
  return {
    ...codec,
    decodeResponse: (body, options) => replayed(cited(codec.decodeResponse(body, options)), options?.events),
    decodeStream(options) {
      let sources: ProviderData | undefined
      /** The length of the last text; 0 if it has citations, or another block came after it. */
      let length = 0
      const flush = (out: Fragment[]) => {
        const citations = citationsIn(sources, length)
        if (citations.length > 0) out.push({ type: 'patch', citations })
        length = 0
      }
      const change = (fragment: Fragment, out: Fragment[]) => {
        const { type } = fragment
        if (type === 'text') length += fragment.text.length
        else if (type === 'call' || type === 'reasoning' || type === 'block') length = 0
        else if (type === 'patch' && fragment.citations !== undefined) length = 0
        else if (type === 'extra' && fragment.on !== 'message') sources = fragment.providerData
        else if (type === 'end') flush(out)
        out.push(fragment)
      }
      return changeFragments(codec.decodeStream(options), change, flush)
    },
  }
}

function cited(response: ChatResponse): ChatResponse {
  const content = blocksOf(response.message.content)
  const last = content.at(-1)
  if (last?.type !== 'text' || last.citations !== undefined) return response
  const citations = citationsIn(response.providerData, last.text.length)
  if (citations.length === 0) return response
  return { ...response, message: { ...response.message, content: [...content.slice(0, -1), { ...last, citations }] } }
}

function citationsIn(data: ProviderData | undefined, length: number): readonly CitationBlock[] {
  return arrayOf(field(data?.['openai-chat'], 'citations')).flatMap((one) => {
    const url = textOr(one, undefined)
    // Other formats require a title.
    if (url === undefined || length === 0) return []
    return [{ type: 'citation', url, title: url, startIndex: 0, endIndex: length }]
  })
}
