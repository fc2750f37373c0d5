/**
 * Streams of Responses that send each item in pieces, whole, and in the answer at the end. In between, the host changes the marks of an item, gives
 * two items the same mark, or leaves marks out.
 *
 * Copilot has another `item_id` in each event (vercel/ai 73d48d0). For gpt-oss, vLLM and SGLang have another `call_id`, no `id` and the next
 * `output_index` in `output_item.done`, and other ids in `response.completed` (vllm-project/vllm#44608, #47916); the `content_index` of vLLM grows with
 * each delta (vllm-project/vllm#29947). llama.cpp has no `output_index`, calls without `id`, an `item_id` that is the `call_id`, and all `done` events at
 * the end (ggml-org/llama.cpp#20607). Some gateways have one `output_index` for all items, or announce all items first (decolua/9router#2611).
 */
import type { Frame } from '../../src/core/codec.ts'
import type { JsonObject } from '../../src/core/messages.ts'
import type { Wire } from './answers.ts'

/** An item of an answer. */
export type Made =
  | { readonly kind: 'message' | 'summary' | 'content'; readonly text: string }
  | { readonly kind: 'function_call' | 'custom_tool_call' | 'mcp_call'; readonly name: string; readonly args: string }
  | { readonly kind: 'web_search_call'; readonly query: string }

export const marks = {
  /** `late`: another from the first `done` on; `last`: another in the last event; `each`: another in each event. */
  id: ['right', 'missing', 'shared', 'late', 'last', 'each', 'late and missing'],
  call_id: ['right', 'missing', 'shared', 'late', 'last'],
  /** `shifted`: by one from the first `done` on; `deltas`: by one from the first delta on; `one`: all begin at 1. */
  output_index: ['right', 'missing', 'shared', 'shifted', 'deltas', 'one'],
  /** `growing`: by one with each event. */
  content_index: ['right', 'missing', 'shifted', 'growing'],
} as const

export const orders = ['in turn', 'begun together', 'alternating', 'ended together'] as const

/** The forms in which each item is sent. */
export const tellings = ['pieces, whole, end', 'pieces, whole', 'pieces, end', 'whole, end', 'whole', 'pieces'] as const

export interface Way {
  readonly id: (typeof marks.id)[number]
  readonly call_id: (typeof marks.call_id)[number]
  readonly output_index: (typeof marks.output_index)[number]
  readonly content_index: (typeof marks.content_index)[number]
  readonly order: (typeof orders)[number]
  readonly telling: (typeof tellings)[number]
}

/** Every way in which a host may send these items. Marks that they do not have stay the same. */
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

/** The events of an answer with these items, sent in this way. */
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

// ---- the other formats --------------------------------------------------------------------------

/** A call that the model made. */
export interface MadeCall {
  readonly name: string
  readonly args: string
}

/** How a host sends calls. In formats whose pieces do not have an id, `each` is `right`. */
export interface CallWay {
  readonly id: 'right' | 'missing' | 'shared' | 'each'
  readonly index: 'right' | 'missing' | 'shared'
  readonly order: 'in turn' | 'begun together' | 'alternating'
  /** `again`: the first call once more, at its place, with its id or another. */
  readonly telling: 'once' | 'begun twice' | 'never ended' | 'ended twice' | 'again' | 'again, another id'
}

export const callWays: readonly CallWay[] = (['right', 'missing', 'shared', 'each'] as const).flatMap((id) =>
  (['right', 'missing', 'shared'] as const).flatMap((index) =>
    (['in turn', 'begun together', 'alternating'] as const).flatMap((order) =>
      (['once', 'begun twice', 'never ended', 'ended twice', 'again', 'again, another id'] as const).map((telling) => {
        return { id, index, order, telling }
      }),
    ),
  ),
)

/** How a format sends a call. `id` and `index` are `undefined` if the host leaves them out. A format without pieces has only `start`. */
interface Teller {
  readonly head: readonly Frame[]
  start(call: MadeCall, id: string | undefined, index: number | undefined): Frame
  piece?(text: string, id: string | undefined, index: number | undefined): Frame
  stop?(index: number | undefined): Frame
  readonly end: readonly Frame[]
}

const frame = (data: object, event?: string): Frame => ({
  data: JSON.stringify(data),
  ...(event !== undefined && { event }),
})
const given = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const chatChunk = (delta: object, finish_reason: string | null = null) =>
  frame({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] })

