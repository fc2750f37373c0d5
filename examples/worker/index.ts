/**
 * The Worker, set up without code, by the variables, secrets and bindings of `wrangler.toml`. `template/index.ts` has the options in code. Pages
 * need no more than `createWorker(optionsFromEnv)`; this one also answers official clients, in all formats.
 */
import { allFormats } from 'isoglot/gateway'
import { createWorker, optionsFromEnv } from 'isoglot/worker'

const worker = createWorker((env: Readonly<Record<string, unknown>>) => ({
  ...optionsFromEnv(env),
  formats: allFormats,
}))

export const { UserAccount, StreamRun } = worker
export default { fetch: worker.fetch }
