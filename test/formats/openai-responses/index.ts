/** Responses, as the shared tests know it. */

import { type FormatFacts, type Samples, sumsOf, unknownWord as word } from '../facts.ts'
import { sseEventsOf } from '../gateway.ts'
import type { Join, Raw, Said } from '../joiner.ts'
import { violationsOf } from '../validator.ts'
import { claims } from './claims.ts'
import { provider } from './provider.ts'
import { refusals, validatorOf } from './validator.ts'

/** Responses says everything two or three times. */
const join: Join = (events, { said, differences }) => {
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
  const given = item.operation ?? (item.environment?.type === 'container_reference' ? undefined : item.action)
  if (/^(?:local_shell|shell|apply_patch)_call$/.test(item.type) && given !== undefined)
    said.calls.set(at, { name: item.type.replace('_call', ''), text: JSON.stringify(given) })
  if (item.type === 'custom_tool_call')
    said.calls.set(at, { name: item.name, text: JSON.stringify({ input: item.input }) })
}

const samples: Samples = {
  usage: ({ input, output, total, read, write, reasoning }) => ({
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] }],
    usage: {
      input_tokens: input,
      output_tokens: output,
      total_tokens: total,
      input_tokens_details: { cached_tokens: read, cache_write_tokens: write },
      output_tokens_details: { reasoning_tokens: reasoning },
    },
  }),
  calls: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me see' }] },
      { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'get_weather', arguments: '{"city": "Paris"}' },
      { type: 'function_call', id: 'fc_2', call_id: 'call_b', name: 'get_weather', arguments: '{"city": "Oslo"}' },
    ],
  },
  callIds: ['call_a', 'call_b'],
  madeId: 'call_',
  idless: (called) => ({
    model: 'm',
    input: called.flatMap((one) => [
      { role: 'user', content: 'x' },
      { type: 'function_call', ...(one && { call_id: one }), name: 'f', arguments: '{}' },
    ]),
  }),
  stop: undefined,
  unknownWords: {
    base: { model: 'm', input: 'x' },
    fields: [
      { reasoning: { effort: word } },
      { reasoning: { effort: 'low', summary: word } },
      { tool_choice: word, tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }] },
      { tool_choice: { type: word }, tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }] },
      { text: { format: { type: word } } },
      { text: { verbosity: word } },
      { truncation: word },
      { service_tier: word },
      { include: [word, 'reasoning.encrypted_content'] },
      {
        input: [
          { role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example/a.png', detail: word }] },
        ],
      },
      {
        input: [
          {
            role: 'user',
            content: [{ type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit', ttl: word } }],
          },
        ],
      },
    ],
  },
}

export const openaiResponses: FormatFacts = {
  title: 'Responses',
  titleOnPage: 'OpenAI Responses',
  reference: 'https://platform.openai.com/docs/api-reference/responses',
  owner: 'openai',
  models: ['gpt-5'],
  modelOfSamples: 'gpt-5',
  words: ['response.output_text.delta', 'function_call_output', 'response.output_item.added'],
  mockBase: '/v1',
  storesAnswers: false,
  noHistories: [],
  answers: {
    rules: ['made media', 'form of citations', 'no arguments'],
    stopWords: { refusal: 'content_filter', pause: 'stop', other: 'stop' },
    media: ['image'],
    hasProofs: true,
    streamErrors: ['authentication', 'not_found', 'context_length', 'rate_limit', 'overloaded', 'server'],
    counts: (counts, from) =>
      counts && {
        cacheReadTokens: 0,
        ...((from !== 'openai-responses' || counts.cacheReadTokens === undefined) && { cacheWriteTokens: 0 }),
        reasoningTokens: 0,
        ...sumsOf(counts),
        ...counts,
      },
  },
  requests: {
    rules: [
      'text documents',
      'schemas of tools without arguments',
      'made names of files',
      'least length',
      'reasoning without an effort',
      'name of the response format',
      'strictness said',
      'no earlier arguments',
      'names of results without their calls',
    ],
    takes: ({ type }, role) => (type === 'image' ? role !== 'assistant' : type !== 'audio' && type !== 'video'),
    drops: ['a seed'],
  },
  gateway: {
    minimal: (model, input, stream) => ({ path: '/v1/responses', minimal: { model, input, stream } }),
    mark: ({ type }) => (type === 'response.completed' ? 'end' : type === 'response.failed' ? 'error' : undefined),
    eventsOf: sseEventsOf,
    isErrorBody: (body) => typeof body.error?.message === 'string' && 'type' in body.error && 'code' in body.error,
    list: '/v1/models',
    headers: ['authorization'],
    limit: (tokens) => ({ max_output_tokens: tokens }),
    limitIn: (body) => body.max_output_tokens,
    unauthorized: 401,
    silentPieces: 4,
    channels: ['text', 'thought', 'arguments'],
    thinks: true,
    signs: true,
  },
  samples,
  provider,
  client: () => import('./client.ts'),
  claims,
  validatorOf,
  refusals,
  violations: violationsOf(validatorOf('openai')),
  join,
}
