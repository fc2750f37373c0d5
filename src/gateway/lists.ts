/**
 * Lists of models, in the form that the clients of each format read.
 *
 * @module
 */
import type { GatewayFormat, Listing } from '../formats/shared/gateway-format.ts'
import { errorAnswer, unknownModel } from './errors.ts'
import { isPermitted, type ModelTable } from './models.ts'
import type { Permit } from './types.ts'

/** @see https://platform.openai.com/docs/api-reference/models/list (read 2026-11) */
const openai: Listing = {
  entry: ({ name }) => ({ id: name, object: 'model', created: 0, owned_by: 'gateway' }),
  list: (data) => ({ object: 'list', data: [...data] }),
}

/** The models that the permit allows, or one of them. */
export function answerModels(
  table: ModelTable,
  permit: Permit,
  wire: GatewayFormat,
  id?: string,
  basePath = '',
): Response {
  const { entry, list } = wire.listing ?? openai
  if (id === undefined) {
    return Response.json(list(table.targets.filter((target) => isPermitted(target, permit)).map(entry)))
  }
  const [target] = table.find(id, permit)
  if (target === undefined) return errorAnswer(unknownModel(id, basePath + wire.list), wire)
  return Response.json(entry({ ...target, name: id }))
}
