/**
 * The models of OpenAI that reason, which two formats ask.
 *
 * @see https://platform.openai.com/docs/guides/latest-model (read 2026-11)
 *
 * @module
 */
import type { ReasoningEffort } from '../core/model.ts'

/**
 * Whether a model reasons with this effort, and then refuses the temperature and other options for sampling. o-series and gpt-5 always
 * reason. gpt-5.1 to 5.4 reason only if the request sets an effort. Chat variants never reason.
 */
export function isReasoning(model: string, effort: ReasoningEffort | undefined): boolean {
  const found = /^(?:o\d|gpt-5(\.\d)?(?!.*chat))/.exec(model)
  if (!found?.[1]) return found !== null
  return effort === undefined ? found[1] > '.4' || model.includes('pro') : effort !== 'none'
}
