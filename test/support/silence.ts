/**
 * Finds losses of a request that are not reported. Two requests that differ in one field must differ in their bodies, or one of them must
 * report a loss at that field. So no list of expected bodies is needed: each leaf of the context and of the options is changed, one at a
 * time.
 */
import type { ClientCodec, EncodedRequest } from '../../src/core/codec.ts'
import type { Context, Loss, RequestOptions } from '../../src/core/messages.ts'

export interface Asked {
  readonly context: Context
  readonly options: RequestOptions
}
export type Encode = (asked: Asked) => Pick<EncodedRequest, 'path' | 'body' | 'losses'>

/** Encodes as a run does. */
export const sendFor = (client: ClientCodec) => (asked: Asked) =>
  client.encodeRequest(asked.context, { ...asked.options, strict: false })

/** Fields that no wire gets, each with its reason. */
const notForWires: readonly (readonly [path: RegExp, because: string])[] = [
  [/^messages\[\d+\]\.(?:id|usage|stopReason|rawStopReason|response)(?:\.|$)/, 'says where a message came from'],
  [/\.(?:artifacts|extra)(?:[.[]|$)/, 'the model says of it: stored, never sent'],
  [/\.metadata\.(?!cacheHint(?:\.|$))/, 'the model says of it: the data of the application'],
  [/\.annotations\./, 'hints about a tool for the application, never sent'],
  [/\.(?:index|complete|generatedId|argumentsText)$/, 'says again what the place or the arguments of a call say'],
  [/invalidToolCalls\[\d+\]\.(?:reason|error)$/, 'is for the application'],
  [/\.opaque\.(?:provider|model|format)$/, 'the label of a proof: only its data is sent'],
  [/\.parameters\.(?:.+\.)?\$(?:schema|id)$/, 'names the draft of a schema, and its address: nothing of its values'],
  [/^options\.(?:model|strict)$/, 'decides where a request goes, and which losses are errors'],
  [/\.(?:type|role|format|providerType)$/, 'decides how the other fields are read'],
]

/** Fields that say nothing beside their neighbours, each with its reason. */
const redundant: readonly (readonly [test: (key: string, holder: Holder) => boolean, because: string])[] = [
  [(key, { role, type }) => key === 'name' && (role === 'tool' || type === 'tool_result'), 'the call says it'],
  [(key, { type }) => key === 'id' && type !== undefined && !/tool_call/.test(String(type)), 'the id of a block'],
  [
    (key, { type }) => key === 'toolCallId' || (key === 'id' && /tool_call/.test(String(type))),
    'only pairs a call with its result',
  ],
  [(key, { type, data }) => key === 'mimeType' && type !== 'plain_text' && data === undefined, 'the address says it'],
  [(key, { type }) => key === 'mimeType' && (type === 'image' || type === 'audio'), 'its first bytes say it'],
  [(key, { type, id }) => /^(?:data|transcript)$/.test(key) && type === 'audio' && id !== undefined, 'the id says it'],
  [
    (key, { type, providerData }) => type === 'citation' && /text|Index/.test(key) && providerData !== undefined,
    'a citation of the same wire says it in its own fields',
  ],
]
type Holder = { readonly [field: string]: unknown }

/** Two other values for words that come from a list. */
const words: readonly (readonly [path: RegExp, values: readonly unknown[]])[] = [
  [/^options\.toolChoice$/, ['auto', 'required', 'none']],
  [/^options\.reasoning\.effort$/, ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']],
  [/\.metadata\.cacheHint$/, ['ephemeral', { ttl: '1h' }]],
  [/\.metadata\.cacheHint\.ttl$/, ['5m', '30m', '1h', '12h']],
  [/\.detail$/, ['auto', 'low', 'high', 'original']],
  [/\.status$/, ['success', 'error']],
  [/^options\.toolChoice\.mode$/, ['auto', 'required']],
]
const mimeTypes: readonly (readonly string[])[] = [
  ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  ['audio/wav', 'audio/mpeg'],
  ['video/mp4', 'video/webm'],
  ['application/pdf', 'text/plain', 'text/markdown', 'text/html'],
]

/** The paths of what is neither in the body nor among the losses. */
export function silencesOf(asked: Asked, encode: Encode): string[] {
  const encoded = encode(asked)
  const body = textOf(encoded)
  return leavesOf(asked)
    .filter(({ path, value, key, holder }) => {
      if (notForWires.some(([pattern]) => pattern.test(path))) return false
      if (redundant.some(([test]) => test(key, holder))) return false
      if (encoded.losses.some((loss) => covers(loss, path))) return false
      if (typeof value === 'string' && value.length >= 12 && body.includes(JSON.stringify(value).slice(1, -1)))
        return false
      return othersOf(path, value).some((other) => {
        if (saysNothing(path, value, encoded) && saysNothing(path, other, encoded)) return false
        const again = encode(withValue(asked, path, other))
        return textOf(again) === body && !again.losses.some((loss) => covers(loss, path))
      })
    })
    .map(({ path }) => path)
}

/** Where no tools are sent, none is called anyway. */
function saysNothing(path: string, value: unknown, { body }: Pick<EncodedRequest, 'body'>): boolean {
  return (
    path === 'options.toolChoice' && !Object.hasOwn(body as object, 'tools') && (value === 'auto' || value === 'none')
  )
}

function textOf({ path, body }: Pick<EncodedRequest, 'path' | 'body'>): string {
  return `${path}\n${JSON.stringify(body)}`
}

/** A loss of a field is one of all that is in it; a change of a whole message says nothing of its fields. */
export function covers({ path, action }: Loss, leaf: string): boolean {
  if (path === leaf || path.startsWith(`${leaf}.`) || path.startsWith(`${leaf}[`)) return true
  if (action !== 'dropped' && /^(?:messages(?:\[\d+\])?(?:\.content)?|tools|system)$/.test(path)) return false
  return leaf.startsWith(`${path}.`) || leaf.startsWith(`${path}[`)
}

function othersOf(path: string, value: unknown): readonly unknown[] {
  const list =
    words.find(([pattern]) => pattern.test(path))?.[1] ?? mimeTypes.find((types) => types.includes(value as string))
  if (list !== undefined) return list.filter((one) => JSON.stringify(one) !== JSON.stringify(value))
  if (typeof value === 'string') return [`${value}QUFB`]
  if (typeof value === 'number') return [Number.isInteger(value) ? value + 1 : value / 2]
  if (typeof value === 'boolean') return [!value]
  return []
}

interface Leaf {
  readonly path: string
  readonly value: unknown
  readonly key: string
  /** The object that it is a field of. */
  readonly holder: Holder
}

/** Every field that is text, a number or a flag, by its path as losses have it. */
export function leavesOf({ context, options }: Asked): Leaf[] {
  return [...Object.entries(context), ['options', options] as const].flatMap(([name, value]) => walk(value, name))
}

function walk(value: unknown, path: string, key = '', holder: Holder = {}): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => walk(one, `${path}[${at}]`, key, holder))
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [{ path, value, key, holder }]
  return Object.entries(value).flatMap(([name, one]) => walk(one, `${path}.${name}`, name, value as Holder))
}

