/** The official clients, each doing the same things in its own way. */
import Anthropic from '@anthropic-ai/sdk'
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime'
import { GoogleGenAI } from '@google/genai'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { CohereClientV2 } from 'cohere-ai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { gatherMessage } from '../codecs/bedrock-converse/oracle.ts'
import { weatherIn } from './dialogue.ts'
import type { WireName } from './provider.ts'

/** Values of the clients where their own types are too narrow. */
type Loose = ReturnType<typeof JSON.parse>

/** The outcome of one turn of a conversation, as the client reports it. */
export interface Turn {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: unknown }[]
  readonly thought: string
  readonly usage: { readonly input: number | undefined; readonly output: number | undefined }
}

/** A running conversation. */
export interface Conversation {
  say(prompt: string): Promise<Turn>
  /** Runs the calls of the last turn, each with its own result, and hands them back. */
  answerCalls(): Promise<Turn>
}

export interface Wish {
  readonly model: string
  readonly stream: boolean
  readonly tools?: boolean
  readonly think?: boolean
  readonly schema?: boolean
}

/** Where to ask, and what to show there. */
export interface Place {
  readonly url: string
  /** Default: any. */
  readonly token?: string
}

export interface Client {
  converse(at: Place, wish: Wish): Conversation
  /** Begins a stream, reads one piece of text, and leaves. */
  leave(at: Place, model: string, prompt: string): Promise<void>
}

const anyToken = 'a-client-token'

const parameters = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] }
const schema = { ...parameters, additionalProperties: false }
const description = 'The weather in a city'
const name = 'get_weather'
const run = (args: Loose): string => weatherIn(args.city)

// ---- OpenAI, Chat Completions -----------------------------------------------------------------

export const openai = ({ url, token = anyToken }: Place) =>
  new OpenAI({ apiKey: token, baseURL: `${url}/v1`, maxRetries: 0 })

const chat: Client = {
  converse(at, { model, stream, tools, schema: wantsSchema }) {
    const messages: OpenAI.ChatCompletionMessageParam[] = []
    let last: OpenAI.ChatCompletionMessage
    async function ask(): Promise<Turn> {
      const body = {
        model,
        messages,
        ...(tools && { tools: [{ type: 'function' as const, function: { name, description, parameters } }] }),
        ...(wantsSchema && {
          response_format: { type: 'json_schema' as const, json_schema: { name: 'place', schema, strict: true } },
        }),
      }
      const answer = stream ? await streamed(body) : await openai(at).chat.completions.create(body)
      last = (answer.choices[0] as OpenAI.ChatCompletion.Choice).message
      messages.push(last)
      const calls = (last.tool_calls ?? []).map((call: Loose) => ({
        name: call.function.name,
        args: JSON.parse(call.function.arguments),
      }))
      return {
        text: last.content ?? '',
        calls,
        thought: (last as Loose).reasoning_content ?? '',
        usage: { input: answer.usage?.prompt_tokens, output: answer.usage?.completion_tokens },
      }
    }
    /** Its helper keeps only the last piece of an unknown field, so the test joins the reasoning itself. */
    async function streamed(body: OpenAI.ChatCompletionCreateParams): Promise<OpenAI.ChatCompletion> {
      let thought = ''
      const helper = openai(at).chat.completions.stream({
        ...body,
        stream: true,
        stream_options: { include_usage: true },
      })
      helper.on('chunk', (chunk) => {
        thought += (chunk.choices[0]?.delta as Loose)?.reasoning_content ?? ''
      })
      const answer = await helper.finalChatCompletion()
      if (thought !== '') Object.assign(answer.choices[0]?.message ?? {}, { reasoning_content: thought })
      return answer
    }
    return {
      say(content) {
        messages.push({ role: 'user', content })
        return ask()
      },
      answerCalls() {
        for (const call of last.tool_calls ?? []) {
          const args = JSON.parse((call as Loose).function.arguments)
          messages.push({ role: 'tool', tool_call_id: call.id, content: run(args) })
        }
        return ask()
      },
    }
  },
  async leave(at, model, content) {
    const stream = await openai(at).chat.completions.create({
      model,
      messages: [{ role: 'user', content }],
      stream: true,
    })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
  },
}

