/**
 * Requests of agents: `test/recordings/agents/<agent>/<case>`, written by hand. `request.json` is the body; `meta.json` has the path, the
 * headers and the source; `expected.json` has the agent's own tools as it wants their calls, and what its history says, in order.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { type Loose, list } from '../formats/provider.ts'
import type { Wire as WireName } from './answers.ts'

const root = join(import.meta.dirname, '..', 'recordings', 'agents')

export interface AgentCase {
  /** `agent/case`. */
  readonly id: string
  readonly wire: WireName
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly request: Loose
  readonly expected: {
    /** A call of each tool: its type, name and namespace, as the agent's own decoder must get them. */
    readonly calls: readonly Readonly<Record<string, string>>[]
    /** The only tool that may be called. */
    readonly chosen?: string
    /** The arguments of the calls in the history, and a part of each of their results. */
    readonly arguments?: readonly object[]
    readonly results?: readonly string[]
  }
}

const wires: readonly [RegExp, WireName][] = [
  [/responses/, 'openai-responses'],
  [/messages/, 'anthropic'],
  [/chat/, 'openai-chat'],
  [/models/, 'gemini'],
]

export const agentCases: readonly AgentCase[] = readdirSync(root).flatMap((agent) =>
  readdirSync(join(root, agent)).map((name) => {
    const read = (file: string) => JSON.parse(readFileSync(join(root, agent, name, file), 'utf8'))
    const { path, headers } = read('meta.json')
    const wire = wires.find(([pattern]) => pattern.test(path))?.[1] as WireName
    return {
      id: `${agent}/${name}`,
      wire,
      path,
      headers,
      request: read('request.json'),
      expected: read('expected.json'),
    }
  }),
)

export function agentCase(id: string): AgentCase {
  return agentCases.find((one) => one.id === id) as AgentCase
}

// ---- the agent's side -------------------------------------------------------------------------------

/** A call as the agent's decoder gets it: what names it, and its input. */
export interface OwnCall {
  readonly form: Readonly<Record<string, unknown>>
  readonly input: unknown
}

export interface Turn {
  readonly calls: readonly OwnCall[]
  /** The request that gives the results back, in the agent's own form. */
  next(results: readonly string[]): Loose
}

/** How an agent of each wire asks, reads and answers. */
export const agents: Readonly<Record<string, (one: AgentCase, body: Loose, ask: typeof fetch) => Promise<Turn>>> = {
  async 'openai-responses'(_one, body, ask) {
    const client = new OpenAI({ apiKey: 'x', baseURL: 'http://gateway/v1', fetch: ask, maxRetries: 0 })
    const { output } = body.stream
      ? await client.responses.stream(body).finalResponse()
      : await client.responses.create(body)
    const items: Loose[] = output.filter(({ type }: Loose) => type.endsWith('_call'))
    return {
      calls: items.map(responsesCall),
      next: (results) => {
        const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input
        return {
          ...body,
          input: [...input, ...output, ...items.map((item, at) => responsesResult(item, results[at] ?? ''))],
        }
      },
    }
  },
  async anthropic({ headers }, body, ask) {
    const client = new Anthropic({ apiKey: 'x', baseURL: 'http://gateway', fetch: ask, maxRetries: 0, timeout: 60_000 })
    const message: Loose = body.stream
      ? await client.messages.stream(body, { headers }).finalMessage()
      : await client.messages.create(body, { headers })
    const uses = message.content.filter(({ type }: Loose) => type === 'tool_use')
    return {
      calls: uses.map(({ type, name, input }: Loose) => ({ form: { type, name }, input })),
      next: (results) => {
        const content = uses.map(({ id }: Loose, at: number) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: results[at],
        }))
        return {
          ...body,
          messages: [...body.messages, { role: 'assistant', content: message.content }, { role: 'user', content }],
        }
      },
    }
  },
  async 'openai-chat'(_one, body, ask) {
    const client = new OpenAI({ apiKey: 'x', baseURL: 'http://gateway/v1', fetch: ask, maxRetries: 0 })
    const answer: Loose = body.stream
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body)
    const { parsed: _, ...message } = answer.choices[0].message
    const calls: Loose[] = list(message.tool_calls)
    return {
      calls: calls.map(({ type, function: run, custom }) => ({
        form: { type, name: (run ?? custom).name },
        input: custom ? custom.input : JSON.parse(run.arguments),
      })),
      next: (results) => {
        const said = calls.map(({ id }, at) => ({ role: 'tool', tool_call_id: id, content: results[at] }))
        return { ...body, messages: [...body.messages, message, ...said] }
      },
    }
  },
  async gemini({ path, headers }, { stream, ...body }, ask) {
    const place = stream ? path : path.replace(/:.*/, ':generateContent')
    const init = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const text = await (await ask(`http://gateway${place}`, init)).text()
    const chunks: Loose[] = stream
      ? text.split('\n').flatMap((line) => (line.startsWith('data: ') ? JSON.parse(line.slice(6)) : []))
      : [JSON.parse(text)]
    const parts = chunks
      .flatMap(({ candidates }) => list(candidates?.[0]?.content?.parts))
      .filter(({ text, thoughtSignature }) => text !== '' || thoughtSignature)
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
    return {
      calls: calls.map(({ name, args }) => ({ form: { type: 'functionCall', name }, input: args })),
      next: (results) => {
        const responses = calls.map(({ id, name }, at) => ({
          functionResponse: { id, name, response: { output: results[at] } },
        }))
        return {
          ...body,
          stream,
          contents: [...body.contents, { role: 'model', parts }, { role: 'user', parts: responses }],
        }
      },
    }
  },
}

