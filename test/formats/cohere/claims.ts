/** The features and quirks that recordings of Cohere claim, and how each is seen. */
import type { JsonObject } from '../../../src/core/messages.ts'
import { havingField } from '../../support/raw.ts'
import {
  all,
  any,
  type Check,
  claimsOf,
  detail,
  isFailed,
  isStream,
  type List,
  lacks,
  not,
  some,
  toolCalls,
} from '../claims.ts'

const cohereNames: List = (raw) =>
  toolCalls(raw).flatMap((call) => (call.function as JsonObject | undefined)?.name ?? [])
const cohereText: Check = some('text', ({ type, text, start }) => text !== '' && type === 'text' && start === undefined)
const cohereSaid: Check = any(
  cohereText,
  some('content', ({ content }) => havingField(content, 'text').some(({ text }) => text !== '')),
)
/** The text of the arguments of each call: whole, or joined of its pieces. */
const cohereArguments = (raw: readonly JsonObject[]): string[] => {
  const texts: string[] = []
  for (const call of toolCalls(raw)) {
    const { name, arguments: text } = (call.function ?? {}) as JsonObject
    if (name !== undefined) texts.push(String(text))
    else texts.push(`${texts.pop()}${text}`)
  }
  return texts
}
const cohereCitation = (is: (citation: JsonObject) => boolean): Check => some('sources', is)

export const claims = claimsOf({
  text: cohereSaid,
  call: /"arguments":/,
  names: cohereNames,
  features: {
    usage: /"billed_units":/,
    'max-tokens': /"finish_reason":"MAX_TOKENS"/,
    'stop-sequence': /"finish_reason":"STOP_SEQUENCE"/,
    'tool-plan': some('tool_plan', (one) => one.tool_plan !== ''),
    'no-text': not(cohereSaid),
    'tool-no-args': ({ raw }) => cohereArguments(raw).some((text) => /^(?:\{\}|null)?$/.test(text)),
    reasoning: some('thinking', ({ thinking }) => thinking !== ''),
    'usage-reasoning': /"reasoning_tokens":/,
    'usage-cached': /"cached_tokens":/,
    citations: /"sources":/,
    error: any(isFailed, /"error":/),
    'error-midstream': all(isStream, /"error":/),
    'system-prompt': { asked: /"role":"system"/ },
    'tools-declared': { asked: /"tools":\[\{/ },
    'tool-choice': { asked: /"tool_choice":"/ },
    'tool-result-input': { asked: /"role":"tool"/ },
    'document-in-tool-result': { asked: /"type":"document"/ },
    'document-input': { asked: /"documents":\[[^\]]/ },
    'reasoning-replay': { asked: /"type":"thinking"/ },
    'thinking-param': { asked: /"thinking":\{/ },
    'structured-output': { asked: /"response_format":\{/ },
    'stop-sequences-param': { asked: /"stop_sequences":\["/ },
    'image-input': { asked: /"type":"image_url"/ },
  },
  quirks: {
    'cache-read': detail('cached_tokens'),
    'citation-without-content_index': cohereCitation(lacks('content_index')),
    'citation:TEXT_CONTENT': cohereCitation(({ type }) => type === 'TEXT_CONTENT'),
    'citation:THINKING_CONTENT': cohereCitation(({ type }) => type === 'THINKING_CONTENT'),
    'citation-behind-content': ({ raw }) => {
      const types = raw.map(({ type }) => type)
      return types.indexOf('citation-start') > types.indexOf('content-end')
    },
    'offsets-in-code-points': all(/[\ud800-\udfff]/, /"sources":/),
    'source:document': /"sources":\[.*"type":"document"/,
    'source:tool': /"type":"tool","id"/,
    'content:unknown': /"type":"sketch_from_next_year"/,
    'content-absent': all(not(isStream), some('role', lacks('content'))),
    'content-string': { asked: /"content":"/ },
    'content-null-or-absent:assistant': { asked: /"role":"assistant"(?:,"content":null|,"tool_(?:plan|calls)")/ },
    'documents-empty': { asked: /"documents":\[\]/ },
    'done-marker': { framing: /^data: ?\[DONE\]/m },
    'sse-comment': { framing: /^:/m },
    'sse-last-event-unterminated': all(isStream, { framing: /[^\r\n][\r\n]?$/ }),
    'tool-args-text:': all(isStream, ({ raw }) => cohereArguments(raw).includes('')),
    'tool-args-text:null': ({ raw }) => cohereArguments(raw).includes('null'),
    'tool-args-in-start': some('name', (one) => Boolean(one.arguments)),
    'tool-call-without-deltas': all(isStream, ({ raw }) => cohereArguments(raw).includes('')),
    'usage-image-tokens': detail('image_tokens'),
  },
})
