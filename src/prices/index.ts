/**
 * The cost of answers: `costOf` for one, `costOfRun` for a run. The prices are list prices, read on `pricesReadOn`; the rest of isoglot
 * does not import them. `fromModelsDev` and `fromLiteLLM` read newer ones.
 *
 * @module
 */

export { capPriceOf } from './cap.ts'
export { type Cost, type CostOptions, costOf, costOfRun, type RunCost } from './cost.ts'
export type { Price, PriceMode, Prices, Rates } from './price.ts'
export { fromLiteLLM, fromModelsDev } from './public-tables.ts'
export { prices, pricesReadOn } from './table.ts'
