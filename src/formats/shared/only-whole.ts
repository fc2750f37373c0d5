/** Finds requests whose answers cannot be streamed. @module */
import { arrayOf, field, isObject, stringOr } from '../../core/json.ts'

const isSeveral = (count: unknown) => typeof count === 'number' && count > 1
const hasAudio = (modalities: unknown) => arrayOf(modalities).some((one) => /^audio$/i.test(stringOr(one, '')))

/**
 * Whether the body of a request, of whichever wire, can only be answered whole: it asks for several choices (we read one choice of a
 * stream), for speech, which a stream has in other formats, or for work in the background, which is answered at once and fetched later.
 */
export function isOnlyWhole(body: unknown): boolean {
  if (!isObject(body)) return false
  // Some wires have these fields one level down, in an object of settings.
  return [body, ...Object.values(body).filter(isObject)].some(
    (fields) =>
      isSeveral(field(fields, 'n')) ||
      isSeveral(field(fields, 'candidateCount') ?? field(fields, 'candidate_count')) ||
      hasAudio(field(fields, 'modalities')) ||
      hasAudio(field(fields, 'responseModalities') ?? field(fields, 'response_modalities')) ||
      field(fields, 'background') === true,
  )
}
