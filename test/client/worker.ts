/** The scenarios as a Worker, for the tests: a request names the wire and the scenario, the answer is what came of it. */
import { performAt } from './scenarios.ts'

export default {
  async fetch(request: Request, { PROVIDERS }: { PROVIDERS: string }): Promise<Response> {
    if (request.method !== 'POST') return new Response(navigator.userAgent)
    const [wire, scenario, order] = (await request.json()) as Parameters<ReturnType<typeof performAt>>
    return Response.json(await performAt(PROVIDERS)(wire, scenario, order))
  },
}
