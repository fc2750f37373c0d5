/** Its provider behind a gateway, by hand from wire/ollama.md §3, §4. */
import type { Said } from '../../gateway/dialogue.ts'
import { halves, type Json, list, type Speaker, textOf } from '../provider.ts'
import { key } from './server.ts'

const ollamaHead = { model: 'qwen3:8b', created_at: '2026-11-20T10:00:00.000000Z' }
const ollamaEnd = { done: true, done_reason: 'stop', prompt_eval_count: 11, eval_count: 7, total_duration: 1 }
const ollamaCalls = (calls: Said['calls'] = []) =>
  calls.map(({ name, args }) => ({ function: { name, arguments: args } }))
export const provider: Speaker = {
  path: /^\/api\/chat$/,
  hear({ messages, format }) {
    const turns = list(messages)
    const last = turns.findLastIndex(({ role }) => role === 'user')
    return {
      prompt: textOf(turns[last]?.content),
      results: turns.slice(last).flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : [])),
      hasProof: false,
      hasSchema: format?.properties?.city !== undefined,
    }
  },
  whole: ({ thought, text = '', calls }) => ({
    ...ollamaHead,
    ...ollamaEnd,
    message: {
      role: 'assistant',
      content: text,
      ...(thought && { thinking: thought }),
      ...(calls && { tool_calls: ollamaCalls(calls) }),
    },
  }),
  pieces({ thought, text = '', calls = [] }) {
    const line = (message: Json, rest: Json = { done: false }) =>
      `${JSON.stringify({ ...ollamaHead, message: { role: 'assistant', content: '', ...message }, ...rest })}\n`
    return [
      ...(thought ? halves(thought).map((thinking) => line({ thinking })) : []),
      ...(text === '' ? [] : halves(text).map((content) => line({ content }))),
      ...ollamaCalls(calls).map((call) => line({ tool_calls: [call] })),
      line({}, ollamaEnd),
    ]
  },
  isStream: ({ body }) => body.stream !== false,
  error: (_, message) => ({ error: message }),
  errorPiece: (message) => `${JSON.stringify({ error: message })}\n`,
  holdsKey: ({ headers }) => headers.authorization === `Bearer ${key}`,
}
