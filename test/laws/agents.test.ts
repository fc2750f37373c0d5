/**
 * Law of agents. The tools of each agent's request reach every provider, as functions of its format, and their calls come back as the
 * agent's own: the same type, name, namespace and input, by the official client's own reading. So does the history.
 */
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { facts } from '../formats/index.ts'
import type { Loose } from '../formats/provider.ts'
import { servers } from '../formats/servers.ts'
import { agentRig, answerOf, hosts } from '../support/agent-rig.ts'
import { type AgentCase, agentCase, agentCases, agents, hardText, sampleOf, tools } from '../support/agents.ts'
import type { Wire as WireName } from '../support/answers.ts'
import { ownCorpus } from '../support/corpus.ts'
import { inTurn } from '../support/cuts.ts'

/** OpenAI has all tools of its own formats. */
const isNative = ({ wire }: AgentCase, host: string) =>
  (wire.startsWith('openai') && host === wire) || (wire === 'openai-responses' && host === 'azure-responses')

interface Round {
  readonly body: Loose
  readonly offered: readonly { readonly name: string }[]
  readonly args: readonly Loose[]
}

/** A provider that calls each tool that it is offered, and then says that it is done. */
function rigOf(host: string) {
  const rounds: Round[] = []
  const rig = agentRig(host, (sent, round) => {
    const { body } = sent
    const offered = tools[rig.wire].offered(body)
    const args = offered.map(({ schema = { type: 'object' } }) => sampleOf(schema))
    const calls = offered.map(({ name }, at) => ({ id: `call_u${at}`, name, args: args[at] }))
    rounds.push({ body, offered, args })
    return answerOf(rig.wire, sent, round === 1 ? { calls } : { text: 'done' })
  })
  return { ...rig, rounds }
}

const problemsIn = (wire: WireName, body: Loose) => facts[wire].violations(body)

describe.each(agentCases)('$id', (one) => {
  const { wire: client, request, expected } = one
  // The events of `bedrock-invoke` are in another framing than those of its format's own provider.
  const others = Object.keys(hosts).filter((host) => !isNative(one, host) && host !== 'bedrock-invoke')
  it.each(
    inTurn(others, 4, agentCases.indexOf(one)).flatMap((host) =>
      [true, false].map((stream) => [host, stream] as const),
    ),
  )('to %s and back (streaming: %s)', async (host, stream) => {
    const { rounds, ask, wire } = rigOf(host)
    const body = { ...request, stream }
    const turn = await (agents[client] as (typeof agents)[string])(one, body, ask)
    const [first] = rounds as [Round]
    const wanted = expected.calls.filter(
      ({ name }) => expected.chosen === undefined || first.offered.length > 1 || name === expected.chosen,
    )
    expect(turn.calls.map(({ form }) => form)).toEqual(wanted)
    expect(turn.calls.map(({ input }, at) => inputWithin(input, first.args[at]))).toEqual(first.args)
    expect(problemsIn(wire, first.body)).toEqual([])
    const names = new Set(first.offered.map(({ name }) => name))
    expect(names.size).toBe(first.offered.length)
    const said = tools[wire].called(first.body)
    expect(said.map(({ args }) => args)).toEqual(expected.arguments ?? [])
    for (const { name } of said) expect(names).toContain(name)
    let sent = JSON.stringify(first.body)
    for (const result of expected.results ?? []) {
      const place = sent.indexOf(JSON.stringify(result).slice(1, -1))
      expect(place, result).toBeGreaterThan(0)
      sent = sent.slice(place)
    }

    const results = turn.calls.map((_, at) => `result of call ${at}`)
    await (agents[client] as (typeof agents)[string])(one, turn.next(results), ask)
    const [, second] = rounds as [Round, Round]
    expect(problemsIn(wire, second.body)).toEqual([])
    const again = tools[wire].called(second.body).slice(said.length)
    expect(again).toEqual(turn.calls.map((_, at) => ({ name: first.offered[at]?.name, args: first.args[at] })))
    const text = JSON.stringify(second.body)
    for (const [at, { form }] of turn.calls.entries()) {
      if (form.type === 'tool_search_call') expect(second.offered.map(({ name }) => name)).toContain('mcp__late__found')
      else expect(text.split(`result of call ${at}`)).toHaveLength(2)
    }
  })
})

/** The input in the form of the function's arguments: free text is the argument `input`, and an item may have more fields than the model wrote. */
function inputWithin(input: unknown, args: Loose): unknown {
  if (typeof input === 'string') return { input }
  return Object.fromEntries(Object.keys(args).map((name) => [name, (input as Loose)[name]]))
}

const codex = agentCase('codex/first')
const streaming = (Object.keys(servers) as WireName[]).filter(
  (wire) => servers[wire].server !== undefined && !isNative(codex, wire),
)

