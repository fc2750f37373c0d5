/**
 * What models cost, row by row, in US dollars for a million tokens: list prices of the standard tier, as read on 2026-11-21 from stored
 * copies of
 *
 * - https://github.com/anomalyco/models.dev (`providers/<provider>/models/`), for every row but those named below;
 * - https://github.com/BerriAI/litellm (`model_prices_and_context_window.json`), for gpt-4.1 and gpt-4o, and for what long prompts and
 *   writes into the cache cost at OpenAI;
 * - https://platform.claude.com/docs/en/about-claude/pricing, for Claude;
 * - https://ai.google.dev/gemini-api/docs/pricing, as transcribed on 2026-10-07 in https://github.com/api-evangelist/deepmind;
 * - https://developers.openai.com/api/docs/pricing, as transcribed in https://github.com/TheKrush/PromptFuel/releases (1.0.19 to 1.0.24);
 * - https://docs.x.ai/developers/models, as transcribed on 2026-09-25 in https://github.com/jakemanger/whatmodel.
 *
 * Of two that differ, the later reading counts. Where that cannot be told, the row has the dearer, since what is reckoned too low is lost;
 * and it says "not confirmed", as it does of what none of them has and its like let expect.
 *
 * @module
 */

/** US dollars for a million tokens, which is micro-dollars for one. */
export interface Rates {
  readonly input: number
  readonly output: number
  /** Of input that the provider had in its cache. Default: `input`. */
  readonly cacheRead?: number
  /** Of input that it puts there. Default: `input`. */
  readonly cacheWrite?: number
}

/** What one model costs. */
export interface Price extends Rates {
  /** For a request, input and output, whose input has more tokens than `above`, from a cache or not. */
  readonly long?: Rates & { readonly above: number }
}

const rates = (input: number, output: number, cacheRead?: number, cacheWrite?: number): Rates => ({
  input,
  output,
  ...(cacheRead !== undefined && { cacheRead }),
  ...(cacheWrite !== undefined && { cacheWrite }),
})

/** Above so many tokens, input costs twice as much, from and into the cache too; output half as much again. */
const doubling = (above: number, price: Rates): Price => ({ ...price, long: { above, ...dearer(price, 2, 1.5) } })

function dearer({ input, output, cacheRead, cacheWrite }: Rates, forInput: number, forOutput: number): Rates {
  const times = (rate: number | undefined) => (rate === undefined ? undefined : rate * forInput)
  return rates(input * forInput, output * forOutput, times(cacheRead), times(cacheWrite))
}

/** OpenAI's long prompts. */
const gpt = (...price: Parameters<typeof rates>) => doubling(272_000, rates(...price))
/** Google's. */
const geminiPro = (...price: Parameters<typeof rates>) => doubling(200_000, rates(...price))
/** xAI's: all of it costs twice as much, from that many tokens on. */
function grok(from: number, ...price: Parameters<typeof rates>): Price {
  return { ...rates(...price), long: { above: from - 1, ...dearer(rates(...price), 2, 2) } }
}
/** Input into Claude's cache costs at most twice as much: that is for an hour; for five minutes it is 1.25. */
const claude = (input: number, output: number, cacheRead = input / 10) => rates(input, output, cacheRead, input * 2)

