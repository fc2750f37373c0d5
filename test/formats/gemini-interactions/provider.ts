/** Its provider behind a gateway, by hand from wire/gemini-interactions.md §3, §4, §5. */
import { proof, type Said } from '../../gateway/dialogue.ts'
import { codeOf, event, halves, type Json, list, type Speaker, textOf } from '../provider.ts'
import { key } from './server.ts'

const interactionUsage = {
  total_input_tokens: 11,
  total_cached_tokens: 0,
  total_output_tokens: 7,
  total_thought_tokens: 0,
  total_tool_use_tokens: 0,
  total_tokens: 18,
}
function interactionSteps({ thought, text, calls = [] }: Said): Json[] {
  return [
    ...(thought === undefined
      ? []
      : [{ type: 'thought', summary: [{ type: 'text', text: thought }], signature: proof }]),
    ...(text === undefined ? [] : [{ type: 'model_output', content: [{ type: 'text', text }] }]),
    ...calls.map(({ id, name, args }) => ({ type: 'function_call', id, name, arguments: args })),
  ]
}
const interactionBody = (said: Said) => ({
  id: 'v1_u1',
  status: said.calls ? 'requires_action' : 'completed',
  usage: interactionUsage,
  created: '2026-11-20T10:00:00Z',
  updated: '2026-11-20T10:00:00Z',
  object: 'interaction',
  model: 'gemini-2.5-flash',
})
const named = (event_type: string, fields: Json) => event({ type: event_type, ...fields, event_type })
function stepDeltas({ type, summary, signature, content, arguments: args }: Json): { shell: Json; deltas: Json[] } {
  if (type === 'thought') {
    const texts = halves(summary[0].text).map((text) => ({ type: 'thought_summary', content: { type: 'text', text } }))
    return { shell: {}, deltas: [...texts, { type: 'thought_signature', signature }] }
  }
  if (type === 'model_output') {
    return { shell: {}, deltas: halves(content[0].text).map((text) => ({ type: 'text', text })) }
  }
  const pieces = halves(JSON.stringify(args)).map((piece) => ({ type: 'arguments_delta', arguments: piece }))
  return { shell: { arguments: {}, signature: '' }, deltas: pieces }
}
export const provider: Speaker = {
  path: /^\/v1beta\/interactions$/,
  hear({ input, response_format }) {
    const steps = typeof input === 'string' ? [{ type: 'user_input', content: [{ text: input }] }] : list(input)
    const last = steps.findLastIndex(({ type }) => type === 'user_input')
    const results = steps.slice(last).filter(({ type }) => type === 'function_result')
    return {
      prompt: textOf(steps[last]?.content),
      results: results.map(({ result }) => textOf(result)),
      hasProof: steps.some(({ type, signature }) => type === 'thought' && signature === proof),
      hasSchema: response_format?.schema?.properties?.city !== undefined,
    }
  },
  whole: (said) => ({ ...interactionBody(said), steps: interactionSteps(said) }),
  pieces: (said) => [
    named('interaction.created', {
      interaction: { id: 'v1_u1', status: 'in_progress', object: 'interaction', model: 'gemini-2.5-flash' },
    }),
    named('interaction.status_update', { interaction_id: 'v1_u1', status: 'in_progress' }),
    ...interactionSteps(said).flatMap((step, index) => {
      const { summary: _, signature: __, content: ___, ...shell } = step
      const parts = stepDeltas(step)
      return [
        named('step.start', { index, step: { ...shell, ...parts.shell } }),
        ...parts.deltas.map((delta) => named('step.delta', { index, delta })),
        named('step.stop', { index }),
      ]
    }),
    `${named('interaction.completed', { interaction: interactionBody(said) })}event: done\ndata: [DONE]\n\n`, // the end is the first of the two
  ],
  isStream: ({ body }) => body.stream === true,
  error: (status, message) => ({ error: { code: codeOf(status), message } }),
  errorPiece: (message) => named('error', { error: { code: 'service_unavailable', message } }),
  holdsKey: ({ headers }) => headers['x-goog-api-key'] === key,
}