/** The same with another value at that path. */
function withValue(asked: Asked, path: string, value: unknown): Asked {
  const steps = path.split(/\.|\[(\d+)\]\.?/).filter((step) => step !== undefined && step !== '')
  const changed = { ...asked.context, options: asked.options } as Record<string, unknown>
  const { options, ...context } = replace(changed, steps, value) as Record<string, unknown>
  return { context: context as unknown as Context, options: options as RequestOptions }
}

function replace(target: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(target)) return target.with(Number(step), replace(target[Number(step)], rest, value))
  const object = target as Record<string, unknown>
  return { ...object, [step]: replace(object[step], rest, value) }
}

/** Values that each wire writes in its own words, with the reason. */
const rewritten: readonly (readonly [path: RegExp, value: RegExp, because: string])[] = [
  [/^options\.toolChoice(?:\.mode)?$/, /^(?:auto|none|required)$/, 'a choice'],
  [/^options\.reasoning\.(?:effort|budgetTokens)$/, /^(?:none|0)$/, 'reasoning is off'],
  [/\.cacheHint$/, /^ephemeral$/, 'a mark'],
  [/\.status$/, /^error$/, 'a flag'],
  [/\.mimeType$/, /^[a-z]+\/[a-z\d]+$/, 'Bedrock has names of file types'],
]

/** The values that are neither in the body as they are, nor named by a loss. */
export function alterationsOf(asked: Asked, encode: Encode): string[] {
  const encoded = encode(asked)
  const values = valuesIn(encoded.body)
  const texts = [encoded.path, ...values.filter((value) => typeof value === 'string')]
  const isSent = (path: string, value: unknown) => {
    if (typeof value !== 'string') return values.includes(value)
    if (path === 'options.reasoning.effort') return texts.includes(value) || texts.includes(value.toUpperCase())
    // Bedrock has the ending of a document's name in a field of its own.
    const [, stem, ending = ''] = (/\.(?:filename|title)$/.test(path) && /^(.*)\.(\w+)$/.exec(value)) || []
    if (stem !== undefined && texts.includes(stem) && texts.includes(ending)) return true
    return texts.some((text) => text.includes(value))
  }
  return leavesOf(asked)
    .filter(({ path, value, key, holder }) => {
      if (typeof value === 'boolean' || value === null || isSent(path, value)) return false
      if (notForWires.some(([pattern]) => pattern.test(path))) return false
      if (redundant.some(([test]) => test(key, holder))) return false
      if (rewritten.some(([pattern, of]) => pattern.test(path) && of.test(`${value}`))) return false
      return !encoded.losses.some((loss) => covers(loss, path))
    })
    .map(({ path, value }) => `${path} ${JSON.stringify(value)}`)
}

/** Every value in a body, and in the JSON texts in it. */
function valuesIn(value: unknown): unknown[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(valuesIn)
  if (typeof value !== 'string' || !/^[[{"]/.test(value)) return [value]
  try {
    return [value, ...valuesIn(JSON.parse(value))]
  } catch {
    return [value]
  }
}

/** Words from a list, media, what pairs a call with its result, and arguments, whose text stands beside them. */
const notFree =
  /\.(?:type|role|format|status|mimeType|detail|cacheHint|ttl|effort|mode|toolChoice|url|data|id|toolCallId)$|\.arguments\./

/** The same request again and again, each time with an odd value in place of one text. */
export function withOddTexts(asked: Asked): Asked[] {
  return leavesOf(asked).flatMap(({ path, value }) =>
    typeof value !== 'string' || notFree.test(path) || notForWires.some(([pattern]) => pattern.test(path))
      ? []
      : oddTexts.map((odd) => withValue(asked, path, odd)),
  )
}
const oddTexts = [
  ' spaced out \n',
  'a.b/c:d*e "f" (g) [h] <i>',
  'Grüße 東京 💥',
  `${'long'.repeat(80)}!`,
  '-1 _',
  'Version 1.5',
  'notes.md',
]
