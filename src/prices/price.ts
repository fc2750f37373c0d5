/** The type of a price. Types only. @module */

/** US dollars for a million tokens. This is the same number as micro-dollars for one token. */
export interface Rates {
  readonly input: number
  readonly output: number
  /** Input that the provider had in its cache. Default: `input`. */
  readonly cacheRead?: number
  /** Input that it writes into its cache, for 5 minutes if there are several durations. Default: `input`. */
  readonly cacheWrite?: number
  /** Input that it writes into its cache for an hour. Default: `cacheWrite`. */
  readonly cacheWrite1h?: number
  /** Output that is reasoning. Default: `output`. */
  readonly reasoning?: number
  /** Input that is audio. Default: `input`; a cost is then not confirmed. */
  readonly audioInput?: number
  /** Output that is audio. Default: `output`; a cost is then not confirmed. */
  readonly audioOutput?: number
}

/** Modes of a request that have their own rates. */
export type PriceMode = 'batch' | 'flex' | 'priority'

/** The price of one model. */
export interface Price extends Rates {
  /**
   * Rates for requests with more input tokens than `above`, including cached ones. They apply to the whole request, input and output. If
   * several apply, the one with the highest `above` counts. An absent rate is the price's own.
   */
  readonly tiers?: readonly (Partial<Rates> & { readonly above: number; readonly confirmed?: false })[]
  /** Rates of a mode, or a factor for all rates. */
  readonly modes?: { readonly [mode in PriceMode]?: Partial<Rates> | number }
  /** Temporary rates, up to and including this day, in UTC: `2026-12-31`. The earliest one that has not passed counts. */
  readonly offers?: readonly (Partial<Rates> & { readonly until: string })[]
  /** The sources differ, or a part of the row was concluded from similar models. */
  readonly confirmed?: false
}

/**
 * Prices by provider, colon and model: `anthropic:claude-sonnet-5-5`. A key without a model, such as `ollama:`, is the price of all other
 * models of the provider.
 */
export type Prices = { readonly [id: string]: Price }
