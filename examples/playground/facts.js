/** Facts about an answer next to its text: the model and its options, the time, the cost. They survive a reload. */
import { costOf } from './isoglot/prices.js'

/**
 * @typedef {import('./isoglot/chat.js').ViewMessage} ViewMessage
 * @typedef {import('./isoglot/index.js').Message} Message
 * @typedef {import('./isoglot/index.js').Usage} Usage
 *
 * @typedef {object} Facts
 * @property {string} model Such as `gemini:demo-model`.
 * @property {import('./settings.js').Asked} asked
 * @property {number} losses The number of losses of the answer.
 * @property {number} [firstMs] Time until the first chunk.
 */

const key = 'isoglot:facts'

/** By the ids of answers. @type {Map<string, Facts>} */
const all = new Map(JSON.parse(localStorage.getItem(key) ?? '[]'))

/** @param {string} id */
export const factsOf = (id) => all.get(id)

/** @param {string} id @param {Facts} facts */
export function setFacts(id, facts) {
  all.set(id, facts)
}

/** Keeps the facts of these answers, and drops all others. @param {readonly ViewMessage[]} messages */
export function storeFacts(messages) {
  const kept = messages.flatMap(({ id }) => {
    const facts = all.get(id)
    return facts ? [[id, facts]] : []
  })
  localStorage.setItem(key, JSON.stringify(kept))
}

/** The figures of an answer in one line. @param {ViewMessage} message */
export function figuresOf({ id, messages }) {
  const answers = messages.filter((message) => message.role === 'assistant')
  const last = answers.at(-1)
  const { firstMs } = all.get(id) ?? {}
  const parts = [
    usageText(answers.map(({ usage }) => usage)),
    last?.stopReason,
    costText(answers),
    firstMs !== undefined && `${(firstMs / 1000).toFixed(2)} s to first token`,
  ]
  return parts.filter(Boolean).join(' · ')
}

/** @param {readonly (Usage | undefined)[]} usages */
function usageText(usages) {
  /** @type {readonly [keyof Usage, string][]} */
  const figures = [
    ['inputTokens', 'in'],
    ['cacheReadTokens', 'from cache'],
    ['outputTokens', 'out'],
    ['reasoningTokens', 'reasoning'],
  ]
  return figures
    .flatMap(([name, what]) => {
      const counts = usages.map((usage) => usage?.[name]).filter((count) => typeof count === 'number')
      const sum = counts.reduce((one, other) => one + other, 0)
      const isShown = sum > 0 || (counts.length > 0 && /^(in|out)$/.test(what))
      return isShown ? [`${sum} ${what}`] : []
    })
    .join(', ')
}

/** Empty if one of the answers has no price: it never guesses. @param {readonly Extract<Message, { role: 'assistant' }>[]} answers */
function costText(answers) {
  const costs = answers.map(({ usage, response }) => costOf(usage, `${response?.provider}:${response?.model}`)?.usd)
  const usd = costs.reduce((sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost), 0)
  return usd !== undefined && usd > 0 && `$${usd.toPrecision(2)}`
}
