/**
 * The texts that a client of each wire joins from the deltas of a stream, and the same texts as the stream repeats them whole. Read from
 * the raw frames, since a decoder of ours forgives what other clients do not.
 */
import type { Frame } from '../../src/core/codec.ts'

/** Texts of one answer. Arguments are the text that a client parses, by the place of their call. */
export interface Said {
  text: string
  refusal: string
  reasoning: string
  readonly calls: Map<string | number, { name: string; text: string }>
}

export interface Joined {
  readonly said: Said
  /** Where the joined deltas and a later event of the same stream differ. */
  readonly differences: string[]
}

type Raw = ReturnType<typeof JSON.parse>

const empty = (): Said => ({ text: '', refusal: '', reasoning: '', calls: new Map() })

function callAt(said: Said, place: string | number): { name: string; text: string } {
  const call = said.calls.get(place) ?? { name: '', text: '' }
  said.calls.set(place, call)
  return call
}

/** `undefined` if the stream ended in an error. */
export function joinDeltas(wire: string, frames: readonly Frame[]): Joined | undefined {
  const events: Raw[] = frames
    .filter(({ data }) => data !== '[DONE]')
    .map(({ event = '', data }) => (wire === 'bedrock-converse' ? { [event]: JSON.parse(data) } : JSON.parse(data)))
  if (frames.some(({ event = '' }) => event.startsWith('exception:'))) return undefined
  if (events.some((event) => event.error !== undefined && event.error !== null)) return undefined
  if (events.some(({ type, delta }) => type === 'error' || type === 'response.failed' || delta?.error)) return undefined
  const joined: Joined = { said: empty(), differences: [] }
  if (wire === 'openai-responses') joinResponses(events, joined)
  else for (const event of events) joiners[wire]?.(event, joined.said)
  return joined
}

const joiners: Readonly<Record<string, (event: Raw, said: Said) => void>> = {
  'openai-chat': ({ choices: [choice] }, said) => {
    const { content, refusal, reasoning_content, tool_calls = [] } = choice?.delta ?? {}
    said.text += content ?? ''
    said.refusal += refusal ?? ''
    said.reasoning += reasoning_content ?? ''
    for (const { index, function: part = {}, custom } of tool_calls) {
      const call = callAt(said, index)
      call.name += part.name ?? custom?.name ?? ''
      call.text += part.arguments ?? (custom ? JSON.stringify({ input: custom.input }) : '')
    }
  },
  anthropic: ({ type, index, delta, content_block: block }, said) => {
    if (type === 'content_block_start') {
      said.text += block.type === 'text' ? block.text : ''
      said.reasoning += block.type === 'thinking' ? block.thinking : ''
      if (block.type === 'tool_use') callAt(said, index).name = block.name
    }
    if (type !== 'content_block_delta') return
    said.text += delta.text ?? ''
    said.reasoning += delta.thinking ?? ''
    if (delta.type === 'input_json_delta' && said.calls.has(index)) callAt(said, index).text += delta.partial_json
  },
  gemini: ({ candidates: [candidate] = [] }, said) => {
    for (const { text = '', thought, functionCall } of candidate?.content?.parts ?? []) {
      if (thought) said.reasoning += text
      else said.text += text
      if (!functionCall) continue
      const call = callAt(said, said.calls.size)
      call.name = functionCall.name
      call.text = JSON.stringify(functionCall.args ?? {})
    }
  },
  'gemini-interactions': ({ event_type: type, index, step, delta }, said) => {
    if (type === 'step.start' && step.type === 'function_call') {
      const call = callAt(said, index)
      call.name = step.name
      call.text = isEmpty(step.arguments) ? '' : JSON.stringify(step.arguments)
    }
    if (type !== 'step.delta') return
    if (delta.type === 'text') said.text += delta.text
    if (delta.type === 'thought_summary') said.reasoning += delta.content.text ?? ''
    if (delta.type === 'arguments_delta') callAt(said, index).text += delta.arguments
  },
  cohere: ({ type, index, delta }, said) => {
    const { content = {}, tool_plan = '', tool_calls: call } = delta?.message ?? {}
    if (type === 'content-start' || type === 'content-delta') {
      said.text += content.text ?? ''
      said.reasoning += content.thinking ?? ''
    }
    if (type === 'tool-plan-delta') said.reasoning += tool_plan
    if (type === 'tool-call-start') callAt(said, index).name = call.function.name
    if (type === 'tool-call-start' || type === 'tool-call-delta') callAt(said, index).text += call.function.arguments
  },
  'bedrock-converse': ({ contentBlockStart, contentBlockDelta }, said) => {
    const { contentBlockIndex: at, start, delta = {} } = contentBlockStart ?? contentBlockDelta ?? {}
    // The client does not see calls that Bedrock ran itself.
    if (start?.toolUse && start.toolUse.type === undefined) callAt(said, at).name = start.toolUse.name
    said.text += delta.text ?? ''
    said.reasoning += delta.reasoningContent?.text ?? ''
    if (delta.toolUse && said.calls.has(at)) callAt(said, at).text += delta.toolUse.input
  },
  ollama: ({ message: { content = '', thinking = '', tool_calls = [] } }, said) => {
    said.text += content
    said.reasoning += thinking
    for (const { function: part } of tool_calls) {
      const call = callAt(said, said.calls.size)
      call.name = part.name
      call.text = JSON.stringify(part.arguments ?? {})
    }
  },
}

