/**
 * Answers of `/v1/responses` repeat the settings of their request, as OpenAI's do, and have every field of the schema. The settings are those that
 * the official types have in requests and answers both; the fields are those that https://www.openresponses.org/specification requires.
 */
import type { Response as OpenAIResponse, ResponseCreateParams } from 'openai/resources/responses/responses'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/gateway/index.ts'
import { facts } from '../formats/index.ts'
import type { Loose } from '../formats/provider.ts'
import { agentRig, answerOf, hosts, type Sent } from '../support/agent-rig.ts'
import { inTurn } from '../support/cuts.ts'

type Setting = Exclude<keyof OpenAIResponse & keyof ResponseCreateParams, 'model' | 'moderation'>
type Sample = readonly [sent: Loose, shown?: Loose]

const parameters = { type: 'object', properties: { headers: { type: 'string' } } }
const find = { type: 'function', name: 'find', description: 'd', parameters, strict: false }
const write = { type: 'custom', name: 'write', description: 'd', format: { type: 'text' } }
const schema = { type: 'json_schema', name: 'n', description: 'd', schema: parameters, strict: true }

const mcp = { type: 'mcp', server_label: 's', server_url: 'https://s.test' }
const interpreter = (network_policy: object) => ({
  type: 'code_interpreter',
  container: { type: 'auto', network_policy },
})

/** Values of each setting. A value that an answer shows in another form is a pair. */
const samples: Readonly<Record<Setting, readonly Sample[]>> = {
  access_programs: [[{ cyber: 'standard' }]],
  background: [[false]],
  conversation: [],
  image: [[{ context_compression: 'disabled' }]],
  instructions: [['Be brief.'], ['']],
  max_output_tokens: [[100]],
  max_tool_calls: [[3]],
  metadata: [[{ order: '7', toString: 'x' }], [{}]],
  parallel_tool_calls: [[false], [true]],
  previous_response_id: [],
  prompt: [],
  prompt_cache_key: [['k']],
  prompt_cache_options: [
    [{ mode: 'explicit', ttl: '12h' }],
    [
      { mode: 'explicit', prewarm: false },
      { mode: 'explicit', ttl: '30m' },
    ],
  ],
  prompt_cache_retention: [['24h']],
  reasoning: [[{ effort: 'low', summary: 'auto' }], [{ effort: 'high' }, { effort: 'high', summary: null }]],
  safety_identifier: [['s1']],
  service_tier: [['flex']],
  temperature: [[0.5], [0]],
  text: [
    [{ format: { type: 'text' }, verbosity: 'low' }],
    [{ verbosity: 'low' }, { verbosity: 'low', format: { type: 'text' } }],
    [{ format: schema }],
    [
      { format: { type: 'json_schema', name: 'n', schema: parameters } },
      { format: { type: 'json_schema', name: 'n', schema: parameters, description: null, strict: false } },
    ],
  ],
  tool_choice: [
    ['none'],
    ['required'],
    [{ type: 'function', name: 'find' }],
    [{ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'find' }] }],
  ],
  tools: [
    [[find, write]],
    [
      [{ type: 'function', name: 'find' }],
      [{ type: 'function', name: 'find', description: null, parameters: null, strict: null }],
    ],
    [[{ type: 'namespace', name: 'crm', description: 'Customers', tools: [find] }]],
    [[{ ...mcp, headers: { a: 'secret' }, authorization: 'secret' }], [mcp]],
    [[interpreter({ type: 'allowlist', domain_secrets: [{ value: 'secret' }] })], [interpreter({ type: 'allowlist' })]],
  ],
  top_logprobs: [[2]],
  top_p: [[0.9]],
  truncation: [['auto']],
  user: [['u1']],
}

/** Settings that name what a provider stores: other providers refuse them. */
const stored: Partial<Readonly<Record<Setting, readonly Sample[]>>> = {
  background: [[true]],
  conversation: [['conv_1', { id: 'conv_1' }], [{ id: 'conv_1' }]],
  previous_response_id: [['resp_1']],
  prompt: [[{ id: 'pmpt_1', version: '2' }]],
}

const casesOf = (table: Partial<Readonly<Record<Setting, readonly Sample[]>>>) =>
  Object.entries(table).flatMap(([name, values]) => values.map(([sent, shown = sent]) => ({ name, sent, shown })))

