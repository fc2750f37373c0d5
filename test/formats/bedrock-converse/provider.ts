/** Its provider behind a gateway, by hand from wire/bedrock-converse.md §3, §4, §5. */
import { EventStreamCodec } from '@smithy/core/event-streams'
import { proof } from '../../gateway/dialogue.ts'
import { halves, type Json, type Loose, list, type Speaker, textOf } from '../provider.ts'
import { key } from './server.ts'

const messages = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes as Uint8Array),
  (text) => new TextEncoder().encode(text),
)
/** A message of the stream; `kind` is `event` or `exception`. */
export function bedrockMessage(type: string, payload: Json, kind: 'event' | 'exception' = 'event'): Uint8Array {
  const text = (value: string) => ({ type: 'string' as const, value })
  return messages.encode({
    headers: {
      [`:${kind}-type`]: text(type),
      ':content-type': text('application/json'),
      ':message-type': text(kind),
    },
    body: new TextEncoder().encode(JSON.stringify(payload)),
  })
}
const bedrockUsage = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }
const bedrockNames: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  429: 'ThrottlingException',
}
/** A message as text, a line of its own. */
export const bedrockLine = (type: string, payload: Json, kind: 'event' | 'exception' = 'event'): string =>
  `:${kind}-type ${type} ${JSON.stringify(payload)}\n`
export const provider: Speaker = {
  path: /^\/model\/[^/]+\/converse(?:-stream)?$/,
  hear({ messages: turns, outputConfig }) {
    const blocksOf = (turn: Json): Loose[] => list(turn?.content)
    const isPrompt = (turn: Json) => turn.role === 'user' && !blocksOf(turn).some(({ toolResult }) => toolResult)
    const last = list(turns).findLastIndex(isPrompt)
    const results = list(turns)
      .slice(last)
      .flatMap((turn) => blocksOf(turn).flatMap(({ toolResult }) => toolResult ?? []))
    const schema = outputConfig?.textFormat?.structure?.jsonSchema?.schema ?? '{}'
    return {
      prompt: textOf(list(turns)[last]?.content),
      results: results.map(({ content }) => textOf(content)),
      hasProof: list(turns).some((turn) =>
        blocksOf(turn).some(({ reasoningContent }) => reasoningContent?.reasoningText?.signature === proof),
      ),
      hasSchema: JSON.parse(schema).properties?.city !== undefined,
    }
  },
  whole: ({ thought, text, calls = [] }) => ({
    metrics: { latencyMs: 5 },
    output: {
      message: {
        role: 'assistant',
        content: [
          ...(thought === undefined
            ? []
            : [{ reasoningContent: { reasoningText: { text: thought, signature: proof } } }]),
          ...(text === undefined ? [] : [{ text }]),
          ...calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } })),
        ],
      },
    },
    stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: bedrockUsage,
  }),
  pieces({ thought, text, calls = [] }) {
    const blocks: { readonly start?: Json; readonly deltas: readonly Json[] }[] = [
      ...(thought === undefined
        ? []
        : [
            {
              deltas: [...halves(thought).map((half) => ({ text: half })), { signature: proof }].map(
                (reasoningContent) => ({ reasoningContent }),
              ),
            },
          ]),
      ...(text === undefined ? [] : [{ deltas: halves(text).map((half) => ({ text: half })) }]),
      ...calls.map(({ id, name, args }) => ({
        start: { toolUse: { toolUseId: id, name } },
        deltas: halves(JSON.stringify(args)).map((input) => ({ toolUse: { input } })),
      })),
    ]
    return [
      bedrockLine('messageStart', { role: 'assistant', p: 'abc' }),
      ...blocks.flatMap(({ start, deltas }, contentBlockIndex) => [
        ...(start === undefined ? [] : [bedrockLine('contentBlockStart', { contentBlockIndex, start })]),
        ...deltas.map((delta) => bedrockLine('contentBlockDelta', { contentBlockIndex, delta, p: 'abcdef' })),
        bedrockLine('contentBlockStop', { contentBlockIndex }),
      ]),
      bedrockLine('messageStop', { stopReason: calls.length > 0 ? 'tool_use' : 'end_turn' }),
      bedrockLine('metadata', { metrics: { latencyMs: 5 }, usage: bedrockUsage }),
    ]
  },
  isStream: ({ path }) => path.endsWith('/converse-stream'),
  error: (status, message) => ({ __type: bedrockNames[status] ?? 'InternalServerException', message }),
  errorPiece: (message) => bedrockLine('serviceUnavailableException', { message }, 'exception'),
  holdsKey: ({ headers }) => headers.authorization === `Bearer ${key}`,
}
