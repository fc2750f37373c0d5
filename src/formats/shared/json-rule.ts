/** Asks for JSON in words, for models that have no JSON mode beside tools. @module */
import type { ResponseFormat } from '../../core/messages.ts'

/** Text for a system message: while the model calls tools, it goes on to do so. */
export function jsonRule({ schema }: ResponseFormat): string {
  const rule = schema === undefined ? '' : ` It must match this JSON Schema: ${JSON.stringify(schema)}`
  return `Give the final answer as JSON only.${rule}`
}
