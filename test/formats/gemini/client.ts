/** The official client of Gemini. */
import { GoogleGenAI } from '@google/genai'
import { anyToken, type Client, type Loose, type Place, run, schema, type Turn, weather } from '../client.ts'

export const google = ({ url, token = anyToken }: Place) =>
  new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: url, retryOptions: { attempts: 1 } } })

export const client: Client = {
  converse(at, { model, stream, tools, think, schema: wantsSchema }) {
    const contents: Loose[] = []
    let calls: Loose[] = []
    async function ask(): Promise<Turn> {
      const config = {
        ...(tools && {
          tools: [
            {
              functionDeclarations: [
                { name: weather.name, description: weather.description, parametersJsonSchema: weather.parameters },
              ],
            },
          ],
        }),
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