function isEmpty(value: Raw): boolean {
  return Object.keys(value ?? {}).length === 0
}

// ---- Responses says everything two or three times ---------------------------------------------

function joinResponses(events: readonly Raw[], { said, differences }: Joined): void {
  const deltas = new Map<string, string>()
  const items = new Map<number, Raw>()
  const expectSame = (what: string, one: unknown, other: unknown) => {
    if (JSON.stringify(one) !== JSON.stringify(other)) {
      differences.push(`${what}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`.slice(0, 300))
    }
  }
  for (const event of events) {
    const { type, output_index: at, item } = event
    const place = `${at}/${event.content_index ?? event.summary_index ?? 0}`
    const name = String(type).replace(/^response\./, '')
    const kind = name.replace(/\.(?:delta|done)$/, '')
    if (name.endsWith('.delta')) deltas.set(`${kind} ${place}`, (deltas.get(`${kind} ${place}`) ?? '') + event.delta)
    const whole = event.text ?? event.refusal ?? event.arguments ?? event.input
    if (name.endsWith('.done') && whole === undefined && deltas.has(`${kind} ${place}`))
      differences.push(`${name} is empty`)
    if (name.endsWith('.done') && whole !== undefined)
      expectSame(`${name} ${place}`, whole, deltas.get(`${kind} ${place}`) ?? '')
    if (name === 'output_item.added') items.set(at, { added: item })
    if (name === 'output_item.done') {
      const added = items.get(at)?.added ?? {}
      expectSame(`the id of item ${at}`, [item.type, item.id], [added.type, added.id])
      expectSame(`the name of item ${at}`, [item.call_id, item.name], [added.call_id, added.name])
      items.set(at, { added, done: item })
    }
  }
  const last = events.at(-1)
  const output: Raw[] = last.response?.output ?? []
  expectSame('the number of items', output.length, items.size)
  for (const [at, item] of output.entries()) {
    expectSame(`item ${at} at the end`, item, items.get(at)?.done)
    checkItem(item, at, deltas, expectSame, items.get(at)?.added)
    readItem(item, at, said)
  }
}

/** The deltas equal the item. An item that was announced whole has none. */
function checkItem(
  item: Raw,
  at: number,
  deltas: ReadonlyMap<string, string>,
  expectSame: (...of: [string, unknown, unknown]) => void,
  added: Raw,
): void {
  const given = (kind: string, index = 0) => deltas.get(`${kind} ${at}/${index}`) ?? ''
  if (JSON.stringify(added) === JSON.stringify(item)) return
  if (item.type === 'message') {
    for (const [index, part] of item.content.entries()) {
      const isRefusal = part.type === 'refusal'
      expectSame(`text ${at}/${index}`, given(isRefusal ? 'refusal' : 'output_text', index), part.text ?? part.refusal)
    }
  }
  if (item.type === 'reasoning') {
    for (const [index, part] of item.summary.entries())
      expectSame(`reasoning ${at}`, given('reasoning_summary_text', index), part.text)
  }
  if (item.type === 'function_call') expectSame(`arguments ${at}`, given('function_call_arguments'), item.arguments)
  if (item.type === 'custom_tool_call') expectSame(`input ${at}`, given('custom_tool_call_input'), item.input)
}

function readItem(item: Raw, at: number, said: Said): void {
  if (item.type === 'message') {
    for (const part of item.content) {
      if (part.type === 'refusal') said.refusal += part.refusal
      else said.text += part.text ?? ''
    }
  }
  if (item.type === 'reasoning') for (const part of item.summary) said.reasoning += part.text
  if (item.type === 'function_call') said.calls.set(at, { name: item.name, text: item.arguments })
  if (item.type === 'custom_tool_call')
    said.calls.set(at, { name: item.name, text: JSON.stringify({ input: item.input }) })
}
