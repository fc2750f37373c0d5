/** The suite in workerd, without Node compatibility: any request runs it. */
import { runSuite } from './suite.mjs'

export default {
  fetch: async (_request, { BASE }) => Response.json(await runSuite(BASE)),
}
