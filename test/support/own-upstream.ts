/** An upstream for the tests of one file, or of one `describe`. */
import { afterAll, beforeAll } from 'vitest'
import { startUpstream, type Upstream } from './upstream.ts'

/** It starts before the tests and stops after them; until then it has no address. */
export function ownUpstream(): Omit<Upstream, 'stop'> {
  let started: Upstream | undefined
  beforeAll(async () => {
    started = await startUpstream()
  })
  afterAll(() => started?.stop())
  const running = (): Upstream => {
    if (started === undefined) throw new Error('The upstream has not started: ask for it in a test')
    return started
  }
  return {
    get url() {
      return running().url
    },
    get asked() {
      return running().asked
    },
    answer: (...answers) => running().answer(...answers),
  }
}
