/** Which requests have no stream that says the same. @module */
import { arrayOf, field, isObject } from './lookup.ts'

const isSeveral = (count: unknown) => typeof count === 'number' && count > 1
const hasAudio = (modalities: unknown) => arrayOf(modalities).some((one) => /^audio$/i.test(String(one)))

/**
 * Whether the body of a request, of whichever wire, can only be answered whole: it asks for several choices, of which a stream has one for
 * us, for speech, which a stream has in other formats, or for work in the background, which is answered at once and fetched later.
 */
export function isOnlyWhole(body: unknown): boolean {
  const config = isObject(body) ? (body.generationConfig ?? body.generation_config) : undefined
  return (
    isSeveral(field(body, 'n')) ||
    hasAudio(field(body, 'modalities')) ||
    field(body, 'background') === true ||
    isSeveral(field(config, 'candidateCount') ?? field(config, 'candidate_count')) ||
    hasAudio(field(config, 'responseModalities') ?? field(config, 'response_modalities'))
  )
}
