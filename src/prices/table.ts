/**
 * The prices of models, row by row: list prices of the standard tier, as read on {@link pricesReadOn} from stored copies of
 *
 * - https://github.com/anomalyco/models.dev (`providers/<provider>/models/`), for every row except those named below;
 * - https://github.com/BerriAI/litellm (`model_prices_and_context_window.json`), for gpt-4.1 and gpt-4o, and for OpenAI's rates of long prompts and
 *   cache writes;
 * - https://platform.claude.com/docs/en/about-claude/pricing, for Claude, its writes into the cache and its batches;
 * - https://ai.google.dev/gemini-api/docs/pricing, as transcribed on 2026-10-07 in https://github.com/api-evangelist/deepmind;
 * - https://developers.openai.com/api/docs/pricing, as transcribed in https://github.com/TheKrush/PromptFuel/releases (1.0.19 to 1.0.24);
 *   and https://dev.classmethod.jp/en/articles/openai-flex-processing/ (2026-08-28), for batch and flex;
 * - https://docs.x.ai/developers/models, as transcribed on 2026-09-25 in https://github.com/jakemanger/whatmodel.
 *
 * If two sources differ, the later reading counts. If that is unknown, the row has the higher price and is `unsure`. A row is also `unsure`
 * if a part of it is in no source and was concluded from similar models.
 *
 * @module
 */
import { compact } from '../core/json.ts'
import type { Price, Prices, Rates } from './price.ts'

/** The day on which the prices of {@link prices} were read. */
export const pricesReadOn = '2026-11-21'

const ratesOf = (input: number, output: number, cacheRead?: number, cacheWrite?: number): Rates => ({
  input,
  output,
  ...compact({ cacheRead, cacheWrite }),
})

/** Above this number of input tokens, input (also cached) costs more by one factor, and output by another. */
function raised(above: number, forInput: number, forOutput: number, price: Rates): Price {
  const { output, ...ofInput } = price
  const dearer = Object.fromEntries(Object.entries(ofInput).map(([name, rate]) => [name, rate * forInput]))
  return { ...price, tiers: [{ above, ...dearer, output: output * forOutput }] }
}

/** OpenAI's long prompts. */
const gpt = (...price: Parameters<typeof ratesOf>) => raised(272_000, 2, 1.5, ratesOf(...price))
/** Google's long prompts. */
const geminiPro = (...price: Parameters<typeof ratesOf>) => raised(200_000, 2, 1.5, ratesOf(...price))
/** xAI's long prompts: from this number of tokens on, the whole request costs twice as much. */
const grok = (from: number, ...price: Parameters<typeof ratesOf>) => raised(from - 1, 2, 2, ratesOf(...price))
/** Claude's cache writes cost 1.25 times the input for five minutes, and twice the input for an hour. */
const claude = (input: number, output: number, cacheRead = input / 10): Rates => ({
  ...ratesOf(input, output, cacheRead, input * 1.25),
  cacheWrite1h: input * 2,
})

const unsure = (price: Price): Price => ({ ...price, confirmed: false })
/** Only the rates of long prompts are not confirmed. */
const unsureLong = ({ tiers = [], ...price }: Price): Price => ({
  ...price,
  tiers: tiers.map((tier) => ({ ...tier, confirmed: false })),
})

/** Half the price, up to and including that day. */
function halved(until: string, price: Rates): Price {
  const half = Object.fromEntries(Object.entries(price).map(([name, rate]) => [name, rate / 2]))
  return { ...price, offers: [{ until, ...half }] }
}

function rowsOf(provider: string, rows: Prices, modes?: NonNullable<Price['modes']>): Prices {
  return Object.fromEntries(
    Object.entries(rows).map(([name, price]) => [`${provider}:${name}`, { ...price, ...compact({ modes }) }]),
  )
}

// The rows of each provider are in a function, so that bundlers leave them out of programs that do not import `prices`.

const openaiRows = (): Prices => ({
  'gpt-6-astra': gpt(10, 50, 1, 12.5),
  'gpt-6-sol': unsureLong(gpt(2, 10, 0.2, 2.5)),
  'gpt-6-luna': unsureLong(gpt(0.1, 0.5, 0.01, 0.125)),
  'gpt-6.1-sol': unsureLong(gpt(2, 10, 0.1, 2.5)),
  'gpt-6.1-terra': unsureLong(gpt(1, 5, 0.05, 1.25)),
  'gpt-5.6': unsure(gpt(4, 20, 0.4, 5)), // 2 and 10 in other sources
  'gpt-5.6-sol': unsure(gpt(4, 20, 0.4, 5)), // 2 and 10 in other sources
  'gpt-5.6-terra': unsure(gpt(2, 12, 0.2, 2.5)), // writes and long
  'gpt-5.6-luna': unsure(gpt(0.2, 1.2, 0.02, 0.25)), // writes and long
  'gpt-5.5': gpt(5, 30, 0.5),
  'gpt-5.5-pro': gpt(30, 180),
  'gpt-5.4': unsureLong(gpt(2.5, 15, 0.25)),
  'gpt-5.4-pro': gpt(30, 180),
  'gpt-5.4-mini': ratesOf(0.75, 4.5, 0.075),
  'gpt-5.4-nano': ratesOf(0.2, 1.25, 0.02),
  'gpt-5.3-codex': ratesOf(1.75, 14, 0.175),
  'gpt-5.2': ratesOf(1.75, 14, 0.175),
  'gpt-5.2-codex': ratesOf(1.75, 14, 0.175),
  'gpt-5.2-pro': ratesOf(21, 168),
  'gpt-5.1': ratesOf(1.25, 10, 0.125),
  'gpt-5.1-codex-mini': ratesOf(0.25, 2, 0.025),
  'gpt-5': ratesOf(1.25, 10, 0.125),
  'gpt-5-pro': ratesOf(15, 120),
  'gpt-5-mini': ratesOf(0.25, 2, 0.025),
  'gpt-5-nano': ratesOf(0.05, 0.4, 0.005),
  'gpt-4.1': ratesOf(2, 8, 0.5),
  'gpt-4.1-mini': ratesOf(0.4, 1.6, 0.1),
  'gpt-4.1-nano': ratesOf(0.1, 0.4, 0.025),
  'gpt-4o': ratesOf(2.5, 10, 1.25),
  'gpt-4o-2024-05-13': ratesOf(5, 15),
  'gpt-4o-mini': ratesOf(0.15, 0.6, 0.075),
  'o1-pro': ratesOf(150, 600),
  o3: ratesOf(2, 8, 0.5),
  'o3-pro': ratesOf(20, 80),
  'o3-deep-research': ratesOf(10, 40, 2.5),
  'o4-mini': ratesOf(1.1, 4.4, 0.275),
  'o4-mini-deep-research': ratesOf(2, 8, 0.5),
})

