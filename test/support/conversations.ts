/** Random conversations: tidy ones, as they should be, and untidy ones, as crashes, trims, merges and other libraries leave them. */
import fc from 'fast-check'
import type {
  AssistantMessage,
  ContentBlock,
  InvalidToolCall,
  Message,
  Opaque,
  StopReason,
  ToolCall,
  ToolMessage,
} from '../../src/core/messages.ts'
import { isExhaustive } from './cuts.ts'

/** Seeded, so that a failure can be seen again. `npm test` tries the first cases of `npm run test:all`. */
export const seeded = { seed: 20261121, numRuns: isExhaustive ? 10_000 : 1_000 } as const

const text: fc.Arbitrary<string> = fc.constantFrom(
  '',
  ' ',
  '\n',
  'hello',
  'two words',
  'héllo 👋',
  'cut \ud83d',
  'x'.repeat(50),
)
const id: fc.Arbitrary<string> = fc.constantFrom(
  'call_1',
  'call_2',
  'toolu_01A',
  'gemini_0',
  'functions.weather:0',
  'fc_1|call_9',
  'abcdef123',
  '__proto__',
  `call_${'9'.repeat(80)}`,
)
const name: fc.Arbitrary<string> = fc.constantFrom(
  'weather',
  'get time',
  '9lives',
  'a.b:c',
  'constructor',
  'n'.repeat(130),
)

const proof: fc.Arbitrary<Opaque> = fc.constantFrom(
  { provider: 'anthropic', model: 'claude', format: 'anthropic', data: { signature: 'c2ln' } },
  { provider: 'openai', model: 'gpt', format: 'openai-responses', data: { encrypted_content: 'xyz', id: 'rs_1' } },
  { provider: 'google', model: 'gemini', format: 'gemini', data: { thoughtSignature: 'Zm9v' } },
)
const maybeProof = fc.option(proof, { nil: undefined }).map((opaque) => (opaque === undefined ? {} : { opaque }))

const textBlock: fc.Arbitrary<ContentBlock> = fc
  .tuple(text, maybeProof)
  .map(([value, own]) => ({ type: 'text', text: value, ...own }))
const reasoningBlock: fc.Arbitrary<ContentBlock> = fc
  .tuple(text, maybeProof)
  .map(([value, own]) => ({ type: 'reasoning', text: value, ...own }))
