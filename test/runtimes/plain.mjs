/** The suite in Node, Deno and Bun: the address comes by the environment, and the results go to the output, after a mark. */
import { runSuite } from './suite.mjs'

console.log(`@@${JSON.stringify(await runSuite(globalThis.process.env.BASE))}`)