/** By id, without a date or the like behind it. */
export const knownPrices: Readonly<Record<string, Price>> = {
  'openai-chat:gpt-6-astra': gpt(10, 50, 1, 12.5),
  'openai-chat:gpt-6-sol': gpt(2, 10, 0.2, 2.5), // long: not confirmed
  'openai-chat:gpt-6-luna': gpt(0.1, 0.5, 0.01, 0.125), // long: not confirmed
  'openai-chat:gpt-6.1-sol': gpt(2, 10, 0.1, 2.5), // long: not confirmed
  'openai-chat:gpt-6.1-terra': gpt(1, 5, 0.05, 1.25), // long: not confirmed
  'openai-chat:gpt-5.6': gpt(4, 20, 0.4, 5), // not confirmed: 2 and 10 elsewhere
  'openai-chat:gpt-5.6-sol': gpt(4, 20, 0.4, 5), // not confirmed: 2 and 10 elsewhere
  'openai-chat:gpt-5.6-terra': gpt(2, 12, 0.2, 2.5), // writes and long: not confirmed
  'openai-chat:gpt-5.6-luna': gpt(0.2, 1.2, 0.02, 0.25), // writes and long: not confirmed
  'openai-chat:gpt-5.5': gpt(5, 30, 0.5),
  'openai-chat:gpt-5.5-pro': gpt(30, 180),
  'openai-chat:gpt-5.4': gpt(2.5, 15, 0.25), // long: not confirmed
  'openai-chat:gpt-5.4-pro': gpt(30, 180),
  'openai-chat:gpt-5.4-mini': rates(0.75, 4.5, 0.075),
  'openai-chat:gpt-5.4-nano': rates(0.2, 1.25, 0.02),
  'openai-chat:gpt-5.3-codex': rates(1.75, 14, 0.175),
  'openai-chat:gpt-5.2': rates(1.75, 14, 0.175),
  'openai-chat:gpt-5.2-codex': rates(1.75, 14, 0.175),
  'openai-chat:gpt-5.2-pro': rates(21, 168),
  'openai-chat:gpt-5.1': rates(1.25, 10, 0.125),
  'openai-chat:gpt-5.1-codex-mini': rates(0.25, 2, 0.025),
  'openai-chat:gpt-5': rates(1.25, 10, 0.125),
  'openai-chat:gpt-5-pro': rates(15, 120),
  'openai-chat:gpt-5-mini': rates(0.25, 2, 0.025),
  'openai-chat:gpt-5-nano': rates(0.05, 0.4, 0.005),
  'openai-chat:gpt-4.1': rates(2, 8, 0.5),
  'openai-chat:gpt-4.1-mini': rates(0.4, 1.6, 0.1),
  'openai-chat:gpt-4.1-nano': rates(0.1, 0.4, 0.025),
  'openai-chat:gpt-4o': rates(2.5, 10, 1.25),
  'openai-chat:gpt-4o-2024-05-13': rates(5, 15),
  'openai-chat:gpt-4o-mini': rates(0.15, 0.6, 0.075),
  'openai-chat:o1-pro': rates(150, 600),
  'openai-chat:o3': rates(2, 8, 0.5),
  'openai-chat:o3-pro': rates(20, 80),
  'openai-chat:o3-deep-research': rates(10, 40, 2.5),
  'openai-chat:o4-mini': rates(1.1, 4.4, 0.275),
  'openai-chat:o4-mini-deep-research': rates(2, 8, 0.5),

  'anthropic:claude-fable-5': claude(10, 50),
  'anthropic:claude-fable-5-1': claude(10, 50, 0.25),
  'anthropic:claude-mythos-5': claude(10, 50),
  'anthropic:claude-mythos-5-1': claude(10, 50, 0.25),
  'anthropic:claude-opus-5-5': claude(4, 20, 0.2),
  'anthropic:claude-opus-5': claude(5, 25),
  'anthropic:claude-opus-4-8': claude(5, 25),
  'anthropic:claude-opus-4-7': claude(5, 25),
  'anthropic:claude-opus-4-6': claude(5, 25),
  'anthropic:claude-opus-4-5': claude(5, 25),
  'anthropic:claude-opus-4-1': claude(15, 75),
  'anthropic:claude-sonnet-5-5': claude(2, 10, 0.1),
  'anthropic:claude-sonnet-5': claude(2, 10),
  'anthropic:claude-sonnet-4-6': doubling(200_000, claude(3, 15)), // long: not confirmed
  'anthropic:claude-sonnet-4-5': doubling(200_000, claude(3, 15)),
  'anthropic:claude-haiku-5-5': { ...claude(0.1, 0.5), long: { above: 100_000, ...claude(0.5, 2.5) } },
  'anthropic:claude-haiku-4-5': claude(1, 5),

  'gemini:gemini-3.8-flash': rates(1.5, 7.5, 0.15), // half of it until the end of 2026
  'gemini:gemini-3.7-flash': rates(1.5, 7.5, 0.15), // as above
  'gemini:gemini-3.5-flash': rates(1.5, 9, 0.15),
  'gemini:gemini-3.5-flash-lite': rates(0.3, 2.5), // reads: not confirmed
  'gemini:gemini-3.1-pro': geminiPro(2, 12, 0.2),
  'gemini:gemini-3.1-flash-lite': rates(0.25, 1.5, 0.025),
  'gemini:gemini-3-pro': geminiPro(2, 12, 0.2),
  'gemini:gemini-3-flash': rates(0.5, 3, 0.05),
  'gemini:gemini-2.5-pro': geminiPro(1.25, 10, 0.125),
  'gemini:gemini-2.5-flash': rates(0.3, 2.5, 0.03),
  'gemini:gemini-2.5-flash-lite': rates(0.1, 0.4, 0.01),

  'xai:grok-4.7': grok(200_000, 2, 6, 0.5),
  'xai:grok-4.6': grok(200_000, 2, 6, 0.5),
  'xai:grok-4.5': grok(200_000, 2, 6, 0.5),
  'xai:grok-4.3': grok(200_000, 1.25, 2.5, 0.2),
  'xai:grok-4.20': grok(200_000, 2, 6, 0.2), // not confirmed: 1.25 and 2.5 elsewhere
  'xai:grok-4.20-multi-agent': grok(200_000, 2, 6, 0.2), // as above
  'xai:grok-build-0.1': grok(200_000, 1, 2, 0.2),
  'xai:grok-4': grok(128_000, 3, 15, 0.75), // long: not confirmed
  'xai:grok-4-1-fast': grok(128_000, 0.2, 0.5, 0.05), // long: not confirmed
  'xai:grok-4-fast': grok(128_000, 0.2, 0.5, 0.05), // long: not confirmed
  'xai:grok-code-fast-1': rates(1, 2, 0.2), // not confirmed: 0.2 and 1.5 elsewhere, and billed as grok-build-0.1 elsewhere

  // One's own.
  'ollama:': rates(0, 0),
}
