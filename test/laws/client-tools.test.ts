/**
 * Tools that only OpenAI's models know and that the client runs: a shell, a local shell, patches. An agent is written on them as on any tool; the
 * call and its result go back as the items of the wire. On other hosts and formats they are functions.
 */
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../src/core/content.ts'
import type { ContextTool, JsonObject, Message, MessageEvent, ToolCall } from '../../src/core/messages.ts'
import {
  decodeRequest,
  encodeRequest,
  localShellParameters,
  openaiResponses,
  patchParameters,
  providerTool,
  shellParameters,
  type WireClientTool,
} from '../../src/formats/openai-responses/index.ts'
import { createServerCodec } from '../../src/formats/openai-responses/server/format.ts'
import { approval, generate, type RunRequest, stream, type Tool, tool } from '../../src/index.ts'
import { xaiResponses } from '../../src/providers/xai-responses.ts'
import { call, mockModel } from '../../src/test/index.ts'
import type { Loose } from '../formats/provider.ts'
import { answering } from '../support/answering.ts'
import { wires } from '../support/answers.ts'
import { toFrames } from '../support/encode.ts'

interface Case {
  readonly value: WireClientTool
  readonly parameters: JsonObject
  /** The call as the server sends it, its events between the announcement and the end, and the call before them. */
  readonly item: JsonObject
  readonly begun: JsonObject
  readonly deltas: readonly JsonObject[]
  readonly args: JsonObject
  /** What `execute` returns, and the fields of the item that answers. */
  readonly returns: unknown
  readonly answer: JsonObject
  readonly failure: JsonObject
}

const outputs = [
  { stdout: 'a\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
  { stdout: '', stderr: 'no', outcome: { type: 'timeout' } },
]
const patch = { type: 'create_file', path: 'a.md', diff: '+"hi"\n+\u{1f600}\n' }
const action = { commands: ['ls -a', 'echo "\u{1f600}"'], max_output_length: 900, timeout_ms: null }

const cases: Readonly<Record<string, Case>> = {
  shell: {
    value: { type: 'shell', environment: { type: 'local' } },
    parameters: shellParameters as JsonObject,
    item: {
      id: 'sh_1',
      type: 'shell_call',
      status: 'completed',
      action,
      call_id: 'call_1',
      environment: { type: 'local' },
    },
    begun: { action: { commands: [], max_output_length: null, timeout_ms: null } },
    deltas: [
      { type: 'response.shell_call_command.added', command_index: 0, command: '' },
      { type: 'response.shell_call_command.delta', command_index: 0, delta: 'ls' },
      { type: 'response.shell_call_command.delta', command_index: 0, delta: ' -a' },
      { type: 'response.shell_call_command.done', command_index: 0, command: 'ls -a' },
      { type: 'response.shell_call_command.added', command_index: 1, command: '' },
      { type: 'response.shell_call_command.delta', command_index: 1, delta: 'echo "\u{1f600}"' },
      { type: 'response.shell_call_command.done', command_index: 1, command: 'echo "\u{1f600}"' },
    ],
    args: action,
    returns: outputs,
    answer: { type: 'shell_call_output', max_output_length: 900, output: outputs },
    failure: {
      type: 'shell_call_output',
      max_output_length: 900,
      output: [{ stdout: '', stderr: 'broken', outcome: { type: 'exit', exit_code: 1 } }],
    },
  },
  local_shell: {
    value: { type: 'local_shell' },
    parameters: localShellParameters as JsonObject,
    item: {
      id: 'lsh_1',
      type: 'local_shell_call',
      status: 'completed',
      action: { type: 'exec', command: ['ls'], env: { A: 'b' }, working_directory: '/root' },
      call_id: 'call_1',
    },
    begun: { action: { type: 'exec', command: [], env: {} } },
    deltas: [],
    args: { type: 'exec', command: ['ls'], env: { A: 'b' }, working_directory: '/root' },
    returns: 'a.txt',
    answer: { type: 'local_shell_call_output', output: 'a.txt' },
    failure: { type: 'local_shell_call_output', output: '[tool error] broken' },
  },
  apply_patch: {
    value: { type: 'apply_patch' },
    parameters: patchParameters as JsonObject,
    item: { id: 'apc_1', type: 'apply_patch_call', status: 'completed', operation: patch, call_id: 'call_1' },
    begun: { operation: { ...patch, diff: '' } },
    deltas: [
      { type: 'response.apply_patch_call_operation_diff.delta', delta: '+"hi"\n' },
      { type: 'response.apply_patch_call_operation_diff.delta', delta: '+\u{1f600}\n' },
      { type: 'response.apply_patch_call_operation_diff.done', diff: patch.diff },
    ],
    args: patch,
    returns: 'Done',
    answer: { type: 'apply_patch_call_output', status: 'completed', output: 'Done' },
    failure: { type: 'apply_patch_call_output', status: 'failed', output: 'broken' },
  },
}

const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'ok', annotations: [] }],
}
const whole = (output: readonly object[]) => ({
  id: 'resp_1',
  object: 'response',
  model: 'gpt-5.4',
  status: 'completed',
  output,
})