const mediaBlock: fc.Arbitrary<ContentBlock> = fc.constantFrom<ContentBlock>(
  { type: 'image', data: 'aGk=', mimeType: 'image/png' },
  { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
  { type: 'file', data: 'aGk=', mimeType: 'application/pdf', filename: 'a.pdf' },
)
const oddBlock: fc.Arbitrary<ContentBlock> = fc.constantFrom<ContentBlock>(
  { type: 'tool_call_chunk', index: 0, argumentsDelta: '{"a' },
  { type: 'server_tool_call', id: 'call_1', name: 'web_search', arguments: { q: 'x' } },
  { type: 'server_tool_result', toolCallId: 'call_1', status: 'success', output: [] },
  { type: 'unknown', format: 'gemini', providerType: 'novelty', value: { a: 1 } },
  { type: 'citation', url: 'https://example.com', startIndex: 0, endIndex: 3 },
  { type: 'plain_text', text: 'a document' },
)
const callBlock: fc.Arbitrary<ToolCall> = fc
  .tuple(id, name, fc.constantFrom({}, { city: 'Paris' }, { bad: '\udc00' }), fc.nat(3), maybeProof)
  .map(([callId, tool, args, index, own]) => ({
    type: 'tool_call',
    id: callId,
    name: tool,
    arguments: args,
    argumentsText: JSON.stringify(args),
    index,
    complete: true,
    ...own,
  }))
const invalidCall: fc.Arbitrary<InvalidToolCall> = fc
  .tuple(fc.option(id, { nil: undefined }), fc.option(name, { nil: undefined }), fc.nat(3))
  .map(([callId, tool, index]) => ({
    type: 'invalid_tool_call',
    ...(callId !== undefined && { id: callId }),
    ...(tool !== undefined && { name: tool }),
    index,
    argumentsText: '{"city": "Par',
    reason: 'malformed_json',
    error: 'The arguments are not JSON',
  }))

const said: fc.Arbitrary<string | ContentBlock[]> = fc.oneof(
  text,
  fc.array(fc.oneof(textBlock, mediaBlock, oddBlock), { maxLength: 3 }),
)
const stopReason: fc.Arbitrary<StopReason | undefined> = fc.constantFrom(
  undefined,
  'stop',
  'tool_calls',
  'error',
  'aborted',
)

const instruction: fc.Arbitrary<Message> = fc
  .tuple(fc.constantFrom('system' as const, 'developer' as const), said)
  .map(([role, content]) => ({ role, content }))
const user: fc.Arbitrary<Message> = fc
  .tuple(said, fc.option(fc.tuple(id, text), { nil: undefined }))
  .map(([content, result]) => {
    if (result === undefined || typeof content === 'string') return { role: 'user', content }
    return { role: 'user', content: [...content, { type: 'tool_result', toolCallId: result[0], content: result[1] }] }
  })
const assistant: fc.Arbitrary<AssistantMessage> = fc
  .tuple(
    fc.oneof(
      fc.constant(null),
      text,
      fc.array(fc.oneof(textBlock, reasoningBlock, callBlock, callBlock, oddBlock), { maxLength: 4 }),
    ),
    fc.option(fc.array(callBlock, { maxLength: 2 }), { nil: undefined, freq: 3 }),
    fc.option(fc.array(invalidCall, { maxLength: 1 }), { nil: undefined, freq: 3 }),
    stopReason,
  )
  .map(([content, toolCalls, invalidToolCalls, reason]) => ({
    role: 'assistant',
    content,
    ...(toolCalls && { toolCalls }),
    ...(invalidToolCalls && { invalidToolCalls }),
    ...(reason && { stopReason: reason }),
  }))
/** A result without an id has the name of its tool: otherwise its call could not be found. */
const result: fc.Arbitrary<ToolMessage> = fc
  .tuple(
    fc.oneof(id, fc.constant('')),
    fc.option(name, { nil: undefined }),
    fc.oneof(text, fc.array(fc.oneof(textBlock, mediaBlock), { maxLength: 2 })),
  )
  .map(([toolCallId, tool, content]) => {
    const named = tool ?? (toolCallId === '' ? 'weather' : undefined)
    return { role: 'tool', toolCallId, ...(named !== undefined && { name: named }), content }
  })

/** Anything may stand anywhere. */
export const untidy: fc.Arbitrary<Message[]> = fc.array(
  fc.oneof(instruction, user, assistant, { arbitrary: result, weight: 2 }, assistant),
  { maxLength: 7 },
)

/** Every call has its result in place and an id of its own; ends as a stored conversation ends. */
export const tidy: fc.Arbitrary<Message[]> = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.tuple(fc.constantFrom('user', 'answer', 'calls', 'late'), fc.integer({ min: 1, max: 3 }), fc.nat(30)), {
      maxLength: 10,
    }),
  )
  .map(([hasSystem, steps]) => {
    const messages: Message[] = hasSystem ? [{ role: 'system', content: 'Be brief' }] : []
    steps.forEach(([kind, calls, words], at) => {
      const content = 'word '.repeat(words + 1).trim()
      if (kind === 'user') messages.push({ role: 'user', content, id: `u${at}` })
      else if (kind === 'late') messages.push({ role: 'system', content })
      else if (kind === 'answer')
        messages.push({ role: 'assistant', content, usage: { inputTokens: words, outputTokens: calls } })
      else messages.push(...round(at, calls, content))
    })
    return messages
  })

function round(at: number, calls: number, content: string): Message[] {
  const blocks: ToolCall[] = Array.from({ length: calls }, (_, index) => ({
    type: 'tool_call',
    id: `call_${at}_${index}`,
    name: index === 0 ? 'weather' : 'time',
    arguments: { at },
    argumentsText: `{"at":${at}}`,
    index,
    complete: true,
  }))
  return [
    { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: content }, ...blocks] },
    ...blocks.map((call): Message => ({ role: 'tool', toolCallId: call.id, name: call.name, content: 'done' })),
  ]
}
