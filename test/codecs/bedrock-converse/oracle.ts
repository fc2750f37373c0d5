/** The official client's reading of this wire, over a transport that answers with what it is given. */
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime'

/** Values of the client where its own types are too narrow. */
type Loose = ReturnType<typeof JSON.parse>

function client(
  body: Uint8Array<ArrayBuffer> | string,
  contentType: string,
  status = 200,
  headers: Record<string, string> = {},
) {
  return new BedrockRuntimeClient({
    region: 'us-east-1',
    token: { token: 'any' },
    authSchemePreference: ['httpBearerAuth'],
    maxAttempts: 1,
    requestHandler: {
      handle: async () => {
        const stream = new Blob([body]).stream()
        return { response: { statusCode: status, headers: { 'content-type': contentType, ...headers }, body: stream } }
      },
    } as Loose,
  })
}

const request = { modelId: 'any', messages: [{ role: 'user' as const, content: [{ text: 'any' }] }] }

/** The events of a stream, as the client hands them out; what it throws, it throws. */
export async function streamEvents(bytes: Uint8Array<ArrayBuffer>): Promise<Loose[]> {
  const { stream } = await client(bytes, 'application/vnd.amazon.eventstream').send(new ConverseStreamCommand(request))
  const events: Loose[] = []
  for await (const event of stream ?? []) events.push(inWire(event))
  return events
}

/** The message of a stream. The client returns events: its documentation shows how a message is put together from them. */
export async function gatherMessage(
  events: AsyncIterable<Loose> | Iterable<Loose>,
): Promise<{ readonly message: Loose; readonly usage: Loose }> {
  const content: Loose[] = []
  let usage: Loose
  for await (const { contentBlockStart, contentBlockDelta, contentBlockStop, metadata } of events) {
    if (contentBlockStart) {
      const { contentBlockIndex: at, start } = contentBlockStart
      content[at] = { toolUse: { ...start.toolUse, input: '' } }
    }
    if (contentBlockDelta) {
      const { contentBlockIndex: at, delta } = contentBlockDelta
      if (delta.text !== undefined) content[at] = { text: (content[at]?.text ?? '') + delta.text }
      if (delta.toolUse) content[at].toolUse.input += delta.toolUse.input
      if (delta.reasoningContent) {
        const { text = '', signature } = delta.reasoningContent
        const before = content[at]?.reasoningContent.reasoningText
        const reasoningText = { ...before, text: (before?.text ?? '') + text, ...(signature && { signature }) }
        content[at] = { reasoningContent: { reasoningText } }
      }
    }
    const { toolUse } = content[contentBlockStop?.contentBlockIndex] ?? {}
    if (toolUse) toolUse.input = JSON.parse(toolUse.input || '{}')
    if (metadata) usage = metadata.usage
  }
  return { message: { role: 'assistant', content }, usage }
}

export async function response(body: unknown): Promise<Loose> {
  const { $metadata: _, ...answer } = await client(JSON.stringify(body), 'application/json').send(
    new ConverseCommand(request),
  )
  return inWire(answer)
}

export async function failure(status: number, headers: Record<string, string>, body: unknown): Promise<Loose> {
  const failing = client(JSON.stringify(body), 'application/json', status, headers).send(new ConverseCommand(request))
  return failing.then(
    () => undefined,
    (error) => error,
  )
}

/** Bytes in base64 again, and nothing that is undefined. */
function inWire(value: Loose): Loose {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(inWire)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([name, field]) => field !== undefined && name !== '$unknown')
  return Object.fromEntries(fields.map(([name, field]) => [name, inWire(field)]))
}
