/**
 * The service of the binding `AI` of Workers, as workerd's own code for the binding asks it, and as Cloudflare's reference says it answers:
 * https://github.com/cloudflare/workerd/blob/main/src/cloudflare/internal/ai-api.ts and https://developers.cloudflare.com/workers-ai/.
 */
type Body = Record<string, unknown>

/** The request to the service. */
export interface AskedAi {
  readonly model: string
  readonly inputs: Body
  readonly options: Body
  readonly headers: Record<string, string>
}

const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 }
const sse = (...events: readonly unknown[]) =>
  [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'chatcmpl-1',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
})
const failure = (status: number, internalCode: number, description: string) =>
  Response.json({ internalCode, name: 'AiError', message: `${internalCode}: ${description}`, description }, { status })

/** Models by what they are good for in a test. */
export const newer = '@cf/qwen/qwen3-30b-a3b-fp8'
export const older = '@cf/meta/llama-4-scout-17b-16e-instruct'

/** Answers one request. A null in place of content, and a choice among tools on an older model, are refused. */
export function answerAi({ model, inputs }: Pick<AskedAi, 'model' | 'inputs'>): Response {
  const messages = inputs.messages as readonly Body[]
  if (messages.some(({ content }) => content === null || content === undefined)) {
    return Response.json(
      { errors: [{ code: 5006, message: "Bad input: oneOf at '/' not met" }], success: false },
      { status: 400 },
    )
  }
  const isOlder = model === older
  if (isOlder && 'tool_choice' in inputs) return failure(400, 5006, 'Bad input: tool_choice')
  const last = messages.at(-1) as Body
  const words = String(last.content)
  if (words === 'capacity') return failure(429, 3040, 'Capacity temporarily exceeded, please try again.')
  if (words === 'neurons') return failure(429, 3036, 'You have used up your daily free allocation of 10,000 neurons.')
  if (words === 'unknown model') return failure(400, 5007, 'No such model or task')
  if (words === 'licence') return failure(403, 5016, 'Model agreement required')
  const isCalling = last.role === 'user' && inputs.tools !== undefined
  const said = last.role === 'tool' ? `The tool says ${words}` : `You said ${words}`
  const text = inputs.response_format === undefined ? said : '{"city":"Oslo"}'
  if (inputs.stream !== true) return whole(isOlder, isCalling, text, inputs)
  const events = isOlder ? olderEvents(isCalling, text) : newerEvents(isCalling, text)
  return new Response(sse(...events), { headers: { 'content-type': 'text/event-stream' } })
}

/** Older models have the JSON that was asked for parsed. */
function whole(isOlder: boolean, isCalling: boolean, text: string, { response_format: format }: Body): Response {
  const call = { name: 'get_weather', arguments: { city: 'Oslo' } }
  if (isOlder) {
    const response = format === undefined ? text : JSON.parse(text)
    return Response.json({ response, tool_calls: isCalling ? [call] : [], usage })
  }
  const message = isCalling
    ? {
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { ...call, arguments: '{"city":"Oslo"}' } }],
      }
    : { content: text, tool_calls: [] }
  return Response.json({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    usage,
  })
}

function newerEvents(isCalling: boolean, text: string): object[] {
  const said = isCalling
    ? [
        chunk({
          tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '' } }],
        }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":"Oslo"}' } }] }),
        chunk({ tool_calls: [{ id: null, type: null, index: 0, function: { name: null, arguments: '' } }] }),
      ]
    : [chunk({ reasoning_content: 'Hm.' }), chunk({ content: text.slice(0, 5) }), chunk({ content: text.slice(5) })]
  return [
    chunk({ role: 'assistant', content: isCalling ? null : '' }),
    ...said,
    chunk({}, 'stop'),
    { response: '', usage },
  ]
}

function olderEvents(isCalling: boolean, text: string): object[] {
  const said = isCalling
    ? [{ response: '', tool_calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] }]
    : [
        { response: text.slice(0, 5), p: 'abcdefgh' },
        { response: text.slice(5), p: 'ab' },
      ]
  return [...said, { response: '', usage }]
}
