/**
 * The Worker, set up without code, by the variables, secrets and bindings of `wrangler.toml`. `template/index.ts` has the options in code.
 */
import { createWorker, optionsFromEnv } from 'isoglot/worker'

const worker = createWorker(optionsFromEnv)

export const { UserAccount, StreamRun } = worker
export default { fetch: worker.fetch }
