/**
 * Streams of Responses that say each item in pieces, whole, and in the answer at the end, and whose host changes, shares or leaves out marks of an
 * item in between.
 *
 * What hosts do: Copilot has another `item_id` in each event (vercel/ai 73d48d0). vLLM and SGLang have for gpt-oss another `call_id`, no `id` and the
 * next `output_index` in `output_item.done`, other ids in `response.completed` (vllm-project/vllm#44608, #47916), and a `content_index` that grows with
 * each delta (vllm-project/vllm#29947). llama.cpp has no `output_index`, calls without `id`, `item_id` with the `call_id`, and all `done` events at the
 * end (ggml-org/llama.cpp#20607). Some gateways have one `output_index` for all items, or announce all items first (decolua/9router#2611).
 */
import type { JsonObject } from '../../src/core/model.ts'

/** What the model made. */
export type Made =
  | { readonly kind: 'message' | 'summary' | 'content'; readonly text: string }
  | { readonly kind: 'function_call' | 'custom_tool_call' | 'mcp_call'; readonly name: string; readonly args: string }
  | { readonly kind: 'web_search_call'; readonly query: string }

export const marks = {
  /** `late`: another from `output_item.done` on; `last`: in the last event alone; `each`: another in each event. */
  id: ['right', 'missing', 'shared', 'late', 'last', 'each', 'late and missing'],
  call_id: ['right', 'missing', 'shared', 'late', 'last'],
  /** `shifted`: by one from the first `done` on; `deltas`: by one from the first delta on; `one`: all begin at 1. */
  output_index: ['right', 'missing', 'shared', 'shifted', 'deltas', 'one'],
  /** `growing`: by one with each event. */
  content_index: ['right', 'missing', 'shifted', 'growing'],
} as const

export const orders = ['in turn', 'begun together', 'alternating', 'ended together'] as const

/** How often each item is told: in pieces, whole, in the answer at the end. */
export const tellings = ['pieces, whole, end', 'pieces, whole', 'pieces, end', 'whole, end', 'whole', 'pieces'] as const

export interface Way {
  readonly id: (typeof marks.id)[number]
  readonly call_id: (typeof marks.call_id)[number]
  readonly output_index: (typeof marks.output_index)[number]
  readonly content_index: (typeof marks.content_index)[number]
  readonly order: (typeof orders)[number]
  readonly telling: (typeof tellings)[number]
}

/** Every way in which a host may tell these items. Marks that none of them has do not vary. */
export function waysOf(made: readonly Made[]): Way[] {
  const hasCalls = made.some((one) => 'args' in one && one.kind !== 'mcp_call')
  const hasParts = made.some(({ kind }) => kind === 'message' || kind === 'content')
  return tellings.flatMap((telling) =>
    orders.flatMap((order) =>
      marks.id.flatMap((id) =>
        (hasCalls ? marks.call_id : (['right'] as const)).flatMap((call_id) =>
          marks.output_index.flatMap((output_index) =>
            (hasParts ? marks.content_index : (['right'] as const)).map((content_index) => ({
              ...{ telling, order, id, call_id, output_index, content_index },
            })),
          ),
        ),
      ),
    ),
  )
}

type Phase = 'added' | 'delta' | 'done' | 'last'
type Event = readonly [phase: Phase, event: JsonObject]

/** The events of an answer with these items, told in this way. */
export function told(made: readonly Made[], way: Way): JsonObject[] {
  const items = made.map((one, at) => eventsOf(one, at, way))
  const output = way.telling.includes('end') ? made.map((one, at) => itemOf(one, at, 'last', way)) : []
  const response = { id: 'resp_1', model: 'm', created_at: 7 }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...inOrder(items, way.order),
    { type: 'response.completed', response: { ...response, status: 'completed', output, usage } },
  ]
}

function inOrder(items: readonly (readonly Event[])[], order: Way['order']): JsonObject[] {
  const only = (...phases: Phase[]) => items.map((events) => events.filter(([phase]) => phases.includes(phase)))
  const arranged = {
    'in turn': () => items.flat(),
    'begun together': () => [...only('added').flat(), ...only('delta', 'done').flat()],
    alternating: () => [...only('added').flat(), ...alternately(only('delta')), ...only('done').flat()],
    'ended together': () => [...only('added', 'delta').flat(), ...only('done').flat()],
  }[order]()
  return arranged.map(([, event]) => event)
}

function alternately<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat()
}

/** The id of an item in an event; `turn` counts the events of the item. */
function idOf(kind: string, at: number, phase: Phase, turn: number, { id }: Way): string | undefined {
  const own = `${kind}_${id === 'shared' ? 'x' : at}`
  if (id === 'missing' || (id === 'late and missing' && phase === 'done')) return undefined
  if (id === 'each') return `${own}_${phase}_${turn}`
  const isLate = (phase === 'done' || phase === 'last') && id.startsWith('late')
  return isLate || (phase === 'last' && id === 'last') ? `${own}_${phase}` : own
}

function callIdOf(at: number, phase: Phase, { call_id }: Way): string | undefined {
  if (call_id === 'missing') return undefined
  const own = `call_${call_id === 'shared' ? 'x' : at}`
  const isLate = (phase === 'done' || phase === 'last') && call_id === 'late'
  return isLate || (phase === 'last' && call_id === 'last') ? `${own}_${phase}` : own
}

