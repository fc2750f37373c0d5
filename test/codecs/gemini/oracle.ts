/**
 * The official client's reading of this wire. It has no accumulator: its `Chat` keeps the contents of all chunks in a row, so here the
 * parts are put in a row, and of all else the last chunk that has it has the say.
 *
 * The client returns less than the wire has: of a candidate only the fields that it knows for this API (no `finishMessage`), no
 * `createTime`, and `citationSources` under the name `citations`. Its `Chat` forgets the whole answer if one chunk has no part.
 *
 * @see https://github.com/googleapis/js-genai/blob/main/src/chats.ts (`processStreamResponse`)
 */
import { type Candidate, type Content, type GenerateContentResponse, GoogleGenAI, type Part } from '@google/genai/web'
import { answering, type Oracle } from '../../support/oracle.ts'

export function client(body: string, contentType: string, status = 200): GoogleGenAI {
  return new GoogleGenAI({ apiKey: 'test', httpOptions: { fetch: answering(body, contentType, status) } })
}

const request = { model: 'any', contents: 'Hello' }

export const oracle: Oracle = {
  async stream(bytes) {
    const chunks: GenerateContentResponse[] = []
    for await (const chunk of await client(bytes, 'text/event-stream').models.generateContentStream(request)) {
      chunks.push(chunk)
    }
    return sum(chunks)
  },
  async response(body) {
    const response = await client(JSON.stringify(body), 'application/json').models.generateContent(request)
    return plain(response)
  },
}

/** The history that the client's `Chat` keeps of a streamed answer. */
export async function remembered(bytes: string): Promise<readonly Content[]> {
  const chat = client(bytes, 'text/event-stream').chats.create({ model: 'any' })
  for await (const _ of await chat.sendMessageStream({ message: 'Hello' })) {
  }
  return chat.getHistory(true).slice(1)
}

function sum(chunks: readonly GenerateContentResponse[]): unknown {
  const bodies = chunks.map(plain)
  const candidates = bodies.flatMap((body) => body.candidates ?? [])
  const parts = candidates.flatMap((candidate) => candidate.content?.parts ?? [])
  return {
    ...merged(bodies),
    ...(candidates.length > 0 && { candidates: [{ ...sumCandidates(candidates), content: { role: 'model', parts } }] }),
    ...(bodies.some((body) => body.usageMetadata) && {
      usageMetadata: merged(bodies.map((body) => body.usageMetadata ?? {})),
    }),
  }
}

function sumCandidates(candidates: readonly Candidate[]): object {
  const citations = candidates.flatMap((candidate) => candidate.citationMetadata?.citations ?? [])
  const grounding = candidates.flatMap((candidate) => candidate.groundingMetadata ?? [])
  return {
    ...merged(candidates),
    ...(citations.length > 0 && { citationMetadata: { citations } }),
    ...(grounding.length > 0 && { groundingMetadata: merged(grounding) }),
  }
}

function merged(objects: readonly object[]): object {
  return Object.assign({}, ...objects)
}

interface Body {
  candidates?: (Candidate & { content?: { parts?: Part[] } })[]
  usageMetadata?: object
}

/** Without what the client adds of its own. */
function plain(response: GenerateContentResponse): Body {
  const { sdkHttpResponse: _, ...body } = JSON.parse(JSON.stringify(response))
  return body
}
