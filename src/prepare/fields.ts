/** The fields that a target lacks: they are left out, and reported. @module */

import { lookup, wellFormedJson } from '../core/json.ts'
import type { Loss, Metadata, ProviderData } from '../core/messages.ts'
import type { Feature } from '../core/target.ts'
import { reportForeignFields, reportLoss } from '../formats/shared/losses.ts'
import * as reasons from '../formats/shared/reasons.ts'
import type { Task } from './task.ts'

/** A field that is removed, and reported, if the format lacks a feature. */
interface UnsupportedField {
  /** The feature, or `any` if no format has it. Default: the name of the field. */
  readonly feature?: Feature | 'any'
  readonly reason: string
  /** The value that says as much as no field, so that its loss is not reported. Default `false`. An empty list is one too. */
  readonly usual?: unknown
  /** Default `dropped`. */
  readonly action?: Loss['action']
  /** Default `info`. */
  readonly severity?: Loss['severity']
  /** The codec says it in other words, so the field stays. */
  readonly isSaid?: true
}

const option = { reason: reasons.option, severity: 'minor' } as const
const detail = { feature: 'formatDetails', reason: 'the target takes the schema only' } as const
const errorFlag = {
  feature: 'errorFlag',
  reason: 'the target has no flag for a failed result: the text says it',
  action: 'changed',
  isSaid: true,
} as const

/** The fields that formats may lack, by the type of the block or by the kind of thing. Results of tools are `tool`, other messages `message`. */
const unsupportedFields: Readonly<Record<string, Readonly<Record<string, UnsupportedField>>>> = {
  options: {
    topK: option,
    seed: option,
    stop: option,
    frequencyPenalty: option,
    presencePenalty: option,
    parallelToolCalls: { ...option, usual: true },
    user: { reason: reasons.option },
  },
  responseFormat: { name: detail, description: detail, strict: detail },
  tool_definition: { strict: { feature: 'strictTools', reason: reasons.strictTools, severity: 'minor' } },
  message: { name: { feature: 'names', reason: 'the target has no names of participants' } },
  tool: { status: { ...errorFlag, usual: 'success' } },
  tool_result: { isError: errorFlag },
  text: {
    citations: { reason: reasons.citations, severity: 'minor' },
    refusal: { feature: 'refusals', reason: reasons.refusal, action: 'changed' },
  },
  plain_text: {
    title: { feature: 'titles', reason: reasons.title },
    mimeType: { feature: 'any', reason: reasons.mimeType, usual: 'text/plain' },
  },
  image: { detail: { feature: 'imageDetail', reason: 'the target has no levels of detail', usual: 'auto' } },
  audio: { transcript: { feature: 'transcripts', reason: reasons.transcript } },
  file: { filename: { feature: 'filenames', reason: reasons.filename } },
}

/** The message, block, tool or options without the fields that the target lacks, and without another format's. */
export function fitFields<T extends object>(thing: T, kind: string, path: string, task: Task): T {
  const { target, unsupported, losses, isOwn } = task
  if (task.takesAll) return thing
  const fields = thing as Readonly<Record<string, unknown>> & Common
  const lost = new Set<string>()
  for (const [name, row] of Object.entries(lookup(unsupportedFields, kind) ?? {})) {
    const { feature = name, reason, usual = false, action = 'dropped', severity = 'info', isSaid } = row
    const value = fields[name]
    if (value === undefined || !(feature === 'any' || unsupported.has(feature))) continue
    if (!isSaid) lost.add(name)
    const isUsual = value === usual || (Array.isArray(value) && value.length === 0)
    if (isUsual) continue
    if (name === 'citations' && isOwn) reportLoss(losses, 'dropped', `${path}.${name}`, reasons.ownCitations, 'info')
    else reportLoss(losses, action, `${path}.${name}`, reason, severity)
  }
  const { metadata, providerData } = fields
  const hint = lookup(hintFeatures, kind) ?? 'cacheHints'
  if (metadata?.cacheHint !== undefined && (unsupported.has('cacheHints') || unsupported.has(hint))) {
    reportLoss(losses, 'dropped', `${path}.metadata.cacheHint`, reasons.cacheHint, 'info')
    lost.add('metadata')
  }
  reportForeignFields(fields, target.format, path, losses)
  if (providerData !== undefined && !Object.hasOwn(providerData, target.format)) lost.add('providerData')
  if (lost.size === 0) return thing
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !lost.has(name))) as T
}

/** Some formats lack hints only there. */
const hintFeatures: Readonly<Record<string, Feature>> = {
  tool_definition: 'toolCacheHints',
  tool_call: 'callCacheHints',
  tool_result: 'callCacheHints',
  tool: 'callCacheHints',
  reasoning: 'callCacheHints',
}

/** Fields that most things may have. */
interface Common {
  readonly metadata?: Metadata
  readonly providerData?: ProviderData
}

/** The thing with well-formed text in these fields. */
export function wellFormedFields<T extends object>(
  thing: T,
  names: readonly string[],
  path: string,
  { losses }: Task,
): T {
  let fixed = thing as Record<string, unknown>
  for (const name of names) {
    const value = fixed[name]
    const wellFormed = value === undefined ? undefined : wellFormedJson(value)
    if (wellFormed === value) continue
    reportLoss(losses, 'changed', `${path}.${name}`, reasons.halves, 'info')
    fixed = { ...fixed, [name]: wellFormed }
  }
  return fixed as T
}