const textOrNull = v.nullable(v.string())
const numberOrNull = v.nullable(v.number())
const format = v.variant('type', [
  v.looseObject({ type: v.picklist(['text', 'json_object']) }),
  v.looseObject({ type: v.literal('json_schema'), name: v.string(), description: textOrNull, strict: v.boolean() }),
])
/** An answer of the schema: the field is there, and null only where it may be. */
const answer = v.looseObject({
  id: v.pipe(v.string(), v.minLength(1)),
  object: v.literal('response'),
  created_at: v.pipe(v.number(), v.integer()),
  completed_at: v.nullable(v.pipe(v.number(), v.integer())),
  status: v.picklist(['completed', 'failed', 'in_progress', 'incomplete']),
  incomplete_details: v.nullable(v.object({ reason: v.string() })),
  model: v.string(),
  previous_response_id: textOrNull,
  instructions: textOrNull,
  output: v.array(v.looseObject({ type: v.string(), id: v.string() })),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
  tools: v.array(
    v.variant('type', [
      v.looseObject({
        type: v.literal('function'),
        name: v.string(),
        description: textOrNull,
        parameters: v.nullable(v.looseObject({})),
        strict: v.nullable(v.boolean()),
      }),
      v.looseObject({ type: v.picklist(['custom', 'namespace', 'mcp', 'code_interpreter']) }),
    ]),
  ),
  tool_choice: v.union([v.picklist(['none', 'auto', 'required']), v.looseObject({ type: v.string() })]),
  truncation: v.picklist(['auto', 'disabled']),
  parallel_tool_calls: v.boolean(),
  text: v.looseObject({ format }),
  top_p: v.number(),
  presence_penalty: v.number(),
  frequency_penalty: v.number(),
  top_logprobs: v.pipe(v.number(), v.integer()),
  temperature: v.number(),
  reasoning: v.nullable(v.looseObject({ effort: textOrNull, summary: textOrNull })),
  user: textOrNull,
  usage: v.nullable(v.looseObject({ input_tokens: v.number(), output_tokens: v.number(), total_tokens: v.number() })),
  max_output_tokens: numberOrNull,
  max_tool_calls: numberOrNull,
  store: v.boolean(),
  background: v.boolean(),
  service_tier: v.string(),
  metadata: v.record(v.string(), v.string()),
  safety_identifier: textOrNull,
  prompt_cache_key: textOrNull,
  access_programs: v.nullable(v.looseObject({})),
})

type Says = (sent: Sent) => Response
const saying = (host: string): Says => {
  const { wire } = hosts[host] as { wire: keyof typeof facts }
  return (sent) => answerOf(wire, sent, { text: 'Hi' })
}

/** Every answer that a client sees: the whole one, or those in the events of a stream. */
async function answersOf(
  host: string,
  body: object,
  stream: boolean,
  says: Says = saying(host),
  options: Partial<GatewayOptions> = {},
): Promise<Loose[]> {
  const rig = agentRig(host, says, options)
  const response = await rig.ask('http://gateway/v1/responses', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', input: 'Hi', stream, ...body }),
  })
  const text = await response.text()
  if (!stream) return [JSON.parse(text)]
  const data = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
  const answers = data.flatMap((event) => event.response ?? [])
  expect(answers.length).toBeGreaterThanOrEqual(3)
  return answers
}

const translated = Object.keys(hosts).filter((name) => name !== 'openai-responses')
const ways = translated.flatMap((host) => [true, false].map((stream) => ({ host, stream })))
/** In `npm test`, a third of the settings for each host, and others for the next one: what repeats them knows no host. */
const dueFor = (host: string, stream: boolean) =>
  inTurn(casesOf(samples), 3, translated.indexOf(host) + (stream ? 1 : 0))

