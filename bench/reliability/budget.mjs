/** W18: 200 requests at once with a budget for ten. The provider keeps all of them waiting, so that nothing is settled in between. */
import { send } from './client.mjs'
import { answerWith, piecesOf } from './provider.mjs'
import { models, openSession } from './rig.mjs'

const [rounds, requests, budgeted, tokens] = [100, 200, 10, 1000]

/** A token of output costs a micro-dollar, and input nothing: each request may cost 1,000. */
export const prices = { PRICES: JSON.stringify({ [models.anthropic]: [0, 1] }) }

export async function budget({ worker, upstream }) {
  const dispatched = []
  let overspent = 0
  for (let round = 0; round < rounds; round++) {
    const before = upstream.asked.length
    const { refused, spent } = await race(worker, upstream, `user-${round}`)
    dispatched.push(upstream.asked.length - before)
    if (refused !== requests - budgeted || spent > budgeted) overspent++
  }
  const exact = dispatched.filter((count) => count === budgeted).length
  const range = `${Math.min(...dispatched)} to ${Math.max(...dispatched)} calls`
  return [
    {
      what: `${requests} at once with money for ${budgeted}, ${rounds} users one after another`,
      figure: `${exact} of ${rounds} exact, ${range}`,
      bar: `${budgeted} calls, each time`,
      met: exact === rounds,
    },
    { what: 'of these, with an answer that was not paid for', figure: `${overspent}`, bar: '0', met: overspent === 0 },
  ]
}

async function race(worker, upstream, user) {
  const token = await openSession(worker.url, user, { dailyBudgetUsd: (budgeted * tokens) / 1e6 })
  const waiting = []
  let refused = 0
  let answered = 0
  const finish = () => {
    for (const answer of waiting.splice(0)) answer()
  }
  upstream.play = (asked, response) => {
    waiting.push(() => answerWith((wire) => piecesOf(wire, { text: 'x' }))(asked, response))
    if (waiting.length + refused >= requests) finish()
  }
  await Promise.all(
    Array.from({ length: requests }, async () => {
      const answer = await send(worker.url, { wire: 'anthropic', model: models.anthropic, token, maxTokens: tokens })
        .answer
      answer.resume()
      if (answer.statusCode === 429) refused++
      else answered++
      if (waiting.length + refused >= requests) finish()
    }),
  )
  return { refused, spent: answered }
}
