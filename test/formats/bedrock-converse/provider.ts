/** A provider of Bedrock's format, by hand from wire/bedrock-converse.md §3, §4, §5. */
import { bedrockConverse } from '../../../src/formats/bedrock-converse/index.ts'
import { proof } from '../../gateway/dialogue.ts'
import { type Answer, given, halves, type Json, list, providerOf, resultOf, textOf } from '../provider.ts'

const usage = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }
const errorNames: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  429: 'ThrottlingException',
}
/** A message of a stream as text, a line of its own: `toWire` of `test/gateway/provider.ts` turns it into bytes. */
export const bedrockLine = (type: string, payload: Json, kind: 'event' | 'exception' = 'event'): string =>
  `:${kind}-type ${type} ${JSON.stringify(payload)}\n`

/** Each block whole, the beginning of it if it has one, and its deltas. */
const blocksOf = ({ thought, text, texts, calls }: Answer): { block: Json; start?: Json; deltas: Json[] }[] => [
  ...given(thought, (thinking) => ({
    block: { reasoningContent: { reasoningText: { text: thinking, signature: proof } } },
    deltas: [...halves(thinking).map((half) => ({ text: half })), { signature: proof }].map((reasoningContent) => ({
      reasoningContent,
    })),
  })),
  ...given(text, () => ({ block: { text }, deltas: texts.map((piece) => ({ text: piece })) })),
  ...calls.map(({ id, name, args, input }) => ({
    block: { toolUse: { toolUseId: id, name, input } },
    start: { toolUse: { toolUseId: id, name } },
    deltas: halves(args).map((half) => ({ toolUse: { input: half } })),
  })),
]

export const provider = providerOf({
  name: 'bedrock-converse',
  path: /^\/model\/[^/]+\/converse(?:-stream)?$/,
  key: 'br-canary-3Yc7Lp2Ks9',
  make: (model, options) => bedrockConverse(model, { region: 'us-east-1', ...options }),
  model: 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
  base: '',
  words: { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens' },
  turnsOf: ({ messages }) =>
    list(messages).map(({ role, content }) => {
      const results = list(content).flatMap(({ toolResult }) => toolResult ?? [])
      return {
        ...(role === 'user' && results.length === 0 && { prompt: textOf(content) }),
        results: results.map((result) => resultOf(result.toolUseId, textOf(result.content))),
        isProved: list(content).some(({ reasoningContent }) => reasoningContent?.reasoningText?.signature === proof),
      }
    }),
  schemaIn: ({ outputConfig }) => JSON.parse(outputConfig?.textFormat?.structure?.jsonSchema?.schema ?? '{}'),
  whole: (answer) => ({
    metrics: { latencyMs: 5 },
    output: { message: { role: 'assistant', content: blocksOf(answer).map(({ block }) => block) } },
    stopReason: answer.reason,
    usage,
  }),
  pieces: (answer) => [
    bedrockLine('messageStart', { role: 'assistant', p: 'abc' }),
    ...blocksOf(answer).flatMap(({ start, deltas }, contentBlockIndex) => [
      ...given(start, () => bedrockLine('contentBlockStart', { contentBlockIndex, start })),
      ...deltas.map((delta) => bedrockLine('contentBlockDelta', { contentBlockIndex, delta, p: 'abcdef' })),
      bedrockLine('contentBlockStop', { contentBlockIndex }),
    ]),
  ],
  end: ({ reason }) => [
    bedrockLine('messageStop', { stopReason: reason }),
    bedrockLine('metadata', { metrics: { latencyMs: 5 }, usage }),
  ],
  isBinary: true,
  isStream: ({ path }) => path.endsWith('/converse-stream'),
  error: (status, message) => ({ __type: errorNames[status] ?? 'InternalServerException', message }),
  errorPiece: (message) => bedrockLine('serviceUnavailableException', { message }, 'exception'),
})
