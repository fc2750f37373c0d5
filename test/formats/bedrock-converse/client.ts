/** The official client of Bedrock. */
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { gatherMessage } from '../../codecs/bedrock-converse/oracle.ts'
import { anyToken, clientOf, type Loose, type Place, run, schema, weather } from '../client.ts'

export const amazon = ({ url, token = anyToken }: Place) =>
  new BedrockRuntimeClient({
    endpoint: url,
    region: 'us-east-1',
    token: { token },
    authSchemePreference: ['httpBearerAuth'],
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(), // its own default is HTTP/2, which a plain server of Node does not speak
  })

export const client = clientOf({
  prompt: (text) => ({ role: 'user', content: [{ text }] }),
  async ask(at, messages, { model: modelId, stream, tools, think, schema: wantsSchema }) {
    const { name, description, parameters } = weather
    const jsonSchema = { name: 'place', schema: JSON.stringify(schema) }
    const body: Loose = {
      ...{ modelId, messages },
      ...(tools && { toolConfig: { tools: [{ toolSpec: { name, description, inputSchema: { json: parameters } } }] } }),
      ...(think && { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } } }),
      ...(wantsSchema && { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } }),
    }
    const client = amazon(at)
    const { message, usage }: Loose = stream
      ? await gatherMessage((await client.send(new ConverseStreamCommand(body))).stream as AsyncIterable<Loose>)
      : await client.send(new ConverseCommand(body)).then(({ output, usage }) => ({ message: output?.message, usage }))
    const blocks: Loose[] = message.content
    return {
      answered: [message],
      text: blocks.map(({ text = '' }) => text).join(''),
      calls: blocks.flatMap(({ toolUse }) => (toolUse ? { name: toolUse.name, args: toolUse.input } : [])),
      thought: blocks.map(({ reasoningContent }) => reasoningContent?.reasoningText?.text ?? '').join(''),
      usage: { input: usage?.inputTokens, output: usage?.outputTokens },
    }
  },
  results([last]) {
    const content = last.content.flatMap(({ toolUse }: Loose) =>
      toolUse ? [{ toolResult: { toolUseId: toolUse.toolUseId, content: [{ text: run(toolUse.input) }] } }] : [],
    )
    return [{ role: 'user', content }]
  },
  async leave(at, modelId, text) {
    const left = new AbortController()
    const command = new ConverseStreamCommand({ modelId, messages: [{ role: 'user', content: [{ text }] }] })
    const { stream } = await amazon(at).send(command, { abortSignal: left.signal })
    for await (const event of stream ?? []) if (event.contentBlockDelta) break
    left.abort()
  },
})