describe('a call of free text', () => {
  it.each(streaming)('from %s streams as it comes, and its pieces are its text', async (wire) => {
    const calls = [{ id: 'call_1', name: 'apply_patch', args: { input: hardText } }]
    const { ask } = agentRig(wire, (sent) => answerOf(wire, sent, { calls }))
    const client = new OpenAI({ apiKey: 'x', baseURL: 'http://gateway/v1', fetch: ask, maxRetries: 0 })
    const pieces: string[] = []
    const done: unknown[] = []
    for await (const event of client.responses.stream(codex.request)) {
      if (event.type === 'response.custom_tool_call_input.delta') pieces.push(event.delta)
      if (event.type === 'response.custom_tool_call_input.done') done.push(event.input)
      if (event.type === 'response.output_item.done' && event.item.type === 'custom_tool_call')
        done.push(event.item.input)
    }
    expect([pieces.join(''), ...done]).toEqual([hardText, hardText, hardText])
    // Their providers send arguments in halves.
    if (['openai-chat', 'anthropic', 'gemini-interactions', 'cohere'].includes(wire))
      expect(pieces.length).toBeGreaterThan(1)
  })

  // Formats that send arguments as objects cannot be cut within them.
  const texts = streaming.filter((wire) => !facts[wire].answers.rules.includes('text of arguments'))
  it.each(
    texts.flatMap((wire) =>
      ['{"input":"*** Begin', '{"input":"a\\', '{"inp', '{"input":"a"', '{"input":"a"} }'].map(
        (args) => [wire, args] as const,
      ),
    ),
  )('from %s that is cut off as %s comes as nothing that an agent runs', async (wire, args) => {
    const server = servers[wire].server
    for (const pieces of [
      server?.cutAtLength(['call_1', 'apply_patch', args]),
      server?.calls(['call_1', 'apply_patch', args]),
    ]) {
      const { ask } = agentRig(wire, () => new Response((pieces ?? []).join('')))
      const client = new OpenAI({ apiKey: 'x', baseURL: 'http://gateway/v1', fetch: ask, maxRetries: 0 })
      const completed: Loose[] = []
      const stream = client.responses.stream(codex.request)
      for await (const event of stream) if (event.type === 'response.output_item.done') completed.push(event.item)
      const { output, status } = await stream.finalResponse()
      expect([...completed, ...output].filter(({ type }) => type !== 'message')).toEqual([])
      expect(status).toBe('incomplete')
    }
  })
})

describe('tools that only OpenAI has', () => {
  it.each(agentCases.filter(({ wire }) => wire === 'openai-responses'))(
    'go unchanged to Azure ($id)',
    async ({ request }) => {
      const rig = agentRig('azure-responses', (sent) => answerOf('openai-responses', sent, { text: 'done' }))
      const body = JSON.stringify({ ...request, stream: false })
      await rig.ask('http://gateway/v1/responses', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      expect(rig.sent[0]?.body.tools).toEqual(request.tools)
      expect(rig.sent[0]?.body.tool_choice).toEqual(request.tool_choice)
    },
  )

  // Counted by hand from the documents of the tools: those that a client runs.
  const countIn = (given: readonly Loose[]): number =>
    given.reduce((sum, { type, tools: members, execution, environment }) => {
      if (type === 'namespace') return sum + countIn(members)
      const isClients =
        ['function', 'custom', 'local_shell', 'apply_patch'].includes(type) ||
        (type === 'tool_search' && execution === 'client') ||
        (type === 'shell' && (environment?.type ?? 'local') === 'local')
      return sum + (isClients ? 1 : 0)
    }, 0)
  const recorded = ownCorpus.filter(
    ({ format, request }) => /^openai-(?:chat|responses)/.test(format) && Array.isArray((request as Loose)?.tools),
  )
  it.each(recorded)(
    'are all offered to another provider, each under its own name ($id)',
    async ({ format, request }) => {
      const { tools: given, input } = request as Loose
      const { rounds, ask } = rigOf('ollama')
      const path = format.startsWith('openai-chat') ? 'chat/completions' : 'responses'
      const { tool_choice: _, previous_response_id: __, ...body } = { ...(request as Loose), stream: false }
      await ask(`http://gateway/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const late = (Array.isArray(input) ? input : []).flatMap(({ type, execution, tools: found }: Loose) =>
        type === 'additional_tools' || (type === 'tool_search_output' && execution === 'client') ? found : [],
      )
      const names = rounds[0]?.offered.map(({ name }) => name) ?? []
      expect(new Set(names).size).toBe(countIn([...given, ...late]))
      expect(names.length).toBe(new Set(names).size)
    },
  )
})
