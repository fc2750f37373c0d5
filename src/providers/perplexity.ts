/**
 * The models of Perplexity, in the format OpenAI Chat Completions.
 *
 * @see https://docs.perplexity.ai/api-reference/chat-completions-post (read 2026-11)
 * @module
 */
import { replayed } from '../assemble/replay.ts'
import type { ClientCodec, Fragment, ModelSettings } from '../core/codec.ts'
import { blocksOf } from '../core/content.ts'
import { arrayOf, field, textOr } from '../core/json.ts'
import type { ChatResponse, CitationBlock, ProviderData } from '../core/messages.ts'
import type { HttpModel } from '../core/question.ts'
import {
  alternating,
  type ChatDialect,
  chatModel,
  choosing,
  compatible,
  refusing,
  spellCalls,
} from '../formats/openai-chat/index.ts'
import { changeFragments } from '../formats/shared/change-fragments.ts'

/** The dialect of Perplexity. */
export const perplexityDialect: ChatDialect = {
  ...compatible,
  provider: 'perplexity',
  title: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  refuses: /* @__PURE__ */ refusing(['seed', 'stop', 'user'], ['web_search_options']),
  asksForUsage: false, // Perplexity always sends usage
  order: { ...alternating, userLast: true },
  withoutTools: spellCalls,
  chooseTools: /* @__PURE__ */ choosing([]),
  adapt,
}

/**
 * A model that Perplexity serves.
 *
 * @example
 * ```ts
 * const model = perplexity('sonar', { apiKey })
 * ```
 */
export function perplexity(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(perplexityDialect, model, settings)
}

// ---- citations --------------------------------------------------------------------------------

/**
 * Reads citations. The text names sources by number, such as `[1]`, and the answer lists them in another field. Each such mark becomes a
 * citation. Annotations of a gateway have the same content, so the marks replace them.
 */
function adapt(codec: ClientCodec): ClientCodec {
  return {
    ...codec,
    decodeResponse: (body, options) => replayed(cited(codec.decodeResponse(body, options)), options?.events),
    decodeStream(options) {
      let marks = markReader()
      let sources: ProviderData | undefined
      let others: Fragment[] = []
      const flush = (out: Fragment[]) => {
        const citations = marks.citations(sources)
        out.push(...(citations.length > 0 ? [{ type: 'patch' as const, citations }] : others))
        others = []
        marks = markReader()
      }
      const change = (fragment: Fragment, out: Fragment[]) => {
        if (fragment.type === 'text') marks.read(fragment.text)
        else if (fragment.type === 'extra' && fragment.on !== 'message') sources = fragment.providerData
        else if (fragment.type === 'patch' && fragment.citations !== undefined) {
          others.push(fragment)
          return
        } else if (fragment.type === 'end') flush(out)
        else if (fragment.type === 'reasoning' || fragment.type === 'block') {
          out.push(...others)
          others = []
          marks = markReader() // another text follows
        }
        out.push(fragment)
      }
      return changeFragments(codec.decodeStream(options), change, flush)
    },
  }
}

function cited(response: ChatResponse): ChatResponse {
  const content = blocksOf(response.message.content)
  const last = content.at(-1)
  if (last?.type !== 'text') return response
  const marks = markReader()
  marks.read(last.text)
  const citations = marks.citations(response.providerData)
  if (citations.length === 0) return response
  return { ...response, message: { ...response.message, content: [...content.slice(0, -1), { ...last, citations }] } }
}

/** Finds marks in the deltas of a text, outside fenced code. It stores the marks and the last, incomplete line. */
function markReader() {
  const found: { readonly number: number; readonly startIndex: number; readonly endIndex: number }[] = []
  let line = ''
  let lineStart = 0
  let isFenced = false
  function readLine(): void {
    const isFence = /^\s{0,3}(?:```|~~~)/.test(line)
    if (isFence) isFenced = !isFenced
    else if (!isFenced) {
      // `[1](…)` is a link.
      for (const match of line.matchAll(/\[(\d{1,4})\](?!\()/g)) {
        const startIndex = lineStart + match.index
        found.push({ number: Number(match[1]), startIndex, endIndex: startIndex + match[0].length })
      }
    }
  }
  return {
    read(text: string): void {
      const [first = '', ...others] = text.split('\n')
      line += first
      for (const next of others) {
        readLine()
        lineStart += line.length + 1
        line = next
      }
    },
    /** Returns citations for the marks whose number is in the list of sources. */
    citations(sources: ProviderData | undefined): readonly CitationBlock[] {
      readLine()
      const data = sources?.['openai-chat']
      const results = arrayOf(field(data, 'search_results'))
      const urls = arrayOf(field(data, 'citations'))
      return found.flatMap(({ number, startIndex, endIndex }) => {
        const result = results[number - 1]
        const url = textOr(field(result, 'url'), textOr(urls[number - 1], undefined))
        if (url === undefined) return []
        // Other formats require a title. Without one, the address is the title.
        return [{ type: 'citation', url, title: textOr(field(result, 'title'), url), startIndex, endIndex }]
      })
    },
  }
}