// ---- OpenAI, Responses ------------------------------------------------------------------------

const responses: Client = {
  converse(at, { model, stream, tools, schema: wantsSchema }) {
    const input: OpenAI.Responses.ResponseInputItem[] = []
    let last: OpenAI.Responses.Response
    async function ask(): Promise<Turn> {
      const body = {
        model,
        input,
        store: false,
        include: ['reasoning.encrypted_content' as const],
        ...(tools && { tools: [{ type: 'function' as const, name, description, parameters, strict: false }] }),
        ...(wantsSchema && { text: { format: { type: 'json_schema' as const, name: 'place', schema, strict: true } } }),
      }
      last = stream ? await openai(at).responses.stream(body).finalResponse() : await openai(at).responses.create(body)
      input.push(...(last.output as OpenAI.Responses.ResponseInputItem[]))
      const thoughts = last.output.flatMap((item) =>
        item.type === 'reasoning' ? item.summary.map(({ text }) => text) : [],
      )
      return {
        text: last.output_text,
        calls: callsOf(last).map((call) => ({ name: call.name, args: JSON.parse(call.arguments) })),
        thought: thoughts.join(''),
        usage: { input: last.usage?.input_tokens, output: last.usage?.output_tokens },
      }
    }
    return {
      say(content) {
        input.push({ role: 'user', content })
        return ask()
      },
      answerCalls() {
        for (const call of callsOf(last)) {
          const output = run(JSON.parse(call.arguments))
          input.push({ type: 'function_call_output', call_id: call.call_id, output })
        }
        return ask()
      },
    }
  },
  async leave(at, model, input) {
    const stream = await openai(at).responses.create({ model, input, stream: true })
    for await (const event of stream) if (event.type === 'response.output_text.delta') break
  },
}

const callsOf = (response: OpenAI.Responses.Response) => response.output.filter((item) => item.type === 'function_call')

// ---- Anthropic --------------------------------------------------------------------------------

export const claude = ({ url, token = anyToken }: Place) =>
  new Anthropic({ apiKey: token, baseURL: url, maxRetries: 0 })

const anthropic: Client = {
  converse(at, { model, stream, tools, think, schema: wantsSchema }) {
    const messages: Anthropic.MessageParam[] = []
    let last: Anthropic.Message
    async function ask(): Promise<Turn> {
      const body = {
        model,
        max_tokens: 4096,
        messages,
        ...(tools && { tools: [{ name, description, input_schema: parameters }] }),
        ...(think && { thinking: { type: 'enabled' as const, budget_tokens: 1024 } }),
        ...(wantsSchema && { output_config: { format: { type: 'json_schema' as const, schema } } }),
      }
      last = stream ? await claude(at).messages.stream(body).finalMessage() : await claude(at).messages.create(body)
      messages.push({ role: 'assistant', content: last.content as Anthropic.ContentBlockParam[] })
      return {
        text: last.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls: last.content.flatMap((block) =>
          block.type === 'tool_use' ? { name: block.name, args: block.input } : [],
        ),
        thought: last.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
        usage: { input: last.usage.input_tokens, output: last.usage.output_tokens },
      }
    }
    return {
      say(content) {
        messages.push({ role: 'user', content })
        return ask()
      },
      answerCalls() {
        const content = last.content.flatMap((block) =>
          block.type === 'tool_use'
            ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: run(block.input) }]
            : [],
        )
        messages.push({ role: 'user', content })
        return ask()
      },
    }
  },
  async leave(at, model, content) {
    const body = { model, max_tokens: 100, messages: [{ role: 'user' as const, content }], stream: true as const }
    const stream = await claude(at).messages.create(body)
    for await (const event of stream) if (event.type === 'content_block_delta') break
  },
}

// ---- Google -----------------------------------------------------------------------------------

export const google = ({ url, token = anyToken }: Place) =>
  new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: url, retryOptions: { attempts: 1 } } })