describe.each(ways)('an answer of $host (streaming: $stream)', ({ host, stream }) => {
  it.concurrent('repeats each setting of its request, and has no null or gap where the schema has none', async ({
    expect,
  }) => {
    for (const { name, sent, shown } of dueFor(host, stream)) {
      const needsTools = name === 'tool_choice' && { tools: [find] }
      for (const found of await answersOf(host, { ...needsTools, [name]: sent }, stream)) {
        expect({ [name]: found[name] }).toEqual({ [name]: shown })
        expect(v.safeParse(answer, found).issues, name).toBeUndefined()
        expect(JSON.stringify(found)).not.toContain('secret')
      }
    }
  })

  it.concurrent('has the default of each setting that its request leaves out, or has as null', async ({ expect }) => {
    const bare = await answersOf(host, {}, stream)
    const nulls = await answersOf(host, Object.fromEntries(Object.keys(samples).map((name) => [name, null])), stream)
    for (const found of [...bare, ...nulls]) {
      expect(v.safeParse(answer, found).issues).toBeUndefined()
      expect(found).toMatchObject({
        ...{ background: false, instructions: null, max_output_tokens: null, metadata: {}, parallel_tool_calls: true },
        ...{ service_tier: 'default', store: false, temperature: 1, text: { format: { type: 'text' } } },
        ...{ tool_choice: 'auto', tools: [], top_p: 1, truncation: 'disabled', user: null },
      })
    }
  })

  it.concurrent('is completed at a time if it is completed, and only then', async ({ expect }) => {
    const answers = await answersOf(host, {}, stream)
    for (const { status, completed_at, created_at } of answers) {
      if (status === 'completed') expect(completed_at).toBeGreaterThanOrEqual(created_at)
      else expect(completed_at).toBeNull()
    }
    expect(answers.at(-1)?.status).toBe('completed')
  })
})

it('repeats the name of what a provider stores, where the provider can have it', async () => {
  for (const { name, sent, shown } of casesOf(stored)) {
    for (const stream of [true, false])
      for (const found of await answersOf('azure-responses', { [name]: sent }, stream))
        expect(found[name]).toEqual(shown)
    await expect(answersOf('anthropic', { [name]: sent }, false), name).rejects.toThrow('400')
  }
})

it('says what the provider says of its own service: the tier, and whether the answer is stored', async () => {
  const provider = facts['openai-responses'].provider.whole({ text: 'Hi' }) as object
  const response = { ...provider, service_tier: 'priority', store: true, temperature: null, tools: [{ type: 'x' }] }
  const says: Says = ({ isStream }) =>
    isStream
      ? new Response(`data: ${JSON.stringify({ type: 'response.completed', response })}\n\n`)
      : Response.json(response)
  for (const stream of [true, false]) {
    const answers = await answersOf('xai', { service_tier: 'auto', tools: [find] }, stream, says)
    expect(answers.at(-1)).toMatchObject({ service_tier: 'priority', store: true, temperature: 1, tools: [find] })
  }
})

it('repeats them in an answer that fails or is cut off, too', async () => {
  const failing: Says = ({ isStream }) => {
    const { pieces, errorPiece } = facts.anthropic.provider
    expect(isStream).toBe(true)
    return new Response([...pieces({ text: 'Hi there' }).slice(0, 4), errorPiece('no')].join(''))
  }
  const failed = await answersOf('anthropic', { temperature: 0.5 }, true, failing)
  expect(failed.at(-1)).toMatchObject({ status: 'failed', temperature: 0.5, completed_at: null })
  expect(v.safeParse(answer, failed.at(-1)).issues).toBeUndefined()
  const cut: Says = () =>
    Response.json({ ...(facts.ollama.provider.whole({ text: 'Hi' }) as object), done_reason: 'length' })
  const [short] = await answersOf('ollama', { temperature: 0.5 }, false, cut)
  expect(short).toMatchObject({ status: 'incomplete', temperature: 0.5, completed_at: null })
})

describe('an answer that passes through', () => {
  const name = 'openai-responses'
  const body = { instructions: 'Be brief.', temperature: 0.5, tools: [find] }
  const provider = facts[name].provider
  const whole = provider.whole({ text: 'Hi' }) as Loose

  it('has what the provider says, and nothing else', async () => {
    expect(await answersOf(name, body, false)).toEqual([whole])
    for (const found of await answersOf(name, body, true)) expect(found).not.toHaveProperty('temperature')
  })

  it('repeats only what the provider leaves out, if the provider was asked for a stream of it', async () => {
    const [found] = await answersOf(name, body, false, saying(name), { wholeAnswers: 'stream' })
    expect(found).toMatchObject({ ...whole, tools: [], instructions: null, temperature: 0.5 })
    expect(v.safeParse(answer, found).issues).toBeUndefined()
  })
})
