/** A gateway over HTTP in front of the five scripted providers. */

import { afterEach, beforeAll } from 'vitest'
import { allFormats, createGateway, type EndReport, type GatewayOptions } from '../../src/gateway/index.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { type Served, serve } from '../support/serve.ts'
import type { Upstream } from '../support/upstream.ts'
import { modelsAt } from './models.ts'
import { answerAll, startProviders } from './provider.ts'

export interface Rig extends Served {
  readonly providers: Upstream
  /** Reports of all requests so far. */
  readonly reports: EndReport[]
}

export async function startRig(options: Partial<GatewayOptions> = {}): Promise<Rig> {
  const providers = await startProviders()
  const reports: EndReport[] = []
  const gateway = createGateway({
    formats: allFormats,
    models: modelsAt(providers.url),
    ...options,
    onEnd: (report) => {
      reports.push(report)
    },
  })
  const served = await serve((request) => gateway.fetch(request))
  return {
    url: served.url,
    providers,
    reports,
    async stop() {
      await served.stop()
      await providers.stop()
    },
  }
}

/** The providers for the tests of one file: they answer as they would, unless a test says how. */
export function ownProviders(): Omit<Upstream, 'stop'> {
  const providers = ownUpstream()
  beforeAll(() => providers.answer(answerAll))
  afterEach(() => providers.answer(answerAll))
  return providers
}
