/** The gateway as a Worker, for the tests: the providers are where the environment says. */
import { createGateway } from '../../src/gateway/index.ts'
import { modelsAt } from './models.ts'

export default createGateway({
  models: ({ PROVIDERS }: { PROVIDERS: string }) => modelsAt(PROVIDERS),
  limits: { commitMs: 500, keepAliveMs: 200 },
})
