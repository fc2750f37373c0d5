/** The suite in Node, Deno and Bun: the address comes by the environment, and the results go to the output, after a mark. */
import { servedCases } from './pages.mjs'
import { runSuite } from './suite.mjs'

const { Deno, Bun, process } = globalThis

/** A server as the runtime has it, on loopback. */
async function serve(handler) {
  if (Deno) {
    const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen() {} }, handler)
    return { url: `http://127.0.0.1:${server.addr.port}`, stop: () => server.shutdown() }
  }
  if (Bun) {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: handler })
    return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
  }
  const { serveOnNode } = await import('./serve-node.mjs')
  return serveOnNode(handler)
}

const { BASE } = process.env
console.log(`@@${JSON.stringify(await runSuite(BASE, servedCases(BASE, serve)))}`)
