/**
 * Tools that come and go in the middle of a conversation. Only their own format has a place for the change; every other provider is offered
 * the tools that are left at the end.
 */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/messages.ts'
import { mockModel } from '../../src/test/index.ts'
import { gatewayOf } from './gateway-of.ts'
import { type WireName, wireNames } from './provider.ts'

const input_schema = { type: 'object', properties: { q: { type: 'string' } } }
const define = (name: string, more: JsonObject = {}): JsonObject => ({
  type: 'tool_addition',
  tool: { type: 'tool_definition', definition: { name, input_schema, ...more } },
})
const change = (type: string, name: string): JsonObject => ({ type, tool: { type: 'tool_reference', name } })
const system = (...content: (JsonObject | string)[]): JsonObject => ({
  role: 'system',
  content: content.map((one) => (typeof one === 'string' ? { type: 'text', text: one } : one)),
})
const functionTool = (name: string): JsonObject => ({
  type: 'function',
  name,
  parameters: input_schema,
  strict: false,
})

interface Case {
  readonly own: WireName
  readonly path: string
  readonly body: JsonObject
  readonly offered: readonly string[]
  /** A text that every provider gets. */
  readonly says?: string
}

/** responses-extras.md §5.4; the types `BetaRequestToolAdditionBlock` and `BetaRequestToolRemovalBlock` of the official SDK. */
const anthropic = (offered: readonly string[], ...changes: JsonObject[]): Case => ({
  own: 'anthropic',
  path: '/v1/messages',
  body: {
    model: 'smart',
    max_tokens: 99,
    tools: ['read', 'delete'].map((name) => ({ name, input_schema })),
    messages: changes.flatMap((one) => [{ role: 'user', content: 'Go on' }, one]),
  },
  offered,
})

const cases: Readonly<Record<string, Case>> = {
  'a definition': anthropic(['read', 'delete', 'search'], system(define('search'))),
  'a removal': anthropic(['read'], system(change('tool_removal', 'delete'))),
  'both, beside a text': {
    ...anthropic(['read', 'search'], system(define('search'), 'Be careful', change('tool_removal', 'delete'))),
    says: 'Be careful',
  },
  'a tool that comes back': anthropic(
    ['read', 'delete'],
    system(change('tool_removal', 'delete')),
    system(change('tool_addition', 'delete')),
  ),
  'a tool that comes and goes': anthropic(
    ['read', 'delete'],
    system(define('search')),
    system(change('tool_removal', 'search')),
  ),
  'a tool that is defined again': anthropic(['read', 'delete'], system(define('delete', { description: 'Undo' }))),
  'a tool that Claude knows': anthropic(
    ['read', 'delete', 'bash'],
    system({
      type: 'tool_addition',
      tool: { type: 'tool_definition', definition: { type: 'bash_20250124', name: 'bash' } },
    }),
  ),
  'Responses: additional tools': {
    own: 'openai-responses',
    path: '/v1/responses',
    body: {
      model: 'smart',
      tools: [functionTool('read')],
      input: [
        { role: 'user', content: 'Go on' },
        { type: 'additional_tools', role: 'developer', tools: [functionTool('search')] },
      ],
    },
    offered: ['read', 'search'],
  },
}

describe.each(Object.entries(cases))('%s', (_, { own, path, body, offered, says = 'Go on' }) => {
  it.each(wireNames.filter((name) => name !== own))('is in the list of tools for %s', async (format) => {
    const model = mockModel(['ok'], { format })
    const gateway = gatewayOf({ models: { smart: model } })
    const response = await gateway.post(path, body)
    expect({ status: response.status, text: response.ok || (await response.text()) }).toEqual({
      status: 200,
      text: true,
    })
    const [sent] = model.requests
    const names = (sent?.context.tools ?? []).map((tool) => ('name' in tool ? tool.name : tool.type))
    expect(names.toSorted()).toEqual([...offered].toSorted())
    expect(JSON.stringify(sent?.body)).toContain(says)
    expect(JSON.stringify(sent?.body)).not.toContain('tool_addition')
    const losses = gateway.reports.flatMap((report) => report.losses)
    expect(losses.filter(({ severity }) => severity === 'major')).toEqual([])
    expect(gateway.reports).toHaveLength(1)
  })
})
