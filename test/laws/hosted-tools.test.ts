/** Tools that a provider runs itself: each goes to its own wire, comes back from it as it was, and is left out of every other. */
import { describe, expect, it } from 'vitest'
import type { AssistantMessage, ProviderTool, ServerToolCall } from '../../src/core/messages.ts'
import * as anthropic from '../../src/formats/anthropic/index.ts'
import * as gemini from '../../src/formats/gemini/index.ts'
import * as responses from '../../src/formats/openai-responses/index.ts'
import { formats } from '../support/formats.ts'

const hosted: Readonly<Record<string, readonly ProviderTool[]>> = {
  anthropic: [anthropic.webSearch({ maxUses: 2 }), anthropic.webFetch(), anthropic.codeExecution()],
  gemini: [gemini.googleSearch({ blockedDomains: ['example.com'] }), gemini.codeExecution(), gemini.urlContext()],
  'openai-responses': [
    responses.webSearch({ allowedDomains: ['nature.com'] }),
    responses.codeInterpreter(),
    responses.imageGeneration(),
  ],
}
const user = { role: 'user', content: 'Hi' } as const
const options = { model: 'm', maxTokens: 16 }

describe.each(Object.entries(hosted))('tools of %s', (wire, tools) => {
  const own = formats.filter(({ client }) => client.name === wire)
  // Perplexity accepts no tools, which is an error.
  const others = formats.filter(({ folder, client }) => client.name !== wire && !folder.endsWith('-perplexity'))

  it('have wires of their own, and others', () => {
    expect(own).not.toEqual([])
    expect(others.length).toBeGreaterThan(3)
  })

  it.each(own)('read back from $folder as the values that they were made as', ({ client, server }) => {
    const { path, body } = client.encodeRequest({ messages: [user], tools }, options)
    expect(server.decodeRequest(body, { path }).context.tools).toEqual(tools)
  })

  it.each(others)('are left out for $folder, with a warning for each', ({ client }) => {
    const { body, losses } = client.encodeRequest({ messages: [user], tools }, options)
    expect((body as { readonly tools?: unknown }).tools ?? []).toEqual([])
    const expected = tools.map((_, at) => ({ path: `tools[${at}]`, action: 'dropped', severity: 'minor' }))
    expect(losses.filter(({ path }) => path.startsWith('tools['))).toMatchObject(expected)
  })
})

describe.each(formats.filter(({ client }) => client.rules.pairsHosted !== undefined))('$folder', ({ client }) => {
  const { name: format, provider } = client
  const call = (more: Partial<ServerToolCall>): AssistantMessage => ({
    role: 'assistant',
    content: [
      {
        type: 'server_tool_call',
        name: 'web_search',
        arguments: {},
        providerData: { [format]: { type: 'server_tool_use' } },
        ...more,
      },
    ],
    response: { provider },
    stopReason: 'stop',
  })
  const body = (message: AssistantMessage) =>
    JSON.stringify(client.encodeRequest({ messages: [user, message] }, options).body)

  it('is asked again after a call of its own that has no result: nothing is left of the turn', () => {
    expect(body(call({ id: 'srvtoolu_1' }))).toBe(
      JSON.stringify(client.encodeRequest({ messages: [user] }, options).body),
    )
  })

  if (client.rules.pairsHosted === 'unless paused')
    it('goes on with a paused call, with an id or without', () => {
      for (const more of [{ id: 'srvtoolu_1' }, {}])
        expect(body({ ...call(more), stopReason: 'pause' })).toContain('web_search')
    })
})
