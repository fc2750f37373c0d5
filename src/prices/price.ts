/** The type of a price. Types only. @module */

/** US dollars for a million tokens, which is micro-dollars for one. */
export interface Rates {
  readonly input: number
  readonly output: number
  /** Of input that the provider had in its cache. Default: `input`. */
  readonly cacheRead?: number
  /** Of input that it puts there, for 5 minutes where it sells several times. Default: `input`. */
  readonly cacheWrite?: number
  /** Of input that it puts there for an hour. Default: `cacheWrite`. */
  readonly cacheWrite1h?: number
  /** Of output that is reasoning. Default: `output`. */
  readonly reasoning?: number
  /** Of input that is sound. Default: `input`, and a cost is then not confirmed. */
  readonly audioInput?: number
  /** Of output that is sound. Default: `output`, and a cost is then not confirmed. */
  readonly audioOutput?: number
}

/** Ways to ask that have rates of their own. */
export type PriceMode = 'batch' | 'flex' | 'priority'

/** The price of one model. */
export interface Price extends Rates {
  /**
   * For requests of more input tokens than `above`, from a cache or not: all of such a request, input and output, has these rates. Of
   * several the highest counts that applies. A rate that is absent is the price's own.
   */
  readonly tiers?: readonly (Partial<Rates> & { readonly above: number; readonly confirmed?: false })[]
  /** Rates of a mode, or a factor of all rates. */
  readonly modes?: { readonly [mode in PriceMode]?: Partial<Rates> | number }
  /** Rates for a time: until this day, which is included, in UTC: `2026-12-31`. The earliest that has not passed counts. */
  readonly offers?: readonly (Partial<Rates> & { readonly until: string })[]
  /** Sources differ, or a part of the row follows from what its like cost. */
  readonly confirmed?: false
}

/**
 * Prices by provider, colon and model: `anthropic:claude-sonnet-5-5`. A provider and a colon without a model is the price of all its other
 * models.
 */
export type Prices = { readonly [id: string]: Price }
