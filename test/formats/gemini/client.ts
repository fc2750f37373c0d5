/** The official client of Gemini. */
import { GoogleGenAI } from '@google/genai'
import { anyToken, clientOf, type Loose, type Place, run, schema, weather } from '../client.ts'

export const google = ({ url, token = anyToken }: Place) =>
  new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: url, retryOptions: { attempts: 1 } } })

export const client = clientOf({
  prompt: (text) => ({ role: 'user', parts: [{ text }] }),
  async ask(at, contents, { model, stream, tools, think, schema: wantsSchema }) {
    const { name, description, parameters: parametersJsonSchema } = weather
    const config = {
      ...(tools && { tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema }] }] }),
      ...(think && { thinkingConfig: { includeThoughts: true } }),
      ...(wantsSchema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
    }
    const { models } = google(at)
    const answers: Loose[] = stream
      ? await Array.fromAsync(await models.generateContentStream({ model, contents, config }))
      : [await models.generateContent({ model, contents, config })]
    const parts = answers.flatMap((answer) => answer.candidates?.[0]?.content?.parts ?? [])
    const usage = answers.at(-1)?.usageMetadata
    const textOf = (thought: boolean) =>
      parts.map((part) => (Boolean(part.thought) === thought ? (part.text ?? '') : '')).join('')
    return {
      // The last chunk has an empty part, which is not sent back.
      answered: [
        { role: 'model', parts: parts.filter(({ text, thoughtSignature }) => text !== '' || thoughtSignature) },
      ],
      text: textOf(false),
      calls: callsIn(parts).map((call) => ({ name: call.name, args: call.args })),
      thought: textOf(true),
      usage: { input: usage?.promptTokenCount, output: usage?.candidatesTokenCount },
    }
  },
  results([last]) {
    const parts = callsIn(last.parts).map(({ id, name, args }) => ({
      functionResponse: { ...(id && { id }), name, response: { output: run(args) } },
    }))
    return [{ role: 'user', parts }]
  },
  async leave(at, model, contents) {
    const left = new AbortController()
    const config = { abortSignal: left.signal }
    for await (const chunk of await google(at).models.generateContentStream({ model, contents, config })) {
      if (chunk.text) break
    }
    left.abort()
  },
})

const callsIn = (parts: readonly Loose[]): Loose[] => parts.flatMap((part) => part.functionCall ?? [])
