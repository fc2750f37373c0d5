/** Why a server would refuse a request of Gemini. */
import { list, type Wire } from '../violations.ts'

export const violations = (body: unknown): readonly string[] => checkGemini(list((body as Wire).contents))

/** wire/gemini.md §2.4 */
function checkGemini(contents: readonly Wire[]): readonly string[] {
  const found: string[] = []
  if (contents.length > 0 && contents[0]?.role !== 'user') found.push('the first content is not a user’s')
  contents.forEach((content, at) => {
    const parts = list(content.parts)
    if (parts.length === 0) found.push(`${at}: it must include at least one parts field`)
    for (const part of parts) {
      const isBare = Object.keys(part).every((key) => key === 'thought')
      const isBlank = part.text === '' && part.thoughtSignature === undefined
      if (isBare || isBlank) found.push(`${at}: a part without data`)
    }
    const names = (list_: readonly Wire[], key: string) =>
      list_.map((part) => (part[key] as Wire | undefined)?.name).filter(Boolean)
    const responses = names(parts, 'functionResponse')
    const before = contents[at - 1]
    const calls = before?.role === 'model' ? names(list(before.parts), 'functionCall') : []
    if (String(calls) !== String(responses)) found.push(`${at}: responses ${responses} behind calls ${calls}`)
    if (
      contents[at - 1]?.role === content.role &&
      responses.length === 0 &&
      calls.length === 0 &&
      content.role === 'model'
    )
      found.push(`${at}: two turns of the model`)
  })
  const last = contents.at(-1)
  if (list(last?.parts).some((part) => 'functionCall' in part)) found.push('end: a call without a response')
  return found
}
