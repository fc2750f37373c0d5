/** The official client of Bedrock. */
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { gatherMessage } from '../../codecs/bedrock-converse/oracle.ts'
import { anyToken, type Client, type Loose, type Place, run, schema, type Turn, weather } from '../client.ts'

export const amazon = ({ url, token = anyToken }: Place) =>
  new BedrockRuntimeClient({
    endpoint: url,
    region: 'us-east-1',
    token: { token },
    authSchemePreference: ['httpBearerAuth'],
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(), // its own default is HTTP/2, which a plain server of Node does not speak
  })

export const client: Client = {
  converse(at, { model: modelId, stream, tools, think, schema: wantsSchema }) {
    const messages: Loose[] = []
    let last: Loose
    async function ask(): Promise<Turn> {
      const body: Loose = {
        modelId,
        messages,
        ...(tools && {
          toolConfig: {
            tools: [
              {
                toolSpec: {
                  name: weather.name,
                  description: weather.description,
                  inputSchema: { json: weather.parameters },
                },
              },
            ],
          },
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
