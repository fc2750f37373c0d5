/**
 * Law of agents. The tools of each agent's request reach every provider, as functions of its format, and their calls come back as the
 * agent's own: the same type, name, namespace and input, by the official client's own reading. So does the history.
 */
import { describe, expect, it } from 'vitest'
import type { HttpModel as Model } from '../../src/core/question.ts'
import { allFormats, createGateway, type EndReport } from '../../src/gateway/index.ts'
import { azureAnthropic } from '../../src/providers/azure-anthropic.ts'
import { bedrockAnthropic } from '../../src/providers/bedrock-anthropic.ts'
import { deepseek } from '../../src/providers/deepseek.ts'
import { vertexAnthropic } from '../../src/providers/vertex-anthropic.ts'
import { vllm } from '../../src/providers/vllm.ts'
import { xaiResponses } from '../../src/providers/xai-responses.ts'
import { facts } from '../formats/index.ts'
import type { Loose } from '../formats/provider.ts'
import { servers } from '../formats/servers.ts'
import { toWire } from '../gateway/provider.ts'
import { type AgentCase, agentCases, agents, sampleOf, tools } from '../support/agents.ts'
import type { Wire as WireName } from '../support/answers.ts'
import { inTurn } from '../support/cuts.ts'

const apiKey = 'key-of-a-provider-01'

/** A model of each format's own provider, and of hosts that do not have all of its tools. */
const hosts: Readonly<Record<string, { readonly wire: WireName; readonly model: Model }>> = {
  ...Object.fromEntries(
    (Object.keys(servers) as WireName[]).map((wire) => [
      wire,
      { wire, model: servers[wire].modelAt('http://provider') },
    ]),
  ),
  xai: { wire: 'openai-responses', model: xaiResponses('grok-4.3', { apiKey }) },
  vllm: { wire: 'openai-chat', model: vllm('qwen3', { baseUrl: 'http://provider/v1' }) },
  deepseek: { wire: 'openai-chat', model: deepseek('deepseek-chat', { apiKey }) },
  'azure-anthropic': { wire: 'anthropic', model: azureAnthropic('claude-sonnet-5', { resource: 'r', apiKey }) },
  'bedrock-anthropic': {
    wire: 'anthropic',
    model: bedrockAnthropic('claude-sonnet-5', { region: 'us-east-1', apiKey }),
  },
  'vertex-anthropic': { wire: 'anthropic', model: vertexAnthropic('claude-sonnet-5', { project: 'p', apiKey }) },
}

/** OpenAI has all tools of its own formats: its own clients' bytes pass. */
const isPassed = ({ wire }: AgentCase, host: string) => host === wire && wire.startsWith('openai')

interface Round {
  readonly body: Loose
  readonly offered: readonly { readonly name: string }[]
  readonly args: readonly Loose[]
}

/** A gateway before a provider that calls each tool that it is offered, and then says that it is done. */
function rigOf(host: string) {
  const { wire, model } = hosts[host] as { wire: WireName; model: Model }
  const rounds: Round[] = []
  const reports: EndReport[] = []
  const speaker = facts[wire].provider
  const upstream = async (url: string | URL | Request, init?: RequestInit) => {
    const body = JSON.parse(new TextDecoder().decode(await new Response(init?.body).arrayBuffer()))
    const offered = tools[wire].offered(body)
    const args = offered.map(({ schema = { type: 'object' } }) => sampleOf(schema))
    const calls = offered.map(({ name }, at) => ({ id: `call_u${at}`, name, args: args[at] }))
    rounds.push({ body, offered, args })
    const said = rounds.length === 1 ? { calls } : { text: 'done' }
    const isStream = speaker.isStream({ path: String(url), body }) || body.stream === true
    return isStream ? new Response(toWire(speaker.pieces(said).join(''))) : Response.json(speaker.whole(said))
  }
  const gateway = createGateway({
    formats: allFormats,
    models: { any: { model: { ...model, fetch: upstream as typeof fetch }, aliases: ['*'] } },
    onEnd: (report) => void reports.push(report),
  })
  const ask = (async (input: string | URL | Request, init?: RequestInit) => {
    const response = await gateway.fetch(new Request(input, init))
    if (!response.ok) throw new Error(`${response.status} ${await response.clone().text()}`)
    return response
  }) as typeof fetch
  return { rounds, reports, ask, wire }
}

const problemsIn = (wire: WireName, body: Loose) => facts[wire].violations(body)

describe.each(agentCases)('$id', (one) => {
  const { wire: client, request, expected } = one
  const others = Object.keys(hosts).filter((host) => !isPassed(one, host))
  it.each(
    inTurn(others, 2, agentCases.indexOf(one)).flatMap((host) =>
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
