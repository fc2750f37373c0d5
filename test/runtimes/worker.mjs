/** The suite in workerd, without Node compatibility: a request to the root runs it, another is for a handler that the suite serves. */
import { servedCases } from './pages.mjs'
import { runSuite } from './suite.mjs'

const handlers = new Map()

export default {
  async fetch(request, { BASE }) {
    const { origin, pathname } = new URL(request.url)
    if (pathname !== '/') return handlers.get(pathname)(request)
    const serve = async (handler) => {
      const path = `/served/${handlers.size}`
      handlers.set(path, handler)
      return { url: origin + path, stop: () => {} }
    }
    return Response.json(await runSuite(BASE, servedCases(BASE, serve)))
  },
}
