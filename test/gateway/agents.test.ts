/** Requests of agents through a gateway: betas, tools and texts of their own formats. Expected values are from the documents of the wires and of the hosts. */
import { describe, expect, it } from 'vitest'
import { fieldsOfBetas } from '../../src/formats/anthropic/betas.ts'
import { facts } from '../formats/index.ts'
import type { Loose } from '../formats/provider.ts'
import { servers } from '../formats/servers.ts'
import { type AgentRig, agentRig, answerOf, hosts } from '../support/agent-rig.ts'
import { agentCase, agentCases, agents } from '../support/agents.ts'
import type { Wire as WireName } from '../support/answers.ts'
import { wireNames } from './provider.ts'
import { ask } from './wire.ts'

const claude = agentCase('claude-code/history')
const path = 'http://gateway/v1/messages?beta=true'

async function post(rig: AgentRig, url: string, body: Loose, headers: object = {}): Promise<Response> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
  const response = await rig.ask(url, init)
  await response.clone().text()
  return response
}

const saying = (name: string) =>
  agentRig(name, (sent) => answerOf(hosts[name]?.wire as WireName, sent, { text: 'done' }))
const whole = (body: Loose) => ({ ...body, stream: false })
const lossesOf = ({ reports }: AgentRig) =>
  reports.at(-1)?.losses.map(({ severity, path: at }) => `${severity} ${at}`) ?? []

