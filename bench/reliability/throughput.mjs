/** W31: whole answers through all of the Worker (token, origin, policy, accounts, gateway), and what a refusal costs. */
import { ask } from './client.mjs'
import { answering } from './provider.mjs'
import { eachOf, models, openSession, pause, quantile } from './rig.mjs'

const seconds = 5
const wanted = 500

export async function throughput({ worker, upstream }) {
  upstream.play = answering({ text: 'Hello' })
  const tokens = await eachOf(Array.from({ length: 50 }), 10, (_, nth) => openSession(worker.url, `user-${nth}`))
  const whole = (nth) => ({
    wire: 'anthropic',
    model: models.anthropic,
    stream: false,
    token: tokens[nth % tokens.length],
  })
  const through = (nth) => ask(worker.url, whole(nth))
  const direct = (nth) => ask(`${upstream.url}/anthropic`, whole(nth))
  const refused = () => ask(worker.url, { ...whole(0), token: 'none' })
  await hammer(through, 2)
  const most = await hammer(through, seconds)
  const refusals = await hammer(refused, seconds / 2)
  // Beyond what it can do a queue would be measured.
  const rate = Math.min(wanted, Math.floor(most.perSecond / 2))
  const [ours, floor] = [await paced(through, rate), await paced(direct, rate)]
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(ours.times, share) - quantile(floor.times, share))
  return [
    {
      what: 'whole answers, 50 at once',
      figure: `${most.perSecond.toFixed(0)} in a second, ${most.wrong} wrong`,
      bar: '1,000',
      met: most.perSecond >= 1000 && most.wrong === 0,
    },
    {
      what: `added at ${rate} in a second`,
      figure: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms, ${ours.wrong} wrong`,
      bar: `5 ms, 75 ms at ${wanted}`,
      met: rate === wanted && p50 <= 5 && p99 <= 75 && ours.wrong === 0,
    },
    {
      what: 'refusals of a token, 50 at once',
      figure: `${refusals.perSecond.toFixed(0)} in a second`,
      bar: '2,000',
      met: refusals.perSecond >= 2000 && refusals.statuses.has(401),
    },
  ]
}

/** As many as go, 50 at once. */
async function hammer(work, seconds) {
  const until = performance.now() + seconds * 1000
  let count = 0
  let wrong = 0
  const statuses = new Set()
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      while (performance.now() < until) {
        const { status } = await work(count++)
        statuses.add(status)
        if (status !== 200) wrong++
      }
    }),
  )
  return { perSecond: count / ((performance.now() - startedAt) / 1000), wrong, statuses }
}

/** Sends this number of requests in a second, whether the earlier ones have ended or not. */
async function paced(work, rate) {
  const times = []
  let wrong = 0
  const startedAt = performance.now()
  const going = []
  for (let nth = 0; nth < rate * seconds; nth++) {
    const dueAt = startedAt + (nth / rate) * 1000
    if (dueAt > performance.now()) await pause(dueAt - performance.now())
    going.push(
      work(nth).then(({ status }) => {
        times.push(performance.now() - dueAt)
        if (status !== 200) wrong++
      }),
    )
  }
  await Promise.all(going)
  return { times, wrong }
}
