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
