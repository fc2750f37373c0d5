/** Every official client, with a token in the place of a key, against every provider behind the Worker. */
import { judgeClients } from '../gateway/judge.ts'
import { models, startJudged, wireOf } from './judged.ts'

judgeClients({
  title: 'the Worker',
  modes: [false, true],
  providers: Object.values(models),
  wireOf,
  start: startJudged,
})