const gemini: Client = {
  converse(at, { model, stream, tools, think, schema: wantsSchema }) {
    const contents: Loose[] = []
    let calls: Loose[] = []
    async function ask(): Promise<Turn> {
      const config = {
        ...(tools && { tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }] }),
        ...(think && { thinkingConfig: { includeThoughts: true } }),
        ...(wantsSchema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
      }
      const answers: Loose[] = []
      if (stream) {
        for await (const chunk of await google(at).models.generateContentStream({ model, contents, config }))
          answers.push(chunk)
      } else answers.push(await google(at).models.generateContent({ model, contents, config }))
      const parts = answers.flatMap((answer) => answer.candidates?.[0]?.content?.parts ?? [])
      // The last chunk has an empty part, which is not sent back.
      contents.push({
        role: 'model',
        parts: parts.filter(({ text, thoughtSignature }) => text !== '' || thoughtSignature),
      })
      calls = parts.flatMap((part) => part.functionCall ?? [])
      const usage = answers.at(-1)?.usageMetadata
      const textOf = (thought: boolean) =>
        parts.map((part) => (Boolean(part.thought) === thought ? (part.text ?? '') : ''))
      return {
        text: textOf(false).join(''),
        calls: calls.map((call) => ({ name: call.name, args: call.args })),
        thought: textOf(true).join(''),
        usage: { input: usage?.promptTokenCount, output: usage?.candidatesTokenCount },
      }
    }
    return {
      say(text) {
        contents.push({ role: 'user', parts: [{ text }] })
        return ask()
      },
      answerCalls() {
        const parts = calls.map(({ id, name: called, args }) => ({
          functionResponse: { ...(id && { id }), name: called, response: { output: run(args) } },
        }))
        contents.push({ role: 'user', parts })
        return ask()
      },
    }
  },
  async leave(at, model, contents) {
    const left = new AbortController()
    const config = { abortSignal: left.signal }
    for await (const chunk of await google(at).models.generateContentStream({ model, contents, config })) {
      if (chunk.text) break
    }
    left.abort()
  },
}

const interactions: Client = {
  converse(at, { model, stream, tools, think, schema: wantsSchema }) {
    const input: Loose[] = []
    let calls: Loose[] = []
    async function ask(): Promise<Turn> {
      const body = {
        model,
        input,
        store: false,
        ...(tools && { tools: [{ type: 'function' as const, name, description, parameters }] }),
        ...(think && { generation_config: { thinking_level: 'low' as const, thinking_summaries: 'auto' as const } }),
        ...(wantsSchema && {
          response_format: { type: 'text' as const, mime_type: 'application/json' as const, schema },
        }),
      }
      const options = { retries: { strategy: 'none' as const } } as Loose
      const answer: Loose = stream
        ? await gathered(await google(at).interactions.create({ ...body, stream: true }, options))
        : await google(at).interactions.create(body, options)
      const steps: Loose[] = answer.steps ?? []
      input.push(...steps)
      calls = steps.filter(({ type }) => type === 'function_call')
      const textsOf = (contents: Loose[] = []) => contents.map(({ text = '' }) => text).join('')
      return {
        text: steps.map(({ type, content }) => (type === 'model_output' ? textsOf(content) : '')).join(''),
        calls: calls.map((call) => ({ name: call.name, args: call.arguments })),
        thought: steps.map(({ summary }) => textsOf(summary)).join(''),
        usage: { input: answer.usage?.total_input_tokens, output: answer.usage?.total_output_tokens },
      }
    }
    return {
      say(text) {
        input.push({ type: 'user_input', content: [{ type: 'text', text }] })
        return ask()
      },
      answerCalls() {
        for (const { id, name: called, arguments: args } of calls)
          input.push({ type: 'function_result', call_id: id, name: called, result: run(args) })
        return ask()
      },
    }
  },
  async leave(at, model, input) {
    const stream = await google(at).interactions.create({ model, input, stream: true })
    for await (const event of stream) if (event.event_type === 'step.delta') break
  },
}

/** The client returns events: its documentation shows how steps are put together from them. */
async function gathered(events: AsyncIterable<Loose>): Promise<Loose> {
  const steps: Loose[] = []
  let last: Loose
  for await (const { event_type: type, index, step, delta, interaction, error } of events) {
    if (type === 'error') throw new Error(error.message)
    if (type === 'step.start') steps[index] = step.type === 'function_call' ? { ...step, arguments: '' } : step
    if (type === 'step.delta') addDelta(steps[index], delta)
    if (type === 'step.stop' && steps[index].type === 'function_call')
      steps[index].arguments = JSON.parse(steps[index].arguments || '{}')
    if (interaction) last = interaction
  }
  return { ...last, steps }
}

