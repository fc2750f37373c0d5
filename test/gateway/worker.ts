/** The gateway as a Worker, for the tests: the providers are where the environment says. */
import { allFormats, createGateway } from '../../src/gateway/index.ts'
import { modelsAt } from './models.ts'

export default createGateway({
  formats: allFormats,
  models: ({ PROVIDERS }: { PROVIDERS: string }) => modelsAt(PROVIDERS),
  // A machine that is busy takes a second for an answer.
  limits: { commitMs: 3000, keepAliveMs: 200 },
})
