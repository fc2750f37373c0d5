/** The official client of Interactions. */
import { clientOf, type Loose, run, schema, weather } from '../client.ts'
import { google } from '../gemini/client.ts'

export const client = clientOf({
  prompt: (text) => ({ type: 'user_input', content: [{ type: 'text', text }] }),
  async ask(at, input, { model, stream, tools, think, schema: wantsSchema }) {
    const body = {
      ...{ model, input, store: false },
      ...(tools && { tools: [{ type: 'function' as const, ...weather }] }),
      ...(think && { generation_config: { thinking_level: 'low' as const, thinking_summaries: 'auto' as const } }),
      ...(wantsSchema && {
        response_format: { type: 'text' as const, mime_type: 'application/json' as const, schema },
      }),
    }
    const options = { retries: { strategy: 'none' as const } } as Loose
    const answer: Loose = stream
      ? await gathered(await google(at).interactions.create({ ...body, stream: true }, options))
      : await google(at).interactions.create(body, options)
    const steps: Loose[] = answer.steps ?? []
    const textsOf = (contents: Loose[] = []) => contents.map(({ text = '' }) => text).join('')
    return {
      answered: steps,
      text: steps.map(({ type, content }) => (type === 'model_output' ? textsOf(content) : '')).join(''),
      calls: callsIn(steps).map((call) => ({ name: call.name, args: call.arguments })),
      thought: steps.map(({ summary }) => textsOf(summary)).join(''),
      usage: { input: answer.usage?.total_input_tokens, output: answer.usage?.total_output_tokens },
    }
  },
  results: (steps) =>
    callsIn(steps).map(({ id, name, arguments: args }) => ({
      ...{ type: 'function_result', call_id: id, name, result: run(args) },
    })),
  async leave(at, model, input) {
    const stream = await google(at).interactions.create({ model, input, stream: true })
    for await (const event of stream) if (event.event_type === 'step.delta') break
  },
})

const callsIn = (steps: readonly Loose[]) => steps.filter(({ type }) => type === 'function_call')

/** The client returns events: its documentation shows how steps are put together from them. */
async function gathered(events: AsyncIterable<Loose>): Promise<Loose> {
  const steps: Loose[] = []
  let last: Loose
  for await (const { event_type: type, index, step, delta, interaction, error } of events) {
    if (type === 'error') throw new Error(error.message)
    if (type === 'step.start') steps[index] = step.type === 'function_call' ? { ...step, arguments: '' } : step
    if (type === 'step.delta') addDelta(steps[index], delta)
    if (type === 'step.stop' && steps[index].type === 'function_call')
      steps[index].arguments = JSON.parse(steps[index].arguments || '{}')
    if (interaction) last = interaction
  }
  return { ...last, steps }
}

function addDelta(step: Loose, delta: Loose): void {
  if (delta.type === 'text') step.content = [...(step.content ?? []), delta]
  if (delta.type === 'thought_summary') step.summary = [...(step.summary ?? []), delta.content]
  if (delta.type === 'thought_signature') step.signature = delta.signature
  if (delta.type === 'arguments_delta') step.arguments += delta.arguments
}