function addDelta(step: Loose, delta: Loose): void {
  if (delta.type === 'text') step.content = [...(step.content ?? []), delta]
  if (delta.type === 'thought_summary') step.summary = [...(step.summary ?? []), delta.content]
  if (delta.type === 'thought_signature') step.signature = delta.signature
  if (delta.type === 'arguments_delta') step.arguments += delta.arguments
}

// ---- Ollama -----------------------------------------------------------------------------------

export const local = ({ url, token = anyToken }: Place) =>
  new Ollama({ host: url, headers: { authorization: `Bearer ${token}` } })

const ollama: Client = {
  converse(at, { model, stream, tools, think, schema: wantsSchema }) {
    const messages: Loose[] = []
    let last: Loose
    async function ask(): Promise<Turn> {
      const body = {
        model,
        messages,
        ...(tools && { tools: [{ type: 'function', function: { name, description, parameters } }] }),
        ...(think && { think: true }),
        ...(wantsSchema && { format: schema }),
      }
      const client = local(at)
      let end: Loose
      if (stream) {
        last = { role: 'assistant', content: '' }
        for await (const line of await client.chat({ ...body, stream: true })) {
          const { content, thinking, tool_calls } = line.message
          last.content += content
          if (thinking) last.thinking = (last.thinking ?? '') + thinking
          if (tool_calls) last.tool_calls = [...(last.tool_calls ?? []), ...tool_calls]
          end = line
        }
      } else {
        end = await client.chat({ ...body, stream: false })
        last = end.message
      }
      messages.push(last)
      return {
        text: last.content,
        calls: (last.tool_calls ?? []).map((call: Loose) => ({
          name: call.function.name,
          args: call.function.arguments,
        })),
        thought: last.thinking ?? '',
        usage: { input: end.prompt_eval_count, output: end.eval_count },
      }
    }
    return {
      say(content) {
        messages.push({ role: 'user', content })
        return ask()
      },
      answerCalls() {
        for (const call of last.tool_calls) {
          messages.push({ role: 'tool', tool_name: call.function.name, content: run(call.function.arguments) })
        }
        return ask()
      },
    }
  },
  async leave(at, model, content) {
    const stream = await local(at).chat({ model, messages: [{ role: 'user', content }], stream: true })
    try {
      for await (const line of stream) if (line.message.content) stream.abort()
    } catch (error) {
      if ((error as Error).name !== 'AbortError') throw error
    }
  },
}

// ---- Cohere -------------------------------------------------------------------------------------

export const coherent = ({ url, token = anyToken }: Place) => new CohereClientV2({ token, baseUrl: url, maxRetries: 0 })

