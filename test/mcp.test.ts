/** Tools of a real MCP server process, through the official client. */
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { getDisplayName } from '@modelcontextprotocol/sdk/shared/metadataUtils.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { definitionOf } from '../src/codec.ts'
import { openaiChat } from '../src/formats/openai-chat/index.ts'
import { approval, createChat, generate, invokeTool, stream, type Tool, tool } from '../src/index.ts'
import { type McpClient, mcpTools } from '../src/mcp.ts'
import { chatCalls, chatText, chunks, startUpstream } from './support/upstream.ts'
import { call } from './tools/calls.ts'

const script = join(import.meta.dirname, 'support', 'mcp-server.mjs')
let client: Client
let tools: Tool[]
beforeAll(async () => {
  client = await connect()
  tools = await mcpTools(client)
})
afterAll(() => client.close())

async function connect(): Promise<Client> {
  const fresh = new Client({ name: 'isoglot-test', version: '1.0.0' })
  await fresh.connect(new StdioClientTransport({ command: process.execPath, args: [script], stderr: 'ignore' }))
  return fresh
}

const byName = () => new Map(tools.map((tool) => [tool.name, tool]))
const run = (name: string, args = '{}', options = {}) => invokeTool(call(name, args), byName(), options)

describe('a tool of the same name', () => {
  const ours = tool({ name: 'transfer', execute: () => 'ours' })
  const careful = { ...ours, needsApproval: approval() }
  const other = { ...ours, description: 'other', execute: () => 'other' }
  const server: McpClient = {
    listTools: async () => ({ tools: [{ name: 'transfer', inputSchema: { type: 'object' } }] }),
    callTool: async () => ({ content: [{ type: 'text', text: 'theirs' }] }),
  }
  const model = openaiChat('m', { apiKey: 'k', fetch: () => Promise.reject(new Error('nothing may be sent')) })

  it.each([
    ['of a server, after ours that needs approval', async () => [careful, ...(await mcpTools(server))]],
    ['of a server, before ours that needs approval', async () => [...(await mcpTools(server)), careful]],
    ['of a server, after any of ours', async () => [ours, ...(await mcpTools(server))]],
    ['of a server, after it was copied', async () => [ours, ...(await mcpTools(server)).map((tool) => ({ ...tool }))]],
    ['of two servers', async () => [...(await mcpTools(server)), ...(await mcpTools(server))]],
    ['of ours, after one that needs approval', async () => [careful, other]],
    ['of ours that needs approval, after one that does not', async () => [other, careful]],
    [
      'under which the wire would have it',
      async () => [
        { ...careful, name: 'transfer' },
        { ...other, name: 'transfer' },
      ],
    ],
  ])('is refused: %s', async (_, make) => {
    const tools = await make()
    const refusal = /Cannot use two tools named "transfer".*(prefix|rename)/
    await expect(stream({ model, prompt: 'x', tools }).response).rejects.toThrow(refusal)
    expect(() => createChat({ model, tools })).toThrow(refusal)
    const chat = createChat({ model, tools: tools.slice(0, 1) })
    expect(() => chat.addTool(tools[1] as Tool)).toThrow(TypeError)
    chat.removeTool('transfer')
    chat.addTool(tools[1] as Tool)
    expect(chat.tools).toEqual([tools[1]])
  })

  it('is taken under a prefix, and the later of two plain tools counts', async () => {
    let offered: unknown
    const fetch: typeof globalThis.fetch = async (_, init) => {
      offered = JSON.parse(await new Response(init?.body).text()).tools
      return Response.json({
        choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
      })
    }
    const tools = [careful, ...(await mcpTools(server, { prefix: 'bank_' }))]
    await generate({ model: openaiChat('m', { apiKey: 'k', fetch }), prompt: 'x', tools })
    expect(offered).toMatchObject([{ function: { name: 'bank_transfer' } }, { function: { name: 'transfer' } }])
    expect(JSON.stringify(offered)).not.toContain('fromMcp')
    await generate({ model: openaiChat('m', { apiKey: 'k', fetch }), prompt: 'x', tools: [ours, other] })
    expect(offered).toMatchObject([{ function: { name: 'transfer', description: 'other' } }])
  })
})

