/** Reads the public tables of prices. Providers that isoglot does not have keep their names from the table. @module */
import { arrayOf, compact, field, isObject, lookup, numberOr, unlessEmpty } from '../core/json.ts'
import type { Json, JsonObject } from '../core/messages.ts'
import type { Price, PriceMode, Prices, Rates } from './price.ts'

/**
 * The prices of models.dev.
 *
 * @param json `https://models.dev/api.json`, parsed. Models without a price and rates of modes are left out.
 * @throws {TypeError} if it has another form.
 * @see https://github.com/anomalyco/models.dev (read 2026-11)
 */
export function fromModelsDev(json: unknown): Prices {
  const rows: Record<string, Price> = {}
  for (const [provider, { models }] of Object.entries(checkedTable<JsonObject>(json, 'models.dev'))) {
    for (const [name, model] of Object.entries(isObject(models) ? models : {})) {
      const cost = field(model, 'cost')
      const rates = modelsDevRates(cost)
      if (rates.input === undefined || rates.output === undefined) continue
      const { input, output } = rates
      // The table has only the rate for five minutes. An hour costs twice the input.
      const hour = provider === 'anthropic' && rates.cacheWrite !== undefined ? { cacheWrite1h: input * 2 } : {}
      const tiers = arrayOf(field(cost, 'tiers')).flatMap((one) => {
        const above = field(field(one, 'tier'), 'size')
        return typeof above === 'number' ? [{ above, ...modelsDevRates(one) }] : []
      })
      const long = field(cost, 'context_over_200k')
      if (tiers.length === 0 && long !== undefined) tiers.push({ above: 200_000, ...modelsDevRates(long) })
      const own = lookup(modelsDevProviders, provider) ?? provider
      rows[`${own}:${name}`] = compact({ ...rates, input, output, ...hour, tiers: unlessEmpty(tiers) })
    }
  }
  return rows
}

const modelsDevProviders: Readonly<Record<string, string>> = {
  azure: 'azure-openai',
  google: 'gemini',
  moonshotai: 'moonshot',
  togetherai: 'together',
}

function modelsDevRates(cost: unknown): Partial<Rates> {
  const rate = (name: string) => numberOr(field(cost, name), undefined)
  return compact({
    input: rate('input'),
    output: rate('output'),
    cacheRead: rate('cache_read'),
    cacheWrite: rate('cache_write'),
    reasoning: rate('reasoning'),
    audioInput: rate('input_audio'),
    audioOutput: rate('output_audio'),
  })
}

/**
 * The prices of LiteLLM, with those of long prompts, batch, flex and priority.
 *
 * @param json `model_prices_and_context_window.json`, parsed. Rows without a price for input and output tokens are left out.
 * @throws {TypeError} if it has another form.
 * @see https://github.com/BerriAI/litellm (read 2026-11)
 */
export function fromLiteLLM(json: unknown): Prices {
  const rows: Record<string, Price> = {}
  for (const [key, row] of Object.entries(checkedTable<JsonObject>(json, 'LiteLLM'))) {
    const provider = field(row, 'litellm_provider')
    const rates = liteLlmRates(row, '')
    if (key === 'sample_spec') continue // describes the fields
    if (typeof provider !== 'string' || rates.input === undefined || rates.output === undefined) continue
    const { input, output } = rates
    const tiers = Object.keys(row).flatMap((name) => {
      const [, thousands] = /^input_cost_per_token_above_(\d+)k_tokens$/.exec(name) ?? []
      if (thousands === undefined) return []
      return [{ above: Number(thousands) * 1000, ...liteLlmRates(row, `_above_${thousands}k_tokens`) }]
    })
    const modes = (['batch', 'flex', 'priority'] as const).flatMap((mode): (readonly [PriceMode, Partial<Rates>])[] => {
      const ofMode = liteLlmRates(row, mode === 'batch' ? '_batches' : `_${mode}`)
      return Object.keys(ofMode).length > 0 ? [[mode, ofMode]] : []
    })
    const name = key.startsWith(`${provider}/`) ? key.slice(provider.length + 1) : key
    const own = lookup(liteLlmProviders, provider) ?? provider
    const more = { tiers: unlessEmpty(tiers), modes: unlessEmpty(Object.fromEntries(modes)) }
    rows[`${own}:${name}`] = compact({ ...rates, input, output, ...more })
  }
  return rows
}

const liteLlmProviders: Readonly<Record<string, string>> = {
  azure: 'azure-openai',
  dashscope: 'alibaba',
  together_ai: 'together',
}

/** Rates of the table are for one token. */
function liteLlmRates(row: unknown, suffix: string): Partial<Rates> {
  const rate = (name: string) => {
    const usd = field(row, name + suffix)
    return typeof usd === 'number' && Number.isFinite(usd) ? Math.round(usd * 1e12) / 1e6 : undefined
  }
  return compact({
    input: rate('input_cost_per_token'),
    output: rate('output_cost_per_token'),
    cacheRead: rate('cache_read_input_token_cost'),
    cacheWrite: rate('cache_creation_input_token_cost'),
    cacheWrite1h: suffix === '' ? rate('cache_creation_input_token_cost_above_1hr') : undefined,
    reasoning: rate('output_cost_per_reasoning_token'),
    audioInput: rate('input_cost_per_audio_token'),
    audioOutput: rate('output_cost_per_audio_token'),
  })
}

function checkedTable<Row extends Json>(json: unknown, source: string): Readonly<Record<string, Row>> {
  if (isObject(json) && Object.values(json).every(isObject)) return json as Record<string, Row>
  throw new TypeError(`Cannot read the prices of ${source}: expected an object of objects`)
}