describe('betas of Claude Code', () => {
  const shared = 'context-management-2025-06-27'
  const tools = 'tool-search-tool-2025-10-19'
  // https://github.com/BerriAI/litellm/blob/main/litellm/anthropic_beta_headers_config.json, read 2026-12
  it.each([
    [
      'azure-anthropic',
      `claude-code-20250219,${shared},prompt-caching-scope-2026-01-05,mid-conversation-system-2026-04-07,effort-2025-11-24,advanced-tool-use-2025-11-20`,
      true,
    ],
    ['bedrock-anthropic', `claude-code-20250219,${shared},effort-2025-11-24,${tools}`, false],
    ['bedrock-invoke', `${shared},effort-2025-11-24,${tools}`, false],
    ['vertex-anthropic', `${shared},${tools}`, false],
  ])('go to %s under the names that it takes, where it reads them', async (host, betas, hasScopes) => {
    const rig = saying(host)
    await post(rig, path, whole(claude.request), claude.headers)
    const { body, headers } = rig.sent[0] as AgentRig['sent'][0]
    const isInvoke = host === 'bedrock-invoke'
    expect(headers.get('anthropic-beta')).toBe(isInvoke ? null : betas)
    expect(body.anthropic_beta).toEqual(isInvoke ? betas.split(',') : undefined)
    expect(body.context_management).toEqual(claude.request.context_management)
    expect(body.tools[3].defer_loading).toBe(true)
    const scoped = JSON.stringify(body).includes('"scope"')
    expect(scoped).toBe(hasScopes)
    expect(body.system[0].cache_control).toEqual({
      type: 'ephemeral',
      ttl: '1h',
      ...(hasScopes && { scope: 'global' }),
    })
    expect(lossesOf(rig)).toContain('info headers.anthropic-beta')
  })

  it('go to Anthropic with a conversation that had another provider, too', async () => {
    const rig = saying('anthropic')
    const thought = { type: 'thinking', thinking: 'of another', signature: '' }
    const [user, ...others] = claude.request.messages
    const messages = [user, { role: 'assistant', content: [thought, { type: 'text', text: 'Hm' }] }, user, ...others]
    await post(rig, path, whole({ ...claude.request, messages }), claude.headers)
    expect(rig.reports[0]?.passed).toBe(false)
    expect(rig.sent[0]?.headers.get('anthropic-beta')).toBe(claude.headers['anthropic-beta'])
    expect(rig.sent[0]?.body).not.toHaveProperty('anthropic_beta')
    expect(rig.sent[0]?.body.system[0].text).toMatch(/^x-anthropic-billing-header/)
  })

  it.each(wireNames.filter((wire) => wire !== 'anthropic'))('are not for %s, and a loss says so', async (wire) => {
    const rig = saying(wire)
    await post(rig, path, whole(claude.request), claude.headers)
    expect(JSON.stringify([rig.sent[0]?.body, ...(rig.sent[0]?.headers ?? [])])).not.toMatch(
      /anthropic.beta|context_management/,
    )
    expect(lossesOf(rig)).toContain('info headers.anthropic-beta')
    expect(lossesOf(rig)).toContain('info options.providerOptions.anthropic')
  })

  const samples: Loose = {
    context_management: { edits: [] },
    speed: 'fast',
    mcp_servers: [],
    container: { skills: [] },
    defer_loading: true,
    input_examples: [{}],
    allowed_callers: ['direct'],
    eager_input_streaming: true,
    scope: 'global',
  }
  const dated: Loose = {
    'advanced-tool-use': 'advanced-tool-use-2025-11-20',
    'tool-search-tool': 'tool-search-tool-2025-10-19',
    'tool-examples': 'tool-examples-2025-10-29',
    'context-management': shared,
    'fast-mode': 'fast-mode-2026-02-01',
    'fine-grained-tool-streaming': 'fine-grained-tool-streaming-2025-05-14',
    'mcp-client': 'mcp-client-2025-11-20',
    'prompt-caching-scope': 'prompt-caching-scope-2026-01-05',
    skills: 'skills-2025-10-02',
  }
  const placed = (stem: string): { readonly [place: string]: readonly string[] | undefined } => {
    const [place, fields] = fieldsOfBetas[stem] ?? ['body', []]
    return { [place]: fields }
  }
  const claudes = Object.keys(hosts).filter((name) => hosts[name]?.wire === 'anthropic' && name !== 'anthropic')
  const pairs = claudes.flatMap((host) => Object.keys(fieldsOfBetas).map((stem) => [host, stem] as const))
  it.each(pairs)(
    'law: at %s, a field of %s goes with a beta that permits it, or not at all and with a loss',
    async (host, stem) => {
      const { body: top = [], tool = [], mark = [] } = placed(stem)
      const pick = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, samples[name]]))
      const [first] = claude.request.tools
      const body = whole({
        ...{ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
        ...pick(top),
        tools: [
          { ...first, ...pick(tool), ...(mark.length > 0 && { cache_control: { type: 'ephemeral', ...pick(mark) } }) },
        ],
      })
      const rig = saying(host)
      await post(rig, path, body, { ...claude.headers, 'anthropic-beta': dated[stem] })
      const { body: got, headers } = rig.sent[0] as AgentRig['sent'][0]
      const stems = [headers.get('anthropic-beta')?.split(','), got.anthropic_beta]
        .flat()
        .flatMap((beta) => beta?.replace(/-\d{4}-.*$/, '') ?? [])
      const permitted: unknown[] = stems.flatMap((one) => Object.values(placed(one)).flat())
      const losses = lossesOf(rig).join()
      const sent = JSON.stringify(got)
      for (const name of [...top, ...tool, ...mark]) {
        expect(sent.includes(`"${name}"`), name).toBe(permitted.includes(name))
        if (!permitted.includes(name))
          expect(losses).toMatch(
            mark.length > 0 ? /info tools\[0\]\.metadata\.cacheHint\.scope/ : new RegExp(`minor [^,]*\\.${name}\\b`),
          )
      }
      expect(got.tools[0].name).toBe(first.name)
    },
  )
})