describe('the tools of a server', () => {
  it('are listed as tools of isoglot: name, description, parameters, annotations with the title', () => {
    const add = tools.find(({ name }) => name === 'add')
    expect(definitionOf(add as Tool)).toEqual({
      name: 'add',
      description: 'Adds two numbers',
      parameters: expect.objectContaining({
        type: 'object',
        properties: { x: { type: 'number' }, y: { type: 'number' } },
        required: ['x'],
      }),
      annotations: { title: 'Adder', readOnlyHint: true, idempotentHint: true },
    })
    expect(add?.parameters).not.toHaveProperty('$schema')
    expect(tools.map(({ name }) => name)).toContain('wait')
  })

  it('can be selected and renamed, with other behaviour', async () => {
    const some = await mcpTools(client, { prefix: 'calc_', only: ['add'], needsApproval: approval(), timeoutMs: 5 })
    expect(some).toMatchObject([{ name: 'calc_add', needsApproval: { isNeeded: expect.any(Function) }, timeoutMs: 5 }])
    const [add] = some
    const result = await invokeTool(
      call('calc_add', '{"x":1,"y":2}'),
      new Map([['calc_add', { ...add, timeoutMs: 5000 }]]),
    )
    expect(result.content).toBe('3')
  })

  it('run on the server, and null for what is optional is dropped', async () => {
    expect(await run('add', '{"x":40,"y":2}')).toMatchObject({ status: 'success', content: '42' })
    expect(await run('add', '{"x":40,"y":null}')).toMatchObject({ status: 'success', content: '41' })
  })

  it.each([
    ['add', '{"x":"no"}', /x/],
    ['fail', '{}', /No such city/],
    ['throw', '{}', /The server tripped/],
  ])('that fail there are errors that the model reads: %s', async (name, args, text) => {
    const { status, content } = await run(name, args)
    expect({ status, content }).toEqual({ status: 'error', content: expect.stringMatching(text) })
  })

  it('give their structured content to the application, and its text to the model', async () => {
    expect(await run('measure')).toMatchObject({
      content: '{"celsius":25}',
      extra: { structuredContent: { celsius: 25 } },
    })
  })

  it('give images, sound, resources and links as blocks', async () => {
    expect((await run('draw')).content).toEqual([
      { type: 'text', text: 'Here it is' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
      { type: 'plain_text', text: 'Notes', title: 'file:///notes.txt', mimeType: 'text/plain' },
      { type: 'file', data: 'aGk=', mimeType: 'application/pdf', filename: 'book.pdf' },
      { type: 'text', text: '[resource: log, The log, file:///log]' },
    ])
  })

  it('without output return "Done"', async () => {
    expect(await run('silent')).toMatchObject({ status: 'success', content: 'Done' })
  })

  it('report progress', async () => {
    const told: unknown[] = []
    await run('count', '{}', { progress: (data: unknown) => told.push(data) })
    expect(told).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })))
  })

  it('are cancelled on the server too, by the caller and by the time limit', async () => {
    const controller = new AbortController()
    const waiting = run('wait', '{}', { signal: controller.signal })
    setTimeout(() => controller.abort(), 30)
    expect((await waiting).error?.kind).toBe('aborted')
    expect((await run('wait', '{}', { toolTimeoutMs: 30 })).error?.kind).toBe('timeout')
    expect((await run('cancelled')).content).toBe('2')
  })

  it('are errors when the server process ends, and this process continues', async () => {
    const doomed = new Map((await mcpTools(await connect())).map((tool) => [tool.name, tool]))
    for (const name of ['die', 'add']) {
      const result = await invokeTool(call(name), doomed)
      expect(result).toMatchObject({ status: 'error', error: { kind: 'execution' } })
    }
  })

  it('run in the loop, and the model gets what the server said', async () => {
    const upstream = await startUpstream()
    upstream.answer(chunks(chatCalls(['call_1', 'add', '{"x":40,"y":2}'])), chunks(chatText('42 it is')))
    const model = openaiChat('m', { apiKey: 'k', baseUrl: upstream.url })
    const { stopReason } = await stream({ model, prompt: '40 + 2?', tools }).response
    expect(stopReason).toBe('stop')
    expect(upstream.asked[1]?.body.messages).toMatchObject([{}, {}, { role: 'tool', content: '42' }])
    await upstream.stop()
  })
})

describe('a listing', () => {
  const paged = (pages: Record<string, unknown>): McpClient => ({
    listTools: async (params) => pages[params?.cursor ?? ''],
    callTool: async () => ({}),
  })

  it('continues over its pages, and stops where a server repeats itself', async () => {
    const pages = { '': { tools: [{ name: 'a' }], nextCursor: '2' }, '2': { tools: [{ name: 'b' }], nextCursor: '2' } }
    expect((await mcpTools(paged(pages))).map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('that is empty and never ends is an error', async () => {
    let pages = 0
    const listTools = async () => ({ tools: [], nextCursor: `c${++pages % 7}` })
    await expect(mcpTools({ ...client, callTool: async () => ({}), listTools })).rejects.toMatchObject({
      code: 'limit',
      limit: 'maxTools',
    })
    expect(pages).toBe(1001)
  })

  it.each([
    ['Its own', { title: 'Its own', annotations: { title: 'Of its annotations' } }],
    ['Of its annotations', { title: '', annotations: { title: 'Of its annotations' } }],
    ['Of its annotations', { annotations: { title: 'Of its annotations', readOnlyHint: true } }],
  ])('has the title "%s" of a tool, as the SDK shows it', async (shown, fields) => {
    const entry = { name: 'a', inputSchema: { type: 'object' as const }, ...fields }
    expect(getDisplayName(entry)).toBe(shown)
    const [listed] = await mcpTools(paged({ '': { tools: [entry] } }))
    expect(listed?.annotations?.title).toBe(shown)
  })

  it('of too many tools is an error', async () => {
    const pages = { '': { tools: Array.from({ length: 11 }, (_, at) => ({ name: `t${at}` })) } }
    await expect(mcpTools(paged(pages), { maxTools: 10 })).rejects.toMatchObject({ code: 'limit', limit: 'maxTools' })
  })

  it.each([undefined, null, 5, {}, { tools: 5 }, { tools: [null, 5, {}, { name: 7 }] }])(
    'of %j has no tools',
    async (page) => {
      expect(await mcpTools(paged({ '': page }))).toEqual([])
    },
  )
})

it.each([undefined, null, 'x', {}, { content: 'x' }, { content: [null, { type: 'hologram' }], isError: 'yes' }])(
  'a result that is %j is a result',
  async (answer) => {
    const odd: McpClient = { listTools: async () => ({ tools: [{ name: 'odd' }] }), callTool: async () => answer }
    const [tool] = await mcpTools(odd)
    expect(await invokeTool(call('odd'), new Map([['odd', tool as Tool]]))).toMatchObject({ status: 'success' })
  },
)
