/** The recorded requests, read by the codec of their format. */
import { corpus, pathOf } from './corpus.ts'
import type { Format } from './formats.ts'
import type { Asked } from './silence.ts'

export interface RecordedRequest {
  readonly id: string
  readonly format: string
  readonly asked: Asked
}

/** Those of the formats given; a body that is not a request of its format is an error of the test. */
export function recordedRequests(formats: readonly Format[]): readonly RecordedRequest[] {
  const folders = new Map(formats.map((format) => [format.folder, format]))
  return corpus.flatMap((one) => {
    const { id, format: folder, request } = one
    const format = folders.get(folder)
    if (format === undefined || request === undefined) return []
    const { context, options } = format.server.decodeRequest(request, { path: pathOf(one) })
    return [{ id, format: format.client.name, asked: { context, options } }]
  })
}
