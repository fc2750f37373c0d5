/** The server's part of `useChat`: reads its messages and returns a run. */
import type { UIMessage } from 'ai'
import { type Model, type RunRequest, stream, t, tool } from 'isoglot'
import { toResponse } from 'isoglot/response'
import { fromUiMessages, uiMessages } from 'isoglot/ui-messages'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

/**
 * Answers the requests of `useChat`. The page stores the conversation and can send anything. If the history matters, store it on the
 * server, and take only the last message from the page. Give a tool that must not run by itself `approval({ secret })`.
 */
export async function chat(
  request: Request,
  model: Model,
  tools: NonNullable<RunRequest['tools']> = [weather],
): Promise<Response> {
  const body = (await request.json()) as { readonly messages: readonly UIMessage[] }
  const { messages, approvals } = fromUiMessages(body.messages)
  const run = stream({ model, tools, messages, approvals, signal: request.signal })
  return toResponse(run, { as: uiMessages(), page: { tools: 'all', usage: true } })
}