describe('the line for billing', () => {
  const others = Object.keys(hosts).filter((name) => name !== 'anthropic')
  it.each(others)('does not go to %s: two requests with different ones are the same', async (host) => {
    const rig = saying(host)
    for (const cch of ['a1b2c', 'd4e5f']) {
      const [{ text }, ...system] = claude.request.system
      const line = { type: 'text', text: text.replace('a1b2c', cch) }
      await post(rig, path, whole({ ...claude.request, system: [line, ...system] }), claude.headers)
    }
    const [one, two] = rig.sent.map(({ body }) => JSON.stringify(body))
    expect(one).toBe(two)
    expect(one).not.toContain('x-anthropic-billing-header')
    expect(one).toContain('You are an agent in a terminal.')
    expect(lossesOf(rig)).toContain('info system[0]')
  })

  it('goes to Anthropic, and text after it goes everywhere', async () => {
    const own = saying('anthropic')
    await post(own, path, whole(claude.request), claude.headers)
    expect(own.sent[0]?.body.system).toEqual(claude.request.system)
    for (const form of [(text: string) => text, (text: string) => [{ type: 'text', text }]]) {
      const rig = saying('openai-chat')
      await post(rig, path, whole({ ...claude.request, system: form('x-anthropic-billing-header: cch=1;\nBe brief.') }))
      expect(JSON.stringify(rig.sent[0]?.body.messages[0].content)).toMatch(/"Be brief\."/)
    }
  })
})

describe('a tool reference', () => {
  const formats = wireNames.filter((wire) => wire !== 'anthropic' && servers[wire].server !== undefined)
  it.each(formats)('in a result is a name for %s', async (wire) => {
    const rig = saying(wire)
    await post(rig, path, whole(claude.request), claude.headers)
    const results = servers[wire].server?.resultsIn(rig.sent[0]?.body) ?? []
    expect(JSON.stringify(results)).toContain('mcp__github__create_issue')
  })

  it.each(['anthropic', 'azure-anthropic', 'bedrock-anthropic', 'vertex-anthropic'])(
    'goes unchanged to %s',
    async (host) => {
      const rig = saying(host)
      await post(rig, path, whole(claude.request), claude.headers)
      expect(JSON.stringify(rig.sent[0]?.body)).toContain(
        JSON.stringify([{ type: 'tool_reference', tool_name: 'mcp__github__create_issue' }]),
      )
    },
  )
})

