/** Every official client, with a token in the place of a key, against every provider of the Worker. */
import { judgeClients } from '../gateway/judge.ts'
import { isExhaustive } from '../support/cuts.ts'
import { models, startJudged, wireOf } from './judged.ts'

judgeClients({
  title: 'the Worker',
  turn: 2,
  // The Worker asks for a stream either way, and `test/gateway/worker.test.ts` reads streams of every pair out of workerd.
  modes: isExhaustive ? [false, true] : [false],
  providers: Object.values(models),
  wireOf,
  start: startJudged,
})
