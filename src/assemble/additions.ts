/** Usage, warnings and other data of an answer beside its text and calls. @module */
import type { Fragment } from '../core/codec.ts'
import { compact } from '../core/lookup.ts'
import type { CitationBlock, ContentBlock, MessageEvent, ProviderData, Usage } from '../core/model.ts'
import { type Assembly, warnOfDrop } from './assembly.ts'

/** Adds citations, proofs, fields or pieces of media to an open block. */
export function patch(state: Assembly, fragment: Fragment & { type: 'patch' }, out: MessageEvent[]): void {
  const part = fragment.key === undefined ? state.parts.at(-1) : state.byKey.get(fragment.key)
  if (part === undefined || (part.kind === 'call' && !part.isOpen)) {
    warnOfDrop('what was to be added to a block found none that is open', out)
    return
  }
  const { type: _type, key: _key, citations, providerData, data, transcript, ...fields } = fragment
  if (part.kind === 'call') {
    if (fields.opaque !== undefined) part.opaque = fields.opaque
    part.id ??= fields.id
    part.providerData = mergeData(part.providerData, providerData)
    return
  }
  const before = part.block as ContentBlock & {
    citations?: readonly CitationBlock[]
    data?: string
    transcript?: string
  }
  const merged = mergeData(before.providerData, providerData)
  part.block = {
    ...before,
    ...fields,
    ...compact({
      citations: citations && [...(before.citations ?? []), ...citations],
      providerData: merged,
      data: data === undefined ? undefined : (before.data ?? '') + data,
      transcript: transcript === undefined ? undefined : (before.transcript ?? '') + transcript,
    }),
  } as ContentBlock
}

/** Takes the usage so far. A figure that is reported again replaces the earlier one. */
export function addUsageFigures(state: Assembly, usage: Usage, out: MessageEvent[]): void {
  if (usage === state.figures && state.usage !== undefined) {
    out.push({ type: 'usage', usage: state.usage }) // some wires have them with every piece
    return
  }
  state.figures = usage
  const providerData = mergeData(state.usage?.providerData, usage.providerData)
  state.usage = { ...state.usage, ...usage, ...compact({ providerData }) }
  out.push({ type: 'usage', usage: state.usage })
}

/** Keeps other fields of the provider, for the message or the response. */
export function addExtra(state: Assembly, { providerData, on }: Fragment & { type: 'extra' }): void {
  if (on === 'message') state.messageData = mergeData(state.messageData, providerData)
  else state.responseData = mergeData(state.responseData, providerData)
}

/** Fields kept for each format, with those that were added. */
export function mergeData(before: ProviderData | undefined, added: ProviderData | undefined): ProviderData | undefined {
  if (before === undefined || added === undefined) return added ?? before
  const merged: Record<string, ProviderData[string]> = { ...before }
  for (const format of Object.keys(added)) merged[format] = { ...merged[format], ...added[format] }
  return merged
}
