/** The recorded requests, read by the codec of their format. */
import { corpus } from './corpus.ts'
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
  return corpus.flatMap(({ id, format: folder, request, meta }) => {
    const format = folders.get(folder)
    if (format === undefined || request === undefined) return []
    const path = String(meta.endpoint ?? '').split(' ')[1] ?? ''
    const { context, options } = format.server.decodeRequest(request, { path })
    return [{ id, format: format.client.name, asked: { context, options } }]
  })
}