function streamed({ item, begun, deltas }: Case): Response {
  const events = [
    { type: 'response.created', response: { id: 'resp_1', model: 'gpt-5.4', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, ...begun, status: 'in_progress' } },
    ...deltas.map((delta) => ({ output_index: 0, ...delta })),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole([item]) },
  ]
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** A model that calls first and then speaks, and the bodies that it got. */
function caller(one: Case, isStream: boolean, make = openaiResponses) {
  const { model, asked } = answering(
    make('gpt-5.4', { apiKey: 'k' }),
    isStream ? streamed(one) : whole([one.item]),
    whole([said]),
  )
  return { model, bodies: asked }
}

function given(name: string, { value, parameters, returns }: Case, more: Partial<Tool> = {}): Tool {
  const own = tool({ name, description: 'Runs it', parameters, execute: () => returns, ...more } as never) as Tool
  return providerTool(own, value)
}

describe.each(Object.entries(cases))('%s', (name, one) => {
  it.each([true, false])('is called, runs, and is answered in the form of the wire, streamed: %s', async (isStream) => {
    const { model, bodies } = caller(one, isStream)
    const ran: unknown[] = []
    const chunks: string[] = []
    const execute = (args: never) => {
      ran.push(args)
      return one.returns
    }
    const own = given(name, one, { execute } as never)
    const run = stream({ model, prompt: 'go', tools: [own] })
    for await (const event of run) if (event.type === 'tool_call_chunk') chunks.push(event.chunk.argumentsDelta ?? '')
    const { outcome, warnings } = await run.response
    expect([outcome, warnings]).toEqual(['answered', []])
    expect(ran).toMatchObject([withoutNulls(one.args)])
    expect(JSON.parse(chunks.join(''))).toEqual(one.args)
    if (isStream && one.deltas.length > 0) expect(chunks.length).toBeGreaterThan(3)
    expect(bodies[0].tools).toEqual([one.value])
    expect(bodies[1].input.slice(1)).toEqual([one.item, { call_id: 'call_1', ...one.answer }])
  })

  it('has a result that says that it failed', async () => {
    const { model, bodies } = caller(one, false)
    const fails = () => Promise.reject(new Error('broken'))
    await generate({ model, prompt: 'go', tools: [given(name, one, { execute: fails } as never)] })
    expect(bodies[1].input.at(-1)).toEqual({ call_id: 'call_1', ...one.failure })
  })

  it('waits for a person, and for a program that runs it itself', async () => {
    const other = tool({ name: 'other', execute: () => 'x' })
    const raw: ContextTool = { type: 'provider_tool', format: 'openai-responses', value: one.value as JsonObject }
    const waiting: [RunRequest['tools'], string][] = [
      [[given(name, one, { needsApproval: approval() })], 'approval'],
      [[raw], 'manual'],
      [[raw, other], 'manual'],
    ]
    for (const [tools, expected] of waiting) {
      const { model, bodies } = caller(one, true)
      const first = await generate({ model, prompt: 'go', ...(tools && { tools }) })
      expect([first.outcome, first.pending]).toMatchObject([expected, [{ name, arguments: one.args }]])
      const content = typeof one.returns === 'string' ? one.returns : JSON.stringify(one.returns)
      const result: Message = { role: 'tool', toolCallId: 'call_1', content }
      await generate({ model, messages: [...first.messages, result], ...(tools && { tools }) })
      expect(bodies[1].input.slice(1)).toEqual([one.item, { call_id: 'call_1', ...one.answer }])
    }
  })

  it('is read from a client, and written to one, without a difference', () => {
    const input = [{ role: 'user', content: 'go' }, one.item, { call_id: 'call_1', ...one.answer }]
    const { context, options } = decodeRequest({ model: 'gpt-5.4', input, tools: [one.value] })
    expect(context.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(encodeRequest(context, options).body).toMatchObject({ input, tools: [one.value] })
    const { client, server } = { client: openaiResponses('m').codec, server: createServerCodec() }
    expect((server.encodeResponse(client.decodeResponse(whole([one.item]))).body as Loose).output).toEqual([one.item])
    const encoder = server.encodeStream()
    const events: MessageEvent[] = []
    client.decodeResponse(whole([one.item]), { events })
    const done = toFrames(encoder, events)
      .map(({ data }) => JSON.parse(data))
      .find(({ type }) => type === 'response.output_item.done')
    expect(done.item).toEqual(one.item)
    expect(encoder.losses).toEqual([])
  })

  it('can be forced', () => {
    const encoded = encodeRequest({ messages: [], tools: [given(name, one)] }, { model: 'm', toolChoice: { name } })
    expect(encoded.body.tool_choice).toEqual(name === 'local_shell' ? 'required' : { type: name })
    expect(encoded.losses.map(({ path }) => path)).toEqual(name === 'local_shell' ? ['options.toolChoice'] : [])
  })

  it('is a function on a host of the format that has no such tool', async () => {
    const fn = { ...one.item, type: 'function_call', name, arguments: JSON.stringify(one.args) }
    const { model, bodies } = caller({ ...one, item: fn, begun: { arguments: '' }, deltas: [] }, true, xaiResponses)
    await generate({ model, prompt: 'go', tools: [given(name, one)] })
    expect(bodies[0].tools).toMatchObject([
      { type: 'function', name, description: 'Runs it', parameters: one.parameters },
    ])
    expect(bodies[1].input.slice(1)).toMatchObject([{ type: 'function_call', name }, { type: 'function_call_output' }])
  })

  it.each(wires.filter((wire) => wire !== 'openai-responses'))(
    'is a function in %s, and moves there and back',
    async (wire) => {
      const tools = [given(name, one)]
      const mock = mockModel([{ calls: [call(name, one.args as never)] }, 'ok', 'more'], { format: wire })
      const there = await generate({ model: mock, prompt: 'go', tools })
      expect(there.outcome).toBe('answered')
      expect(mock.requests[0]?.context.tools).toMatchObject([{ name, description: 'Runs it' }])

      const { model, bodies } = caller(one, true)
      await generate({ model, messages: there.messages, prompt: 'and?', tools })
      const [, sent, answered] = bodies[0].input
      const [made] = there.messages.flatMap((message) =>
        message.role === 'assistant'
          ? blocksOf(message.content).filter((block): block is ToolCall => block.type === 'tool_call')
          : [],
      )
      expect(sent).toMatchObject({ type: `${name}_call`, call_id: made?.id, status: 'completed' })
      expect(answered).toEqual({ call_id: made?.id, ...one.answer })

      const { messages } = await generate({ model: caller(one, true).model, prompt: 'go', tools })
      await generate({ model: mock, messages, prompt: 'more', tools })
      const calls = mock.requests
        .at(-1)
        ?.context.messages.flatMap(({ content }) => (typeof content === 'object' ? (content ?? []) : []))
      expect(calls?.find(({ type }) => type === 'tool_call')).toMatchObject({ name, arguments: one.args })
    },
  )
})

it('a tool under another name than its calls have is refused', () => {
  const own = tool({ name: 'run', execute: () => '' })
  expect(() => providerTool(own, { type: 'shell' })).toThrow(
    'Cannot give the tool "run": calls of this tool have the name "shell"',
  )
  expect(providerTool(own, { type: 'custom' }).providerData).toEqual({ 'openai-responses': { type: 'custom' } })
})

it('a tool of another provider that the client runs waits for it, beside tools that run', async () => {
  const bash: ContextTool = {
    type: 'provider_tool',
    format: 'anthropic',
    value: { type: 'bash_20250124', name: 'bash' },
  }
  const other = tool({ name: 'other', execute: () => 'x' })
  const model = mockModel([{ calls: [call('bash', { command: 'ls' } as never)] }], { format: 'anthropic' })
  const { outcome, pending } = await generate({ model, prompt: 'go', tools: [bash, other] })
  expect([outcome, pending.map(({ name }) => name)]).toEqual(['manual', ['bash']])
})

function withoutNulls(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
}