const cohere: Client = {
  converse(at, { model, stream, tools, think, schema: wantsSchema }) {
    const messages: Loose[] = []
    let last: Loose
    async function ask(): Promise<Turn> {
      const body: Loose = {
        model,
        messages,
        ...(tools && { tools: [{ type: 'function', function: { name, description, parameters } }] }),
        ...(think && { thinking: { type: 'enabled' } }),
        ...(wantsSchema && { responseFormat: { type: 'json_object', jsonSchema: schema } }),
      }
      let usage: Loose
      if (stream) {
        last = { role: 'assistant', content: [], toolCalls: [] }
        for await (const event of (await coherent(at).chatStream(body)) as AsyncIterable<Loose>) {
          const { content, toolCalls } = event.delta?.message ?? {}
          if (event.type === 'content-start') last.content.push({ ...content })
          if (event.type === 'content-delta') {
            const part = last.content[event.index]
            if (content.text !== undefined) part.text += content.text
            if (content.thinking !== undefined) part.thinking += content.thinking
          }
          if (event.type === 'tool-call-start') last.toolCalls.push(structuredClone(toolCalls))
          if (event.type === 'tool-call-delta')
            last.toolCalls[event.index].function.arguments += toolCalls.function.arguments
          if (event.type === 'message-end') usage = event.delta.usage
        }
        if (last.content.length === 0) delete last.content
        if (last.toolCalls.length === 0) delete last.toolCalls
      } else {
        const answer: Loose = await coherent(at).chat(body)
        last = answer.message
        usage = answer.usage
      }
      messages.push(last)
      const join = (field: string) => (last.content ?? []).map((part: Loose) => part[field] ?? '').join('')
      return {
        text: join('text'),
        calls: (last.toolCalls ?? []).map((call: Loose) => ({
          name: call.function.name,
          args: JSON.parse(call.function.arguments),
        })),
        thought: join('thinking'),
        usage: { input: usage?.tokens?.inputTokens, output: usage?.tokens?.outputTokens },
      }
    }
    return {
      say(content) {
        messages.push({ role: 'user', content })
        return ask()
      },
      answerCalls() {
        for (const { id, function: called } of last.toolCalls)
          messages.push({ role: 'tool', toolCallId: id, content: run(JSON.parse(called.arguments)) })
        return ask()
      },
    }
  },
  async leave(at, model, content) {
    const left = new AbortController()
    const asked = coherent(at).chatStream(
      { model, messages: [{ role: 'user', content }] },
      { abortSignal: left.signal },
    )
    for await (const event of await asked) if (event.type === 'content-delta') break
    left.abort()
  },
}

// ---- Bedrock ------------------------------------------------------------------------------------

export const amazon = ({ url, token = anyToken }: Place) =>
  new BedrockRuntimeClient({
    endpoint: url,
    region: 'us-east-1',
    token: { token },
    authSchemePreference: ['httpBearerAuth'],
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(), // its own default is HTTP/2, which a plain server of Node does not speak
  })

const bedrockConverse: Client = {
  converse(at, { model: modelId, stream, tools, think, schema: wantsSchema }) {
    const messages: Loose[] = []
    let last: Loose
    async function ask(): Promise<Turn> {
      const body: Loose = {
        modelId,
        messages,
        ...(tools && {
          toolConfig: { tools: [{ toolSpec: { name, description, inputSchema: { json: parameters } } }] },
        }),
        ...(think && { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } } }),
        ...(wantsSchema && {
          outputConfig: {
            textFormat: {
              type: 'json_schema',
              structure: { jsonSchema: { name: 'place', schema: JSON.stringify(schema) } },
            },
          },
        }),
      }
      const client = amazon(at)
      const { message, usage } = stream
        ? await gatherMessage((await client.send(new ConverseStreamCommand(body))).stream as AsyncIterable<Loose>)
        : await client
            .send(new ConverseCommand(body))
            .then(({ output, usage }) => ({ message: output?.message, usage }))
      last = message
      messages.push(last)
      const blocks: Loose[] = last.content
      return {
        text: blocks.map(({ text = '' }) => text).join(''),
        calls: blocks.flatMap(({ toolUse }) => (toolUse ? { name: toolUse.name, args: toolUse.input } : [])),
        thought: blocks.map(({ reasoningContent }) => reasoningContent?.reasoningText?.text ?? '').join(''),
        usage: { input: usage?.inputTokens, output: usage?.outputTokens },
      }
    }
    return {
      say(text) {
        messages.push({ role: 'user', content: [{ text }] })
        return ask()
      },
      answerCalls() {
        const content = last.content.flatMap(({ toolUse }: Loose) =>
          toolUse ? [{ toolResult: { toolUseId: toolUse.toolUseId, content: [{ text: run(toolUse.input) }] } }] : [],
        )
        messages.push({ role: 'user', content })
        return ask()
      },
    }
  },
  async leave(at, modelId, text) {
    const left = new AbortController()
    const command = new ConverseStreamCommand({ modelId, messages: [{ role: 'user', content: [{ text }] }] })
    const { stream } = await amazon(at).send(command, { abortSignal: left.signal })
    for await (const event of stream ?? []) if (event.contentBlockDelta) break
    left.abort()
  },
}

export const clients: Readonly<Record<WireName, Client>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  anthropic,
  gemini,
  'gemini-interactions': interactions,
  ollama,
  cohere,
  'bedrock-converse': bedrockConverse,
}