/** Where an item of Responses has its input. */
const inputs: Readonly<Record<string, string>> = {
  custom_tool_call: 'input',
  tool_search_call: 'arguments',
  local_shell_call: 'action',
  shell_call: 'action',
  apply_patch_call: 'operation',
}

function responsesCall(item: Loose): OwnCall {
  const { type, name, namespace, execution } = item
  const given = Object.entries({ type, name, namespace, execution }).filter(([, value]) => value !== undefined)
  const input = type === 'function_call' ? JSON.parse(item.arguments) : item[inputs[type] as string]
  return { form: Object.fromEntries(given), input }
}

/** A tool that a search finds. */
export const foundTool = {
  type: 'namespace',
  name: 'mcp__late',
  description: 'Found by a search.',
  tools: [
    {
      type: 'function',
      name: 'found',
      description: 'Found.',
      strict: false,
      parameters: { type: 'object', properties: {} },
    },
  ],
}

function responsesResult({ type, call_id }: Loose, text: string): object {
  switch (type) {
    case 'custom_tool_call':
      return { type: 'custom_tool_call_output', call_id, output: text }
    case 'tool_search_call':
      return { type: 'tool_search_output', call_id, execution: 'client', status: 'completed', tools: [foundTool] }
    case 'shell_call':
      return {
        type: 'shell_call_output',
        call_id,
        output: [{ stdout: text, stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
      }
    case 'apply_patch_call':
      return { type: 'apply_patch_call_output', call_id, status: 'completed', output: text }
    default:
      return { type: 'function_call_output', call_id, output: text }
  }
}

// ---- the provider's side ------------------------------------------------------------------------------

export interface Offered {
  readonly name: string
  readonly schema: Loose
}

interface ReadTools {
  offered(body: Loose): Offered[]
  /** The calls of the history. */
  called(body: Loose): { readonly name: string; readonly args: unknown }[]
}

const parsed = (args: unknown) => (typeof args === 'string' ? JSON.parse(args) : args)
const inFunctions: ReadTools = {
  offered: ({ tools }) => list(tools).map(({ function: run }) => ({ name: run.name, schema: run.parameters })),
  called: ({ messages }) =>
    list(messages).flatMap(({ tool_calls }) =>
      list(tool_calls).map(({ function: run }) => ({ name: run.name, args: parsed(run.arguments) })),
    ),
}
const ofType = (items: unknown, type: string) => list(items).filter((item) => item.type === type)

/** The tools of a request and the calls in it, by the documents of each wire. */
export const tools: Readonly<Record<WireName, ReadTools>> = {
  'openai-chat': inFunctions,
  ollama: inFunctions,
  cohere: inFunctions,
  anthropic: {
    offered: (body) => list(body.tools).map(({ name, input_schema: schema }) => ({ name, schema })),
    called: ({ messages }) =>
      list(messages).flatMap(({ content }) =>
        ofType(content, 'tool_use').map(({ name, input: args }) => ({ name, args })),
      ),
  },
  'openai-responses': {
    offered: (body) => ofType(body.tools, 'function').map(({ name, parameters: schema }) => ({ name, schema })),
    called: ({ input }) =>
      ofType(input, 'function_call').map(({ name, arguments: args }) => ({ name, args: parsed(args) })),
  },
  gemini: {
    offered: (body) =>
      list(body.tools).flatMap(({ functionDeclarations }) =>
        list(functionDeclarations).map(({ name, parameters, parametersJsonSchema }) => ({
          name,
          schema: parametersJsonSchema ?? parameters,
        })),
      ),
    called: ({ contents }) =>
      list(contents).flatMap(({ parts }) =>
        list(parts).flatMap(({ functionCall }) => (functionCall ? { ...functionCall } : [])),
      ),
  },
  'gemini-interactions': {
    offered: (body) => ofType(body.tools, 'function').map(({ name, parameters: schema }) => ({ name, schema })),
    called: ({ input }) => ofType(input, 'function_call').map(({ name, arguments: args }) => ({ name, args })),
  },
  'bedrock-converse': {
    offered: ({ toolConfig }) =>
      list(toolConfig?.tools).flatMap(({ toolSpec }) =>
        toolSpec ? { name: toolSpec.name, schema: toolSpec.inputSchema.json } : [],
      ),
    called: ({ messages }) =>
      list(messages).flatMap(({ content }) =>
        list(content).flatMap(({ toolUse }) => (toolUse ? { name: toolUse.name, args: toolUse.input } : [])),
      ),
  },
}

/** Text that is hard to carry: quotes, escapes, line ends, characters of each length. */
export const hardText = 'say "hi"\\n\n\ttab \u0007 世界 😀 {"input":"x"}\n'

/** A value of a schema. */
export function sampleOf(schema: Loose): Loose {
  if (schema?.enum) return schema.enum[0]
  switch (String(schema?.type).toLowerCase()) {
    case 'number':
    case 'integer':
      return 7
    case 'boolean':
      return true
    case 'array':
      return [sampleOf(schema.items)]
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, sampleOf(one)]))
    default:
      return hardText
  }
}
