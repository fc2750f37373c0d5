/** A Responses stream or body as OpenAI's own client reads it. */
import OpenAI from 'openai'
import { answering, type Oracle } from '../../support/oracle.ts'

function client(body: string, contentType: string): OpenAI {
  return new OpenAI({
    apiKey: 'no-key',
    baseURL: 'http://localhost/v1',
    maxRetries: 0,
    fetch: answering(body, contentType),
    dangerouslyAllowBrowser: true,
  })
}

export const oracle: Oracle = {
  async stream(bytes) {
    const run = client(bytes, 'text/event-stream').responses.stream({ model: 'any', input: 'any' })
    return plain(await run.finalResponse())
  },
  async response(body) {
    const answer = client(JSON.stringify(body), 'application/json').responses.create({ model: 'any', input: 'any' })
    return plain(await answer)
  },
}

/** The client adds `output_text` and `output_parsed`, which are on no wire. */
function plain(response: object): unknown {
  const { output_text: _, output_parsed: __, ...body } = JSON.parse(JSON.stringify(response))
  return JSON.parse(JSON.stringify(body), (key, value) =>
    key === 'parsed' || key === 'parsed_arguments' ? undefined : value,
  )
}