function indexOf(at: number, phase: Phase, { output_index }: Way): number | undefined {
  if (output_index === 'missing') return undefined
  if (output_index === 'shared') return 0
  const isShifted =
    output_index === 'one' ||
    (output_index === 'shifted' && phase === 'done') ||
    (output_index === 'deltas' && phase !== 'added')
  return isShifted ? at + 1 : at
}

function itemOf(made: Made, at: number, phase: Phase, way: Way): JsonObject {
  const { kind } = made
  const isWhole = phase === 'done' || phase === 'last'
  const id = idOf(kind, at, phase, 0, way)
  const status = isWhole ? 'completed' : 'in_progress'
  const head = { ...(id !== undefined && { id }), status }
  switch (kind) {
    case 'message': {
      const content = isWhole ? [{ type: 'output_text', text: made.text, annotations: [] }] : []
      return { ...head, type: 'message', role: 'assistant', content }
    }
    case 'summary':
      return { ...head, type: 'reasoning', summary: isWhole ? [{ type: 'summary_text', text: made.text }] : [] }
    case 'content': {
      const content = isWhole ? [{ type: 'reasoning_text', text: made.text }] : []
      return { ...head, type: 'reasoning', summary: [], content }
    }
    case 'web_search_call':
      return { ...head, type: kind, ...(isWhole && { action: { type: 'search', query: made.query } }) }
    case 'mcp_call':
      return {
        ...head,
        type: kind,
        server_label: 's',
        name: made.name,
        arguments: isWhole ? made.args : '',
        ...(isWhole && { output: `of ${made.args}` }),
      }
    default: {
      const call_id = callIdOf(at, phase, way)
      const field = kind === 'custom_tool_call' ? 'input' : 'arguments'
      return {
        ...head,
        type: kind,
        ...(call_id !== undefined && { call_id }),
        name: made.name,
        [field]: isWhole ? made.args : '',
      }
    }
  }
}

function eventsOf(made: Made, at: number, way: Way): Event[] {
  const { kind } = made
  const [hasPieces, hasWhole] = [way.telling.includes('pieces'), way.telling.includes('whole')]
  let turn = 0
  let parts = 0
  const event = (phase: Phase, type: string, fields: JsonObject): Event => {
    const id = idOf(kind, at, phase, ++turn, way)
    const index = indexOf(at, phase, way)
    return [
      phase,
      {
        type: `response.${type}`,
        ...(id !== undefined && { item_id: id }),
        ...(index !== undefined && { output_index: index }),
        ...fields,
      },
    ]
  }
  const item = (phase: 'added' | 'done'): Event => {
    const index = indexOf(at, phase, way)
    return [
      phase,
      {
        type: `response.output_item.${phase}`,
        ...(index !== undefined && { output_index: index }),
        item: itemOf(made, at, phase, way),
      },
    ]
  }
  const contentIndex = (): JsonObject => {
    const { content_index: mark } = way
    if (mark === 'missing') return {}
    return { content_index: mark === 'growing' ? parts++ : mark === 'shifted' ? 1 : 0 }
  }
  const inPieces = (text: string) => [text.slice(0, 3), text.slice(3, 7), text.slice(7)]
  const pieces = (): Event[] => {
    switch (kind) {
      case 'web_search_call':
        return [event('delta', `${kind}.in_progress`, {}), event('done', `${kind}.completed`, {})]
      case 'message': {
        const part = (text: string) => ({ part: { type: 'output_text', text, annotations: [] } })
        return [
          event('delta', 'content_part.added', { ...contentIndex(), ...part('') }),
          ...inPieces(made.text).map((delta) => event('delta', 'output_text.delta', { ...contentIndex(), delta })),
          ...(hasWhole
            ? [
                event('done', 'output_text.done', { ...contentIndex(), text: made.text }),
                event('done', 'content_part.done', { ...contentIndex(), ...part(made.text) }),
              ]
            : []),
        ]
      }
      case 'summary': {
        const index = { summary_index: 0 }
        const part = (text: string) => ({ ...index, part: { type: 'summary_text', text } })
        return [
          event('delta', 'reasoning_summary_part.added', part('')),
          ...inPieces(made.text).map((delta) => event('delta', 'reasoning_summary_text.delta', { ...index, delta })),
          ...(hasWhole
            ? [
                event('done', 'reasoning_summary_text.done', { ...index, text: made.text }),
                event('done', 'reasoning_summary_part.done', part(made.text)),
              ]
            : []),
        ]
      }
      case 'content':
        return [
          ...inPieces(made.text).map((delta) => event('delta', 'reasoning_text.delta', { ...contentIndex(), delta })),
          ...(hasWhole ? [event('done', 'reasoning_text.done', { ...contentIndex(), text: made.text })] : []),
        ]
      default: {
        const field = kind === 'custom_tool_call' ? 'input' : 'arguments'
        const name = kind === 'custom_tool_call' ? 'custom_tool_call_input' : `${kind}_arguments`
        return [
          ...inPieces(made.args).map((delta) => event('delta', `${name}.delta`, { delta })),
          ...(hasWhole ? [event('done', `${name}.done`, { [field]: made.args })] : []),
        ]
      }
    }
  }
  const isAnnounced = hasPieces || way.telling === 'whole, end'
  return [...(isAnnounced ? [item('added')] : []), ...(hasPieces ? pieces() : []), ...(hasWhole ? [item('done')] : [])]
}