export const tellers: Readonly<Record<Exclude<Wire, 'openai-responses'>, Teller>> = {
  'openai-chat': {
    head: [chatChunk({ role: 'assistant', content: '' })],
    start: ({ name }, id, index) =>
      chatChunk({ tool_calls: [given({ index, id, type: 'function', function: { name, arguments: '' } })] }),
    piece: (text, id, index) => chatChunk({ tool_calls: [given({ index, id, function: { arguments: text } })] }),
    end: [chatChunk({}, 'tool_calls'), chatChunk({}, 'tool_calls'), { data: '[DONE]' }],
  },
  anthropic: {
    head: [
      frame({
        type: 'message_start',
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      }),
    ],
    start: ({ name }, id, index) =>
      frame(
        given({ type: 'content_block_start', index, content_block: given({ type: 'tool_use', id, name, input: {} }) }),
      ),
    piece: (text, _, index) =>
      frame(given({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: text } })),
    stop: (index) => frame(given({ type: 'content_block_stop', index })),
    end: [
      frame({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } }),
      frame({ type: 'message_stop' }),
    ],
  },
  'bedrock-converse': {
    head: [frame({ role: 'assistant' }, 'messageStart')],
    start: ({ name }, toolUseId, contentBlockIndex) =>
      frame(given({ contentBlockIndex, start: { toolUse: given({ toolUseId, name }) } }), 'contentBlockStart'),
    piece: (input, _, contentBlockIndex) =>
      frame(given({ contentBlockIndex, delta: { toolUse: { input } } }), 'contentBlockDelta'),
    stop: (contentBlockIndex) => frame(given({ contentBlockIndex }), 'contentBlockStop'),
    end: [
      frame({ stopReason: 'tool_use' }, 'messageStop'),
      frame({ usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }, 'metadata'),
    ],
  },
  cohere: {
    head: [frame({ type: 'message-start', id: 'r', delta: { message: { role: 'assistant', content: [] } } })],
    start: ({ name }, id, index) =>
      frame(
        given({
          type: 'tool-call-start',
          index,
          delta: { message: { tool_calls: given({ id, type: 'function', function: { name, arguments: '' } }) } },
        }),
      ),
    piece: (text, _, index) =>
      frame(
        given({
          type: 'tool-call-delta',
          index,
          delta: { message: { tool_calls: { function: { arguments: text } } } },
        }),
      ),
    stop: (index) => frame(given({ type: 'tool-call-end', index })),
    end: [
      frame({
        type: 'message-end',
        delta: { finish_reason: 'TOOL_CALL', usage: { tokens: { input_tokens: 1, output_tokens: 1 } } },
      }),
    ],
  },
  'gemini-interactions': {
    head: [frame({ event_type: 'interaction.created', interaction: { id: 'i', model: 'm', status: 'in_progress' } })],
    start: ({ name }, id, index) =>
      frame(
        given({ event_type: 'step.start', index, step: given({ type: 'function_call', id, name, arguments: {} }) }),
      ),
    piece: (text, _, index) =>
      frame(given({ event_type: 'step.delta', index, delta: { type: 'arguments_delta', arguments: text } })),
    stop: (index) => frame(given({ event_type: 'step.stop', index })),
    end: [
      frame({ event_type: 'interaction.completed', interaction: { id: 'i', model: 'm', status: 'requires_action' } }),
    ],
  },
  gemini: {
    head: [],
    start: ({ name, args }, id) =>
      frame({
        candidates: [
          {
            index: 0,
            content: { role: 'model', parts: [{ functionCall: given({ id, name, args: JSON.parse(args) }) }] },
          },
        ],
      }),
    end: [
      frame({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }] }),
    ],
  },
  ollama: {
    head: [],
    start: ({ name, args }, id, index) =>
      frame({
        model: 'm',
        message: {
          role: 'assistant',
          content: '',
          tool_calls: [given({ id, function: given({ index, name, arguments: JSON.parse(args) }) })],
        },
        done: false,
      }),
    end: [frame({ model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' })],
  },
}

/** The frames of an answer with these calls, sent in this way. */
export function toldCalls(
  { head, start, piece, stop, end }: Teller,
  calls: readonly MadeCall[],
  way: CallWay,
): Frame[] {
  const { telling } = way
  const blockOf = (call: MadeCall, at: number, suffix = '') => {
    const own = way.id === 'missing' ? undefined : `call_${way.id === 'shared' ? 'x' : at}${suffix}`
    const index = way.index === 'missing' ? undefined : way.index === 'shared' ? 0 : at
    const begin = start(call, own, index)
    const pieces = [call.args.slice(0, 3), call.args.slice(3, 7), call.args.slice(7)]
    return {
      begins: telling === 'begun twice' ? [begin, begin] : [begin],
      pieces: pieces.flatMap(
        (text, turn) => piece?.(text, way.id === 'each' ? `${own}_${turn}` : undefined, index) ?? [],
      ),
      ends:
        telling === 'never ended' || stop === undefined
          ? []
          : telling === 'ended twice'
            ? [stop(index), stop(index)]
            : [stop(index)],
    }
  }
  const blocks = calls.map((call, at) => blockOf(call, at))
  const inTurn = (list: typeof blocks) => list.flatMap(({ begins, pieces, ends }) => [...begins, ...pieces, ...ends])
  const arranged = {
    'in turn': () => inTurn(blocks),
    'begun together': () => [
      ...blocks.flatMap(({ begins }) => begins),
      ...blocks.flatMap(({ pieces, ends }) => [...pieces, ...ends]),
    ],
    alternating: () => [
      ...blocks.flatMap(({ begins }) => begins),
      ...alternately(blocks.map(({ pieces }) => pieces)),
      ...blocks.flatMap(({ ends }) => ends),
    ],
  }[way.order]()
  const again = telling.startsWith('again')
    ? inTurn([blockOf(calls[0] as MadeCall, 0, telling === 'again' ? '' : '_more')])
    : []
  return [...head, ...arranged, ...again, ...end]
}