const anthropicRows = (): Prices => ({
  'claude-fable-5': claude(10, 50),
  'claude-fable-5-1': claude(10, 50, 0.25),
  'claude-mythos-5': claude(10, 50),
  'claude-mythos-5-1': claude(10, 50, 0.25),
  'claude-opus-5-5': claude(4, 20, 0.2),
  'claude-opus-5': claude(5, 25),
  'claude-opus-4-8': claude(5, 25),
  'claude-opus-4-7': claude(5, 25),
  'claude-opus-4-6': claude(5, 25),
  'claude-opus-4-5': claude(5, 25),
  'claude-opus-4-1': claude(15, 75),
  'claude-sonnet-5-5': claude(2, 10, 0.1),
  'claude-sonnet-5': claude(2, 10),
  'claude-sonnet-4-6': unsureLong(raised(200_000, 2, 1.5, claude(3, 15))),
  'claude-sonnet-4-5': raised(200_000, 2, 1.5, claude(3, 15)),
  'claude-haiku-5-5': { ...claude(0.1, 0.5), tiers: [{ above: 100_000, ...claude(0.5, 2.5) }] },
  'claude-haiku-4-5': claude(1, 5),
})

const geminiRows = (): Prices => ({
  'gemini-3.8-flash': halved('2026-12-31', ratesOf(1.5, 7.5, 0.15)),
  'gemini-3.7-flash': halved('2026-12-31', ratesOf(1.5, 7.5, 0.15)),
  'gemini-3.5-flash': ratesOf(1.5, 9, 0.15),
  'gemini-3.5-flash-lite': unsure(ratesOf(0.3, 2.5)), // reads
  'gemini-3.1-pro': geminiPro(2, 12, 0.2),
  'gemini-3.1-flash-lite': ratesOf(0.25, 1.5, 0.025),
  'gemini-3-pro': geminiPro(2, 12, 0.2),
  'gemini-3-flash': ratesOf(0.5, 3, 0.05),
  'gemini-2.5-pro': geminiPro(1.25, 10, 0.125),
  'gemini-2.5-flash': ratesOf(0.3, 2.5, 0.03),
  'gemini-2.5-flash-lite': ratesOf(0.1, 0.4, 0.01),
})

const xaiRows = (): Prices => ({
  'grok-4.7': grok(200_000, 2, 6, 0.5),
  'grok-4.6': grok(200_000, 2, 6, 0.5),
  'grok-4.5': grok(200_000, 2, 6, 0.5),
  'grok-4.3': grok(200_000, 1.25, 2.5, 0.2),
  'grok-4.20': unsure(grok(200_000, 2, 6, 0.2)), // 1.25 and 2.5 in other sources
  'grok-4.20-multi-agent': unsure(grok(200_000, 2, 6, 0.2)), // like the row above
  'grok-build-0.1': grok(200_000, 1, 2, 0.2),
  'grok-4': unsureLong(grok(128_000, 3, 15, 0.75)),
  'grok-4-1-fast': unsureLong(grok(128_000, 0.2, 0.5, 0.05)),
  'grok-4-fast': unsureLong(grok(128_000, 0.2, 0.5, 0.05)),
  'grok-code-fast-1': unsure(ratesOf(1, 2, 0.2)), // 0.2 and 1.5 in other sources, and billed as grok-build-0.1 in other sources
})

/**
 * List prices of OpenAI, Anthropic, Google and xAI, by names without a date or other suffix. An Ollama server on your own machine costs
 * nothing. Add your own prices with a spread: `{ ...prices, 'openai:my-tune': { input: 3, output: 12 } }`.
 */
export const prices: Prices = /* @__PURE__ */ (() => ({
  ...rowsOf('openai', openaiRows(), { batch: 0.5, flex: 0.5 }),
  ...rowsOf('anthropic', anthropicRows(), { batch: 0.5 }),
  ...rowsOf('gemini', geminiRows()),
  ...rowsOf('xai', xaiRows()),
  'ollama:': ratesOf(0, 0),
}))()