describe('tools of Anthropic that a client runs', () => {
  const own = [
    { type: 'bash_20250124', name: 'bash' },
    { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
    { type: 'memory_20250818', name: 'memory' },
  ]
  it.each(wireNames.filter((wire) => wire !== 'anthropic'))(
    'are functions for %s, and calls of them come back',
    async (wire) => {
      const call = { id: 'call_1', name: 'bash', args: { command: 'ls' } }
      const rig = agentRig(wire, (sent) => answerOf(wire, sent, { calls: [call] }))
      const turn = await agents.anthropic?.(claude, whole({ ...claude.request, tools: own }), rig.ask)
      expect(turn?.calls).toEqual([{ form: { type: 'tool_use', name: 'bash' }, input: { command: 'ls' } }])
      const sent = JSON.stringify(rig.sent[0]?.body)
      for (const { name } of own) expect(sent).toContain(`"${name}"`)
    },
  )

  it('go unchanged to other hosts of Claude', async () => {
    const rig = saying('vertex-anthropic')
    await post(rig, path, whole({ ...claude.request, tools: own }))
    expect(rig.sent[0]?.body.tools).toEqual(own)
  })
})

describe('an id of a call that is longer than a client’s format allows', () => {
  const ids = [0, 1].map((at) => `call_${'x'.repeat(95)}${at}`)
  /** wire/gemini.md §3 */
  const parts = ids.map((id) => ({ functionCall: { id, name: 'exec_command', args: { cmd: 'ls' } } }))
  const answer = {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    modelVersion: 'm',
  }
  const codex = agentCase('codex/first')
  it.each([true, false])('is shortened for Codex, and comes back to the provider (streaming: %s)', async (stream) => {
    const rig = agentRig('gemini', (sent, round) => {
      if (round > 1) return answerOf('gemini', sent, { text: 'done' })
      return stream ? new Response(`data: ${JSON.stringify(answer)}\n\n`) : Response.json(answer)
    })
    const turn = await agents['openai-responses']?.(codex, { ...codex.request, stream }, rig.ask)
    const next = turn?.next(['a', 'b'])
    const short = next.input.flatMap(({ call_id }: Loose) => call_id ?? [])
    expect(new Set(short).size).toBe(2)
    expect(short).toHaveLength(4)
    for (const id of short) expect(id.length).toBeLessThanOrEqual(64)
    await agents['openai-responses']?.(codex, next, rig.ask)
    const sent = rig.sent[1]?.body.contents.flatMap((content: Loose) => content.parts)
    const of = (name: string) => sent.flatMap((part: Loose) => part[name]?.id ?? [])
    expect([of('functionCall'), of('functionResponse')]).toEqual([ids, ids])
  })
})

describe('instructions without a question', () => {
  const bodies: readonly (readonly [string, Loose])[] = [
    ['/v1/chat/completions', { messages: [{ role: 'system', content: 'Say hello.' }] }],
    ['/v1/chat/completions', { messages: [{ role: 'developer', content: [{ type: 'text', text: 'Say hello.' }] }] }],
    ['/v1/responses', { input: [{ role: 'system', content: 'Say hello.' }], store: false }],
    ['/api/chat', { messages: [{ role: 'system', content: 'Say hello.' }] }],
  ]
  const turnsOf = ({ messages, contents, input }: Loose): Loose[] => messages ?? contents ?? input ?? []
  const userFirst = Object.keys(hosts).filter((name) => {
    const target = hosts[name]?.model.codec.rules
    return target?.userFirst || target?.userLast
  })
  it.each(userFirst.flatMap((host) => bodies.map(([at, body]) => [host, at, body] as const)))(
    'go to %s with a user who speaks (%s, %j)',
    async (host, at, body) => {
      const rig = saying(host)
      await post(rig, `http://gateway${at}`, whole({ model: 'm', ...body }))
      const got = rig.sent[0]?.body
      const turns = turnsOf(got).filter(({ role }) => role !== 'system')
      expect(turns).toHaveLength(1)
      expect(turns[0].role ?? turns[0].type).toMatch(/^user/)
      expect(JSON.stringify(got)).toContain('Say hello.')
      expect(facts[rig.wire].violations(got)).toEqual([])
      expect(lossesOf(rig)).toContain('minor messages')
    },
  )
})

describe('a stream', () => {
  it.each(wireNames.flatMap((client) => ['anthropic', 'gemini'].map((host) => [client, host] as const)))(
    'for a client of %s from %s asks proxies not to hold it back',
    async (client, host) => {
      const rig = saying(host)
      const response = await ask('http://gateway', client, 'm', 'Hello', { fetch: rig.ask })
      await response.text()
      expect(response.headers.get('x-accel-buffering')).toBe('no')
      expect(response.headers.get('cache-control')).toMatch(/no-(?:store|cache), no-transform/)
    },
  )

  it.each(wireNames.filter((wire) => wire !== 'anthropic'))(
    'for a client of Anthropic from %s begins with the number of tokens that the gateway counts',
    async (wire) => {
      const rig = saying(wire)
      const { request } = agentCase('opencode/messages')
      const counted = await (await post(rig, 'http://gateway/v1/messages/count_tokens', request)).json()
      expect(counted.input_tokens).toBeGreaterThan(50)
      const [, data] = (await (await post(rig, path, request)).text()).split('data: ')
      const { usage } = JSON.parse(data?.split('\n')[0] ?? '').message
      // Interactions and Gemini may report their own number by then.
      expect([counted.input_tokens, 11]).toContain(usage.input_tokens)
    },
  )
})

it('each agent’s request decodes, and none of its headers is refused', () => {
  expect(agentCases.length).toBeGreaterThan(10)
  for (const { headers } of agentCases) {
    const beta = headers['anthropic-beta']
    if (beta !== undefined) expect(beta).toMatch(/^[\w.-]+(?:, ?[\w.-]+){0,63}$/)
  }
})
