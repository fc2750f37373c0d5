/** The metrics of model calls, runs and tools. @module */
import type { Attributes, Meter } from '@opentelemetry/api'
import { field, isObject, stringOr } from '../core/json.ts'
import type { Usage } from '../core/messages.ts'
import { tokenCount } from '../core/usage.ts'
import { chosen, type NameChoice } from './names.ts'

/** Boundaries of the histograms that the conventions recommend: seconds, and tokens. */
const seconds = Array.from({ length: 14 }, (_, at) => 0.01 * 2 ** at)
const tokens = Array.from({ length: 14 }, (_, at) => 4 ** at)

const inference = 'gen_ai.client.inference'
const countersOf = [
  ['inputTokens', `${inference}.usage.input_tokens`],
  ['outputTokens', `${inference}.usage.output_tokens`],
  ['cacheReadTokens', `${inference}.usage.cache_read.input_tokens`],
  ['cacheWriteTokens', `${inference}.usage.cache_write.input_tokens`],
  ['reasoningTokens', `${inference}.usage.reasoning.output_tokens`],
] as const

/** Where providers say how many tokens of a count are text, audio, images or video. */
const detailsOf: Readonly<Record<string, readonly string[]>> = {
  inputTokens: ['prompt_tokens_details', 'input_tokens_details', 'promptTokensDetails', 'input_tokens_by_modality'],
  outputTokens: [
    'completion_tokens_details',
    'output_tokens_details',
    'candidatesTokensDetails',
    'output_tokens_by_modality',
  ],
}

/** A count by modality, as far as the provider says it. All other tokens are `unknown`, as the conventions have it. */
function modalitiesOf(usage: Usage, name: keyof Usage): [modality: string, count: number][] {
  const count = usage[name]
  if (typeof count !== 'number') return []
  const known = new Map<string, number>()
  for (const figures of Object.values(usage.providerData ?? {})) {
    for (const place of detailsOf[name] ?? []) {
      const details = figures[place]
      const pairs = Array.isArray(details)
        ? details.map((one) => [field(one, 'modality'), field(one, 'tokenCount') ?? field(one, 'tokens')])
        : Object.entries(isObject(details) ? details : {}).map(([key, value]) => [
            /^(\w+)_tokens$/.exec(key)?.[1],
            value,
          ])
      for (const [modality, tokens] of pairs) {
        const word = stringOr(modality, '').toLowerCase()
        if (/^(?:text|audio|image|video|document)$/.test(word) && tokenCount(tokens)) known.set(word, Number(tokens))
      }
    }
  }
  const rest = [...known.values()].reduce((left, tokens) => left - tokens, count)
  if (rest < 0) return [['unknown', count]]
  return rest > 0 || known.size === 0 ? [...known, ['unknown', rest]] : [...known]
}

/** The instruments. Times are in milliseconds. */
export interface Metrics {
  call(ms: number, usage: Usage | undefined, about: Attributes): void
  firstChunk(ms: number, about: Attributes): void
  run(ms: number, about: Attributes): void
  tool(ms: number, about: Attributes): void
}

/** An instrument is made at its first use. */
export function metricsOf(meter: Meter, names: NameChoice): Metrics {
  const time = (name: string, ms: number, about: Attributes) =>
    meter.createHistogram(name, { unit: 's', advice: { explicitBucketBoundaries: seconds } }).record(ms / 1000, about)
  const size = (name: string, count: number | undefined, about: Attributes) => {
    if (count === undefined) return
    meter.createHistogram(name, { unit: '{token}', advice: { explicitBucketBoundaries: tokens } }).record(count, about)
  }
  return {
    call(ms, usage = {}, about) {
      for (const name of chosen(names, 'gen_ai.client.operation.duration', `${inference}.duration`))
        time(name, ms, about)
      if (names !== 'latest') {
        const name = 'gen_ai.client.token.usage'
        size(name, usage.inputTokens, { ...about, 'gen_ai.token.type': 'input' })
        size(name, usage.outputTokens, { ...about, 'gen_ai.token.type': 'output' })
      }
      if (names === 'v1.41') return
      size(`${inference}.operation.input_tokens`, usage.inputTokens, about)
      size(`${inference}.operation.output_tokens`, usage.outputTokens, about)
      for (const [field, name] of countersOf) {
        for (const [modality, count] of modalitiesOf(usage, field)) {
          meter.createCounter(name, { unit: '{token}' }).add(count, { ...about, 'gen_ai.token.modality': modality })
        }
      }
    },
    firstChunk(ms, about) {
      const [old, latest] = ['gen_ai.client.operation.time_to_first_chunk', `${inference}.time_to_first_chunk`]
      for (const name of chosen(names, old, latest)) time(name, ms, about)
    },
    run(ms, about) {
      if (names !== 'v1.41') time('gen_ai.invoke_agent.duration', ms, about)
    },
    tool(ms, about) {
      if (names !== 'v1.41') time('gen_ai.execute_tool.duration', ms, about)
    },
  }
}
