/** A Worker that asks `env.AI`: a request names what to try, the answer is what came of it. */
import { allFormats, createGateway, type ExecutionContextLike } from '../../src/gateway/index.ts'
import { generate, stream, t, tool } from '../../src/index.ts'
import { type WorkersAiBinding, workersAi, workersAiModels } from '../../src/providers/workers-ai.ts'
import { createWorker } from '../../src/worker/index.ts'

const AI_MODELS = '@cf/qwen/qwen3-30b-a3b-fp8, @cf/meta/llama-4-scout-17b-16e-instruct'
const gateway = createGateway({ formats: allFormats, models: workersAiModels })

/** The whole Worker, with no key of any provider. */
const whole = createWorker(({ AI }: { AI: WorkersAiBinding }) => ({
  session: { origins: ['https://chat.example'], check: () => ({ user: 'u' }) },
  policy: { models: { workersAi: ['@cf/qwen/qwen3-30b-a3b-fp8', '@cf/meta/llama-4-scout-17b-16e-instruct'] } },
  keys: { workersAi: { binding: AI } },
  accounts: 'off',
  formats: allFormats,
  basePath: '/whole',
}))

interface Tried {
  readonly model: string
  readonly prompts: readonly string[]
  readonly isStopped?: boolean
  readonly isWhole?: boolean
}

const weather = tool({
  name: 'get_weather',
  parameters: t.object({ city: t.string() }),
  execute: ({ city }) => `rain in ${city}`,
})

export default {
  async fetch(request: Request, { AI }: { AI: WorkersAiBinding }, ctx: ExecutionContextLike): Promise<Response> {
    if (new URL(request.url).pathname.startsWith('/whole/')) return whole.fetch(request, { AI }, ctx)
    if (new URL(request.url).pathname.startsWith('/v1/')) {
      return gateway.fetch(request, { AI, AI_MODELS })
    }
    const { model: name, prompts, isStopped = false, isWhole: wholeAnswer = false } = (await request.json()) as Tried
    const model = workersAi(AI, name, { gateway: 'my-gateway', headers: { 'x-session-affinity': 'here' } })
    if (isStopped) return Response.json(await stopAtFirst(model, prompts[0] ?? ''))
    const settled = await Promise.allSettled(
      prompts.map((prompt) => {
        const tools = prompt === 'Weather?' ? [weather] : []
        return generate({ model, prompt, tools, retries: 0, wholeAnswer })
      }),
    )
    return Response.json(
      settled.map((one) => {
        if (one.status === 'fulfilled') return { text: one.value.text, rounds: one.value.rounds }
        const { kind, providerCode, retryable, message } = one.reason
        return { kind, providerCode, retryable, message }
      }),
    )
  },
}

async function stopAtFirst(model: Parameters<typeof stream>[0]['model'], prompt: string) {
  const stopping = new AbortController()
  const run = stream({ model, prompt, signal: stopping.signal })
  try {
    for await (const piece of run.text()) stopping.abort(new Error(`Enough of ${piece}`))
    return 'It went on'
  } catch (error) {
    return { reason: (error as Error).message, partial: run.partial?.content, stopReason: run.partial?.stopReason }
  }
}
