/**
 * The Worker, set up without code: by the variables, secrets and bindings of `wrangler.toml`. The options written out are in
 * `template/index.ts`.
 */
import { createWorker, optionsFromEnv } from 'isoglot/worker'

const worker = createWorker(optionsFromEnv)

export const { UserAccount, StreamRun } = worker
export default { fetch: worker.fetch }
